"""Architecture facts against LLVM: `.amdhsa` limits of its assembler, and its documentation."""

from __future__ import annotations

import pytest

from asmevo.errors import UnsupportedError
from asmevo.isa.arch import ARCHS
from asmevo.isa.codec.llvm import assembler
from asmevo.isa.target import ARCH_OF_MACH, MACH_OF_ARCH, MODELLED, Target, require_modelled


def test_machine_numbers_are_told_apart() -> None:
    assert len(ARCH_OF_MACH) == len(MACH_OF_ARCH) == len(ARCHS)
    assert Target.from_eflags(0x54C).arch == "gfx942"
    assert Target.from_eflags(0x49).arch == "gfx1250"


@pytest.mark.parametrize("arch", sorted(ARCHS))
def test_llvm_knows_the_register_file(arch: str) -> None:
    """The last register of each file is an operand, the one behind it is none."""
    facts = Target(arch).facts
    code = assembler(Target(arch))

    def takes(text: str) -> bool:
        try:
            return len(code.assemble(text)) >= 4
        except Exception:
            return False

    assert takes(f"s_mov_b32 s{facts.sgprs - 1}, 0")
    assert not takes(f"s_mov_b32 s{facts.sgprs}, 0")
    assert takes("v_mov_b32 v255, 0")
    assert takes("v_accvgpr_read_b32 v0, a255") == (facts.agprs == 256)


# Sizes of LDS and its granules: LLVM's AddressableLocalMemorySize features and
# getLdsDwGranularity (128, 320 and 512 dwords); waves per SIMD: getMaxWavesPerEU.
@pytest.mark.parametrize(
    ("arch", "lds", "granule", "waves", "vgpr_step"),
    [
        ("gfx906", 65536, 512, 10, 4),
        ("gfx90a", 65536, 512, 8, 8),
        ("gfx942", 65536, 512, 8, 8),
        ("gfx950", 163840, 1280, 8, 8),
        ("gfx9-4-generic", 65536, 512, 8, 8),
        ("gfx1010", 65536, 512, 20, 8),
        ("gfx1030", 65536, 512, 16, 8),
        ("gfx1100", 65536, 512, 16, 8),
        ("gfx1200", 65536, 512, 16, 8),
        ("gfx1250", 327680, 2048, 16, 16),
    ],
)
def test_sizes(arch: str, lds: int, granule: int, waves: int, vgpr_step: int) -> None:
    target = Target(arch)
    assert (target.lds_bytes_per_cu, target.lds_granule) == (lds, granule)
    assert target.lds_bytes_per_cu % target.lds_granule == 0
    assert target.max_waves_per_simd == waves
    assert target.facts.vgpr_granules[target.wave_size] == vgpr_step


def test_one_granule_of_lds_for_all_rooms() -> None:
    """gfx950 allocates 1280 bytes at once: four workgroups of 32 KiB and a bit, not five."""
    from asmevo.timing.machine import machine_for
    from asmevo.timing.occupancy import occupancy

    for arch in MODELLED:
        assert machine_for(arch).count("lds_granule") == Target(arch).lds_granule
    assert occupancy(Target("gfx950"), 32, 32768, 256).workgroups_per_cu == 4
    assert occupancy(Target("gfx950"), 32, 32000, 256).workgroups_per_cu == 5
    assert occupancy(Target("gfx942"), 32, 32768, 256).workgroups_per_cu == 2


def test_what_is_not_modelled_is_refused_by_name() -> None:
    assert MODELLED == ("gfx90a", "gfx942", "gfx950")
    for arch in MODELLED:
        require_modelled(Target(arch), "the emulator")
    for arch in ("gfx900", "gfx906", "gfx908", "gfx90c", "gfx9-4-generic", "gfx1100", "gfx1250"):
        with pytest.raises(UnsupportedError, match=f"{arch} is not modelled"):
            require_modelled(Target(arch), "the emulator")


@pytest.mark.parametrize("arch", ["gfx900", "gfx906", "gfx908", "gfx90c"])
def test_older_parts_are_not_taken_for_newer_ones(arch: str) -> None:
    """Neither the cycle model nor the emulator runs them; the wait-state tables are not theirs."""
    from asmevo.isa.hazards.rows import rules_of
    from asmevo.timing.static import static_program
    from isa.records import record

    nop = record("s_nop 0", arch).inst
    with pytest.raises(UnsupportedError, match=arch):
        static_program([nop], Target(arch))
    assert rules_of(Target(arch)) is None


def test_an_unknown_architecture_is_named() -> None:
    with pytest.raises(UnsupportedError, match="gfx999"):
        _ = Target("gfx999").facts
