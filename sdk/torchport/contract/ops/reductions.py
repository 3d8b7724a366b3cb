"""Reductions over dimensions."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import reduction as decompose
from torchport.contract.ops.builders import (
    ANY,
    BOOL,
    COMPLEX,
    FLOAT8,
    FLOATS,
    NUMBERS,
    REALS,
    UNSIGNED,
    derived,
    entry,
    reduction,
    summed,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

SUMMED = "arg:dtype|widen:self"
SUMMABLE = (*ANY, *UNSIGNED)
INEXACT = (*FLOATS, *COMPLEX)
IN_DTYPE = {"dtype": Operand(choices=(None, torch.complex128))}
IN_REAL_DTYPE = {"dtype": Operand(choices=(None, torch.float64))}
AVERAGED = ("not integral(dtype(self)) or given(dtype)", "integers have a mean in a given dtype")
INTEGER_MEAN = ("integral(dtype(self)) and not given(dtype)", "integers have no mean in their own dtype")
OPTIONAL_DIM = Operand(choices=(None, "[0]", "[-1]", "iota(rank(self))"))
ONE_DIM = Operand(choices=(0, -1))
CORRECTION = {"correction": Operand(choices=(None, 0, 1, 0.5))}
DIM_LENGTH = "numel(sizes(self, dim))"
ONE_LENGTH = "size(self, dim)"
NAN_FREE = ("numel(self) > 0", "an empty tensor has no extreme")
FIRST = Numerics("exact", special=("nan-propagates", "first-index"))
TIES = Numerics("order", special=("nan-propagates",))

SUMS = (
    reduction(
        "aten.sum.dim_IntList",
        dtypes=SUMMABLE,
        result=SUMMED,
        numerics=summed(DIM_LENGTH, special=("wraps",)),
        dim=OPTIONAL_DIM,
        extra=IN_DTYPE,
        prim=True,
    ),
    reduction(
        "aten.sum.default",
        dtypes=SUMMABLE,
        result=SUMMED,
        numerics=summed("numel(self)", special=("wraps",)),
        dim=None,
        extra=IN_DTYPE,
        decomposition=decompose.sum_all,
    ),
    reduction(
        "aten.nansum.default",
        dtypes=(*REALS, *BOOL, *UNSIGNED),
        result=SUMMED,
        numerics=Numerics("reduction", length=DIM_LENGTH, special=("wraps",)),
        dim=OPTIONAL_DIM,
        extra=IN_REAL_DTYPE,
        decomposition=decompose.nan_sum,
    ),
    reduction(
        "aten.mean.dim",
        dtypes=ANY,
        result="arg:dtype|same:self",
        numerics=summed(DIM_LENGTH),
        dim=OPTIONAL_DIM,
        extra=IN_DTYPE,
        constraints=(AVERAGED,),
        errors=(INTEGER_MEAN,),
        decomposition=decompose.mean,
    ),
    reduction(
        "aten.mean.default",
        dtypes=ANY,
        result="arg:dtype|same:self",
        numerics=summed("numel(self)"),
        dim=None,
        extra=IN_DTYPE,
        constraints=(AVERAGED,),
        errors=(INTEGER_MEAN,),
        decomposition=decompose.mean_all,
    ),
    reduction(
        "aten.prod.dim_int",
        dtypes=SUMMABLE,
        result=SUMMED,
        values="probability",
        numerics=summed(ONE_LENGTH, magnitude="result", special=("wraps", "narrow-accumulator")),
        dim=ONE_DIM,
        extra=IN_DTYPE,
        prim=True,
    ),
    reduction(
        "aten.prod.default",
        dtypes=SUMMABLE,
        result=SUMMED,
        values="probability",
        numerics=summed("numel(self)", magnitude="result", special=("wraps", "narrow-accumulator")),
        dim=None,
        extra=IN_DTYPE,
        decomposition=decompose.prod_all,
    ),
    reduction(
        "aten.var.correction",
        dtypes=INEXACT,
        result="real:self",
        numerics=summed(DIM_LENGTH, magnitude="deviation"),
        dim=OPTIONAL_DIM,
        extra=CORRECTION,
        decomposition=decompose.var,
    ),
    reduction(
        "aten.std.correction",
        dtypes=INEXACT,
        result="real:self",
        numerics=summed(DIM_LENGTH, magnitude="deviation-root"),
        dim=OPTIONAL_DIM,
        extra=CORRECTION,
        decomposition=decompose.std,
    ),
    reduction(
        "aten.std_mean.correction",
        dtypes=INEXACT,
        result=("real:self", "same:self"),
        numerics=summed(DIM_LENGTH, magnitude="deviation-root", special=("infinite-mean@1",)),
        dim=OPTIONAL_DIM,
        extra=CORRECTION,
        outputs=2,
        decomposition=decompose.std_mean,
    ),
    reduction(
        "aten.var_mean.correction",
        dtypes=INEXACT,
        result=("real:self", "same:self"),
        numerics=summed(DIM_LENGTH, magnitude="deviation", special=("infinite-mean@1",)),
        dim=OPTIONAL_DIM,
        extra=CORRECTION,
        outputs=2,
        decomposition=decompose.var_mean,
    ),
    reduction(
        "aten.logsumexp.default",
        dtypes=SUMMABLE,
        result="promote_float:self",
        numerics=derived(),
        dim=Operand(choices=("[0]", "[-1]", "iota(rank(self))")),
        values="small",
        nonempty=True,
        decomposition=decompose.logsumexp,
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
    reduction(
        "aten._aminmax.default",
        dtypes=NUMBERS,
        result=("same:self", "same:self"),
        dim=None,
        outputs=2,
        constraints=(NAN_FREE,),
        decomposition=decompose.aminmax_all,
    ),
    reduction(
        "aten._aminmax.dim",
        dtypes=NUMBERS,
        result=("same:self", "same:self"),
        dim=ONE_DIM,
        outputs=2,
        nonempty=True,
        decomposition=decompose.aminmax_dim,
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


TESTED = (*ANY, *UNSIGNED, *FLOAT8)
"""Dtypes whose elements can be told from zero."""


def _truth(name: str, overload: str, dim: Operand | None) -> OpSpec:
    function = decompose.any_dims if name == "any" else decompose.all_true
    return reduction(
        f"aten.{name}.{overload}",
        dtypes=TESTED,
        result="truth:self",
        values="small",
        dim=dim,
        decomposition=function,
    )


TRUTH = tuple(
    _truth(name, overload, dim)
    for name in ("any", "all")
    for overload, dim in (("default", None), ("dim", ONE_DIM), ("dims", OPTIONAL_DIM))
) + tuple(
    reduction(f"aten.{name}.default", dtypes=BOOL, result="bool", dim=None, decomposition=function)
    for name, function in (
        ("_is_all_true", decompose.is_all_true),
        ("_is_any_true", decompose.is_any_true),
    )
)

COUNTS = (
    reduction(
        "aten.count_nonzero.dim_IntList",
        dtypes=TESTED,
        result="int64",
        values="small",
        dim=Operand(choices=("[0]", "[-1]", "iota(rank(self))")),
        keepdim=False,
        decomposition=decompose.count_nonzero,
    ),
    reduction(
        "aten.count_nonzero.default",
        dtypes=ANY,
        result="int64",
        values="small",
        dim=Operand(choices=(None, 0, -1)),
        keepdim=False,
        decomposition=decompose.count_nonzero,
    ),
    reduction(
        "aten.hash_tensor.default",
        dtypes=NUMBERS,
        result="uint64",
        nonempty=True,
        extra={"mode": Operand(choices=(0,))},
        constraints=(("mode == 0", "the words are combined by exclusive or"),),
        errors=(("mode != 0", "there is no other mode"),),
        decomposition=decompose.hash_tensor,
    ),
)

SCANS = (
    entry(
        "aten._logcumsumexp.default",
        category=Category.SCAN,
        accepts={"self": INEXACT},
        results="same:self",
        shape="self",
        numerics=summed("8 * size(self, dim)", magnitude="operands"),
        layout="elementwise",
        operands={"self": Operand("*S", "small"), "dim": ONE_DIM},
        constraints=(("in_range(dim, rank(self))", "the dimension exists"),),
        errors=(("not in_range(dim, rank(self))", "there is no such dimension"),),
        decomposition=decompose.logcumsumexp,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*SUMS, *EXTREMES, *TRUTH, *COUNTS, *SCANS)
