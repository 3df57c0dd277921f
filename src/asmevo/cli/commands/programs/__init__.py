"""Commands whose input is a whole program: run it, and record what it launches."""
