"""The simulation of one compute unit, compiled by numba; `asmevo.timing.simulate` drives it.

`parts` has what all share, `delays` what an instruction waits for, `units` what issues it, `clock`
the loop round them and the reasons that it charges.
"""

from asmevo.timing.kernel.clock import DEADLOCK, run
from asmevo.timing.kernel.parts import Clocks

__all__ = ["DEADLOCK", "Clocks", "run"]
