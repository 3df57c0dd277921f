"""Opcodes of the vector ALU, one module per family."""
