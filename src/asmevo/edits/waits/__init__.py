"""Counter waits and software wait states: what is pending, what a new order needs."""
