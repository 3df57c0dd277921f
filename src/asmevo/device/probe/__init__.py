"""Finding out how a kernel uses its arguments by running it on memory that nobody described."""
