"""From instruction text to helper variants and records."""
