"""Differential verification: a candidate object against K0 on capsules, with evidence."""
