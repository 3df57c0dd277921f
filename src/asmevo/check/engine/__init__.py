"""What the rules stand on: the view of a function, fixed points, pending results."""
