"""The adapter protocol: envelopes, hashes, where outputs may go, and what each operation does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asmevo.cli.main import main
from asmevo.serve.adapter import OPERATIONS

LAUNCH = Path(__file__).resolve().parents[2] / "kernels" / "launch" / "saxpy.yaml"
NOP = {"edits": [{"first": 9, "last": 9, "lines": ["s_nop 0"]}], "reason": "to see"}
NO_WAIT = {"edits": [{"first": 2, "last": 3, "lines": []}]}


class Controller:
    """Writes requests as the published controller does, and reads responses."""

    def __init__(self, folder: Path, k0: bytes, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.artifacts: dict[str, dict[str, str]] = {}
        self.put("original", k0)

    def put(self, name: str, data: bytes) -> Path:
        path = self.folder / f"{name}.bin"
        path.write_bytes(data)
        self.known(name, path)
        return path

    def known(self, name: str, path: Path) -> None:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.artifacts[name] = {"path": str(path), "sha256": digest}

    def ask(self, wanted: str, **changes: Any) -> tuple[int, dict[str, Any]]:
        request: dict[str, Any] = {
            "schema_version": 1, "protocol": "asmevo.adapter.v1", "request_id": "ab" * 16,
            "operation": wanted, "purpose": "candidate",
            "binding": {"mode": "binary", "case_ids": ["c0", "c1"], "candidate_sha256": None},
            "contract": {}, "artifacts": self.artifacts, "inputs": {"launch": str(LAUNCH)},
            "outputs": {n: str(self.folder / n) for n in
                        ("recovered", "candidate_artifact", "observations")},
            "attempt_directory": str(self.folder), **changes,
        }  # fmt: skip
        path = self.folder / "request.json"
        path.write_text(json.dumps(request))
        self.capsys.readouterr()
        code = main(["adapter", wanted, "--request", str(path)])
        out = self.capsys.readouterr().out
        found = json.loads(out)
        if "protocol" in found:
            for name in ("schema_version", "protocol", "request_id", "operation", "binding"):
                assert found[name] == request[name]
            assert (code == 0) == (found["ok"] is True)
        return code, found


@pytest.fixture
def controller(
    tmp_path: Path, kernel_objects: Callable[..., bytes], capsys: pytest.CaptureFixture[str]
) -> Controller:
    return Controller(tmp_path, kernel_objects("saxpy"), capsys)


def test_recover_and_roundtrip(controller: Controller) -> None:
    code, found = controller.ask("recover")
    assert code == 0
    text = (controller.folder / "recovered").read_bytes()
    assert found["output_sha256"] == hashlib.sha256(text).hexdigest()
    assert b"s_endpgm" in text
    assert controller.ask("roundtrip")[0] == 0


def test_a_candidate_is_built_checked_replayed_and_compared(controller: Controller) -> None:
    controller.put("proposal", json.dumps(NOP).encode())
    code, found = controller.ask("rebuild")
    assert code == 0
    built = controller.folder / "candidate_artifact"
    controller.known("candidate", built)
    assert found["candidate_sha256"] == controller.artifacts["candidate"]["sha256"]
    assert controller.ask("static_check")[0] == 0
    assert controller.ask("oracle")[0] == 0
    oracle = json.loads((controller.folder / "observations").read_text())
    (controller.folder / "observations").unlink()
    assert controller.ask("replay")[0] == 0
    replay = json.loads((controller.folder / "observations").read_text())
    assert oracle["cases"] == replay["cases"]
    assert oracle["object"] != replay["object"]
    code, found = controller.ask("compare")
    assert code == 0
    cases = found["equivalence"]["cases"]
    assert cases == [{"case_id": c, "equivalent": True} for c in ("c0", "c1")]


def test_a_wrong_candidate_is_static_invalid(controller: Controller) -> None:
    controller.put("proposal", json.dumps(NO_WAIT).encode())
    assert controller.ask("rebuild")[0] == 0
    controller.known("candidate", controller.folder / "candidate_artifact")
    code, found = controller.ask("static_check")
    assert (code, found["ok"], found["status"]) == (1, False, "static_invalid")
    code, found = controller.ask("compare")
    assert code != 0
    assert not any(c["equivalent"] for c in found["equivalence"]["cases"])


def test_modelled_cycles_are_no_benchmark(controller: Controller) -> None:
    code, found = controller.ask("benchmark")
    assert code != 0
    assert (found["ok"], found["status"]) == (False, "timing_invalid")
    assert "samples_ms" not in found


@pytest.mark.parametrize(
    ("proposal", "status"),
    [
        (b"{", "input_invalid"),
        (b'{"edits": [], "status": "accepted"}', "input_invalid"),
        (b'{"edits": [{"first": 0, "last": 99999, "lines": []}]}', "build_invalid"),
        (b'{"edits": [{"first": 9, "last": 9, "lines": [".incbin \\"x\\""]}]}', "build_invalid"),
    ],
)
def test_proposals_that_cannot_be_built(
    controller: Controller, proposal: bytes, status: str
) -> None:
    controller.put("proposal", proposal)
    code, found = controller.ask("rebuild")
    assert code != 0
    assert found["status"] == status
    assert not (controller.folder / "candidate_artifact").exists()


def test_hashes_and_places_are_kept_to(controller: Controller, tmp_path: Path) -> None:
    outside = {"recovered": str(tmp_path.parent / "elsewhere")}
    code, found = controller.ask("recover", outputs=outside)
    assert code != 0
    assert "leads out" in found["reason"]
    original = dict(controller.artifacts["original"])
    controller.artifacts["original"] = {**original, "sha256": "0" * 64}
    code, found = controller.ask("recover")
    assert code != 0
    assert "not the one that was hashed" in found["reason"]


@pytest.mark.parametrize(
    "changes",
    [
        {"protocol": "asmevo.adapter.v9"}, {"schema_version": 2}, {"operation": "compare"},
        {"ok": True}, {"binding": None}, {"request_id": ""},
    ],
)  # fmt: skip
def test_requests_that_are_none(controller: Controller, changes: dict[str, Any]) -> None:
    code, found = controller.ask("recover", **changes)
    assert code == 2
    assert found["schema"] == "asmevo/error/1"


def test_the_operations_are_those_of_the_published_skill() -> None:
    assert set(OPERATIONS) == {
        "recover", "roundtrip", "rebuild", "static_check", "oracle", "replay", "compare",
        "benchmark",
    }  # fmt: skip
