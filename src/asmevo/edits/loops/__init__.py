"""Rules about whole loops, and the shapes of loops that they know."""
