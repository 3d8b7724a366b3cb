"""Reductions over dimensions."""

from __future__ import annotations

from torchport.contract.decompositions import reduction as decompose
from torchport.contract.ops.builders import (
    ANY,
    FLOATS,
    INTEGRAL,
    NOTHING,
    NUMBERS,
    REALS,
    derived,
    reduction,
    summed,
)
from torchport.contract.spec import Numerics, Operand, OpSpec

SUMMED = "arg:dtype|widen:self"
OPTIONAL_DIM = Operand(choices=(None, "[0]", "[-1]", "iota(rank(self))"))
ONE_DIM = Operand(choices=(0, -1))
CORRECTION = {"correction": Operand(choices=(None, 0, 1))}
DIM_LENGTH = "numel(sizes(self, dim))"
ONE_LENGTH = "size(self, dim)"
NAN_FREE = ("numel(self) > 0", "an empty tensor has no extreme")
FIRST = Numerics("exact", special=("nan-propagates", "first-index"))
TIES = Numerics("order", special=("nan-propagates",))

SUMS = (
    reduction(
        "aten.sum.dim_IntList",
        dtypes=ANY,
        result=SUMMED,
        numerics=summed(DIM_LENGTH, special=("wraps",)),
        dim=OPTIONAL_DIM,
        extra={"dtype": NOTHING},
        prim=True,
    ),
    reduction(
        "aten.sum.default",
        dtypes=ANY,
        result=SUMMED,
        numerics=summed("numel(self)", special=("wraps",)),
        dim=None,
        extra={"dtype": NOTHING},
        decomposition=decompose.sum_all,
    ),
    reduction(
        "aten.nansum.default",
        dtypes=REALS,
        result=SUMMED,
        numerics=Numerics("reduction", length=DIM_LENGTH, special=("wraps",)),
        dim=OPTIONAL_DIM,
        extra={"dtype": NOTHING},
        decomposition=decompose.nan_sum,
    ),
    reduction(
        "aten.mean.dim",
        result="arg:dtype|same:self",
        numerics=summed(DIM_LENGTH),
        dim=OPTIONAL_DIM,
        extra={"dtype": NOTHING},
        decomposition=decompose.mean,
    ),
    reduction(
        "aten.mean.default",
        result="arg:dtype|same:self",
        numerics=summed("numel(self)"),
        dim=None,
        extra={"dtype": NOTHING},
        decomposition=decompose.mean_all,
    ),
    reduction(
        "aten.prod.dim_int",
        dtypes=NUMBERS,
        result=SUMMED,
        values="probability",
        numerics=summed(ONE_LENGTH, magnitude="result", special=("wraps", "narrow-accumulator")),
        dim=ONE_DIM,
        extra={"dtype": NOTHING},
        prim=True,
    ),
    reduction(
        "aten.prod.default",
        dtypes=NUMBERS,
        result=SUMMED,
        values="probability",
        numerics=summed("numel(self)", magnitude="result", special=("wraps", "narrow-accumulator")),
        dim=None,
        extra={"dtype": NOTHING},
        decomposition=decompose.prod_all,
    ),
    reduction(
        "aten.var.correction",
        numerics=summed(DIM_LENGTH, magnitude="deviation"),
        dim=OPTIONAL_DIM,
        extra=CORRECTION,
        decomposition=decompose.var,
    ),
    reduction(
        "aten.std.correction",
        numerics=summed(DIM_LENGTH, magnitude="deviation-root"),
        dim=OPTIONAL_DIM,
        extra=CORRECTION,
        decomposition=decompose.std,
    ),
    reduction(
        "aten.var_mean.correction",
        result=("same:self", "same:self"),
        numerics=summed(DIM_LENGTH, magnitude="deviation", special=("infinite-mean@1",)),
        dim=OPTIONAL_DIM,
        extra=CORRECTION,
        outputs=2,
        decomposition=decompose.var_mean,
    ),
    reduction(
        "aten.logsumexp.default",
        dtypes=(*FLOATS, *INTEGRAL),
        result="promote_float:self",
        numerics=derived(),
        dim=Operand(choices=("[0]", "[-1]", "iota(rank(self))")),
        values="small",
        nonempty=True,
        decomposition=decompose.logsumexp,
    ),
    reduction(
        "aten.linalg_vector_norm.default",
        result="arg:dtype|same:self",
        numerics=summed(f"{DIM_LENGTH} + 8", magnitude="result"),
        dim=OPTIONAL_DIM,
        nonempty=True,
        extra={
            "ord": Operand(choices=(2.0, 1.0, float("inf"), 3.0, 0.0)),
            "dtype": NOTHING,
        },
        decomposition=decompose.vector_norm,
    ),
)

EXTREMES = (
    reduction("aten.amax.default", dtypes=NUMBERS, nonempty=True, prim=True),
    reduction("aten.amin.default", dtypes=NUMBERS, nonempty=True, prim=True),
    *(
        reduction(
            f"aten.{name}.default",
            dtypes=REALS,
            result="int64",
            numerics=FIRST,
            dim=Operand(choices=(None, 0, -1)),
            nonempty=True,
            constraints=(("numel(self) > 0 or given(dim)", "an empty tensor has no extreme"),),
            prim=True,
        )
        for name in ("argmax", "argmin")
    ),
    *(
        reduction(
            f"aten.{name}.dim",
            dtypes=NUMBERS,
            result=("same:self", "int64"),
            numerics=TIES,
            dim=ONE_DIM,
            outputs=2,
            nonempty=True,
            decomposition=function,
        )
        for name, function in (("max", decompose.max_dim), ("min", decompose.min_dim))
    ),
    *(
        reduction(
            f"aten.{name}.default", dtypes=NUMBERS, dim=None, constraints=(NAN_FREE,), decomposition=function
        )
        for name, function in (("max", decompose.max_all), ("min", decompose.min_all))
    ),
    reduction(
        "aten.aminmax.default",
        dtypes=NUMBERS,
        result=("same:self", "same:self"),
        dim=Operand(choices=(None, 0, -1)),
        outputs=2,
        nonempty=True,
        constraints=(NAN_FREE,),
        decomposition=decompose.aminmax,
    ),
)


def _truth(name: str, overload: str, dim: Operand | None) -> OpSpec:
    function = decompose.any_dims if name == "any" else decompose.all_true
    return reduction(
        f"aten.{name}.{overload}",
        dtypes=tuple(d for d in NUMBERS if d != "uint8"),
        result="bool",
        values="small",
        dim=dim,
        decomposition=function,
    )


TRUTH = tuple(
    _truth(name, overload, dim)
    for name in ("any", "all")
    for overload, dim in (("default", None), ("dim", ONE_DIM), ("dims", OPTIONAL_DIM))
)

COUNTS = (
    reduction(
        "aten.count_nonzero.dim_IntList",
        dtypes=NUMBERS,
        result="int64",
        values="small",
        dim=Operand(choices=("[0]", "[-1]", "iota(rank(self))")),
        keepdim=False,
        decomposition=decompose.count_nonzero,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*SUMS, *EXTREMES, *TRUTH, *COUNTS)
