"""Independent second opinion on instruction semantics, for tests only.

AMD publishes a pseudocode string for most opcodes; the development dependency `tinygrad` carries
those strings. This package reads them with a parser of its own (`syntax`), compiles them to
Python (`codegen`) over exact integer arithmetic (`softfloat`, `special`, `smallfloat`) and runs
one lane at a time (`evaluator.evaluate`). It shares no code with `asmevo` and none with
tinygrad's evaluator. Where a string is known to be wrong or silent, `known` says so, with the
reason and the source that decides.
"""
