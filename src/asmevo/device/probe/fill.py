"""From what probing found to a filled launch: shapes, roles, types, values, reasons, questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.infer.draft import Argument, Draft
from asmevo.capsule.infer.polynomial import Polynomial
from asmevo.capsule.kernarg import runtime_state
from asmevo.device.probe.explore import Explorer, ramp
from asmevo.device.probe.extents import Extent, Shape
from asmevo.device.probe.run import Seen, Touched, role_of
from asmevo.device.probe.types import Elements, choose

_FLOATS = ("f", "bf", "e4", "e5")


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an argument before anything runs.

    Attributes:
        name: of its entry in the launch.
        label: what expressions call it.
        offset: in the kernarg segment.
        size: in bytes.
        pointer: whether it is one.
        dtype: of the value or the elements, empty where nothing says it.
        why: where the type comes from.
    """

    name: str
    label: str
    offset: int
    size: int
    pointer: bool
    dtype: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Buffer:
    """What was found out about the memory behind one pointer.

    Attributes:
        role: in, out, inout, or unused.
        dtype: of its elements.
        why: where the type comes from.
        elements: how many, as a polynomial of sizes; None where it was not found.
        axis: multiplied by the workgroups along this axis, -1 for none.
        seen: elements at the sizes that were measured.
        index: kernarg offsets of pointers that its contents lead into.
    """

    role: str
    dtype: str
    why: str
    elements: Polynomial | None
    axis: int
    seen: int
    index: tuple[int, ...] = ()


def buffers(
    explorer: Explorer, shape: Shape, known: Sequence[Known], elements: Elements
) -> dict[int, Buffer]:
    """What lies behind each pointer, by kernarg offset."""
    run = shape.run
    votes: dict[int, Counter[str]] = {}
    touched = {} if run is None else dict(run.pointers)
    of_load: dict[int, int] = {}
    for offset, t in touched.items():
        votes[offset] = Counter()
        for index in t.readers:
            votes[offset].update(elements.loads(index))
            of_load[index] = offset
        for index in t.writers:
            votes[offset].update(elements.stores(index))
    found: dict[int, Buffer] = {}
    for argument in known:
        if argument.pointer:
            offset = argument.offset
            extent = shape.extents[offset]
            kind, why = _kind(argument, extent, touched, votes, of_load, elements)
            found[offset] = _buffer(explorer, touched.get(offset), extent, kind, why)
    return _indices(explorer, shape, found)


def _buffer(
    explorer: Explorer, touched: Touched | None, extent: Extent, kind: str, why: str
) -> Buffer:
    size = dtype(kind, explorer.prober.kernel.descriptor.target.arch).size
    role = "unused" if touched is None else role_of(touched)
    poly = None if extent.bytes is None else extent.bytes.divided(size)
    return Buffer(role, kind, why, poly, extent.axis, -(-extent.seen // size))


def _kind(
    argument: Known,
    extent: Extent,
    touched: Mapping[int, Touched],
    votes: Mapping[int, Counter[str]],
    of_load: Mapping[int, int],
    elements: Elements,
) -> tuple[str, str]:
    """(dtype, why) of the elements behind a pointer."""
    if argument.dtype:
        return argument.dtype, argument.why
    offset = argument.offset
    t = touched.get(offset)
    if t is None or not t.end:
        return "bytes", "never touched"
    width = min((elements.width(i) for i in t.readers | t.writers), default=4)
    if width == 8 and extent.bytes is not None and extent.bytes.divided(8) is None:
        width = 4
    kind = choose(votes[offset], width)
    if kind is not None:
        return kind, elements.witness(t.readers | t.writers, kind)
    # What is only moved is of the type of where it comes from or goes to.
    for vote in votes[offset]:
        if vote.startswith("load:"):
            source = of_load.get(int(vote[5:]))
            copied = None if source is None or source == offset else choose(votes[source], width)
            if copied is not None:
                return copied, "copied from a buffer of that type"
    for other, many in votes.items():
        mine = {f"load:{i}" for i in t.readers}
        if other != offset and any(v in mine for v in many):
            copied = choose(many, width)
            if copied is not None:
                return copied, "copied to a buffer of that type"
    plain = {1: "u8", 2: "u16", 8: "i64"}.get(width, "i32")
    return plain, f"only moved, {width} bytes at a time: the type is a guess"


def _indices(explorer: Explorer, shape: Shape, found: dict[int, Buffer]) -> dict[int, Buffer]:
    """Mark buffers whose contents decide where the kernel goes, by changing them."""
    if shape.run is None:
        return found
    out = dict(found)
    fill, contents = dict(explorer.fill), dict(explorer.contents)
    for offset, buffer in found.items():
        if buffer.role != "in" or not buffer.dtype.startswith(("i", "u")):
            continue
        if offset in contents:
            size = dtype(buffer.dtype, explorer.prober.kernel.descriptor.target.arch).size
            explorer.contents = {**contents, offset: ramp(size, explorer.step, 1)}
        else:
            explorer.fill = {**fill, offset: fill.get(offset, 0) + 1}
        explorer.forget()
        moved = explorer.run(shape.base, explorer.grid(shape.base))
        led = tuple(
            o
            for o, t in moved.pointers.items()
            if o != offset and _places(t) != _places(shape.run.pointers[o])
        )
        if led or moved.fault:
            out[offset] = replace(buffer, index=led or (-1,))
        for o in led:
            # What is written where contents say leaves the rest as it was.
            if out[o].role == "out" and not moved.fault:
                out[o] = replace(out[o], role="inout")
    explorer.fill, explorer.contents = fill, contents
    explorer.forget()
    return out


def _places(t: Touched) -> tuple[int, int, int, int]:
    return t.read, t.written, t.read_bytes, t.written_bytes


def strides(explorer: Explorer, shape: Shape, found: Mapping[int, Buffer]) -> dict[str, Polynomial]:
    """Words that are the distance between rows, with the length of a row without gaps."""
    taken = {p.name for a in shape.axes for p in a.parts}
    if shape.derived is not None:
        taken |= {shape.derived.word, *(n for n, _ in shape.derived.factors)}
    words = [w.name for w in explorer.words if w.name not in taken]
    out: dict[str, Polynomial] = {}
    for _ in range(len(words)):
        progress = False
        for buffer in found.values():
            if buffer.elements is None or buffer.axis >= 0:
                continue
            poly = buffer.elements.replaced(out)
            open_words = [n for n in words if n in poly.names and n not in out]
            gaps = {n: row for n in open_words if (row := _row_length(poly, n)) is not None}
            for name, row in gaps.items():
                if not row.names & (gaps.keys() | {name}):
                    out = {n: p.replaced({name: row}) for n, p in out.items()} | {name: row}
                    progress = True
                    break
        if not progress:
            break
    return out


def _row_length(poly: Polynomial, name: str) -> Polynomial | None:
    """What is left of `(rows - 1) * name + length`; None where `name` is no stride."""
    stride = {t: c for t, c in poly.terms.items() if name in t}
    rest = Polynomial.of({t: c for t, c in poly.terms.items() if name not in t}, poly.over)
    if not any(c < 0 for c in stride.values()) or not rest.terms:
        return None
    return rest if sum(rest.terms.values()) > 0 else None


def fill(
    explorer: Explorer,
    shape: Shape,
    known: Sequence[Known],
    elements: Elements,
    lds_why: str,
    block_why: str,
    given: Mapping[str, int],
) -> Draft:
    """The launch.

    Args:
        given: sizes that the user chose.
    """
    found = buffers(explorer, shape, known, elements)
    rows = strides(explorer, shape, found)
    seen = shape.run
    free = [a.free for a in shape.axes if a.free]
    used = _used_names(shape, found)
    idle = _idle(explorer, shape, used)
    questions: list[str] = []
    if seen is None or not seen.wrote:
        problem = next(iter(explorer.faults), "it writes nothing at the sizes tried")
        questions.append(f"the kernel was not understood: {problem}; which sizes does it take?")
    sizes = _sizes(explorer, shape, rows, idle, free, given)
    args: list[Argument] = []
    for argument in known:
        if argument.pointer:
            buffer = found[argument.offset]
            args.append(
                _pointer(
                    argument,
                    buffer,
                    shape,
                    rows,
                    known,
                    _filled(explorer, argument.offset),
                    questions,
                )
            )
        else:
            args.append(_value(argument, explorer, shape, rows, idle, used, questions))
    for number, axis in enumerate(shape.axes):
        if not axis.certain:
            questions.append(f"how many workgroups along {'xyz'[number]}? {axis.reason}")
    reasons = {
        "grid": "; ".join(
            f"{c}: {a.reason}" for c, a in zip("xyz", shape.axes, strict=True) if a.reason
        ),
        "block": block_why,
        "lds": lds_why,
        "sizes": _why_sizes(shape),
    }
    names = {n: v for n, v in sizes.items() if isinstance(v, int)}
    step = shape.unit if shape.unit > 1 else 5
    variant = {n: v + step if n not in free else v + 1 for n, v in names.items() if n not in given}
    return Draft(
        kernel=explorer.prober.kernel.name,
        source=f"the code was run {explorer.prober.runs} times on memory without contents",
        sizes=sizes,
        grid=(shape.axes[0].text(), shape.axes[1].text(), shape.axes[2].text()),
        block=explorer.block or (256, 1, 1),
        lds=explorer.lds,
        args=tuple(args),
        variants=(variant,) if variant and seen is not None else (),
        hidden_zero=bool(runtime_state(explorer.prober.kernel.metadata)),
        reasons=reasons,
        questions=tuple(questions),
    )


def _why_sizes(shape: Shape) -> str:
    if shape.unit > 1:
        return f"chosen; the kernel was only understood at multiples of {shape.unit}"
    return "chosen: small and odd, so that every tail runs"


def _used_names(shape: Shape, found: Mapping[int, Buffer]) -> set[str]:
    used = {p.name for a in shape.axes for p in a.parts}
    for extent in shape.extents.values():
        used |= set(extent.bytes.names) if extent.bytes is not None else set()
    if shape.derived is not None:
        used |= {shape.derived.word, *(n for n, _ in shape.derived.factors)}
    return used


def _idle(explorer: Explorer, shape: Shape, used: set[str]) -> dict[str, str]:
    """Words that move nothing, with what a change of them does instead."""
    out: dict[str, str] = {}
    for word in explorer.words:
        if word.name in used or word.name in explorer.known or shape.run is None:
            continue
        runs = [_whole(explorer, {**shape.base, word.name: v}) for v in (0, 1)]
        same = _all_places(runs[0]) == _all_places(runs[1])
        out[word.name] = (
            "no access depends on it" if same else "0 and 1 touch different memory: a flag?"
        )
    return out


def _whole(explorer: Explorer, names: Mapping[str, int]) -> Seen:
    return explorer.run(names, explorer.grid(names))


def _all_places(seen: Seen) -> list[tuple[int, int, int, int]]:
    return [_places(t) for t in seen.pointers.values()]


def _sizes(
    explorer: Explorer,
    shape: Shape,
    rows: Mapping[str, Polynomial],
    idle: Mapping[str, str],
    free: Sequence[str],
    given: Mapping[str, int],
) -> dict[str, int | str]:
    sizes: dict[str, int | str] = {}
    for name, value in shape.base.items():
        if name not in rows and name not in idle and name not in explorer.known:
            sizes[name] = given.get(name, value)
    for name in free:
        sizes[name] = given.get(name, shape.base[name])
    for name in explorer.known:
        sizes[name] = explorer.known[name]
    return sizes


def _value(
    argument: Known,
    explorer: Explorer,
    shape: Shape,
    rows: Mapping[str, Polynomial],
    idle: Mapping[str, str],
    used: set[str],
    questions: list[str],
) -> Argument:
    """The entry of an argument that is no pointer."""
    name, label, size = argument.name, argument.label, argument.size
    if argument.offset in explorer.fixed:
        if argument.dtype.startswith(_FLOATS):
            value = 1.0e-5 if "eps" in name.lower() else 1.0
            questions.append(f"what is {name}? {value} was taken")
            return Argument(
                {"name": name, "dtype": argument.dtype, "value": value},
                (argument.why, "the value is a guess"),
            )
        questions.append(f"what are the {size} bytes of {name}? zeros were taken")
        return Argument({"name": name, "bytes": " ".join(["00"] * size)}, ("nothing is known",))
    kind = argument.dtype or {1: "i8", 2: "i16", 4: "i32", 8: "i64"}[size]
    entry: dict[str, object] = {"name": name, "dtype": kind}
    if label in rows:
        entry["value"] = rows[label].text()
        return Argument(entry, ("distance between rows: this leaves no gap",))
    if shape.derived is not None and shape.derived.word == label:
        entry["value"] = shape.derived.text()
        return Argument(entry, ("only a multiple of the others made sense",))
    if label in idle:
        entry["value"] = 1
        if "flag" in idle[label]:
            questions.append(f"is {name} a flag? 1 was taken")
        return Argument(entry, (idle[label],))
    entry["value"] = label
    reasons = ["decides how far buffers are touched"] if label in used else []
    if label in {p.name for a in shape.axes for p in a.parts}:
        reasons = ["decides how many workgroups find work"]
    return Argument(entry, tuple(reasons))


def _pointer(
    argument: Known,
    buffer: Buffer,
    shape: Shape,
    rows: Mapping[str, Polynomial],
    known: Sequence[Known],
    filled: str,
    questions: list[str],
) -> Argument:
    """The entry of a pointer; `filled` is what its memory was filled with, empty for zeros."""
    name = argument.name
    if buffer.role == "unused":
        questions.append(f"is {name} a null pointer? nothing touched it at the sizes tried")
        return Argument({"name": name, "null": True}, ("never touched",))
    if buffer.elements is None:
        dims: tuple[str, ...] = (str(max(buffer.seen, 1)),)
        questions.append(f"how large is {name}? it had {buffer.seen} elements at these sizes")
        size_why = "size as seen"
    else:
        order = [a.free for a in shape.axes if a.free]
        order += [] if shape.derived is None else [shape.derived.times]
        order += [k.label for k in known if not k.pointer]
        dims = buffer.elements.replaced(rows).factors(order)
        if buffer.axis >= 0:
            dims = (shape.axes[buffer.axis].text(), *(d for d in dims if d != "1"))
        size_why = "reaches so far at every size tried"
    entry: dict[str, object] = {"name": name, "dtype": buffer.dtype, "shape": list(dims)}
    reasons = [buffer.why, size_why]
    if buffer.role != "out":
        entry["init"] = _contents(buffer.dtype)
        if filled and entry["init"] == "zeros":
            entry["init"] = filled
            reasons.append("with zeros here less is done")
    entry["role"] = buffer.role
    does = {"in": "only read", "out": "written, and not read before", "inout": "read, then written"}
    reasons.append(does[buffer.role])
    if buffer.index:
        names = {k.offset: k.name for k in known}
        into = ", ".join(names[o] for o in buffer.index if o in names) or "memory"
        questions.append(
            f"{name} holds indices into {into}: what range? {filled or 'zeros'} was taken"
        )
        reasons.append(f"indices into {into}")
    return Argument(entry, tuple(reasons))


def _filled(explorer: Explorer, offset: int) -> str:
    """The initializer of what lay behind a pointer, empty for zeros."""
    if offset in explorer.contents:
        return f"arange(0, {explorer.step})"
    word = explorer.fill.get(offset, 0)
    return f"fill({word})" if word else ""


def _contents(kind: str) -> str:
    if kind.startswith(("e4", "e5", "fp8", "bf8")):
        return "codes(40, 68)"
    return "normal(0, 1)" if kind.startswith(("f", "bf")) else "zeros"
