"""Reads and writes by index: gathers, slices by number, fills."""

from __future__ import annotations

from torchport.contract.decompositions import indexing as decompose
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
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

INT64 = ("int64",)
INDICES = (*INDEX, "bool")
IN_RANGE = ("in_range(dim, rank(self))", "the dimension exists")
LAST_UNSPECIFIED = Numerics("exact", special=("nan-propagates", "unique-indices"))
ADDRESSED = (
    "indexes(self, indices, dtype(indices))",
    "no more indices than dimensions, and masks as large as what they cover",
)
POSITIONS = (
    "not contains_dtype(dtype(indices), 'bool') and not contains_dtype(dtype(indices), 'int32')",
    "the indices of a prim are int64 positions",
    Tier.PRIM,
)
TOO_MANY = ("len(indices) > rank(self)", "there are more indices than dimensions")
VECTOR = ("rank(index) <= 1", "the index is a vector")
NOT_VECTOR = ("rank(index) > 1", "the index is not a vector")
INDEXED = {
    "self": Operand("[n, k, l]"),
    "indices": Operand("[m]", "index(min(self[0], self[1], self[2]))"),
}
ALONG = (*INDEX, "uint8")
GATHERED = (
    IN_RANGE,
    (
        "max(rank(index), 1) == max(rank(self), 1) or numel(index) == 0",
        "index and operand have one rank; a scalar counts as a vector",
    ),
    (
        "numel(index) == 0 or rank(index) == 0 or rank(self) == 0 or within(index, self, dim)",
        "the index is not larger than the operand",
    ),
    ("rank(index) == rank(self) and rank(self) > 0", "a prim has no scalar operands", Tier.PRIM),
    (
        "numel(index) == 0 or dtype(index) == 'int64' or dtype(index) == 'int32'",
        "only an empty index may have another dtype",
    ),
    ("dtype(index) == 'int64'", "the indices of a prim are int64 positions", Tier.PRIM),
)
"""What ties an index with one element for each result to its operand."""
WRONG_RANK = (
    "max(rank(index), 1) != max(rank(self), 1) and numel(index) > 0",
    "index and operand have different ranks",
)


def _index(name: str, *, prim: bool = False, decomposition: Decomposition) -> OpSpec:
    rules: list[Rule] = [ADDRESSED]
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": ANY, "indices": INDICES},
        results="same:self",
        shape="index(self, indices, dtype(indices))",
        layout="eager",
        operands=INDEXED,
        constraints=[*rules, POSITIONS] if prim else rules,
        errors=(TOO_MANY,),
        prim=prim,
        decomposition=decomposition,
    )


def _index_put(name: str, *, prim: bool = False, decomposition: Decomposition) -> OpSpec:
    rules: list[Rule] = [
        ADDRESSED,
        (
            "expandable(values, index(self, indices, dtype(indices)))",
            "the values broadcast to what is indexed",
        ),
    ]
    if prim:
        rules += [POSITIONS, ("not accumulate", "a prim writes; adding is a scatter", Tier.PRIM)]
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": ANY, "indices": INDICES, "values": ("same:self",)},
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=summed("numel(values) + 1", special=("wraps", "unique-indices", "narrow-accumulator")),
        operands={**INDEXED, "values": Operand("[m]"), "accumulate": Operand(choices=(True,))},
        constraints=rules,
        errors=(TOO_MANY,),
        prim=prim,
        decomposition=decomposition,
    )


def _masked(
    name: str, *, accepts: dict[str, tuple[str, ...]], operands: dict[str, Operand], shape: str,
    numerics: Numerics, constraints: tuple[Rule, ...], decomposition: Decomposition
) -> OpSpec:  # fmt: skip
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": ANY, "mask": ("bool",), "indices": INDEX, **accepts},
        results="same:self",
        shape=shape,
        layout="eager",
        numerics=numerics,
        operands={
            "self": INDEXED["self"],
            "mask": Operand("[m]", "bool"),
            "indices": INDEXED["indices"],
            **operands,
        },
        constraints=(
            ADDRESSED,
            ("numel(self) > 0", "there is something to index"),
            (
                "expandable(mask, index(self, indices, dtype(indices)))",
                "the mask broadcasts to what is indexed",
            ),
            *constraints,
        ),
        errors=(TOO_MANY,),
        decomposition=decomposition,
    )


SLICES = (
    "numel(source) == numel(replace(self, dim, numel(index)))",
    "the source has one slice for each index",
)


def by_slice(
    name: str,
    *,
    operands: dict[str, Operand],
    decomposition: Decomposition,
    accepts: dict[str, tuple[str, ...]] | None = None,
    index: tuple[str, ...] = INT64,
    dtypes: tuple[str, ...] = ANY,
    numerics: Numerics = LAST_UNSPECIFIED,
    constraints: tuple[Rule, ...] = (),
) -> OpSpec:
    """A write to the slices along ``dim`` that a vector ``index`` names."""
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": dtypes, "index": index, **(accepts or {})},
        results="same:self",
        shape="self",
        layout="like:self",
        numerics=numerics,
        operands={
            "self": Operand("[n, k]"),
            "dim": Operand(choices=(0, -2)),
            "index": Operand("[m]", "index(self[0])"),
            **operands,
        },
        constraints=(IN_RANGE, VECTOR, *constraints),
        errors=(NOT_VECTOR,),
        decomposition=decomposition,
    )


def _fill(name: str, mask: bool, value: Operand, decomposition: Decomposition) -> OpSpec:
    scalar = value.pattern is None
    accepts: dict[str, tuple[str, ...]] = {} if scalar else {"value": ("same:self",)}
    rules = () if scalar else (("rank(value) == 0", "the value is a scalar"),)
    if not mask:
        return by_slice(
            name,
            accepts=accepts,
            operands={"value": value},
            numerics=EXACT,
            constraints=rules,
            decomposition=decomposition,
        )
    return entry(
        name,
        category=Category.INDEXING,
        accepts={"self": ANY, "mask": ("bool",), **accepts},
        results="same:self",
        shape="broadcast(self, mask)",
        layout="elementwise",
        operands={"self": Operand("*S"), "mask": Operand("~S", "bool"), "value": value},
        constraints=rules,
        errors=() if scalar else (("rank(value) > 0", "the value is not a scalar"),),
        decomposition=decomposition,
    )


def _isin(overload: str, operands: dict[str, Operand], decomposition: Decomposition) -> OpSpec:
    tensors = [n for n, o in operands.items() if o.pattern is not None]
    return entry(
        f"aten.isin.{overload}",
        category=Category.INDEXING,
        accepts=dict.fromkeys(tensors, REALS),
        results="bool",
        shape="elements" if "elements" in tensors else "[]",
        operands={**operands, "assume_unique": Operand(choices=(False,)), "invert": FLAG},
        errors=tuple((f"dtype({n}) == 'bool'", "isin does not compare bools") for n in tensors),
        decomposition=decomposition,
    )


SMALL = Operand(choices=(0, 1))

ENTRIES: tuple[OpSpec, ...] = (
    _index("aten.index.Tensor", prim=True, decomposition=decompose.index),
    _index("aten._unsafe_index.Tensor", decomposition=decompose.index),
    _index_put("aten.index_put.default", prim=True, decomposition=decompose.index_put),
    _index_put("aten._unsafe_index_put.default", decomposition=decompose.unsafe_index_put),
    _index_put("aten._index_put_impl.default", decomposition=decompose.index_put_impl),
    _masked(
        "aten._unsafe_masked_index.default",
        accepts={},
        operands={"fill": Operand(choices=(0, 1))},
        shape="index(self, indices, dtype(indices))",
        numerics=EXACT,
        constraints=(),
        decomposition=decompose.unsafe_masked_index,
    ),
    _masked(
        "aten._unsafe_masked_index_put_accumulate.default",
        accepts={"values": ("same:self",)},
        operands={"values": Operand("[m]")},
        shape="self",
        numerics=summed("numel(values) + 1", special=("wraps", "narrow-accumulator")),
        constraints=(
            (
                "expandable(values, index(self, indices, dtype(indices)))",
                "the values broadcast to what is indexed",
            ),
        ),
        decomposition=decompose.unsafe_masked_index_put_accumulate,
    ),
    entry(
        "aten.gather.default",
        category=Category.INDEXING,
        accepts={"self": ANY, "index": ALONG},
        results="same:self",
        shape="index",
        operands={
            "self": Operand("[k, n]"),
            "dim": Operand(choices=(0, -2)),
            "index": Operand("[m, n]", "index(self[0])"),
            "sparse_grad": Operand(choices=(False,)),
        },
        constraints=GATHERED,
        errors=(WRONG_RANK,),
        prim=True,
        decomposition=decompose.gather,
    ),
    entry(
        "aten.take.default",
        category=Category.INDEXING,
        accepts={"self": ANY, "index": INT64},
        results="same:self",
        shape="index",
        operands={"self": Operand("[n, k]"), "index": Operand("*S", "index(numel(self))")},
        constraints=(("numel(self) > 0 or numel(index) == 0", "there is something to take"),),
        errors=(("numel(self) == 0 and numel(index) > 0", "there is nothing to take"),),
        decomposition=decompose.take,
    ),
    entry(
        "aten.index_select.default",
        category=Category.INDEXING,
        accepts={"self": ANY, "index": INDEX},
        results="same:self",
        shape="replace(self, dim, numel(index))",
        operands={
            "self": Operand("[n, k]"),
            "dim": Operand(choices=(0, -2)),
            "index": Operand("[m]", "index(self[0])"),
        },
        constraints=(
            IN_RANGE,
            VECTOR,
            ("rank(self) > 0 or numel(index) == 1", "a scalar has one slice"),
        ),
        errors=(NOT_VECTOR,),
        decomposition=decompose.index_select,
    ),
    by_slice(
        "aten.index_copy.default",
        accepts={"source": ("same:self",)},
        operands={"source": Operand("[m, k]")},
        constraints=(SLICES,),
        decomposition=decompose.index_copy,
    ),
    _fill("aten.index_fill.int_Scalar", False, Operand(choices=(0, 1)), decompose.index_fill),
    _fill("aten.index_fill.int_Tensor", False, Operand("[]"), decompose.index_fill),
    _fill("aten.masked_fill.Scalar", True, Operand(choices=(0, 1)), decompose.masked_fill),
    _fill("aten.masked_fill.Tensor", True, Operand("[]"), decompose.masked_fill),
    _isin(
        "Tensor_Tensor",
        {"elements": Operand("*S", "small"), "test_elements": Operand("[k]", "small")},
        decompose.isin,
    ),
    _isin(
        "Tensor_Scalar",
        {"elements": Operand("*S", "small"), "test_element": SMALL},
        decompose.isin_tensor_scalar,
    ),
    _isin(
        "Scalar_Tensor",
        {"element": SMALL, "test_elements": Operand("[n, k]", "small")},
        lambda element, test_elements, **flags: decompose.isin(element, test_elements, **flags),
    ),
    entry(
        "aten.nonzero.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": ANY},
        results="int64",
        shape="[data_dependent(numel(self)), rank(self)]",
        layout="eager",
        operands={"self": Operand("*S", "small")},
        prim=True,
    ),
    entry(
        "aten._local_scalar_dense.default",
        category=Category.DATA_DEPENDENT,
        accepts={"self": ANY},
        results="same:self",
        shape="[]",
        operands={"self": Operand("[]", "small")},
        constraints=(("numel(self) == 1", "there is exactly one element"),),
        errors=(("numel(self) == 0", "there is no element"),),
        prim=True,
    ),
)
