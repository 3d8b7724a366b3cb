"""Scatters along one dimension: writes, sums, products, extremes and means by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchport.contract.decompositions import scatter as decompose
from torchport.contract.gradients import differentiate_by
from torchport.contract.library import LIBRARY, NAMESPACE, define
from torchport.contract.ops.builders import (
    ANY,
    EXACT,
    FLAG,
    INDEX,
    REALS,
    Decomposition,
    Rule,
    entry,
    summed,
)
from torchport.contract.ops.indexing import ALONG, GATHERED, LAST_UNSPECIFIED, WRONG_RANK, by_slice
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

COMBINED = summed("numel(index) + 1", special=("wraps", "narrow-accumulator"))
ORDERED = "floating(dtype(self)) or integral(dtype(self))"
ORDERED_REDUCE = (
    f"reduce != 'amax' and reduce != 'amin' or {ORDERED}",
    "complex numbers have no order",
)
MEANS = ("reduce != 'mean' or dtype(self) != 'bool'", "bools have no mean")
MODES = Operand(choices=("'sum'", "'prod'", "'mean'", "'amax'", "'amin'"))


def _scatter(
    name: str,
    *,
    source: str | None,
    numerics: Numerics = COMBINED,
    prim: bool = False,
    extra: dict[str, Operand] | None = None,
    constraints: tuple[Rule, ...] = (),
    errors: tuple[Rule, ...] = (),
    decomposition: Decomposition | None = None,
    deterministic: bool = True,
) -> OpSpec:
    accepts: dict[str, tuple[str, ...]] = {"self": ANY, "index": ALONG}
    operands = {
        "self": Operand("[k, n]"),
        "dim": Operand(choices=(0, -2)),
        "index": Operand("[m, n]", "index(self[0])"),
    }
    rules: list[Rule] = [*(r for r in GATHERED if prim or len(r) == 2)]
    if source is not None:
        accepts[source] = ("same:self",)
        operands[source] = Operand("[m, n]")
        rules.append(
            (
                f"numel(index) == 0 or rank(index) == 0 or rank({source}) == 0 or covers({source}, index)",
                "there is a source element for every index",
            )
        )
        if prim:
            rules.append((f"rank({source}) == rank(self)", "a prim has no scalar operands", Tier.PRIM))
    return entry(
        name,
        category=Category.INDEXING,
        accepts=accepts,
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=numerics,
        operands={**operands, **(extra or {})},
        constraints=[*rules, *constraints],
        errors=(WRONG_RANK, *errors),
        prim=prim,
        deterministic=deterministic,
        decomposition=decomposition,
    )


def _combining(reduce: str) -> Callable[..., Any]:
    def scatter(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
        return torch.ops.aten.scatter_reduce.two(self, dim, index, src, reduce, include_self=True)  # type: ignore[no-any-return]

    return scatter


def _own(reduce: str) -> OpSpec:
    """The scatter that combines what the operand holds with the source by ``reduce``."""
    name = define(
        f"scatter_{reduce}(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", _combining(reduce)
    )
    return _scatter(
        name,
        source="src",
        numerics=COMBINED if reduce == "prod" else EXACT,
        constraints=() if reduce == "prod" else ((ORDERED, "complex numbers have no order"),),
        prim=True,
        decomposition=lambda self, dim, index, src: decompose.scatter_reduce(self, dim, index, src, reduce),
    )


ENTRIES: tuple[OpSpec, ...] = (
    _scatter(
        "aten.scatter.src",
        source="src",
        numerics=LAST_UNSPECIFIED,
        prim=True,
        deterministic=False,
        decomposition=decompose.scatter_src,
    ),
    _scatter(
        "aten.scatter.value",
        source=None,
        numerics=EXACT,
        extra={"value": Operand(choices=(1, 0.5))},
        decomposition=decompose.scatter_value,
    ),
    _scatter("aten.scatter_add.default", source="src", decomposition=decompose.scatter_add),
    _scatter(
        "aten.scatter_reduce.two",
        source="src",
        extra={"reduce": MODES, "include_self": FLAG},
        constraints=(
            ORDERED_REDUCE,
            MEANS,
            ("reduce == 'sum' and include_self", "a prim adds to the operand", Tier.PRIM),
        ),
        errors=(("reduce == 'mean' and dtype(self) == 'bool'", "bools have no mean"),),
        prim=True,
        decomposition=decompose.scatter_reduce,
    ),
    _own("prod"),
    _own("amax"),
    _own("amin"),
    _scatter(
        "aten.scatter.reduce",
        source="src",
        extra={"reduce": Operand(choices=("'add'", "'multiply'"))},
        decomposition=decompose.scatter_reduced,
    ),
    _scatter(
        "aten.scatter.value_reduce",
        source=None,
        extra={"value": Operand(choices=(2, 0.5)), "reduce": Operand(choices=("'add'", "'multiply'"))},
        decomposition=decompose.scatter_value_reduced,
    ),
    by_slice(
        "aten.index_add.default",
        index=INDEX,
        accepts={"source": ("same:self",)},
        operands={"source": Operand("[m, k]"), "alpha": Operand(choices=(1, 2))},
        numerics=COMBINED,
        constraints=(
            (
                "numel(source) == numel(replace(self, dim, numel(index)))",
                "the source has one slice for each index",
            ),
        ),
        decomposition=decompose.index_add,
    ),
    by_slice(
        "aten.index_reduce.default",
        index=INDEX,
        dtypes=REALS,
        accepts={"source": ("same:self",)},
        operands={
            "source": Operand("[m, k]"),
            "reduce": Operand(choices=("'prod'", "'mean'", "'amax'", "'amin'")),
            "include_self": FLAG,
        },
        numerics=COMBINED,
        constraints=(
            (
                "numel(source) == numel(replace(self, dim, numel(index)))",
                "the source has one slice for each index",
            ),
            ("reduce != 'sum'", "sums are index_add"),
            MEANS,
        ),
        decomposition=decompose.index_reduce,
    ),
    entry(
        "aten.put.default",
        category=Category.INDEXING,
        accepts={"self": ANY, "index": ("int64",), "source": ("same:self",)},
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=summed("numel(index) + 1", special=("wraps", "unique-indices", "narrow-accumulator")),
        operands={
            "self": Operand("[n, k]"),
            "index": Operand("[m]", "index(numel(self))"),
            "source": Operand("[m]"),
            "accumulate": FLAG,
        },
        constraints=(
            ("numel(source) == numel(index)", "there is a source element for every index"),
            ("numel(self) > 0 or numel(index) == 0", "there is something to put into"),
        ),
        errors=(("numel(source) != numel(index)", "indices and source elements differ in number"),),
        decomposition=decompose.put,
    ),
)

for _reduce in ("prod", "amax", "amin"):
    # Where a program calls them itself: autograd sees the operator, and not what it is made of.
    differentiate_by(_combining(_reduce), f"{NAMESPACE}::scatter_{_reduce}", LIBRARY)
