"""Is everything here that AsmEvo needs, and where does it keep what it can make again?"""

from __future__ import annotations

import platform
from collections.abc import Callable

from asmevo import __version__
from asmevo.api.installation import corpora
from asmevo.api.results import Result
from asmevo.caches import cache_folder, cache_problem
from asmevo.errors import AsmEvoError


def _assembler() -> str:
    from asmevo.isa.codec.llvm import assembler, disassembler, library
    from asmevo.isa.target import Target

    path = library()[1]
    for arch in ("gfx90a", "gfx942", "gfx950"):
        target = Target(arch)
        code = assembler(target).assemble("v_add_f32_e32 v0, v1, v2")
        text = disassembler(target).decode(code)[0].text
        if text != "v_add_f32_e32 v0, v1, v2":
            raise AsmEvoError(f"{path} does not round-trip an instruction for {arch}")
    return str(path)


def _helpers() -> str:
    from asmevo.emulate.engine.toolchain import shared_library
    from asmevo.emulate.native.library import host_cpu

    shared_library()
    return f"CPU {host_cpu()[0]}"


def _model() -> str:
    # Importing it asks numba for a place to keep what it compiles.
    from asmevo.timing import kernel as _kernel
    from asmevo.timing.machine import machine_for

    del _kernel
    return ", ".join(machine_for(arch).arch for arch in ("gfx90a", "gfx942", "gfx950"))


def _hip() -> str:
    from asmevo.hip.build import compiler

    try:
        return f"built with C compiler {compiler().name} when first used"
    except AsmEvoError as err:
        raise _Degraded(f"{err.one_line()}; needed for `exec` and `capture` only") from None


def _cache() -> str:
    problem = cache_problem()
    if problem:
        raise _Degraded(f"{problem}; works, but compiles again in every run")
    return str(cache_folder("helpers"))


def _corpora() -> str:
    here = {True: "fetched", False: "not fetched"}
    states = [f"{n} {here[corpora.available(n)]}" for n in corpora.CORPORA]
    return "; ".join(states) + " (optional)"


class _Degraded(Exception):
    """It works, with a disadvantage."""


CHECKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("assembler", _assembler),
    ("emulator", _helpers),
    ("cycle model", _model),
    ("HIP runtime", _hip),
    ("cache", _cache),
    ("corpora", _corpora),
)


def doctor() -> Result:
    """Try the assembler, the emulator's compiler, the model and the cache; `data["checks"]`."""
    rows = [
        ("asmevo", "ok", f"{__version__}, Python {platform.python_version()}"),
        ("gpu", "ok", "none needed: the emulator runs, the model estimates"),
    ]
    failed = ""
    for name, probe in CHECKS:
        try:
            rows.append((name, "ok", probe()))
        except _Degraded as note:
            rows.append((name, "note", str(note)))
        except Exception as err:  # whatever a part does here, it would do in a run
            said = (
                err.one_line() if isinstance(err, AsmEvoError) else f"{type(err).__name__}: {err}"
            )
            rows.append((name, "FAILED", said))
            failed = failed or f"{name}: {said}"
    data = {"checks": [{"name": n, "state": s, "detail": d} for n, s, d in rows]}
    return Result(not failed, "infrastructure_error" if failed else "ok", failed, data)
