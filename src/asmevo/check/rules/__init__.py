"""One module for each family of rules."""
