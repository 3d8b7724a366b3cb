"""Scans and orderings: cumulative operators, sort, top-k, binary search."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import indexing as decompose_indexing, reduction as decompose
from torchport.contract.ops.builders import (
    ANY,
    COMPLEX,
    FLAG,
    FLOATS,
    NUMBERS,
    REALS,
    UNSIGNED,
    entry,
    summed,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

DIM = Operand(choices=(0, -1))
SUMMED_IN = Operand(choices=(None, torch.complex128))
IN_RANGE = ("in_range(dim, rank(self))", "the dimension exists")
STABLE = Numerics("exact", special=("nan-last",))
TIES = Numerics("order", special=("nan-last",))


def _scan(name: str, *, values: str, numerics: Numerics) -> OpSpec:
    return entry(
        f"aten.{name}.default",
        category=Category.SCAN,
        accepts={"self": (*ANY, *UNSIGNED)},
        results="arg:dtype|widen:self",
        shape="self",
        layout="elementwise",
        numerics=numerics,
        operands={"self": Operand("*S", values), "dim": DIM, "dtype": SUMMED_IN},
        constraints=(IN_RANGE,),
        prim=True,
    )


SCANS = (
    _scan("cumsum", values="any", numerics=summed("size(self, dim)", special=("wraps",))),
    _scan(
        "cumprod",
        values="probability",
        numerics=summed("size(self, dim)", magnitude="result", special=("wraps",)),
    ),
    entry(
        "aten.cummax.default",
        category=Category.SCAN,
        accepts={"self": NUMBERS},
        results=("same:self", "int64"),
        shape=("self", "self"),
        layout=("contiguous", "contiguous"),
        numerics=Numerics("order", special=("nan-propagates", "last-index")),
        operands={"self": Operand("*S"), "dim": DIM},
        constraints=(IN_RANGE,),
        prim=True,
    ),
    entry(
        "aten.cummin.default",
        category=Category.SCAN,
        accepts={"self": NUMBERS},
        results=("same:self", "int64"),
        shape=("self", "self"),
        layout=("contiguous", "contiguous"),
        numerics=Numerics("order", special=("nan-propagates", "last-index")),
        operands={"self": Operand("*S"), "dim": DIM},
        constraints=(IN_RANGE,),
        decomposition=decompose.cummin,
    ),
    entry(
        "aten.logcumsumexp.default",
        category=Category.SCAN,
        accepts={"self": (*FLOATS, *COMPLEX)},
        results="same:self",
        shape="self",
        layout="elementwise",
        numerics=summed("8 * size(self, dim)", magnitude="operands"),
        operands={"self": Operand("*S", "small"), "dim": DIM},
        constraints=(IN_RANGE,),
        prim=True,
    ),
)

ORDERS = (
    entry(
        "aten.sort.stable",
        category=Category.ORDER,
        accepts={"self": NUMBERS},
        results=("same:self", "int64"),
        shape=("self", "self"),
        layout=("elementwise", "elementwise"),
        numerics=STABLE,
        operands={
            "self": Operand("*S"),
            "stable": Operand(choices=(True,)),
            "dim": DIM,
            "descending": FLAG,
        },
        constraints=(IN_RANGE, ("stable == True", "the unstable sort is sort.default")),
        prim=True,
    ),
    entry(
        "aten.sort.default",
        category=Category.ORDER,
        accepts={"self": NUMBERS},
        results=("same:self", "int64"),
        shape=("self", "self"),
        layout=("elementwise", "elementwise"),
        numerics=TIES,
        operands={"self": Operand("*S"), "dim": DIM, "descending": FLAG},
        constraints=(IN_RANGE,),
        decomposition=decompose.sort,
    ),
    entry(
        "aten.topk.default",
        category=Category.ORDER,
        accepts={"self": REALS},
        results=("same:self", "int64"),
        shape=("replace(self, dim, k)", "replace(self, dim, k)"),
        layout=("contiguous", "contiguous"),
        numerics=TIES,
        operands={
            "self": Operand("*S"),
            "k": Operand(choices=("min(1, size(self, -1))", "size(self, -1)")),
            "dim": Operand(choices=(-1,)),
            "largest": FLAG,
            "sorted": Operand(choices=(True,)),
        },
        constraints=(
            IN_RANGE,
            ("k >= 0 and k <= size(self, dim)", "there are k elements"),
        ),
        prim=True,
    ),
    entry(
        "aten.searchsorted.Tensor",
        category=Category.ORDER,
        accepts={"sorted_sequence": REALS, "self": ("same:sorted_sequence",), "sorter": ("int64",)},
        results="int64",
        shape="self",
        layout="contiguous",
        operands={
            "sorted_sequence": Operand("[k]", "sorted"),
            "self": Operand("*S"),
            "right": FLAG,
        },
        constraints=(
            (
                "rank(sorted_sequence) == 1 or same_except(sorted_sequence, self, -1)",
                "one sequence for all, or one for each row of values",
            ),
            ("not out_int32", "indices are int64"),
            (
                "not given(sorter) and not given(side)",
                "the sequence itself is sorted; the side is given by right",
            ),
        ),
        prim=True,
    ),
    entry(
        "aten.bucketize.Tensor",
        category=Category.ORDER,
        accepts={"self": REALS, "boundaries": ("same:self",)},
        results="int64",
        shape="self",
        layout="contiguous",
        operands={"self": Operand("*S"), "boundaries": Operand("[k]", "sorted"), "right": FLAG},
        constraints=(
            ("rank(boundaries) == 1", "the boundaries are one-dimensional"),
            ("not out_int32", "indices are int64"),
        ),
        decomposition=decompose_indexing.bucketize,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*SCANS, *ORDERS)
