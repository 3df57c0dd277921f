"""The order of instructions in a block: dependences, list scheduling, single moves."""
