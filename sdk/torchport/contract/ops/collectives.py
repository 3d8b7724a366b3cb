"""Functional collectives. Their results hold values after ``wait_tensor``; a group is known by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchport.contract import library
from torchport.contract.decompositions import collectives as decompose
from torchport.contract.ops.builders import ANY, FLOATS, INTS, Decomposition, Rule, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

REDUCIBLE = (*FLOATS, *INTS)
LATER = Numerics("law", special=("unspecified-values",))
"""Values are stated of what ``wait_tensor`` returns."""
GROUP = {"group_name": Operand(choices=("'0'",))}
SIZE = {"group_size": Operand(choices=(1,))}
REDUCTIONS = ("sum", "avg", "max", "min", "product")
REDUCTION: Rule = (
    " or ".join(f"reduce_op == '{op}'" for op in REDUCTIONS),
    f"the reduction is one of {', '.join(REDUCTIONS)}",
)
FLOATING_MEAN: Rule = ("reduce_op != 'avg' or floating(dtype(input))", "a mean is of floating values")
SUM: Rule = ("reduce_op == 'sum'", "as a primitive, the reduction is a sum", Tier.PRIM)
OPERATION = {"reduce_op": Operand(choices=tuple(f"'{op}'" for op in REDUCTIONS))}
MANY: Rule = ("group_size > 0", "the group has members")
NOBODY: Rule = ("group_size <= 0", "the group has no members")
DIVIDES: Rule = (
    "rank(input) > 0 and input[0] % group_size == 0",
    "the first dimension divides among the members of the group",
)
RANKED: Rule = ("rank(input) > 0", "there is a dimension to gather along")
GATHERED = "replace(input, 0, input[0] * group_size)"
SCATTERED = "replace(input, 0, input[0] // group_size)"
EXCHANGED = "[sum(output_split_sizes)] + input[1:]"
SPLITS: tuple[Rule, ...] = (
    ("rank(input) > 0", "there is a dimension to divide"),
    (
        "len(output_split_sizes) > 0 and len(output_split_sizes) == len(input_split_sizes)",
        "one part a member",
    ),
    ("sum(input_split_sizes) == input[0]", "the parts make up the first dimension"),
)
WHOLE = {
    "output_split_sizes": Operand(choices=("[input[0]]",)),
    "input_split_sizes": Operand(choices=("[input[0]]",)),
}


def _extreme(input: Tensor, group_name: str) -> Tensor:
    reduce: Any = torch.ops._c10d_functional.all_reduce.default
    result: Tensor = reduce(input, "max", group_name)
    return result


def _product(input: Tensor, group_name: str) -> Tensor:
    reduce: Any = torch.ops._c10d_functional.all_reduce.default
    result: Tensor = reduce(input, "product", group_name)
    return result


ALL_REDUCE_MAX = library.define("all_reduce_max(Tensor input, str group_name) -> Tensor", _extreme)
ALL_REDUCE_PRODUCT = library.define("all_reduce_product(Tensor input, str group_name) -> Tensor", _product)


def _collective(
    name: str,
    shape: str,
    operands: Mapping[str, Operand],
    *,
    dtypes: Sequence[str] = ANY,
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (),
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    return entry(
        name if name.startswith("torchport.") else f"{name}.default",
        category=Category.COLLECTIVE,
        accepts={"input": dtypes},
        results="same:input",
        shape=shape,
        numerics=LATER,
        deterministic=False,
        operands={"input": Operand("*S"), **operands, **GROUP},
        constraints=constraints,
        errors=errors,
        prim=prim,
        decomposition=decomposition,
    )


def _coalesced(
    name: str,
    shape: str,
    operands: Mapping[str, Operand],
    decomposition: Decomposition,
    *,
    dtypes: Sequence[str] = ANY,
    constraints: Sequence[Rule] = (),
) -> OpSpec:
    return entry(
        f"_c10d_functional.{name}.default",
        category=Category.COLLECTIVE,
        accepts={"inputs": dtypes},
        results="each:same:inputs",
        shape=shape,
        layout="eager",
        numerics=LATER,
        deterministic=False,
        operands={"inputs": Operand("[n, m]"), **operands, **GROUP},
        constraints=(("len(inputs) > 0", "there are tensors"), *constraints),
        errors=(("len(inputs) == 0", "the list is empty"),),
        decomposition=decomposition,
    )


SINGLE = (
    _collective(
        "_c10d_functional.all_reduce",
        "input",
        OPERATION,
        dtypes=REDUCIBLE,
        constraints=(REDUCTION, FLOATING_MEAN, SUM),
        prim=True,
        decomposition=decompose.all_reduce,
    ),
    _collective(ALL_REDUCE_MAX, "input", {}, dtypes=REDUCIBLE, prim=True),
    _collective(ALL_REDUCE_PRODUCT, "input", {}, dtypes=REDUCIBLE, prim=True),
    _collective(
        "_c10d_functional.all_gather_into_tensor",
        GATHERED,
        SIZE,
        constraints=(RANKED, MANY),
        errors=(NOBODY,),
        prim=True,
    ),
    _collective(
        "_c10d_functional.reduce_scatter_tensor",
        SCATTERED,
        {**OPERATION, **SIZE},
        dtypes=REDUCIBLE,
        constraints=(MANY, DIVIDES, REDUCTION, FLOATING_MEAN, SUM),
        errors=(NOBODY,),
        prim=True,
        decomposition=decompose.reduce_scatter_tensor,
    ),
    _collective(
        "_c10d_functional.all_to_all_single",
        EXCHANGED,
        WHOLE,
        constraints=SPLITS,
        errors=(("sum(input_split_sizes) != input[0]", "the parts do not make up the first dimension"),),
        prim=True,
    ),
    _collective(
        "_c10d_functional.broadcast",
        "input",
        {"src": Operand(choices=(0,))},
        constraints=(("src >= 0", "a rank"),),
        errors=(("src < 0", "not a rank"),),
        prim=True,
    ),
    entry(
        "_c10d_functional.wait_tensor.default",
        category=Category.COLLECTIVE,
        accepts={"tensor": ANY},
        results="same:tensor",
        shape="tensor",
        layout="eager",
        operands={"tensor": Operand("*S")},
        prim=True,
    ),
)

LISTS = (
    _coalesced(
        "all_reduce_coalesced",
        "inputs",
        OPERATION,
        decompose.all_reduce_coalesced,
        dtypes=REDUCIBLE,
        constraints=(
            REDUCTION,
            ("reduce_op != 'avg' or floating(dtype(inputs))", "a mean is of floating values"),
        ),
    ),
    _coalesced(
        "all_gather_into_tensor_coalesced",
        "scaled_each(inputs, 0, group_size, 1)",
        SIZE,
        decompose.all_gather_into_tensor_coalesced,
        constraints=(MANY,),
    ),
    _coalesced(
        "reduce_scatter_tensor_coalesced",
        "scaled_each(inputs, 0, 1, group_size)",
        {**OPERATION, **SIZE},
        decompose.reduce_scatter_tensor_coalesced,
        dtypes=REDUCIBLE,
        constraints=(
            MANY,
            REDUCTION,
            ("reduce_op != 'avg' or floating(dtype(inputs))", "a mean is of floating values"),
        ),
    ),
)

DIFFERENTIABLE = (
    _collective(
        "_c10d_functional_autograd.all_gather_into_tensor",
        GATHERED,
        SIZE,
        constraints=(RANKED, MANY),
        errors=(NOBODY,),
        decomposition=decompose.all_gather_into_tensor_autograd,
    ),
    _collective(
        "_c10d_functional_autograd.reduce_scatter_tensor",
        SCATTERED,
        {**OPERATION, **SIZE},
        dtypes=REDUCIBLE,
        constraints=(MANY, DIVIDES, REDUCTION, FLOATING_MEAN),
        errors=(NOBODY,),
        decomposition=decompose.reduce_scatter_tensor_autograd,
    ),
    _collective(
        "_c10d_functional_autograd.all_to_all_single",
        EXCHANGED,
        WHOLE,
        constraints=SPLITS,
        errors=(("sum(input_split_sizes) != input[0]", "the parts do not make up the first dimension"),),
        decomposition=decompose.all_to_all_single_autograd,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*SINGLE, *LISTS, *DIFFERENTIABLE)
