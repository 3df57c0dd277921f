"""An emulator-backed HIP runtime: programs that load `libamdhip64.so` run without a GPU.

`native/` is the library that a program loads; it keeps device memory in an arena that it shares
with a worker process of ours, and sends it every launch. `functions` is the one table of what the
library exports, `build` compiles it, `worker` is the process that runs the kernels.
"""
