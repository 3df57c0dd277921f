"""Programs as assembly text: what `disasm` writes, and reading it back."""
