"""Gathers, scatters and fills by index or mask."""

from __future__ import annotations

from torchport.contract.decompositions import indexing as decompose
from torchport.contract.ops.builders import (
    ANY,
    EXACT,
    FLAG,
    INDEX,
    NUMBERS,
    REALS,
    Decomposition,
    entry,
    summed,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

DIM = Operand(choices=(0,))
INT64 = ("int64",)
IN_RANGE = ("in_range(dim, rank(self))", "the dimension exists")
ADDED = summed("numel(index) + 1", special=("wraps", "narrow-accumulator"))
LAST_UNSPECIFIED = Numerics("exact", special=("nan-propagates", "unique-indices"))


def _index(name: str, *, prim: bool = False, decomposition: Decomposition | None = None) -> OpSpec:
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": ANY, "indices": INDEX},
        results="same:self",
        shape="index(self, indices)",
        layout="eager",
        operands={
            "self": Operand("[n, k, l]"),
            "indices": Operand("[m]", "index(min(self[0], self[1], self[2]))"),
        },
        constraints=(("len(indices) <= rank(self)", "no more indices than dimensions"),),
        prim=prim,
        decomposition=decomposition,
    )


def _index_put(name: str, *, prim: bool = False, decomposition: Decomposition | None = None) -> OpSpec:
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": ANY, "indices": INDEX, "values": ("same:self",)},
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=summed("numel(values) + 1", special=("wraps", "unique-indices", "narrow-accumulator")),
        operands={
            "self": Operand("[n, k, l]"),
            "indices": Operand("[m]", "index(min(self[0], self[1], self[2]))"),
            "values": Operand("[m]"),
            "accumulate": Operand(choices=(True,)),
        },
        constraints=(
            ("len(indices) <= rank(self)", "no more indices than dimensions"),
            ("expandable(values, index(self, indices))", "the values broadcast to what is indexed"),
        ),
        prim=prim,
        decomposition=decomposition,
    )


def _scatter(
    name: str,
    *,
    source: str | None,
    numerics: Numerics,
    prim: bool = False,
    extra: dict[str, Operand] | None = None,
    decomposition: Decomposition | None = None,
    deterministic: bool = True,
) -> OpSpec:
    accepts: dict[str, tuple[str, ...]] = {"self": NUMBERS, "index": INT64}
    operands = {"self": Operand("[k, n]"), "dim": DIM, "index": Operand("[m, n]", "index(self[0])")}
    constraints = [
        IN_RANGE,
        ("rank(index) == rank(self) or numel(index) == 0", "index and operand have one rank"),
        ("numel(index) == 0 or within(index, self, dim)", "the index is not larger than the operand"),
    ]
    if source is not None:
        accepts[source] = ("same:self",)
        operands[source] = Operand("[m, n]")
        constraints.append(
            (f"numel(index) == 0 or covers({source}, index)", "there is a source element for every index")
        )
    return entry(
        name,
        category=Category.INDEXING,
        accepts=accepts,
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=numerics,
        operands={**operands, **(extra or {})},
        constraints=constraints,
        prim=prim,
        deterministic=deterministic,
        decomposition=decomposition,
    )


def _by_slice(
    name: str,
    *,
    accepts: dict[str, tuple[str, ...]],
    operands: dict[str, Operand],
    decomposition: Decomposition,
    numerics: Numerics = LAST_UNSPECIFIED,
    constraints: tuple[tuple[str, str], ...] = (),
) -> OpSpec:
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": NUMBERS, "index": ("int64",), **accepts},
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=numerics,
        operands={
            "self": Operand("[n, k]"),
            "dim": DIM,
            "index": Operand("[m]", "index(self[0])"),
            **operands,
        },
        constraints=(IN_RANGE, ("rank(index) <= 1", "the index is a vector"), *constraints),
        decomposition=decomposition,
    )


SLICES = (
    "numel(source) == numel(replace(self, dim, numel(index)))",
    "the source has one slice for each index",
)

ENTRIES: tuple[OpSpec, ...] = (
    _index("aten.index.Tensor", prim=True),
    _index("aten._unsafe_index.Tensor", decomposition=decompose.unsafe_index),
    _index_put("aten.index_put.default", prim=True),
    _index_put("aten._unsafe_index_put.default", decomposition=decompose.unsafe_index_put),
    entry(
        "aten.gather.default",
        category=Category.INDEXING,
        accepts={"self": ANY, "index": INT64},
        results="same:self",
        shape="index",
        operands={
            "self": Operand("[k, n]"),
            "dim": DIM,
            "index": Operand("[m, n]", "index(self[0])"),
            "sparse_grad": Operand(choices=(False,)),
        },
        constraints=(
            IN_RANGE,
            ("rank(index) == rank(self) or numel(index) == 0", "index and operand have one rank"),
            ("numel(index) == 0 or within(index, self, dim)", "the index is not larger than the operand"),
        ),
        prim=True,
    ),
    _scatter("aten.scatter.src", source="src", numerics=LAST_UNSPECIFIED, prim=True, deterministic=False),
    _scatter(
        "aten.scatter.value",
        source=None,
        numerics=EXACT,
        extra={"value": Operand(choices=(1, 0.5))},
        decomposition=decompose.scatter_value,
    ),
    _scatter("aten.scatter_add.default", source="src", numerics=ADDED, decomposition=decompose.scatter_add),
    _scatter(
        "aten.scatter_reduce.two",
        source="src",
        numerics=ADDED,
        extra={
            "reduce": Operand(choices=("'sum'", "'amax'", "'amin'")),
            "include_self": FLAG,
        },
        prim=True,
    ),
    entry(
        "aten.index_select.default",
        category=Category.INDEXING,
        accepts={"self": ANY, "index": INDEX},
        results="same:self",
        shape="replace(self, dim, numel(index))",
        operands={"self": Operand("[n, k]"), "dim": DIM, "index": Operand("[m]", "index(self[0])")},
        constraints=(IN_RANGE, ("rank(index) <= 1", "the index is a vector")),
        decomposition=decompose.index_select,
    ),
    _by_slice(
        "aten.index_add.default",
        accepts={"source": ("same:self",)},
        operands={"source": Operand("[m, k]"), "alpha": Operand(choices=(1, 2))},
        numerics=ADDED,
        constraints=(SLICES,),
        decomposition=decompose.index_add,
    ),
    _by_slice(
        "aten.index_copy.default",
        accepts={"source": ("same:self",)},
        operands={"source": Operand("[m, k]")},
        constraints=(SLICES,),
        decomposition=decompose.index_copy,
    ),
    _by_slice(
        "aten.index_fill.int_Scalar",
        accepts={},
        operands={"value": Operand(choices=(0, 1))},
        numerics=EXACT,
        decomposition=decompose.index_fill,
    ),
    entry(
        "aten.masked_fill.Scalar",
        category=Category.INDEXING,
        accepts={"self": ANY, "mask": ("bool",)},
        results="same:self",
        shape="broadcast(self, mask)",
        layout="elementwise",
        operands={"self": Operand("*S"), "mask": Operand("~S", "bool"), "value": Operand(choices=(0, 1))},
        decomposition=decompose.masked_fill,
    ),
    entry(
        "aten.masked_fill.Tensor",
        category=Category.INDEXING,
        accepts={"self": ANY, "mask": ("bool",), "value": ("same:self",)},
        results="same:self",
        shape="broadcast(self, mask)",
        layout="elementwise",
        operands={"self": Operand("*S"), "mask": Operand("~S", "bool"), "value": Operand("[]")},
        constraints=(("rank(value) == 0", "the value is a scalar"),),
        decomposition=decompose.masked_fill,
    ),
    entry(
        "aten.isin.Tensor_Tensor",
        category=Category.INDEXING,
        accepts={"elements": REALS, "test_elements": ("same:elements",)},
        results="bool",
        shape="elements",
        operands={
            "elements": Operand("*S", "small"),
            "test_elements": Operand("[k]", "small"),
            "invert": FLAG,
        },
        decomposition=decompose.isin,
    ),
    entry(
        "aten.nonzero.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": NUMBERS},
        results="int64",
        shape="[data_dependent(numel(self)), rank(self)]",
        layout="eager",
        operands={"self": Operand("*S", "small")},
        prim=True,
    ),
    entry(
        "aten._local_scalar_dense.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": NUMBERS},
        results="same:self",
        shape="[]",
        operands={"self": Operand("[]", "small")},
        constraints=(("numel(self) == 1", "there is exactly one element"),),
        prim=True,
    ),
)
