"""Static verifier: waits, wait states, registers, resources, structure, ABI; and comparison."""
