"""A launch for a kernel that nobody described."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from asmevo.api.drafts.arguments import guessed_dtype, uses_of_arguments
from asmevo.api.inspection import triton_of
from asmevo.api.naming import naming
from asmevo.api.objects import Object, ObjectLike, emulated, open
from asmevo.api.results import Result
from asmevo.capsule import kernarg
from asmevo.capsule.dtypes import DTYPES
from asmevo.capsule.expressions import FUNCTIONS
from asmevo.capsule.infer import library, ttir
from asmevo.capsule.infer.draft import Draft
from asmevo.capsule.spec import LaunchSpec
from asmevo.capsule.synthesize import synthesize
from asmevo.codeobject.metadata import KernelArg
from asmevo.device.probe.explore import FREE, Explorer, Word
from asmevo.device.probe.extents import TIMES, explore
from asmevo.device.probe.fill import Known, fill
from asmevo.device.probe.run import Prober
from asmevo.device.probe.types import Elements
from asmevo.device.protocol import RunOptions
from asmevo.errors import AsmEvoError, InputError

_TYPES = ("f64", "f32", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
_BUDGET = 50_000_000  # instructions of a wave of the trial run


@dataclass(frozen=True, slots=True, eq=False)
class Inference(Result):
    """Result of `infer_launch`: `data` has the launch, each part with its reasons, and `questions`.

    Attributes:
        text: the launch.yaml.
        spec: the same, parsed.
    """

    text: str
    spec: LaunchSpec


def infer_launch(
    object: ObjectLike, kernel: str | None = None, sizes: Mapping[str, int] | None = None
) -> Inference:
    """Fill in a launch for a kernel, and run it once to see that it does something.

    Vendor kernels that the shipped library knows get their family's launch. Else the metadata,
    Triton's `.json` and `.ttir` beside the object and probing runs in the emulator say what they
    can. The answer is a no when the launch faults or writes nothing in the trial.

    Args:
        object: the object.
        kernel: which kernel, where it has several.
        sizes: values of sizes, by the names that the inferred launch gives them.

    Raises:
        InputError: no such kernel or size.
        UnsupportedError: a target or an argument that no launch description can give.
    """
    opened = open(object)
    with naming(opened.path):
        found = opened.code.kernel(kernel)
        stem = opened.path.stem if opened.path is not None else ""
        draft = library.find(found.metadata, found.symbol, stem)
        if draft is None:
            draft = _probe(opened, found.name, dict(sizes or {}))
        unknown = [n for n in sizes or {} if n not in draft.sizes]
        if unknown:
            raise InputError(
                f"the inferred launch has no size {unknown[0]!r}",
                f"its sizes are {', '.join(draft.sizes) or 'none'}",
            )
        draft = replace(draft, sizes={**draft.sizes, **(sizes or {})})
        text = draft.yaml()
        spec = LaunchSpec.parse(text, "the inferred launch")
        trial = _trial(opened, spec)
    data = {**draft.to_json(), "trial": trial, "launch_yaml": text}
    ok = not trial["problem"]
    reason = trial["problem"] or f"{len(data['questions'])} questions left"
    return Inference(ok, "ok" if ok else "input_invalid", reason, data, text, spec)


def _trial(opened: Object, spec: LaunchSpec) -> dict[str, Any]:
    """Run the launch once: what it wrote, and why it is no use where it is none."""
    try:
        capsule = synthesize(spec, opened.code.kernel(spec.kernel), opened.code.target)
        result = emulated(None).run(opened.data, capsule, RunOptions(instruction_budget=_BUDGET))
    except AsmEvoError as err:
        return {"problem": f"the launch does not run: {err.one_line()}", "written": {}}
    before = {b.name: b.data for b in capsule.buffers}
    changed = {
        b.name: sum(x != y for x, y in zip(result.buffers[b.name], before[b.name], strict=True))
        for b in capsule.buffers
        if b.role != "in"
    }
    problem = ""
    if result.fault is not None:
        problem = f"K0 faults on it: {result.fault.one_line()}"
    elif not any(changed.values()):
        problem = "K0 writes nothing on it"
    return {"problem": problem, "written": changed, "instructions": result.instructions}


def _probe(opened: Object, name: str, sizes: dict[str, int]) -> Draft:
    prober = Prober(opened.data, name)
    found = prober.kernel
    arguments = kernarg.explicit_arguments(found.metadata)
    signature = ttir.read(opened.path, found.name) if opened.path is not None else ()
    uses = uses_of_arguments(prober.program, found)
    known: list[Known] = []
    words: list[Word] = []
    fixed: dict[int, bytes] = {}
    unit = 1
    taken: set[str] = {*FREE, TIMES, *FUNCTIONS}
    for number, argument in enumerate(arguments):
        triton = (
            signature[number] if number < len(signature) else ttir.TritonArgument("", "", False)
        )
        label = _identifier(argument.name or triton.name or f"arg{number}", taken)
        pointer = argument.value_kind == "global_buffer"
        dtype, why = _type(
            argument, triton, guessed_dtype(uses.get(argument.offset, ()), argument.size)
        )
        name = (argument.name or "").removesuffix(".coerce") or label
        known.append(Known(name, label, argument.offset, argument.size, pointer, dtype, why))
        if pointer:
            continue
        if dtype.startswith(("f", "bf")):
            fixed[argument.offset] = _one(dtype)
        elif argument.size in (1, 2, 4, 8):
            words.append(Word(label, argument.offset, argument.size))
            unit = max(unit, triton.divisible)
        else:
            fixed[argument.offset] = bytes(argument.size)
    facts = triton_of(opened)
    explorer = Explorer(prober, words, fixed, unit=unit)
    explorer.known = {n: v for n, v in sizes.items() if n in {w.name for w in words}}
    explorer.lds = int(facts.get("shared", 0))
    wave = found.descriptor.wave_size
    block_why = "required by the object's metadata"
    if 0 < wave * int(facts.get("num_warps", 0)) <= 1024:
        explorer.block = (wave * int(facts["num_warps"]), 1, 1)
        block_why = "num_warps in Triton's .json"
    elif found.metadata.reqd_workgroup_size is not None:
        explorer.block = found.metadata.reqd_workgroup_size
    else:
        block_why = explorer.find_block()
    lds_why = "shared in Triton's .json" if "shared" in facts else "nothing asks for more"
    whole = {k.offset: DTYPES[k.dtype].size for k in known
             if k.pointer and k.dtype.startswith(("i", "u"))}  # fmt: skip
    if whole:
        explorer.lead(whole)
    else:
        explorer.wake([k.offset for k in known if k.pointer and not k.dtype])
    shape = explore(explorer)
    elements = Elements(prober.program, found)
    return fill(explorer, shape, known, elements, lds_why, block_why, sizes)


def _identifier(name: str, taken: set[str]) -> str:
    """A name that expressions can use and that is not taken yet."""
    word = re.sub(r"\W", "_", name.split(".")[0], flags=re.ASCII)
    if not word or not (word[0].isalpha() or word[0] == "_"):
        word = f"arg_{word}"
    while word in taken:
        word += "_"
    taken.add(word)
    return word


def _type(
    argument: KernelArg, triton: ttir.TritonArgument, seen: tuple[str, Any] | None
) -> tuple[str, str]:
    """(dtype, why) that is known before anything runs."""
    if triton.dtype and triton.pointer == (argument.value_kind == "global_buffer"):
        return triton.dtype, "type in Triton's .ttir"
    if argument.value_type in _TYPES:
        return argument.value_type, "type in the object's metadata"
    if argument.value_kind != "global_buffer" and seen is not None and seen[1].kind == "float":
        return seen[0], f"instruction {seen[1].index} reads it as {seen[1].type}"
    return "", ""


def _one(dtype: str) -> bytes:
    """1.0 as the kernel reads it."""
    return np.array([1.0]).astype(DTYPES[dtype].numpy).tobytes()
