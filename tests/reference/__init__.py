"""What the kernels must compute, in NumPy and double precision: the tests' own truth."""
