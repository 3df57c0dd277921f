"""Proposers. They use the rules or chance; the gates decide."""

from collections.abc import Callable
from pathlib import Path

from asmevo.drivers.anneal import AnnealDriver
from asmevo.drivers.evolve import EvolveDriver
from asmevo.drivers.random import RandomDriver
from asmevo.drivers.rules import RulesDriver
from asmevo.errors import InputError
from asmevo.search.driver import Driver

_DRIVERS: dict[str, Callable[..., Driver]] = {
    "rules": RulesDriver,
    "random": RandomDriver,
    "anneal": AnnealDriver,
    "evolve": EvolveDriver,
}
DRIVER_NAMES = tuple(_DRIVERS)


def make_driver(name: str, seed: int = 0, templates: tuple[Path, ...] = ()) -> Driver:
    """A driver by name, with folders of further templates.

    Raises:
        InputError: there is none; the remedy lists the names.
    """
    if name not in _DRIVERS:
        raise InputError(f"there is no driver {name!r}", "drivers are " + ", ".join(_DRIVERS))
    return _DRIVERS[name](seed, templates=templates)


__all__ = [
    "DRIVER_NAMES",
    "AnnealDriver",
    "EvolveDriver",
    "RandomDriver",
    "RulesDriver",
    "make_driver",
]
