"""Capsules: one kernel dispatch with memory as it is before it, recorded or synthesized."""
