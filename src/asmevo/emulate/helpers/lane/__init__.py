"""Helpers for vector instructions."""
