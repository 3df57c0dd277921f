"""How two objects differ, and whether they do the same."""
