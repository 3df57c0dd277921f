"""Benchmarks and reports; each writes its page under docs/results/."""
