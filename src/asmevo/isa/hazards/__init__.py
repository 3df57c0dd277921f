"""Software wait states: rows, roles of instructions, matching."""
