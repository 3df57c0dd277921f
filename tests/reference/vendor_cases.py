"""Which vendor launches are run: at the smallest legal problem and at a larger, odd-sized one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reference import vendor, vendor_attention, vendor_mla, vendor_moe
from reference.launch import Launch
from reference.vendor import symbol

HSA = "aiter_meta/hsa"


@dataclass(frozen=True)
class Case:
    """A launch of one file of the wheel; `path` is below `aiter_meta/hsa/ARCH`."""

    id: str
    arch: str
    path: str
    build: Callable[[], Launch]

    @property
    def file(self) -> str:
        """Path in the unpacked wheel."""
        return f"{HSA}/{self.arch}/{self.path}"


def _topksoftmax() -> list[Case]:
    cases = []
    for rows in (4, 12):
        for experts in (128, 256):
            for topk in (6, 8):
                name = f"topksoftmax_{rows}x{experts}x{topk}"
                for tokens, renormalize in ((1, 1), (rows + 1, 0), (2 * rows + 3, 1)):
                    cases.append(
                        Case(
                            f"{name}-t{tokens}",
                            "gfx942",
                            f"topksoftmax/{name}.co",
                            lambda t=tokens, e=experts, k=topk, r=rows, n=renormalize: (
                                vendor.topksoftmax(t, e, k, r, n, seed=t)
                            ),
                        )
                    )
    return cases


def _bf16gemm(arch: str) -> list[Case]:
    cases = []
    for tile in (32, 48, 64, 96):
        name = f"bf16gemm_outf32_tn_{tile}x64_pf3"
        for m, n, k in ((tile, 64, 64), (tile - 3, 64, 256), (tile + 5, 128, 320)):
            cases.append(
                Case(
                    f"{name}-{m}x{n}x{k}",
                    arch,
                    f"bf16gemm/{name}.co",
                    lambda m=m, n=n, k=k, t=tile: vendor.bf16gemm(m, n, k, t, seed=m + k),
                )
            )
    return cases


def _pa(arch: str) -> list[Case]:
    cases = []
    for name, gqa, dtype in (
        ("pa_bf16_noquant_gqa8_1tg_4w", 8, vendor.BF16),
        ("pa_bf16_noquant_gqa16_1tg_4w", 16, vendor.BF16),
        ("pa_fp16_noquant_gqa8_1tg_4w", 8, np.dtype(np.float16)),
    ):
        for contexts, kv_heads in (((16,), 1), ((1, 37, 300), 2)):
            cases.append(
                Case(
                    f"{name}-{max(contexts)}",
                    arch,
                    f"pa/{name}.co",
                    lambda n=name, c=contexts, h=kv_heads, g=gqa, d=dtype: (
                        vendor_attention.paged_decode(symbol(n), c, h, g, seed=len(c), dtype=d)
                    ),
                )
            )
    # The kernels quantize queries and weights to 8 bits too, hence the wide tolerance.
    for name, gqa, cache in (
        ("pa_bf16_pertokenInt8_gqa8_2tg_4w", 8, np.dtype(np.int8)),
        ("pa_bf16_pertokenInt8_gqa16_2tg_4w", 16, np.dtype(np.int8)),
        ("pa_bf16_pertokenFp8_gqa8_2tg_4w", 8, vendor.fp8_of(arch)),
    ):
        for contexts, kv_heads in (((16,), 1), ((1, 37, 300), 2)):
            cases.append(
                Case(
                    f"{name}-{max(contexts)}",
                    arch,
                    f"pa/{name}.co",
                    lambda n=name, c=contexts, h=kv_heads, g=gqa, d=cache: (
                        vendor_attention.paged_decode(
                            symbol(n), c, h, g, seed=len(c), cache=d, atol=0.1
                        )
                    ),
                )
            )
    if arch == "gfx942":
        for contexts, kv_heads in (((16,), 1), ((5, 290), 1)):
            cases.append(
                Case(
                    f"pa_a16w16_b16-{max(contexts)}",
                    arch,
                    "pa_a16w16_b16.co",
                    lambda c=contexts, h=kv_heads: vendor_attention.paged_decode(
                        "pa_kernel_func", c, h, 8, seed=7, pass_gqa=False
                    ),
                )
            )
    return cases


def _fmha() -> list[Case]:
    def case(
        arch: str, folder: str, name: str, shape: tuple[int, ...], causal: bool, atol: float
    ) -> Case:
        b, h, kv, sq, sk = shape
        return Case(
            f"{folder}{name}-b{b}h{h}q{sq}k{sk}",
            arch,
            f"fmha_v3_fwd/{folder}{name}.co",
            lambda: vendor_attention.flash_forward(
                name, b, h, kv, sq, sk, seed=sq + sk, causal=causal, lse=sq != 32, atol=atol
            ),
        )

    return [
        case("gfx942", "MI300/", "fwd_hd128_bf16_rtne", (1, 1, 1, 32, 32), False, 6e-3),
        case("gfx942", "MI300/", "fwd_hd128_bf16_rtne", (2, 2, 1, 17, 33), False, 6e-3),
        case("gfx942", "MI300/", "fwd_hd128_bf16_rtz", (1, 1, 1, 67, 41), False, 1e-2),
        case("gfx942", "MI300/", "fwd_hd128_bf16_causal_rtne", (1, 1, 1, 70, 70), True, 6e-3),
        case("gfx942", "MI308/", "fwd_hd128_bf16_rtne", (1, 1, 1, 5, 97), False, 6e-3),
        case("gfx950", "", "fwd_hd128_bf16", (1, 1, 1, 32, 64), False, 6e-3),
        case("gfx950", "", "fwd_hd128_bf16", (2, 2, 1, 17, 33), False, 6e-3),
    ]


def _fmha_group() -> list[Case]:
    return [
        Case(
            f"{folder}{name}-{max(queries)}",
            arch,
            f"fmha_v3_fwd/{folder}{name}.co",
            lambda n=name, q=queries, k=keys: vendor_attention.flash_group(
                n, q, k, 2, 1, seed=q[0], causal="causal" in n
            ),
        )
        for arch, folder, name in (
            ("gfx942", "MI308/", "fwd_hd128_bf16_causal_rtne_group"),
            ("gfx942", "MI300/", "fwd_hd128_bf16_rtne_group"),
            ("gfx950", "", "fwd_hd128_bf16_group"),
        )
        for queries, keys in (((32,), (32,)), ((17, 70), (33, 70)))
    ]


def _stage1(arch: str) -> list[Case]:
    def case(
        name: str,
        sizes: tuple[int, ...],
        tile: tuple[int, int],
        kind: str,
        schedule: str = "barrier",
    ) -> Case:
        tokens, experts, topk, dim, inter = sizes
        return Case(
            f"{name}-t{tokens}e{experts}",
            arch,
            f"fmoe_2stages/{name}.co",
            lambda: vendor_moe.stage1(
                name,
                tokens,
                experts,
                topk,
                dim,
                inter,
                *tile,
                seed=tokens,
                arch=arch,
                quantized=kind,
                schedule=schedule,
            ),
        )

    int8 = "fmoe_stage1_bf16_pertokenInt8_g1u1_"
    fp8 = "fmoe_stage1_bf16_pertokenFp8_g1u1_"
    return [
        case(f"{int8}16x128_4tg_pf2", (1, 1, 1, 128, 128), (16, 128), "int8"),
        case(f"{int8}16x128_4tg_pf2", (5, 4, 2, 512, 256), (16, 128), "int8"),
        case(f"{fp8}16x128_4tg_pf2", (1, 1, 1, 128, 128), (16, 128), "fp8"),
        case(f"{fp8}32x128_3tg_pf2", (37, 3, 2, 384, 256), (32, 128), "fp8", "interleave:16"),
        case(f"{fp8}32x128_3tg_pf3", (37, 3, 2, 384, 256), (32, 128), "fp8"),
    ]


def _fmoe_b16() -> list[Case]:
    return [
        Case(
            f"fmoe_b16-t{tokens}-{schedule}",
            "gfx942",
            "fmoe_b16.co",
            lambda t=tokens, e=experts, k=topk, s=schedule: vendor_moe.fused_bf16(
                t, e, k, 512, 512, seed=t, schedule=s
            ),
        )
        for tokens, experts, topk, schedule in (
            (1, 1, 1, "interleave:16"),
            (4, 2, 2, "interleave:1"),
        )
    ]


def _i8gemm() -> list[Case]:
    cases = []
    for tile in (128, 192):
        name = f"I8gemm_bf16_perTokenI8_BpreShuffle_{tile}x128"
        for m, n, k in ((tile, 128, 128), (tile + 9, 256, 384)):
            cases.append(
                Case(
                    f"{name}-{m}x{n}x{k}",
                    "gfx942",
                    f"i8gemm/{name}.co",
                    lambda m=m, n=n, k=k, t=tile: vendor.i8gemm(m, n, k, t, seed=m),
                )
            )
    return cases


def _flatmm() -> list[Case]:
    name = "flatmm_uk_gfx9_f16f8_128x256x128_1x4x1_16x16x32"
    return [
        Case(
            f"flatmm-{m}x{n}x{k}",
            "gfx942",
            f"{name}.co",
            lambda m=m, n=n, k=k: vendor.flatmm(m, n, k, seed=m),
        )
        for m, n, k in ((128, 256, 256), (128, 512, 384), (77, 256, 256))
    ]


def _mla() -> list[Case]:
    name = "mla_dec_stage1_bf16_a16w16_subQ16_mqa16"
    return [
        Case(
            f"{name}-{max(lengths)}-{splits}",
            "gfx942",
            f"mla/{name}.co",
            lambda n=lengths, s=splits: vendor_mla.decode_stage1(n, s, seed=n[0]),
        )
        for lengths, splits in (((64,), 1), ((17, 300), 2), ((64, 100, 1), 3))
    ]


def _layer_norm() -> list[Case]:
    return [
        Case(
            f"layer_norm-{m}",
            "gfx942",
            "layer_norm.co",
            lambda m=m: vendor.layer_norm(m, seed=m),
        )
        for m in (2, 6)
    ]


CASES: list[Case] = [
    *_topksoftmax(),
    *_bf16gemm("gfx942"),
    *_bf16gemm("gfx950"),
    *_pa("gfx942"),
    *_pa("gfx950"),
    *_fmha(),
    *_fmha_group(),
    *_stage1("gfx942"),
    *_stage1("gfx950"),
    *_fmoe_b16(),
    *_layer_norm(),
    *_i8gemm(),
    *_flatmm(),
    *_mla(),
]
