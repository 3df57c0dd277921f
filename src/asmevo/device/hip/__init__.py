"""The HIP device: kernels on an AMD GPU, or on the emulated runtime, through `libamdhip64.so`."""
