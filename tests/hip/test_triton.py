"""Triton's own compiler, driver and launcher as a client; NumPy has the answers."""

import json

import pytest

from hip.conftest import CLIENTS


@pytest.fixture
def seen(run, python_with, tmp_path):
    python = python_with("triton")
    settings = {"TRITON_CACHE_DIR": str(tmp_path / "triton")}

    def client(name: str, *arguments: object, arch: str = "gfx942"):
        result, text = run(python, CLIENTS / name, *arguments, arch=arch, settings=settings)
        assert result.ok, result.reason
        return result, json.loads(text)

    return client


def test_plain_kernels(seen):
    result, found = seen("triton_plain.py", 200)
    assert found["add"] is True
    assert found["softmax"] < 1e-6
    assert found["matmul"] < 1e-3
    assert found["histogram"] is True
    # As on a GPU: memory that the runtime did not allocate is refused before the launch.
    assert "cannot be accessed" in found["foreign"]
    assert result.data["kernels"]["add"]["launches"] == 201
    assert found["seconds"] < 0.03 * 200  # 2,000 launches in at most 60 s


def test_torch_tensors_in_device_memory_and_an_autotune(seen, python_with):
    python_with("torch")
    result, found = seen("triton_torch.py")
    assert found["add"] is True
    assert found["autotune"] is True
    assert result.data["kernels"]["tuned"]["launches"] > 3
    # 2,000 launches in at most 60 s.
    assert found["autotune seconds"] < 0.03 * max(400, result.data["kernels"]["tuned"]["launches"])
