"""Targets, operands, instruction records, LLVM in process, and the tables others share."""
