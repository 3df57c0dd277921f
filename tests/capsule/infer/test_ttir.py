"""Signatures of Triton's `.ttir`: text in the form that Triton 3.x prints, read by hand."""

from __future__ import annotations

from pathlib import Path

from asmevo.capsule.infer.ttir import TritonArgument, read, signature

TEXT = """
#loc1 = loc("x_ptr")
module {
  tt.func private @helper(%a: i32) { tt.return }
  tt.func public @_scale(%x_ptr: !tt.ptr<bf16> {tt.divisibility = 16 : i32, tt.pointer_range = 32
    : i32} loc("x_ptr"), %q: !tt.ptr<f8E4M3FNUZ, 1> loc("a, b)"), %n: i32
    {tt.divisibility = 8 : i32} loc("n"), %big: i64, %eps: f32
    loc(unknown)) attributes {noinline = false} {
"""


def test_names_types_and_divisors() -> None:
    assert signature(TEXT, "_scale") == (
        TritonArgument("x_ptr", "bf16", True, 16),
        TritonArgument("q", "e4m3fnuz", True, 1),
        TritonArgument("n", "i32", False, 8),
        TritonArgument("big", "i64", False, 1),
        TritonArgument("eps", "f32", False, 1),
    )


def test_another_kernel_or_half_a_file_gives_nothing(tmp_path: Path) -> None:
    assert signature(TEXT, "other") == ()
    assert signature(TEXT[: TEXT.index("%big")], "_scale") == ()
    assert read(tmp_path / "K0.hsaco", "_scale") == ()
    (tmp_path / "K0.ttir").write_bytes(b"\xff\xfe tt.func")
    assert read(tmp_path / "K0.hsaco", "_scale") == ()
