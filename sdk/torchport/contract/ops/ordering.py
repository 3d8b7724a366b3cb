"""Scans and orderings: cumulative operators, sort, top-k, binary search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from torchport.contract.decompositions import ordering as decompose_ordering, reduction as decompose
from torchport.contract.ops.builders import (
    ANY,
    COMPLEX,
    FLAG,
    FLOATS,
    NUMBERS,
    REALS,
    UNSIGNED,
    Decomposition,
    Rule,
    entry,
    summed,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

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

SEARCHED = (
    (
        "rank(sorted_sequence) == 1 or same_except(sorted_sequence, self, -1)",
        "one sequence for all, or one for each row of values",
    ),
    ("rank(sorted_sequence) > 0", "a sequence has a dimension"),
    ("not given(side) or not right or side == 'right'", "the two ways to name the side agree"),
    ("not given(sorter) or sorter == sorted_sequence", "there is one position for each element"),
)
A_PRIM_SEARCHES = (
    ("dtype(sorted_sequence) == dtype(self)", "operands of a prim have one dtype", Tier.PRIM),
    ("not right and not given(side)", "a prim finds the first that is not less", Tier.PRIM),
    ("not given(sorter)", "the sequence of a prim is sorted itself", Tier.PRIM),
    ("not out_int32", "the positions of a prim are int64", Tier.PRIM),
)
NOT_SORTED = ("rank(sorted_sequence) == 0", "the sequence is a scalar")
AT_ODDS = ("given(side) and right and side == 'left'", "the two ways to name the side differ")
SIDE = {"right": FLAG, "out_int32": FLAG, "side": Operand(choices=(None, "'left'", "'right'"))}
SORTABLE = (*NUMBERS, *UNSIGNED)
RANKED = ("rank(self) > 0", "a prim has no scalar operand", Tier.PRIM)
SOMETHING = ("rank(self) == 0 or size(self, dim) > 0", "there is something to choose from")


def _chosen(
    name: str,
    decomposition: Decomposition,
    *,
    dtypes: Sequence[str] = REALS,
    extra: Mapping[str, Operand] | None = None,
    constraints: Sequence[Rule] = (),
) -> OpSpec:
    """One element of each row along ``dim``, and where it is."""
    return entry(
        name,
        category=Category.ORDER,
        accepts={"self": dtypes},
        results=("same:self", "int64"),
        shape=("reduce(self, dim, keepdim)",) * 2,
        layout=("contiguous", "contiguous"),
        numerics=TIES,
        operands={"self": Operand("*S"), **(extra or {}), "dim": DIM, "keepdim": FLAG},
        constraints=(IN_RANGE, SOMETHING, *constraints),
        errors=(("rank(self) > 0 and size(self, dim) == 0", "a row is empty"),),
        decomposition=decomposition,
    )


ORDERS = (
    entry(
        "aten.sort.stable",
        category=Category.ORDER,
        accepts={"self": SORTABLE},
        results=("same:self", "int64"),
        shape=("self", "self"),
        layout=("elementwise", "elementwise"),
        numerics=STABLE,
        operands={
            "self": Operand("*S"),
            "stable": Operand(choices=(True, False, None)),
            "dim": DIM,
            "descending": FLAG,
        },
        constraints=(
            IN_RANGE,
            RANKED,
            ("stable == True", "a prim keeps equal elements in order", Tier.PRIM),
            ("not descending", "a prim sorts from least to greatest", Tier.PRIM),
        ),
        errors=(("not in_range(dim, rank(self))", "the dimension does not exist"),),
        prim=True,
        decomposition=decompose_ordering.sort_stable,
    ),
    entry(
        "aten.sort.default",
        category=Category.ORDER,
        accepts={"self": SORTABLE},
        results=("same:self", "int64"),
        shape=("self", "self"),
        layout=("elementwise", "elementwise"),
        numerics=TIES,
        operands={"self": Operand("*S"), "dim": DIM, "descending": FLAG},
        constraints=(IN_RANGE,),
        errors=(("not in_range(dim, rank(self))", "the dimension does not exist"),),
        decomposition=decompose_ordering.sort,
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
            "k": Operand(choices=("min(1, size(self, dim))", "size(self, dim)", 0)),
            "dim": DIM,
            "largest": FLAG,
            "sorted": FLAG,
        },
        constraints=(
            IN_RANGE,
            ("k >= 0 and k <= size(self, dim)", "there are k elements"),
            ("rank(self) > 0 or k == 1", "a scalar has one element"),
            RANKED,
            ("largest and sorted", "a prim gives the largest elements in descending order", Tier.PRIM),
        ),
        errors=(("k > size(self, dim)", "there are fewer than k elements"),),
        prim=True,
        decomposition=decompose_ordering.topk,
    ),
    _chosen(
        "aten.kthvalue.default",
        decompose_ordering.kthvalue,
        extra={"k": Operand(choices=(1, "size(self, -1)"))},
        constraints=(("k >= 1 and k <= size(self, dim)", "there are k elements"),),
    ),
    _chosen("aten.median.dim", decompose_ordering.median_dim),
    _chosen("aten.nanmedian.dim", decompose_ordering.nanmedian_dim),
    _chosen("aten.mode.default", decompose_ordering.mode, dtypes=NUMBERS),
    *(
        entry(
            f"aten.{name}.default",
            category=Category.ORDER,
            accepts={"self": REALS},
            results="same:self",
            shape="[]",
            operands={"self": Operand("*S")},
            errors=(("dtype(self) == 'bool'", "bools have no median"),),
            decomposition=function,
        )
        for name, function in (
            ("median", decompose_ordering.median),
            ("nanmedian", decompose_ordering.nanmedian),
        )
    ),
    entry(
        "aten.searchsorted.Tensor",
        category=Category.ORDER,
        accepts={"sorted_sequence": REALS, "self": REALS, "sorter": ("int64",)},
        results="int32_if:out_int32|int64",
        shape="self",
        operands={"sorted_sequence": Operand("[k]", "sorted"), "self": Operand("*S"), **SIDE},
        constraints=(*SEARCHED, *A_PRIM_SEARCHES),
        errors=(NOT_SORTED, AT_ODDS),
        prim=True,
        decomposition=decompose_ordering.searchsorted,
    ),
    entry(
        "aten.searchsorted.Scalar",
        category=Category.ORDER,
        accepts={"sorted_sequence": REALS, "sorter": ("int64",)},
        results="int32_if:out_int32|int64",
        shape="[]",
        operands={
            "sorted_sequence": Operand("[k]", "sorted"),
            "self": Operand(choices=(1, 0.5, -2)),
            **SIDE,
        },
        constraints=(("rank(sorted_sequence) == 1", "there is one sequence"), *SEARCHED[2:]),
        errors=(NOT_SORTED, AT_ODDS),
        decomposition=decompose_ordering.searchsorted,
    ),
    *(
        entry(
            f"aten.bucketize.{overload}",
            category=Category.ORDER,
            accepts={**tensors, "boundaries": REALS},
            results="int32_if:out_int32|int64",
            shape=shape,
            operands={
                "self": values,
                "boundaries": Operand("[k]", "sorted"),
                "out_int32": FLAG,
                "right": FLAG,
            },
            constraints=(("rank(boundaries) == 1", "the boundaries are one-dimensional"),),
            errors=(("rank(boundaries) != 1", "the boundaries are not one-dimensional"),),
            decomposition=decompose_ordering.bucketize,
        )
        for overload, tensors, shape, values in (
            ("Tensor", {"self": REALS}, "self", Operand("*S")),
            ("Scalar", {}, "[]", Operand(choices=(1, 0.5, -2))),
        )
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*SCANS, *ORDERS)
"""Every scan and ordering."""
