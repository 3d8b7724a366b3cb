"""Distinct elements and slices. How many there are is known only when the operator has run."""

from __future__ import annotations

from torchport.contract.decompositions import unique as decompose
from torchport.contract.ops.builders import FLAG, NUMBERS, Decomposition, Rule, entry
from torchport.contract.spec import Category, Operand, OpSpec

SORTED = Operand(choices=(True, False))
IN_RANGE = ("in_range(dim, rank(self)) and rank(self) > 0", "the dimension exists")
NO_DIM = ("not in_range(dim, rank(self)) or rank(self) == 0", "the dimension does not exist")
SOMETHING = (
    "numel(self) > 0 or size(self, dim) == 0 and numel(drop(self, dim)) > 0",
    "the slices have elements",
)
MANY = "data_dependent(numel(self))"
SLICES = "data_dependent(size(self, dim))"


def _unique(
    name: str,
    decomposition: Decomposition,
    *,
    shape: tuple[str, ...],
    operands: dict[str, Operand],
    constraints: tuple[Rule, ...] = (),
    errors: tuple[Rule, ...] = (),
) -> OpSpec:
    return entry(
        name,
        category=Category.DATA_DEPENDENT,
        accepts={"self": NUMBERS},
        results=("same:self", *("int64",) * (len(shape) - 1)),
        shape=shape,
        layout=("contiguous",) * len(shape),
        operands={"self": Operand("*S", "small"), **operands},
        constraints=constraints,
        errors=errors,
        decomposition=decomposition,
    )


INVERSE = "self if return_inverse else [0]"
COUNTS = f"[{MANY} if return_counts else 0]"
BY_SLICE = (f"replace(self, dim, {SLICES})", "[size(self, dim)]", f"[{SLICES}]")
OF_SLICES = "given(dim) and not (rank(self) == 1 and dim == 0)"
ASKED = {"return_inverse": FLAG, "return_counts": FLAG}
DIM = Operand(choices=(0, -1))

ENTRIES: tuple[OpSpec, ...] = (
    _unique(
        "aten._unique2.default",
        decompose.unique2,
        shape=(f"[{MANY}]", INVERSE, COUNTS),
        operands={"sorted": SORTED, **ASKED},
    ),
    _unique(
        "aten._unique.default",
        decompose.unique,
        shape=(f"[{MANY}]", INVERSE),
        operands={"sorted": SORTED, "return_inverse": FLAG},
    ),
    _unique(
        "aten.unique_consecutive.default",
        decompose.unique_consecutive,
        shape=(
            f"replace(self, dim, {SLICES}) if {OF_SLICES} else [{MANY}]",
            f"[size(self, dim)] if {OF_SLICES} else {INVERSE}",
            f"[{SLICES}] if {OF_SLICES} else {COUNTS}",
        ),
        operands={**ASKED, "dim": Operand(choices=(None, 0, -1))},
        constraints=(
            ("not given(dim) or rank(self) > 0 and in_range(dim, rank(self))", "the dimension exists"),
            (f"not given(dim) or {SOMETHING[0]}", SOMETHING[1]),
        ),
        errors=(("given(dim) and rank(self) == 0", "a scalar has no slices"),),
    ),
    _unique(
        "aten.unique_dim_consecutive.default",
        decompose.unique_dim_consecutive,
        shape=BY_SLICE,
        operands={"dim": DIM, **ASKED},
        constraints=(IN_RANGE, SOMETHING),
        errors=(NO_DIM,),
    ),
    _unique(
        "aten.unique_dim.default",
        decompose.unique_dim,
        shape=BY_SLICE,
        operands={"dim": DIM, "sorted": SORTED, **ASKED},
        constraints=(IN_RANGE, SOMETHING),
        errors=(NO_DIM,),
    ),
)
