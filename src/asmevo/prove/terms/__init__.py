"""Terms: what a register holds as a formula over what it held where the window began."""
