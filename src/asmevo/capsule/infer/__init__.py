"""Launch descriptions that nobody wrote: what is known of a launch, and how it is put down."""
