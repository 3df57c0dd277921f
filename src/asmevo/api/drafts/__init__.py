"""Launch descriptions that nobody wrote.

`arguments` reads what the code does with its scalars, `templates` makes a description out of the
metadata, `inferring` out of runs.
"""
