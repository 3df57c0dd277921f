"""Helpers for matrix instructions."""
