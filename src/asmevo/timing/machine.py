"""Machines of the cycle model: files of constants, and the one loader that reads them.

A machine is a YAML file: those in `machines/`, by their names, or a user's own. It lists constants
or says which other machine it is `like`; every number of the packaged files has its source in a
comment beside it. All times are shader clocks and all sizes bytes unless `CONSTANTS` says
otherwise. What follows from the architecture alone (registers, LDS, wave slots) is asked of
`asmevo.isa.arch` and stands in no file.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import yaml

from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.arch import ARCHS, Arch
from asmevo.isa.target import Target

SCHEMA = "asmevo/machine/1"
CONSTANTS: Mapping[str, str] = MappingProxyType({
    # chip
    "compute_units": "count", "simds_per_cu": "count", "vgprs_per_simd": "count",
    "workgroups_per_cu": "count", "clock_mhz": "MHz", "dram_bytes_per_clk": "B/clk",
    # issue
    "slot": "clk", "trans_issue": "clk", "permlane_swap_issue": "clk",
    "lds_read_bytes_per_clk": "B/clk", "lds_write_issue": "clk", "lds_write_per_dword": "clk",
    "branch_taken": "clk", "branch_straddle": "clk", "branch_not_taken": "clk",
    "barrier_release": "clk", "sleep_unit": "clk",
    # dependencies: issue of the producer to issue of the consumer
    "valu_to_memory": "clk", "trans_to_memory": "clk", "valu_to_salu": "clk",
    "salu_to_vmem": "clk", "salu_to_branch": "clk", "mfma_result": "clk",
    "mfma_scale_idle": "clk", "mfma_scale_issue": "clk",
    # LDS
    "lds_bytes_per_clk": "B/clk", "lds_latency": "clk", "lds_write_latency": "clk",
    "lds_queue": "entries", "lds_banks": "count",
    # vector memory
    "ta_clocks": "clk", "ta_bytes_per_clk": "B/clk", "vmem_queue": "entries",
    "vmem_inflight": "B", "vmem_latency": "clk", "vmem_bytes_per_clk": "B/clk",
    "vmem_cold": "clk", "store_latency": "clk", "store_bytes_per_clk": "B/clk",
    "scratch_latency": "clk",
    # scalar memory, instruction fetch
    "smem_latency": "clk", "smem_miss": "clk", "smem_cold": "clk", "smem_line": "clk",
    "fetch_cold_line": "clk",
    # caches
    "l1_bytes": "B", "l1_ways": "count", "l2_count": "count", "mall_bytes": "B",
    "mall_bytes_per_clk": "B/clk", "fresh_latency": "clk", "fresh_bytes_per_clk": "B/clk",
    "atomic_clocks": "clk",
    # launch
    "launch_first_issue": "clk", "launch_workgroup": "clk",
    # levels, unloaded pointer chase: floors of a loaded latency
    "level_l1": "clk", "level_l2": "clk", "level_mall": "clk", "level_dram": "clk",
})  # fmt: skip
"""Constants that a machine file gives, with their units: clk, B, B/clk, entries, count, MHz."""
_MAY_BE_ZERO = frozenset({"clk", "B"})
_LEAST_CLOCKS = frozenset({"slot"})  # a time that may not be 0
_FACTS: Mapping[str, Callable[[Arch], int]] = MappingProxyType({
    "wave_slots_per_simd": lambda a: a.waves_per_simd,
    "vgpr_granule": lambda a: a.vgpr_granules[64],
    "lds_bytes_per_cu": lambda a: a.lds_bytes,
    "lds_granule": lambda a: a.lds_granule,
})  # fmt: skip
_USUAL: Mapping[str, str] = MappingProxyType(
    {"gfx90a": "mi210", "gfx942": "mi300x", "gfx950": "mi350x"}
)
"""The machine of a target for which none is named."""
_MOST_BYTES = 1 << 20
_KEYS = frozenset({"schema", "chip", "arch", "like", "constants"})


@dataclass(frozen=True)
class MachineModel:
    """Constants of one machine.

    Attributes:
        arch: architecture, `gfx942`.
        chip: product the values describe.
        values: constant by name.
        changed: constants that differ from the file (empty for a machine as it was read).
        name: of the file, without its ending.
    """

    arch: str
    chip: str
    values: Mapping[str, float] = field(repr=False)
    changed: frozenset[str] = frozenset()
    name: str = ""

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only view of a dictionary does not pickle by itself.
        return _restored, (self.arch, self.chip, dict(self.values), self.changed, self.name)

    def count(self, name: str) -> int:
        """A constant as an integer."""
        return int(self.values[name])

    def with_values(self, **values: float) -> MachineModel:
        """A copy with some constants changed (calibration, what-if).

        Raises:
            UnsupportedError: there is no such constant.
        """
        for name in values:
            if name not in CONSTANTS and name not in _FACTS:
                raise UnsupportedError(
                    f"a machine has no constant {name!r}", "see asmevo.timing.machine.CONSTANTS"
                )
        merged = MappingProxyType({**self.values, **values})
        return replace(self, values=merged, changed=self.changed | frozenset(values))

    def to_json(self) -> dict[str, Any]:
        """Name, chip, arch and constants: all that it takes to time again."""
        constants = {key: self.values[key] for key in CONSTANTS}
        return {"name": self.name, "chip": self.chip, "arch": self.arch, "constants": constants}

    @property
    def title(self) -> str:
        """Its name; of one that is not packaged, with a digest of what it says."""
        if self.name in names() and named(self.name) == self:
            return self.name
        text = json.dumps(self.to_json(), sort_keys=True)
        return f"{self.name} ({hashlib.sha256(text.encode()).hexdigest()[:8]})"

    def require(self, target: Target) -> MachineModel:
        """Itself, if it runs code of `target`.

        Raises:
            InputError: it runs another architecture.
        """
        if target.arch != self.arch:
            raise InputError(
                f"machine {self.name} runs {self.arch}, and the kernel is for {target.arch}",
                f"machines for it: {', '.join(n for n in names() if named(n).arch == target.arch)}",
            )
        return self


def from_json(record: Mapping[str, Any]) -> MachineModel:
    """Inverse of `MachineModel.to_json`.

    Raises:
        InputError: the record describes no machine.
    """
    name = str(record.get("name", ""))
    document = {"schema": SCHEMA, **{k: v for k, v in record.items() if k != "name"}}
    return _checked(document, name, f"machine {name!r} of the record", ())


def _restored(
    arch: str, chip: str, values: dict[str, float], changed: frozenset[str], name: str
) -> MachineModel:
    return MachineModel(arch, chip, MappingProxyType(values), changed, name)


def has_machine(target: Target) -> bool:
    """Whether there is a machine that runs the target."""
    return target.arch in _USUAL


def machine_for(target: Target | str) -> MachineModel:
    """The usual machine of a target.

    Raises:
        UnsupportedError: the model has none for the architecture.
    """
    arch = target if isinstance(target, str) else target.arch
    usual = _USUAL.get(arch)
    if usual is None:
        raise UnsupportedError(
            f"no machine runs {arch}", "there are machines for " + ", ".join(_USUAL)
        )
    return named(usual)


@cache
def names() -> tuple[str, ...]:
    """Names of the packaged machines."""
    folder = resources.files("asmevo.timing") / "machines"
    return tuple(sorted(e.name[:-5] for e in folder.iterdir() if e.name.endswith(".yaml")))


@cache
def named(name: str) -> MachineModel:
    """A packaged machine.

    Raises:
        InputError: there is none of that name.
    """
    if name not in names():
        raise InputError(f"no machine {name!r}", "there are " + ", ".join(names()))
    text = (resources.files("asmevo.timing") / "machines" / f"{name}.yaml").read_text()
    return _parsed(text, name, f"machine {name}", (name,))


def find_machine(name_or_file: str | Path) -> MachineModel:
    """The machine of that name, else the one that the file describes.

    Raises:
        InputError: no such machine or file, or the file says something that no machine has; one
            line that names the place.
    """
    text = str(name_or_file)
    if text.lower() in names():
        return named(text.lower())
    path = Path(name_or_file)
    if not path.is_file():
        raise InputError(
            f"no machine {text!r}, nor a file of that name", "there are " + ", ".join(names())
        )
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path} is too large to describe a machine", "see docs/profile.md")
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as err:
        raise InputError(f"{path} cannot be read ({err})", "see docs/profile.md") from err
    return _parsed(content, path.stem, str(path), ())


class _Loader(yaml.SafeLoader):
    """Refuses a key that is given twice, of which YAML would silently take the last."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = cast(Any, loader).construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise yaml.YAMLError(f"key {key!r} is no name")
        if key in found:
            raise yaml.YAMLError(f"{key!r} is given twice")
        found[key] = cast(Any, loader).construct_object(value_node, deep=True)
    return found


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _parsed(text: str, name: str, where: str, seen: tuple[str, ...]) -> MachineModel:
    """The machine that a file's text describes; `seen` are the files that are `like` it."""

    def bad(what: str) -> InputError:
        return InputError(f"{where}: {what}", "docs/profile.md says what a machine file holds")

    try:
        document: Any = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError) as err:
        raise bad(f"not readable ({' '.join(str(err).split())[:200]})") from err
    return _checked(document, name, where, seen)


def _checked(document: object, name: str, where: str, seen: tuple[str, ...]) -> MachineModel:
    def bad(what: str) -> InputError:
        return InputError(f"{where}: {what}", "docs/profile.md says what a machine file holds")

    if not isinstance(document, dict):
        raise bad(f"it is no mapping with schema: {SCHEMA}")
    given = cast("dict[str, Any]", document)
    if given.get("schema") != SCHEMA:
        raise bad(f"schema is {given.get('schema')!r}, not {SCHEMA}")
    unknown = sorted(given.keys() - _KEYS)
    if unknown:
        raise bad(f"unknown key {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}")
    for key in ("chip", "arch", "like"):
        if key in given and not (isinstance(given[key], str) and given[key].strip()):
            raise bad(f"{key} is no name")
    like = given.get("like")
    base: MachineModel | None = None
    if like is not None:
        if like not in names() or like in seen:
            raise bad(f"like: {like!r} is no other machine; there are {', '.join(names())}")
        base = named(like)
    arch: str = given.get("arch") or (base.arch if base else "")
    if arch not in _USUAL:
        raise bad(f"arch is {arch!r}, not one of {', '.join(_USUAL)}")
    constants: Any = given.get("constants") or {}
    if not isinstance(constants, dict):
        raise bad("constants is no mapping of names to numbers")
    values = dict(base.values) if base else {}
    for key, value in cast("dict[str, Any]", constants).items():
        problem = _problem(key, value)
        if problem:
            raise bad(problem)
        values[key] = float(value)
    missing = [key for key in CONSTANTS if key not in values]
    if missing:
        raise bad(f"no {missing[0]}, nor a machine that it is like ({len(missing)} missing)")
    values |= {key: float(fact(ARCHS[arch])) for key, fact in _FACTS.items()}
    chip = given.get("chip") or name
    return MachineModel(arch, chip, MappingProxyType(values), frozenset(), name)


def _problem(key: str, value: object) -> str:
    """What is wrong with a constant, or nothing."""
    unit = CONSTANTS.get(key)
    if unit is None:
        return f"unknown constant {key!r}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{key} is {value!r}, not a number of {unit}"
    if not math.isfinite(value) or value < 0 or abs(value) > 1e15:
        return f"{key} is {value!r}: no number of {unit} that a machine has"
    if value == 0 and (unit not in _MAY_BE_ZERO or key in _LEAST_CLOCKS):
        return f"{key} is 0 {unit}, and the clock divides by it"
    if unit in ("count", "entries") and value != int(value):
        return f"{key} is {value!r}: a count is a whole number"
    return ""
