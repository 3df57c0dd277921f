"""The emulator: helpers, memory, scheduler, sanitizers."""
