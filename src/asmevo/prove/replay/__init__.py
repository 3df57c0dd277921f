"""Windows on concrete states: the slow reference, states worth trying, and counterexamples."""
