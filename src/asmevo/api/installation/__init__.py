"""What this installation has: tools, formats, templates, and where kernels are fetched from."""
