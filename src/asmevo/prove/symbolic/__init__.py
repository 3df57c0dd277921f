"""Instructions over terms: the state of one wave, and what each kind of instruction does to it."""
