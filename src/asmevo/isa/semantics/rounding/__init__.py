"""Floating point beyond what an algebra does by itself: directed and late rounding."""
