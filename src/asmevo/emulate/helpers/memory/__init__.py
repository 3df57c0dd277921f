"""Helpers for memory instructions."""
