"""Helpers for scalar instructions and control flow."""
