"""A run that somebody else drives: tools over it, without a way around the gates."""
