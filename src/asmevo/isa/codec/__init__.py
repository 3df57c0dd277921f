"""Assembler and disassembler in process, and what they get wrong."""
