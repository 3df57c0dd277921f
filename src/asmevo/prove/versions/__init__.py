"""Two versions of a program: places that correspond, windows of what differs, what they mean.

`programs.compare_programs` is the one call; `comparing.compare` does it for one function.
"""
