"""A capsule from a launch description and a kernel's metadata."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asmevo.capsule import kernarg, layout
from asmevo.capsule.dtypes import dtype
from asmevo.capsule.expressions import evaluate, evaluate_number
from asmevo.capsule.initializers import Initializer
from asmevo.capsule.model import BufferState, Capsule, PointerSlot
from asmevo.capsule.spec import ArgSpec, Expression, LaunchRole, LaunchSpec
from asmevo.codeobject.metadata import KernelArg, KernelMetadata
from asmevo.codeobject.object import Kernel
from asmevo.errors import InputError
from asmevo.isa.target import Target

MOST_BYTES = 16 << 30  # of all buffers together
MOST_WORKITEMS = 1024  # of a workgroup, when the metadata does not say
_COERCED = ".coerce"  # clang's suffix of the name of a pointer argument passed as an integer


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a capsule was synthesized from, so that variations of it can be made.

    Attributes:
        spec: the launch description.
        sizes: overrides of its sizes.
        seed: of random contents, instead of the description's.
    """

    spec: LaunchSpec
    sizes: Mapping[str, Expression]
    seed: int | None


def synthesize(
    spec: LaunchSpec,
    kernel: Kernel,
    target: Target,
    sizes: Mapping[str, Expression] | None = None,
    *,
    seed: int | None = None,
    variant: int = 0,
    role: LaunchRole | None = None,
) -> Capsule:
    """The dispatch that `spec` describes.

    Args:
        spec: parsed launch description.
        kernel: kernel of the code object.
        target: its target, for `fp8`/`bf8` and the LDS limit.
        sizes: overrides of size names.
        seed: instead of the description's seed.
        variant: number of the size variant; each draws other random data (the generator is
            `numpy.random.default_rng([seed, variant])`).
        role: whether its speed matters; by default the description's own for variant 0.

    Raises:
        InputError: the description does not fit the kernel, or has impossible values; the message
            names the argument and the file.
        UnsupportedError: the kernel needs hidden arguments that only a runtime can make.
    """
    if spec.kernel is not None and spec.kernel not in (
        kernel.name,
        kernel.symbol,
        kernel.symbol.removesuffix(".kd"),
    ):
        raise InputError(
            f"{spec.source}: describes kernel {spec.kernel!r}, not {kernel.name!r}",
            "pass the launch description of this kernel",
        )
    names = spec.resolve_sizes(sizes)
    dispatch = _dispatch(spec, kernel, target, names)
    pairs = match_arguments(spec, kernel.metadata)
    used_seed = spec.seed if seed is None else seed
    drawn = _draw_buffers(spec, pairs, names, target, [used_seed, variant])
    kernarg_address, addresses = layout.place([len(b.data) for b in drawn], spec.guard, spec.layout)
    where = dict(zip((b.name for b in drawn), addresses, strict=True))
    extent = {b.name: len(b.data) for b in drawn}
    explicit: dict[int, bytes] = {}
    pointers: list[PointerSlot] = []
    for arg, entry in pairs:
        data, slot = _argument(spec, arg, entry, names, where, extent, target)
        explicit[arg.offset] = data
        if slot is not None:
            pointers.append(slot)
    segment = kernarg.build(
        kernel.metadata, explicit, dispatch, zero_runtime_state=spec.hidden == "zero"
    )
    return Capsule(
        kernel=kernel.name,
        grid=dispatch.grid,
        block=dispatch.block,
        lds_dynamic=dispatch.lds_dynamic,
        kernarg=segment,
        buffers=tuple(_state(b, where[b.name], spec.guard) for b in drawn),
        kernarg_address=kernarg_address,
        pointers=tuple(pointers),
        schedule=spec.schedule,
        tolerance=spec.tolerance.resolve(),
        label=" ".join(f"{n}={v}" for n, v in names.items()),
        target=target.target_id,
        provenance={
            **_provenance(spec, kernel.metadata, names, used_seed, variant),
            "role": role or (spec.own_role if variant == 0 else "test"),
        },
        recipe=Recipe(spec, dict(sizes or {}), seed),
    )


def synthesize_all(
    spec: LaunchSpec,
    kernel: Kernel,
    target: Target,
    sizes: Mapping[str, Expression] | None = None,
    *,
    seed: int | None = None,
) -> tuple[Capsule, ...]:
    """The given sizes and then every entry of `variants` and of `timed`; each overrides `sizes`."""
    launches: list[tuple[Mapping[str, Expression], LaunchRole]] = [({}, spec.own_role)]
    launches.extend((v, "test") for v in spec.variants)
    launches.extend((t, "timed") for t in spec.timed)
    return tuple(
        synthesize(spec, kernel, target, {**(sizes or {}), **o}, seed=seed, variant=i, role=role)
        for i, (o, role) in enumerate(launches)
    )


def match_arguments(
    spec: LaunchSpec, metadata: KernelMetadata
) -> tuple[tuple[KernelArg, ArgSpec], ...]:
    """Pairs of the kernel's explicit arguments and their entries, by name or else by position.

    Names count when the metadata names every explicit argument; clang's `.coerce` suffix is
    ignored.

    Raises:
        InputError: an argument is missing or not one of the kernel's.
    """
    wanted = kernarg.explicit_arguments(metadata)
    called = [(a.name or "").removesuffix(_COERCED) for a in wanted]
    if wanted and all(called) and len(set(called)) == len(called):
        entries = {a.name: a for a in spec.args}
        for arg, name in zip(wanted, called, strict=True):
            if name not in entries:
                raise _missing(spec, metadata, kernarg.describe(arg))
        for entry in spec.args:
            if entry.name not in called:
                raise InputError(
                    f"{spec.source}: kernel {metadata.name} has no argument {entry.name!r}",
                    f"remove it; the kernel takes {', '.join(called)}",
                )
        return tuple((a, entries[n]) for a, n in zip(wanted, called, strict=True))
    if len(spec.args) < len(wanted):
        position = len(spec.args)
        text = f"number {position + 1} of {len(wanted)} {kernarg.describe(wanted[position])}"
        raise _missing(spec, metadata, text)
    if len(spec.args) > len(wanted):
        raise InputError(
            f"{spec.source}: kernel {metadata.name} takes {len(wanted)} arguments, argument "
            f"{spec.args[len(wanted)].name!r} is one too many",
            "remove it; arguments go by position because the object does not name them",
        )
    return tuple(zip(wanted, spec.args, strict=True))


def _missing(spec: LaunchSpec, metadata: KernelMetadata, text: str) -> InputError:
    return InputError(
        f"{spec.source}: argument {text} of kernel {metadata.name} is missing", "add it under args"
    )


def _triple(
    spec: LaunchSpec, what: str, given: Sequence[Expression], names: Mapping[str, int]
) -> tuple[int, int, int]:
    values = [evaluate(v, names, f"{spec.source}: {what}[{i}]") for i, v in enumerate(given)]
    values += [1] * (3 - len(values))
    if min(values) < 1:
        raise InputError(
            f"{spec.source}: {what} {values} has an empty or negative dimension",
            f"every {what} dimension is at least 1",
        )
    return values[0], values[1], values[2]


def _dispatch(
    spec: LaunchSpec, kernel: Kernel, target: Target, names: Mapping[str, int]
) -> kernarg.Dispatch:
    grid = _triple(spec, "grid", spec.grid, names)
    block = _triple(spec, "block", spec.block, names)
    metadata = kernel.metadata
    most = metadata.max_flat_workgroup_size or MOST_WORKITEMS
    workitems = math.prod(block)
    if workitems > most:
        raise InputError(
            f"{spec.source}: block {list(block)} has {workitems} workitems, kernel "
            f"{metadata.name} allows {most}",
            "use a smaller block",
        )
    required = metadata.reqd_workgroup_size
    if required is not None and required != block:
        raise InputError(
            f"{spec.source}: kernel {metadata.name} requires block {list(required)}, "
            f"not {list(block)}",
            "use the required block",
        )
    if max(g * b for g, b in zip(grid, block, strict=True)) >= 1 << 32:
        raise InputError(
            f"{spec.source}: grid {list(grid)} of block {list(block)} has 2^32 workitems or more "
            "in one dimension",
            "use a smaller grid",
        )
    lds = evaluate(spec.lds, names, f"{spec.source}: lds")
    fixed = kernel.descriptor.group_segment_fixed_size
    if lds < 0 or lds + fixed > target.lds_bytes_per_cu:
        raise InputError(
            f"{spec.source}: lds {lds} on top of the kernel's {fixed} bytes is outside "
            f"0..{target.lds_bytes_per_cu} of {target.arch}",
            "use dynamic LDS that fits",
        )
    return kernarg.Dispatch(grid, block, lds)


@dataclass(frozen=True, slots=True)
class _Drawn:
    entry: ArgSpec
    data: bytes
    dtype: str
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.entry.name


def _draw_buffers(
    spec: LaunchSpec,
    pairs: Sequence[tuple[KernelArg, ArgSpec]],
    names: Mapping[str, int],
    target: Target,
    seed: list[int],
) -> list[_Drawn]:
    """Buffers in the order of the description (not of the kernarg segment)."""
    kinds = {entry.name: arg for arg, entry in pairs}
    source = Initializer(seed, names, spec.directory)
    total, found = 0, list[_Drawn]()
    for entry in spec.args:
        if entry.shape is None or entry.dtype is None:
            continue
        _check_pointer(spec, kinds[entry.name], entry)
        what = f"{spec.source}: argument {entry.name!r}"
        element = dtype(entry.dtype, target.arch)
        shape = tuple(evaluate(v, names, f"{what}: shape[{i}]") for i, v in enumerate(entry.shape))
        if min(shape, default=1) < 1:
            raise InputError(
                f"{what}: shape {list(shape)} is empty", "every dimension is at least 1"
            )
        total += math.prod(shape) * element.size
        if total > MOST_BYTES:
            raise InputError(
                f"{what}: the buffers need more than {MOST_BYTES >> 30} GiB", "use smaller sizes"
            )
        data = source.fill(entry.init or "zeros", element, shape, what)
        found.append(_Drawn(entry, data, element.name, shape))
    return found


def _check_pointer(spec: LaunchSpec, arg: KernelArg, entry: ArgSpec) -> None:
    if arg.size != 8:
        raise InputError(
            f"{spec.source}: argument {entry.name!r} is a buffer, the kernel takes "
            f"{kernarg.describe(arg)}",
            "give a value with a dtype of that size",
        )


def _state(drawn: _Drawn, address: int, guard: int) -> BufferState:
    entry = drawn.entry
    role = entry.role or "in"
    return BufferState(
        name=drawn.name,
        address=address,
        data=drawn.data,
        dtype=drawn.dtype,
        shape=drawn.shape,
        role=role,
        guard=guard,
        tolerance=entry.tolerance.resolve() if entry.tolerance else None,
        undefined=role == "out" or (role == "scratch" and entry.init is None),
    )


def _argument(
    spec: LaunchSpec,
    arg: KernelArg,
    entry: ArgSpec,
    names: Mapping[str, int],
    where: Mapping[str, int],
    sizes: Mapping[str, int],
    target: Target,
) -> tuple[bytes, PointerSlot | None]:
    """Bytes of one argument, and its pointer slot when it points into a buffer."""
    what = f"{spec.source}: argument {entry.name!r}"
    if entry.shape is not None or entry.buffer is not None:
        _check_pointer(spec, arg, entry)
        buffer = entry.buffer or entry.name
        addend = evaluate(entry.offset, names, f"{what}: offset")
        if not 0 <= addend <= sizes[buffer]:
            raise InputError(
                f"{what}: offset {addend} lies outside buffer {buffer!r} of {sizes[buffer]} bytes"
            )
        slot = PointerSlot(arg.offset, buffer, addend)
        return struct.pack("<Q", where[buffer] + addend), slot
    if entry.null:
        _check_pointer(spec, arg, entry)
        return bytes(8), None
    if arg.value_kind == "global_buffer":
        raise InputError(
            f"{what} is a value, the kernel takes {kernarg.describe(arg)}",
            "give shape, role and init, or `null: true`",
        )
    data = _scalar(entry, names, target, what)
    if len(data) != arg.size:
        raise InputError(
            f"{what} has {len(data)} bytes, the kernel takes {kernarg.describe(arg)}",
            "use a dtype of that size",
        )
    return data, None


def _scalar(entry: ArgSpec, names: Mapping[str, int], target: Target, what: str) -> bytes:
    if entry.bytes_ is not None:
        text = re.sub(r"\s", "", entry.bytes_)
        if not re.fullmatch(r"([0-9a-fA-F]{2})*", text):
            raise InputError(f"{what}: bytes are not hexadecimal", "write e.g. bytes: 01ff")
        return bytes.fromhex(text)
    assert entry.dtype is not None
    assert entry.value is not None
    element = dtype(entry.dtype, target.arch)
    if element.kind == "float":
        number = evaluate_number(entry.value, names, what)
        with np.errstate(over="ignore"):
            cast = np.array([number], dtype=np.float64).astype(element.numpy)
        if math.isfinite(number) and not np.isfinite(cast.astype(np.float64)).all():
            raise InputError(f"{what}: {number} overflows {element.name}", "use a wider dtype")
        return cast.tobytes()
    if isinstance(entry.value, float):
        raise InputError(f"{what}: {entry.value} is no {element.name}", "write an integer")
    value = evaluate(entry.value, names, what)
    info = np.iinfo(element.numpy)
    if not info.min <= value <= info.max:
        raise InputError(
            f"{what}: {value} does not fit into {element.name}", "use a wider or signed dtype"
        )
    return np.array([value], dtype=element.numpy).tobytes()


def _provenance(
    spec: LaunchSpec, metadata: KernelMetadata, names: Mapping[str, int], seed: int, variant: int
) -> dict[str, Any]:
    return {
        "origin": "synthesized",
        "launch_sha256": spec.digest,
        "sizes": dict(names),
        "seed": seed,
        "variant": variant,
        "layout": spec.layout,
        "zero_filled": list(kernarg.runtime_state(metadata)),
    }
