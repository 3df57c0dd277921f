"""One thin module per command: options, one call into `asmevo.api`, `emit`."""
