"""Order between waves: what the original orders, an edit may not weaken."""
