"""K0 has to earn being the oracle: each way in which it cannot serve is refused and named."""

from __future__ import annotations

import numpy as np
import pytest

from asmevo.verify.oracle import DifferentialOracle, OracleError, VerifyConfig


def scale(factor=2.5, dtype=np.float32):
    def kernel(m):
        m.write("y", m.read("x") * dtype(factor))

    return kernel


def refused(device, kernel, capsule, **config) -> str:
    k0 = device.object("bad", kernel)
    oracle = DifferentialOracle(k0, device, VerifyConfig(**config))
    with pytest.raises(OracleError) as caught:
        oracle.prepare(capsule)
    report = oracle.verify(k0, [capsule])
    assert (report.status, report.exit_code, report.evidence_class) == ("input_invalid", 2, None)
    return caught.value.one_line()


def test_nondeterministic_k0(device, make_capsule):
    rng = np.random.default_rng()
    text = refused(device, lambda m: m.write("y", rng.normal(size=64)), make_capsule())
    assert "nondeterministic" in text
    assert "y" in text


def test_k0_that_reads_undefined_registers(device, make_capsule):
    text = refused(device, lambda m: m.write("y", m.junk.normal(size=64)), make_capsule())
    assert "uninitialized registers or LDS" in text


def test_k0_that_reads_its_output(device, make_capsule):
    def kernel(m):
        y = m.capsule.buffer("y")
        m.store(y.address, bytes(b // 2 for b in m.load(y.address, 8)))

    text = refused(device, kernel, make_capsule())
    assert "inout" in text


def test_faulting_k0(device, make_capsule):
    def kernel(m):
        m.load(m.capsule.buffer("x").address + 256, 4)

    text = refused(device, kernel, make_capsule())
    assert "out_of_bounds" in text
    assert "enlarge" in text


def test_k0_that_stores_outside_with_mapped_guards(device, make_capsule):
    def kernel(m):
        m.write("y", np.ones(65))

    assert "outside buffer y" in refused(device, kernel, make_capsule(), guards_mapped=True)


def test_k0_that_modifies_an_input(device, make_capsule):
    text = refused(device, lambda m: m.write("x", np.ones(1)), make_capsule())
    assert "declare that as inout" in text


def test_k0_that_modifies_an_input_that_is_writable(device, make_capsule, monkeypatch):
    original = type(make_capsule()).regions
    monkeypatch.setattr(
        "asmevo.capsule.model.Capsule.regions",
        lambda self, **kw: original(self, **{**kw, "inputs_writable": True}),
    )

    def kernel(m):
        m.write("x", np.ones(1))
        m.write("y", np.ones(1))

    assert "modifies its input x" in refused(device, kernel, make_capsule())


def test_k0_that_stores_nothing(device, make_capsule):
    assert "writes no output" in refused(device, lambda m: m.read("x"), make_capsule())
    assert "writes no output" in refused(
        device, lambda m: m.write("y", m.read("y")), make_capsule(role="inout")
    )


def test_launch_without_outputs(device, make_capsule):
    assert "no out or inout" in refused(device, scale(), make_capsule(role="in"))
