"""AsmEvo: optimize compiled AMD GPU kernels, with evidence that they still behave the same."""

__version__ = "0.1.0"
