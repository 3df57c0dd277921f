"""What leaves a search for other people's machines: evidence that they can check."""
