"""Commands that hold one object against another."""
