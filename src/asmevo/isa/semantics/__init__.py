"""What instructions mean: one definition per opcode over an abstract value algebra."""
