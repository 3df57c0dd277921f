"""Whole instructions: fetch, modify, compute, commit, stated once over an abstract state."""
