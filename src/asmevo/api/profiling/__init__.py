"""Where a kernel's modelled time goes: `figures` of launches, `waves` as a trace."""

from asmevo.api.profiling.figures import SCHEMA, Profile, profile

__all__ = ["SCHEMA", "Profile", "profile"]
