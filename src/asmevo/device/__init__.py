"""Devices: the protocol, and the emulated one with its clock."""
