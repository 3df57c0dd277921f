"""The evidence record: what was tested, on what, with which result, so that anyone can repeat it.

Plain JSON. It holds hashes of both objects and every capsule, the seeds and options, figures per
buffer, and versions of what decided; no times and no paths, so equal verifications give equal
records.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from asmevo import __version__
from asmevo.capsule.model import Capsule
from asmevo.device.protocol import Device
from asmevo.verify.report import VerifyConfig, VerifyReport, coverage

SCHEMA = "asmevo/evidence/1"
_PACKAGES = ("numpy", "ml-dtypes", "llvmlite", "rocm-llvm-python")


def evidence(
    report: VerifyReport,
    k0: bytes,
    k1: bytes,
    capsules: Sequence[Capsule],
    device: Device,
    config: VerifyConfig,
) -> dict[str, Any]:
    """The record of one verification.

    Args:
        report: its result.
        k0: the original object.
        k1: the candidate.
        capsules: all capsules asked for, tested or not.
        device: where they ran.
        config: the options used.
    """
    return {
        "schema": SCHEMA,
        "status": report.status,
        "reason": report.reason,
        "evidence_class": report.evidence_class,
        "statement": _statement(report, len(capsules)),
        "notes": list(report.notes),
        "variations": {
            "run": [c.label for c in report.capsules if c.origin == "varied"],
            "dropped": [{"label": d.label, "reason": d.reason} for d in report.dropped],
        },
        "coverage": coverage(report.executed),
        "k0": _object(k0),
        "k1": _object(k1),
        "device": {"name": device.name, "label": device.label},
        "config": config.to_json(),
        "capsules": [_capsule(c) for c in capsules],
        "results": [c.to_json() for c in report.capsules],
        "versions": {
            "asmevo": __version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in _PACKAGES},
        },
    }


def _statement(report: VerifyReport, capsules: int) -> str:
    """What the record supports, and no more."""
    if not report.ok:
        return f"not accepted: {report.reason}"
    how = "bit-equal to K0" if report.evidence_class == "tested-exact" else "within tolerance of K0"
    runs = sum(len(c.runs) for c in report.capsules)
    stressed = sum(c.origin == "stressed" for c in report.capsules)
    varied = sum(c.origin == "varied" for c in report.capsules)
    return (
        f"{how} in {runs} runs on {capsules} launch(es), {stressed} stressed variant(s) and "
        f"{varied} variation(s) of sizes and scalars; nothing is claimed for other inputs"
    )


def _object(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def _capsule(capsule: Capsule) -> dict[str, Any]:
    return {
        "label": capsule.label,
        "digest": capsule.digest(),
        "kernel": capsule.kernel,
        "grid": list(capsule.grid),
        "block": list(capsule.block),
        "lds_dynamic": capsule.lds_dynamic,
        "schedule": capsule.schedule,
        "tolerance": {"theta": capsule.tolerance.theta, "tau": capsule.tolerance.tau},
        "provenance": dict(capsule.provenance),
        "buffers": [
            {"name": b.name, "dtype": b.dtype, "shape": list(b.shape), "role": b.role}
            for b in capsule.buffers
        ],
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
