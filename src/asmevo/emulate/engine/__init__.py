"""Launches, waves and their scheduling, faults."""
