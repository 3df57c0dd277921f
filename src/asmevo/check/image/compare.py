"""Every byte of an edited object is that of the original, or follows from the edit.

An edit changes the code of the functions it names, and what follows from the code's new size:
where sections and segments lie, symbols, dynamic entries, relocations, and the descriptors' entry
offsets. Everything else is compared: each header field, each table, each byte of data, of notes and
of padding, every function that was not named. What the loader maps at the code's address must be
the code that was judged, and no relocation may change it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from asmevo.check.findings import ERROR, Finding
from asmevo.check.image.functions import reachable, same_functions
from asmevo.check.image.places import Follower, Places
from asmevo.check.image.reader import Image
from asmevo.check.image.tables import Tables
from asmevo.codeobject.elf import SHF_EXECINSTR
from asmevo.program.model import Program

_REMEDY = "leave every byte as it is that the edit does not change"


def compare_images(
    k0: Program,
    k1: Program,
    edited: Collection[str] | None = None,
    declared: Collection[str] = (),
) -> list[Finding]:
    """What of `k1`'s file differs from `k0`'s and does not follow from an edit of some functions.

    Args:
        k0: the original's program.
        k1: the edited object's program, recovered from its bytes.
        edited: kernels whose code may differ, with the functions that only they reach; None allows
            every function's.
        declared: descriptor fields that the edit says it changes; notes are then left to the ABI
            rules, which know what restates which field.
    """
    old, new = k0.object.data, k1.object.data
    images = Image(old), Image(new)
    found = [f for image in images for f in _code_as_loaded(image)]
    if found or old == new:
        return found
    names = [[f.name for f in p.functions] for p in (k0, k1)]
    if names[0] != names[1]:
        return [_finding("functions", f"functions were {names[0]}, are {names[1]}")]
    if len(images[0].sections) != len(images[1].sections):
        return [_finding("header", "another number of sections")]
    places = Places(images[0], k0), Places(images[1], k1)
    kept = same_functions(*places)
    found += _others(places, kept, edited)
    if not _only_code_differs(images, places):
        tables = Tables(Follower(*places, kept), bool(declared))
        found += [_finding(rule, text) for rule, text in tables.differences()]
    return found


def _finding(rule: str, message: str, kernel: str = "", fix: str = _REMEDY) -> Finding:
    return Finding(f"image.{rule}", "R", ERROR, kernel, -1, "", message=message, what=rule, fix=fix)


def _code_as_loaded(image: Image) -> Iterator[Finding]:
    """Faults that make the code in memory another one than the code that is looked at."""
    for s in image.sections:
        if s.loaded and not image.backs(s):
            what = "code" if s.flags & SHF_EXECINSTR else f"section {s.index}"
            yield _finding(
                "segment",
                f"{what}: the section's bytes are not those that its segment loads at "
                f"0x{s.address:x}",
                fix="give the section the file offset and the address of its segment",
            )
    if image.implicit_addends:
        yield _finding("relocation", "relocations without addends, which are not followed")
    for word in dict.fromkeys(image.words()):
        if any(low < word.place + 8 and word.place < high for low, high in image.code):
            yield _finding(
                "relocation",
                f"a relocation changes the code at 0x{word.place:x}: what is loaded is not what "
                "was looked at",
                fix="relocate data only",
            )


def _others(
    places: tuple[Places, Places], kept: list[bool], edited: Collection[str] | None
) -> Iterator[Finding]:
    """Functions that differ although no kernel that was named is alone in reaching them."""
    if edited is None or all(kept):
        return
    k0 = places[0].program
    rest = [k.name for k in k0.object.kernels if k.name not in edited]
    allowed = [reachable(p, edited) - reachable(p, rest) for p in places]
    for n, f in enumerate(k0.functions):
        if kept[n] or (n in allowed[0] and n in allowed[1]):
            continue
        yield _finding(
            "other-function",
            f"{f.name} differs, which is not what was edited ({', '.join(edited)})",
            f.name,
            "restore it, or name it as edited and verify it with a launch of its own",
        )


def _only_code_differs(images: tuple[Image, Image], places: tuple[Places, Places]) -> bool:
    """Whether both files agree in everything but the bytes of the code."""
    a, b = (p.text for p in places)
    old, new = (image.data for image in images)
    return (
        a == b
        and len(old) == len(new)
        and old[: a.offset] == new[: a.offset]
        and old[a.file_end :] == new[a.file_end :]
    )
