"""Discrete Fourier transforms."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import fft as decompose
from torchport.contract.ops.builders import COMPLEX, FLAG, Rule, creation, entry, summed, ulp
from torchport.contract.spec import Category, Operand, OpSpec, Tier

MODES = Operand(choices=(0, 1, 2))
AXES = Operand(choices=("[rank(self) - 1]", "[rank(self) - 2]", "[rank(self) - 2, rank(self) - 1]"))
ROUNDINGS = "24"
"""The error of a fast transform of n elements grows with log n (Higham, §24.1); enough for n = 2²⁴."""
NUMERICS = summed(ROUNDINGS, magnitude="euclidean")
EXIST = ("distinct(dim, rank(self))", "the dimensions exist and are listed once")
UNSCALED = ("normalization == 0", "a prim does not scale", Tier.PRIM)
ONE_DIMENSION = ("len(dim) == 1", "a prim between reals and half a spectrum has one dimension", Tier.PRIM)
NONEMPTY = ("numel(self) > 0 or len(dim) == 0", "something is there to be transformed")
SCALES = ("normalization >= 0 and normalization <= 2", "no scale, by the root of the length, by the length")
ABSENT: Rule = ("not distinct(dim, rank(self))", "a dimension does not exist or is listed twice")

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten._fft_c2c.default",
        category=Category.TRANSFORM,
        accepts={"self": COMPLEX},
        results="same:self",
        shape="self",
        layout="eager",
        numerics=NUMERICS,
        operands={
            "self": Operand("[*B, n, k]"),
            "dim": AXES,
            "normalization": MODES,
            "forward": FLAG,
        },
        constraints=(
            EXIST,
            SCALES,
            NONEMPTY,
            UNSCALED,
            ("forward", "a prim transforms forward", Tier.PRIM),
            ("len(dim) > 0", "a prim transforms something", Tier.PRIM),
        ),
        errors=(ABSENT, ("not (normalization >= 0 and normalization <= 2)", "there is no such scale")),
        prim=True,
        decomposition=decompose.c2c,
    ),
    entry(
        "aten._fft_r2c.default",
        category=Category.TRANSFORM,
        accepts={"self": ("float32", "float64")},
        results="complex:self",
        shape="replace(self, dim[-1], self[dim[-1]] // 2 + 1) if onesided else shape(self)",
        layout="eager",
        numerics=NUMERICS,
        operands={
            "self": Operand("[*B, n, k]"),
            "dim": AXES,
            "normalization": MODES,
            "onesided": FLAG,
        },
        constraints=(
            EXIST,
            SCALES,
            ("len(dim) > 0 and numel(self) > 0", "something is there to be transformed"),
            UNSCALED,
            ONE_DIMENSION,
            ("onesided", "a prim gives the half of the spectrum that determines the other", Tier.PRIM),
        ),
        errors=(ABSENT,),
        prim=True,
        decomposition=decompose.r2c,
    ),
    entry(
        "aten._fft_c2r.default",
        category=Category.TRANSFORM,
        accepts={"self": COMPLEX},
        results="real:self",
        shape="replace(self, dim[-1], last_dim_size)",
        layout="eager",
        numerics=NUMERICS,
        operands={
            "self": Operand("[*B, n, k]"),
            "dim": AXES,
            "normalization": MODES,
            "last_dim_size": Operand(
                choices=("2 * size(self, dim[-1]) - 1", "max(2 * size(self, dim[-1]) - 2, 1)")
            ),
        },
        constraints=(
            EXIST,
            SCALES,
            (
                "len(dim) > 0 and last_dim_size >= 1 and numel(self) > 0",
                "something is there to be transformed",
            ),
            (
                "size(self, dim[-1]) == last_dim_size // 2 + 1",
                "the last dimension is half of the spectrum of the result",
            ),
            UNSCALED,
            ONE_DIMENSION,
        ),
        errors=(ABSENT,),
        prim=True,
        decomposition=decompose.c2r,
    ),
    creation(
        "aten.fft_fftfreq.default",
        shape="[n]",
        operands={
            "n": Operand(choices=(5, 6, 1)),
            "d": Operand(choices=(1.0, 0.25, 3.0)),
            "dtype": Operand(choices=(None, torch.float64, torch.float16)),
        },
        numerics=ulp(2),
        constraints=(("n >= 1", "there are samples"),),
        decomposition=decompose.fftfreq,
    ),
    creation(
        "aten.fft_rfftfreq.default",
        shape="[n // 2 + 1]",
        operands={
            "n": Operand(choices=(5, 6, 1)),
            "d": Operand(choices=(1.0, 0.25, 3.0)),
            "dtype": Operand(choices=(None, torch.float64, torch.float16)),
        },
        numerics=ulp(2),
        constraints=(("n >= 1", "there are samples"),),
        decomposition=decompose.rfftfreq,
    ),
)
