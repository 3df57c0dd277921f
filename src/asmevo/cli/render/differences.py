"""The one-page HTML of `asmevo diff`; it stands alone, and everything in it is escaped."""

from __future__ import annotations

from asmevo.api.differences.record import DiffRecord, ResourcePart
from asmevo.cli.render.pages import page as rendered
from asmevo.cli.render.report import side_by_side

_RESOURCES = (
    ("VGPRs", "vgprs"), ("arch VGPRs", "arch_vgprs"), ("AGPRs", "agprs"), ("SGPRs", "sgprs"),
    ("LDS bytes", "lds"), ("scratch bytes", "scratch"), ("waves per SIMD", "waves_per_simd"),
    ("code bytes", "code_bytes"),
)  # fmt: skip


def page(record: DiffRecord) -> str:
    """The page of a comparison."""
    functions = [
        {
            "part": part,
            "resources": _rows(part.resources.before, part.resources.after),
            "windows": [
                {
                    "part": window,
                    "rows": side_by_side(
                        [line.text for line in window.before], [line.text for line in window.after]
                    ),
                }
                for window in part.windows
            ],
        }
        for part in record.functions
    ]
    return rendered("diff.html", record=record, functions=functions)


def _rows(before: ResourcePart, after: ResourcePart) -> list[tuple[str, str, str]]:
    found = [(name, getattr(before, key), getattr(after, key)) for name, key in _RESOURCES]
    return [(name, _shown(a), _shown(b)) for name, a, b in found if a is not None or b is not None]


def _shown(value: int | None) -> str:
    return "-" if value is None else str(value)
