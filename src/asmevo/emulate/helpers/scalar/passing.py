"""Helpers that do nothing, and the one that names an instruction nobody can execute."""

from __future__ import annotations

from asmevo.emulate import layout as L
from asmevo.emulate.native.helper import Helper
from asmevo.emulate.native.ir import Module
from asmevo.emulate.native.variant import Variant, family


@family("pass")
def emit_pass(module: Module, variant: Variant) -> None:
    """No effect."""
    h = Helper(module, variant)
    h.next()
    h.finish()


@family("unsupported")
def emit_unsupported(module: Module, variant: Variant) -> None:
    """Stop: the emulator cannot execute this instruction."""
    h = Helper(module, variant)
    h.fault(L.UNSUPPORTED_FAULT)
    h.finish()
