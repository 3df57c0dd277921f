"""A small, fixed set of slips that the tests must catch: `make mutation-tests`."""
