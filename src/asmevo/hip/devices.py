"""The devices that the emulated runtime can be: what a program is told about them."""

from __future__ import annotations

from dataclasses import dataclass

from asmevo.codeobject.bundle import Entry
from asmevo.errors import InputError, UnsupportedError
from asmevo.isa.target import MODELLED, Feature, Target
from asmevo.timing.machine import machine_for

DEFAULT_ARCH = "gfx942"
_SRAMECC = ("gfx906", "gfx908", "gfx90a", "gfx942", "gfx950")
_MEMORY = 64 << 30  # bytes; pages that nobody touches cost nothing


@dataclass(frozen=True, slots=True)
class Presented:
    """One device: its target with features as a driver states them."""

    target: Target

    @property
    def arch(self) -> str:
        """What `gcnArchName` says, e.g. `gfx942:sramecc+:xnack-`."""
        return self.target.target_id

    def numbers(self, count: int = 1, memory: int = _MEMORY) -> str:
        """The properties, as `key=value` list for the library."""
        facts, machine = self.target.facts, machine_for(self.target)
        clock = int(machine["clock_mhz"] * 1000)
        slots = machine.count("wave_slots_per_simd") * machine.count("simds_per_cu")
        digits = self.target.arch.removeprefix("gfx")
        rows = {
            "warp": facts.wave_sizes[0],
            "cus": machine.count("compute_units"),
            "lds": facts.lds_bytes,
            "max_threads": 1024,
            "threads_per_cu": slots * facts.wave_sizes[0],
            "clock_khz": clock,
            "memory_khz": 1_300_000,
            "bus_bits": 8192,
            "l2": 4 << 20,
            "regs": 65536,
            "major": int(digits[:-2]),
            "minor": int(digits[-2], 16),
            "count": count,
            "memory": memory,
        }
        return ",".join(f"{k}={v}" for k, v in rows.items())


def presented(arch: str) -> Presented:
    """The device of an architecture, with the features that its driver has by default.

    Raises:
        UnsupportedError: the emulator does not run it.
    """
    name, *features = arch.split(":")
    if name not in MODELLED:
        raise UnsupportedError(f"no emulated device {name}", f"emulated are {', '.join(MODELLED)}")
    plain = Target(name)
    has = name in _SRAMECC
    setting = {
        "sramecc": Feature.ON if has else Feature.UNSUPPORTED,
        "xnack": Feature.OFF if plain.is_gfx9 else Feature.UNSUPPORTED,
    }
    for feature in features:
        key, sign = feature[:-1], feature[-1:]
        if key not in setting or sign not in "+-":
            raise InputError(f"{arch}: unknown feature {feature!r}", "write sramecc+, xnack- etc.")
        setting[key] = Feature.ON if sign == "+" else Feature.OFF
    return Presented(Target(name, setting["xnack"], setting["sramecc"]))


def runs_on(device: Target, name: str, settings: dict[str, bool]) -> bool:
    """Whether code for processor `name` with these feature settings runs on the device."""
    if name != device.arch:
        return False
    mine = {"xnack": device.xnack is Feature.ON, "sramecc": device.sramecc is Feature.ON}
    return all(mine.get(key, False) == value for key, value in settings.items())


def matches(device: Target, code: Target) -> bool:
    """`runs_on` for a code object's own target."""
    stated = {"xnack": code.xnack, "sramecc": code.sramecc}
    settings = {
        key: value is Feature.ON
        for key, value in stated.items()
        if value in (Feature.ON, Feature.OFF)
    }
    return runs_on(device, code.arch, settings)


def choose(device: Target, entries: tuple[Entry, ...]) -> Entry | None:
    """The entry of a bundle that a driver takes: what runs, most features stated first."""
    found: list[tuple[int, Entry]] = []
    for entry in entries:
        kind, _, rest = entry.id.partition("-amdgcn-amd-amdhsa-")
        if kind not in ("hip", "hipv4") or not entry.size:
            continue
        name, *features = rest.lstrip("-").split(":")
        settings = {f[:-1]: f[-1] == "+" for f in features if f}
        if runs_on(device, name, settings):
            found.append((len(settings), entry))
    return max(found, key=lambda f: f[0])[1] if found else None
