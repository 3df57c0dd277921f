"""Tools that look at a node: listing, window, profile, difference of two."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np

from asmevo.codeobject import CodeObject
from asmevo.drivers.tools.model import (
    MOST_ROWS,
    Diff,
    DiffRequest,
    HotRange,
    Listing,
    ListingRequest,
    Profiled,
    ProfileRequest,
    Window,
    WindowRequest,
)
from asmevo.drivers.tools.text import Labels, rounded
from asmevo.errors import AsmEvoError, InputError
from asmevo.isa.decoded import OpClass, decode
from asmevo.isa.operand import AGPR0, SCC, VGPR0, parse_value
from asmevo.program.dataflow import Liveness
from asmevo.program.model import Program
from asmevo.search.driver import Context
from asmevo.search.types import Node
from asmevo.search.windows import Profile
from asmevo.timing.occupancy import occupancy

_NAMED = ("vcc", "exec", "m0", "flat_scratch", "xnack_mask")
_LONGEST_WINDOW = 600


def node_of(context: Context, name: str) -> Node:
    """An accepted node by `best`, `root` or the first letters of its id.

    Raises:
        InputError: none, or more than one, is called so.
    """
    if name in ("best", ""):
        return context.best
    if name == "root":
        return context.root
    found = [n for n in context.nodes if n.id.startswith(name)] if len(name) >= 6 else []
    if len(found) != 1:
        raise InputError(
            f"{'no' if not found else 'more than one'} accepted node begins with that id",
            "take one of `history`, at least six letters of it, `best` or `root`",
        )
    return found[0]


def labels_of(context: Context, node: str) -> Labels:
    """Names of labels in a node's listing."""
    return Labels(context.program(context.root.id), context.program(node))


def listing(context: Context, request: ListingRequest) -> Listing:
    """Lines of a node's kernel, at most `MOST_ROWS` instructions at a time."""
    node = node_of(context, request.node)
    function = context.program(node.id).function(context.kernel)
    first = _within(request.first, function.first, function.last, function.first)
    last = _within(request.last, first, function.last, function.last)
    end = min(last, first + MOST_ROWS)
    return Listing(
        node=node.id,
        first=first,
        last=end,
        total_first=function.first,
        total_last=function.last,
        lines=labels_of(context, node.id).listing(first, end),
        cut=end < last,
    )


def _within(value: int | None, low: int, high: int, default: int) -> int:
    return default if value is None else min(max(value, low), high)


def window(context: Context, request: WindowRequest) -> Window:
    """A hot window, or a stretch by its indices, with what an edit may rely on.

    Raises:
        InputError: there is no such window.
    """
    node = node_of(context, request.node)
    program = context.program(node.id)
    function = program.function(context.kernel)
    if request.first is not None and request.last is not None:
        first, last = request.first, request.last
    else:
        hot = context.windows(node.id, request.rank + 1)
        if request.rank >= len(hot):
            raise InputError(f"the node has {len(hot)} windows", "ask for a smaller rank")
        first, last = hot[request.rank].window
    first = max(function.first, first - request.widen)
    last = min(function.last, last + request.widen, first + _LONGEST_WINDOW)
    if first >= last:
        raise InputError(f"the kernel has instructions {function.first} to {function.last - 1}")
    weights = context.profile(node.id).weights
    total = float(weights[function.first : function.last].sum()) or 1.0
    live = Liveness(program, function)
    return Window(
        node=node.id,
        first=first,
        last=last,
        share=round(float(weights[first:last].sum()) / total, 4),
        lines=labels_of(context, node.id).listing(first, last),
        stalls=[round(float(w), 1) for w in weights[first:last]],
        live_in=registers(live.live_before(first)),
        live_out=registers(live.live_after(last - 1)),
        free=_free(context, program, live, first, last),
        exec_note=_exec_note(program, first, last),
    )


def _free(context: Context, program: Program, live: Liveness, first: int, last: int) -> list[str]:
    """Allocated registers that hold nothing at any place of the window."""
    used = live.mask_before(first)
    for i in range(first, last):
        used |= live.mask_after(i)
        d = decode(program.instructions[i], program.target)
        for unit in (*d.defs, *d.uses):
            used |= 1 << unit
    d = program.object.kernel(context.kernel).descriptor
    # The top of the SGPRs is VCC and its like; what is allocated below may be used.
    allocated = (
        *range(min(d.sgprs, 102)),
        *range(VGPR0, VGPR0 + d.arch_vgprs),
        *range(AGPR0, AGPR0 + d.agprs),
    )
    return registers(u for u in allocated if not used >> u & 1)


def _exec_note(program: Program, first: int, last: int) -> str:
    places = [
        i
        for i in range(first, last)
        if decode(program.instructions[i], program.target).exec_write.name != "NONE"
    ]
    if not places:
        return "EXEC does not change in this window"
    return "EXEC is written by " + ", ".join(str(i) for i in places[:12])


def registers(units: Iterable[int]) -> list[str]:
    """Register units by name, runs as `s[4:7]`, at most 64 runs."""
    found: list[str] = []
    ordered = sorted(set(units))
    named = {u: n for n in _NAMED for u in _units(n)}
    runs: list[tuple[str, int, int]] = []
    for unit in ordered:
        if unit in named:
            if named[unit] not in found:
                found.append(named[unit])
        elif unit == SCC:
            found.append("scc")
        elif unit < 106 or unit >= VGPR0:
            letter, base = ("s", 0) if unit < VGPR0 else ("v", VGPR0)
            if unit >= AGPR0:
                letter, base = "a", AGPR0
            number = unit - base
            if runs and runs[-1][0] == letter and runs[-1][2] == number - 1:
                runs[-1] = (letter, runs[-1][1], number)
            else:
                runs.append((letter, number, number))
    spelt = [f"{x}{a}" if a == b else f"{x}[{a}:{b}]" for x, a, b in runs]
    return [*spelt[:64], *found]


def _units(name: str) -> Iterable[int]:
    value = parse_value(name)
    return getattr(value, "units", ())


def stalls_of(program: Program, profile: Profile, first: int, last: int) -> dict[str, float]:
    """Kind of instruction -> part of the weight of [first, last); waits by their counters."""
    found: dict[str, float] = {}
    for i in range(first, last):
        weight = float(profile.weights[i])
        if weight:
            kind = _kind(program, i)
            found[kind] = found.get(kind, 0.0) + weight
    total = sum(found.values()) or 1.0
    return rounded({kind: weight / total for kind, weight in found.items()})


def _kind(program: Program, index: int) -> str:
    d = decode(program.instructions[index], program.target)
    if d.kind is OpClass.WAIT:
        return "wait " + "+".join(sorted(d.waits)) if d.waits else "wait"
    if d.stores and not d.loads:
        return f"{d.kind} store"
    return str(d.kind)


def resources(program: Program, kernel: str, context: Context) -> dict[str, Any]:
    """Registers, LDS and occupancy of a kernel with the first timed launch's workgroup."""
    return resources_of(program.object, kernel, context)


def resources_of(co: CodeObject, kernel: str, context: Context) -> dict[str, Any]:
    """`resources` of an object that was not recovered."""
    d = co.kernel(kernel).descriptor
    found: dict[str, Any] = {
        "vgprs": d.vgprs,
        "arch_vgprs": d.arch_vgprs,
        "agprs": d.agprs,
        "sgprs": d.sgprs,
        "lds": d.group_segment_fixed_size,
        "scratch": d.private_segment_fixed_size,
    }
    launch = context.launches[0]
    lds = d.group_segment_fixed_size + launch.lds_dynamic
    try:
        fits = occupancy(d.target, d.vgprs, lds, launch.block, wave_size=d.wave_size)
    except AsmEvoError as err:
        return {**found, "occupancy": None, "limiter": err.one_line()}
    return {**found, "occupancy": fits.waves_per_simd, "limiter": fits.limiter}


def profile(context: Context, request: ProfileRequest) -> Profiled:
    """Where a node's time goes."""
    node = node_of(context, request.node)
    program = context.program(node.id)
    function = program.function(context.kernel)
    weighed = context.profile(node.id)
    return Profiled(
        node=node.id,
        source=weighed.source,
        label=node.label,
        time=node.time,
        unit=node.unit,
        speedup=round(node.speedup, 5),
        stalls=stalls_of(program, weighed, function.first, function.last),
        windows=[
            HotRange(
                rank=n,
                first=w.first,
                last=w.last,
                share=round(w.share, 4),
                executions=int(np.max(weighed.counts[w.first : w.last])),
                stalls=stalls_of(program, weighed, w.first, w.last),
            )
            for n, w in enumerate(context.windows(node.id, request.windows))
        ],
        resources=resources(program, context.kernel, context),
    )


def diff(context: Context, request: DiffRequest) -> Diff:
    """What stands otherwise in one node than in another."""
    node, other = node_of(context, request.node), node_of(context, request.other)
    old, new = _whole(context, other), _whole(context, node)
    found = list(difflib.unified_diff(old, new, "other", "node", "", "", 2, ""))
    return Diff(
        node=node.id,
        other=other.id,
        lines=found[:MOST_ROWS],
        cut=len(found) > MOST_ROWS,
        speedup=round(node.speedup / other.speedup, 5),
    )


def _whole(context: Context, node: Node) -> list[str]:
    """Lines of a node's kernel without their indices, which shift."""
    function = context.program(node.id).function(context.kernel)
    lines = labels_of(context, node.id).listing(function.first, function.last)
    return [line.partition(": ")[2] or line for line in lines]
