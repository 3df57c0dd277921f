"""One native function for each opcode and kind of operands."""
