"""A profile as text and as an HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from asmevo.cli.output import cut, table
from asmevo.cli.render.pages import page
from asmevo.wording import counted

WORDS = {
    "issue": "issue", "fetch": "fetch", "dependency": "dependency", "port": "port",
    "queue": "queue full", "bank_conflict": "bank conflict", "vmcnt": "vmcnt",
    "lgkmcnt": "lgkmcnt", "barrier": "barrier", "nop": "nop",
}  # fmt: skip
LEVELS = {
    "lds": "LDS", "l1": "L1", "l2": "L2", "last_level": "last level", "hbm": "HBM",
}  # fmt: skip
UNITS = {
    "issue": "issue", "scalar": "scalar pipe", "vector": "vector pipe", "matrix": "matrix pipe",
    "lds": "LDS", "address": "address units", "memory": "share of bandwidth",
}  # fmt: skip
_LIMITS = {
    "waves": "wave slots", "vgprs": "VGPRs", "lds": "LDS", "workgroups": "workgroup slots",
    "launch": "the launch",
}  # fmt: skip
_BOUND = {
    "memory": "bound by memory bandwidth",
    "compute": "bound by its busiest pipe",
    "latency": "bound by latency: neither bandwidth nor a pipe is near its limit",
}
_WHOLE = 120  # executed instructions that are all listed without --all
_BAR = 16


def size(count: float) -> str:
    """Bytes for people."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count:.0f} B"


def bar(share: float, most: float = 1.0, width: int = _BAR) -> str:
    """A bar of characters."""
    return "#" * max(1 if share > 0 else 0, round(width * share / most)) if most else ""


def reasons(stalls: Mapping[str, float], most: int = 2) -> str:
    """The main reasons of an instruction: word and part of its clocks."""
    total = sum(stalls.values())
    rest = sorted(((v, n) for n, v in stalls.items() if n != "issue"), reverse=True)
    return ", ".join(f"{WORDS[n]} {v / total:.0%}" for v, n in rest[:most] if v >= 0.005 * total)


def facts(entry: Mapping[str, Any], data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a launch's figures say, as names and values."""
    roof, held = entry["roofline"], entry["occupancy"]
    rows = [
        ("time", f"{entry['cycles']:,.0f} cycles, {entry['microseconds']:,.1f} us, modelled"),
        ("core-bound", f"{entry['core_cycles']:,.0f} cycles, every load from the L1"),
        ("memory-bound", f"{entry['memory_cycles']:,.0f} cycles, its traffic at full bandwidth"),
        ("machine", f"{data['machine_title']}: {data['machine']['chip']} ({data['target']})"),
        ("validation", f"{entry['validation_class']}; band {entry['band']:.0%}"),
        ("differences", f"band {entry['speedup_band']:.0%}: {entry['speedup_class']}"),
        (
            "occupancy",
            f"{held['waves_per_simd']} of {held['wave_slots_per_simd']} waves per SIMD, "
            f"{counted(held['workgroups_per_cu'], 'workgroup')} per compute unit, limited by "
            f"{_LIMITS[held['limiter']]}",
        ),
        (
            "launch",
            f"{counted(entry['workgroups'], 'workgroup')} on {entry['compute_units']} compute "
            f"units, {counted(entry['rounds'], 'round')}",
        ),
        (
            "bytes",
            ", ".join(
                f"{LEVELS[n]} {size(entry['bytes'][n])}" for n in LEVELS if n in entry["bytes"]
            )
            or "none",
        ),
        ("roofline", _roofline(roof)),
    ]
    return rows


def _roofline(roof: Mapping[str, Any]) -> str:
    text = f"{roof['operations']:.3g} floating-point operations"
    if roof["operations_per_byte"] is not None:
        text += f", {roof['operations_per_byte']:.3g} per byte of {LEVELS[roof['level']]}"
    if roof["share_of_roof"] is not None and roof["operations"]:
        text += f", {min(1.0, roof['share_of_roof']):.0%} of the roof"
    return f"{text}; {_BOUND[roof['bound']]}"


def text(data: Mapping[str, Any], everything: bool = False) -> list[str]:
    """The profile for a terminal."""
    lines: list[str] = []
    for entry in data["launches"]:
        label = entry["launch"]["label"]
        lines.append(f"{data['kernel']}{f' {label}' if label else ''}")
        lines += [f"  {name:<13} {value}" for name, value in facts(entry, data)]
        lines += ["", "where waves spend their clocks:"]
        lines += _bars(entry["stalls"], WORDS)
        lines += ["", "busy share of a compute unit:"]
        lines += _bars(entry["busy"], UNITS)
        lines += ["", *_listing(entry, everything), ""]
    if data["measured"]:
        lines += [*_measured(data["measured"]), ""]
    if data["untimed"]:
        lines.append(f"not timed: {counted(data['untimed'], 'launch', 'launches')}, for tests only")
    return [*lines, *(f"note: {note}" for note in data["notes"])]


def measured(found: Mapping[str, Any]) -> str:
    """One line on a trace."""
    parts: list[str] = []
    if found["waves"]:
        parts.append(f"{counted(found['waves'], 'wave')} traced by instruction")
    if found["dispatches"]:
        median = found["median_microseconds"]
        parts.append(
            f"{counted(found['dispatches'], 'dispatch', 'dispatches')}, median {median:,.1f} us"
        )
    known = sum(row["latency"] is not None for row in found["instructions"])
    if known:
        parts.append(f"latencies of {counted(known, 'load')} are the trace's")
    return "; ".join(parts)


def _measured(found: Mapping[str, Any]) -> list[str]:
    hot = {i for w in found["windows"] for i in range(w["first"], w["last"])}
    rows = [r for r in found["instructions"] if r["index"] in hot]
    cells = [
        (
            str(r["index"]),
            str(r["executions"]),
            f"{r['share']:.1%}",
            "" if r["latency"] is None else f"{r['latency']:.0f}",
            cut(r["text"], 60),
        )
        for r in rows
    ]
    head = ("index", "executions", "clocks", "latency", "instruction")
    windows = ["measured hot windows:", *table(cells, head)] if cells else []
    return [f"measured: {measured(found)}", *windows]


def _bars(shares: Mapping[str, float], words: Mapping[str, str]) -> list[str]:
    return [
        f"  {words[name]:<18} {share:6.1%}  {bar(share, 1.0, 40)}"
        for name, share in shares.items()
        if share >= 0.0005
    ]


def _listing(entry: Mapping[str, Any], everything: bool) -> list[str]:
    rows: Sequence[Mapping[str, Any]] = entry["instructions"]
    hot = {i for w in entry["windows"] for i in range(w["first"], w["last"])}
    whole = everything or len(rows) <= _WHOLE
    shown = rows if whole else [r for r in rows if r["index"] in hot]
    most = max((r["share"] for r in rows), default=0.0)
    title = "executed instructions" if whole else "hot windows (--all lists every instruction)"
    cells: list[tuple[str, ...]] = []
    last = None
    for row in shown:
        if last is not None and row["index"] != last + 1 and not whole:
            cells.append(("...", "", "", "", "", ""))
        last = row["index"]
        cells.append(
            (
                str(row["index"]),
                str(row["executions"]),
                f"{row['share']:.1%}",
                bar(row["share"], most),
                cut(row["text"], 60),
                reasons(row["stalls"]),
            )
        )
    return [
        f"{title}:",
        *table(cells, ("index", "executions", "clocks", "", "instruction", "waits for")),
    ]


def html(data: Mapping[str, Any]) -> str:
    """The profile as a page that stands alone."""
    launches = [
        {
            "label": entry["launch"]["label"],
            "facts": facts(entry, data),
            "cycles": f"{entry['cycles']:,.0f}",
            "microseconds": f"{entry['microseconds']:,.1f}",
            "band": f"{entry['band']:.0%}",
            "class": entry["validation_class"],
            "bound": _BOUND[entry["roofline"]["bound"]],
            "stalls": [(WORDS[n], v) for n, v in entry["stalls"].items() if v >= 0.0005],
            "busy": [(UNITS[n], v) for n, v in entry["busy"].items() if v >= 0.0005],
            "rows": _rows(entry),
        }
        for entry in data["launches"]
    ]
    seen = measured(data["measured"]) if data["measured"] else ""
    return page("profile.html", data=data, launches=launches, measured=seen)


def _rows(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    hot = {i for w in entry["windows"] for i in range(w["first"], w["last"])}
    most = max((r["share"] for r in entry["instructions"]), default=1.0) or 1.0
    return [
        {
            "index": row["index"],
            "label": row["label"],
            "text": row["text"],
            "executions": f"{row['executions']:,}",
            "share": f"{row['share']:.1%}",
            "width": f"{100 * row['share'] / most:.1f}",
            "why": reasons(row["stalls"]),
            "hot": row["index"] in hot,
        }
        for row in entry["instructions"]
    ]
