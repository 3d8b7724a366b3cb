"""Operators over lists of tensors (``_foreach_*``).

An entry is derived from that of the single-tensor operator: the same dtypes, numerics and operands at each
position of the lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from torchport.contract.adapters import schema_of
from torchport.contract.decompositions import foreach as decompose
from torchport.contract.ops import (
    activation,
    comparison,
    contraction,
    elementwise,
    indexing,
    layout,
    reductions,
    selection,
    slicing,
)
from torchport.contract.ops.builders import ANY, FLOATS, Decomposition, Rule, entry, summed, ulp
from torchport.contract.shape_rules import parse
from torchport.contract.spec import Category, Operand, OpSpec, Tier

SINGLE: Mapping[str, OpSpec] = {
    spec.name: spec
    for module in (
        elementwise,
        comparison,
        selection,
        reductions,
        activation,
        contraction,
        layout,
        indexing,
        slicing,
    )
    for spec in module.ENTRIES
}
"""The entries of the single-tensor operators."""
LIST_LENGTH = 3
"""Lists of scalars are tried at this length."""


def foreach(
    name: str,
    single: str,
    *,
    shape: str = "",
    rules: Sequence[Rule] = (),
    length: str | None = None,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """The entry of ``aten._foreach_NAME`` from that of ``aten.SINGLE``, whose arguments it has in order.

    ``shape`` is the rule of the results where they are not elementwise, ``length`` the reduction length.
    """
    name, base = f"aten._foreach_{name}", SINGLE[f"aten.{single}"]
    kinds = {a.name: str(a.real_type) for a in schema_of(name).arguments}
    theirs = [a.name for a in base.signature.arguments]
    names = dict(zip(theirs, kinds, strict=False))
    lists = [n for n, kind in kinds.items() if kind.startswith("List")]
    tensors = [n for n, kind in kinds.items() if "Tensor" in kind]
    accepts = {
        names[n]: tuple(_renamed(d, names) if d.startswith("same:") else d for d in dtypes)
        for n, dtypes in base.dtypes.accepts.items()
    }
    elementwise_shape = tensors[0] if len(tensors) == 1 else f"broadcast_each({', '.join(tensors)})"
    same_length: list[Rule] = [
        (f"len({n}) == len({lists[0]})", "the lists have one length") for n in lists[1:]
    ]
    return entry(
        f"{name}" if name.count(".") == 2 else f"{name}.default",
        category=base.category,
        accepts=accepts,
        results=[f"each:{_renamed(base.dtypes.results[0], names)}"],
        computes=_computes(base, names, lists),
        shape=shape or elementwise_shape,
        layout="eager",
        numerics=base.numerics if length is None else replace(base.numerics, length=length),
        operands={
            names[n]: _operand(operand, kinds[names[n]]) for n, operand in base.operands.items() if n in names
        },
        constraints=[
            (f"len({lists[0]}) > 0", "the lists hold tensors"),
            *same_length,
            *_kept(base, names, kinds),
            *rules,
        ],
        errors=[(f"len({lists[0]}) == 0", "the lists are empty")],
        decomposition=decomposition or decompose.each(f"aten.{single}", list(kinds)),
    )


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda m: names.get(m[0], m[0]), text)


def _computes(base: OpSpec, names: Mapping[str, str], lists: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The rules about the common dtype, at each position; those of arguments that are not here are left."""
    found = {}
    for text, dtypes in base.dtypes.computes.items():
        read = [n for part in text.split("|") for n in re.split("[:,]", part)[1:]]
        if all(n in names for n in read):
            prefix = "each:" if any(names[n] in lists for n in read) else ""
            found[prefix + _renamed(text, names)] = dtypes
    return found


def _operand(single: Operand, kind: str) -> Operand:
    """What is tried for one argument: scalars in turn for a list of them, a 0-d tensor for a tensor alone."""
    if kind == "List[number]":
        tried = single.choices
        return Operand(choices=(tuple(tried[i % len(tried)] for i in range(LIST_LENGTH)),))
    return replace(single, pattern="[]") if kind == "Tensor" else single


def _kept(base: OpSpec, names: Mapping[str, str], kinds: Mapping[str, str]) -> list[Rule]:
    """The constraints of the single operator that speak of dtypes and scalars only."""
    kept: list[Rule] = []
    for constraint in base.constraints:
        text = _renamed(constraint.text, names)
        if constraint.tier is not Tier.PRIM and all(kinds.get(n) == "number" for n in parse(text).names):
            kept.append((text, constraint.prose))
    return kept


UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg "
    "reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc clone"
)
FORMS = ("Scalar", "ScalarList")
BASIC = ("add", "sub", "mul", "div")
CLAMPS = ("clamp_min", "clamp_max")
WHOLE: Rule = ("whole(value) or not integral(dtype(self))", "the factor of integers is an integer")
FLOATING: Rule = ("not integral(dtype(self))", "the tensors are floating or complex")

ARITHMETIC = (
    *(foreach(f"{name}.default", f"{name}.default") for name in UNARY.split()),
    *(foreach(f"{name}.List", f"{name}.Tensor") for name in BASIC),
    *(foreach(f"{name}.Tensor", f"{name}.Tensor") for name in ("add", "mul", "div")),
    *(foreach(f"{name}.{form}", f"{name}.Scalar") for name in BASIC for form in FORMS),
    *(foreach(f"{name}.List", f"{name}.Tensor") for name in CLAMPS),
    *(foreach(f"{name}.{form}", f"{name}.default") for name in CLAMPS for form in FORMS),
    *(foreach(f"{name}.List", f"{name}.default") for name in ("maximum", "minimum")),
    *(foreach(f"maximum.{form}", "clamp_min.default") for form in FORMS),
    *(foreach(f"minimum.{form}", "clamp_max.default") for form in FORMS),
    foreach("pow.List", "pow.Tensor_Tensor"),
    *(foreach(f"pow.{form}", "pow.Tensor_Scalar") for form in FORMS),
    foreach("pow.ScalarAndTensor", "pow.Scalar"),
    foreach("lerp.List", "lerp.Tensor"),
    *(foreach(f"lerp.{form}", "lerp.Scalar") for form in FORMS),
    *(
        foreach(f"{name}.{form}", f"{name}.default", rules=(rule,))
        for name in ("addcmul", "addcdiv")
        for form, rule in (("Scalar", WHOLE), ("ScalarList", FLOATING))
    ),
    foreach("copy.default", "copy.default", shape="self"),
)  # fmt: skip

REDUCTIONS = (
    foreach(
        "max.default",
        "max.default",
        shape="fill(len(self), [])",
        rules=(("nonempty_each(self)", "every tensor has elements"),),
    ),
    foreach(
        "mm.default",
        "mm.default",
        shape="mm_each(self, mat2)",
        length="max(size_each(self, 1))",
        rules=(("size_each(self, 1) == size_each(mat2, 0)", "the inner sizes agree"),),
    ),
    *(
        entry(
            f"aten._foreach_{name}.Scalar",
            category=Category.REDUCTION,
            accepts={"self": FLOATS},
            results="each:arg:dtype|same:self",
            shape="fill(len(self), [])",
            layout="eager",
            numerics=summed("max(numel_each(self)) + 8", magnitude="result"),
            operands={
                "self": Operand("*S"),
                "ord": Operand(choices=orders),
                "dtype": Operand(choices=(None,)),
            },
            constraints=(
                ("len(self) > 0", "the list holds tensors"),
                ("nonempty_each(self)", "every tensor has elements"),
            ),
            errors=(("len(self) == 0", "the list is empty"),),
            decomposition=decomposition,
        )
        for name, orders, decomposition in (
            ("norm", (2, 1, float("inf")), decompose.norm),
            ("powsum", (2, 1, 3), decompose.powsum),
        )
    ),
)


def _scaled(name: str, decomposition: Decomposition, values: str) -> OpSpec:
    """``addcmul`` and ``addcdiv`` with the factors of the positions in one tensor."""
    tensors: dict[str, Any] = {n: Operand("*S") for n in ("self", "tensor1")}
    return entry(
        f"aten._foreach_{name}.Tensor",
        category=Category.ELEMENTWISE,
        accepts={
            "self": FLOATS,
            "tensor1": ("same:self",),
            "tensor2": ("same:self",),
            "scalars": ("same:self",),
        },
        results="each:same:self",
        shape="broadcast_each(self, tensor1, tensor2)",
        layout="eager",
        numerics=ulp(4, half=2, magnitude="abs"),
        operands={**tensors, "tensor2": Operand("*S", values), "scalars": Operand("=[len(self)]")},
        constraints=(
            ("len(self) > 0", "the lists hold tensors"),
            ("len(tensor1) == len(self) and len(tensor2) == len(self)", "the lists have one length"),
            ("scalars == [len(self)]", "one factor for each position"),
        ),
        errors=(("len(self) == 0", "the lists are empty"),),
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    *ARITHMETIC,
    *REDUCTIONS,
    _scaled("addcmul", decompose.addcmul_tensor, "any"),
    _scaled("addcdiv", decompose.addcdiv_tensor, "nonzero"),
    entry(
        "aten._foreach_zero.default",
        category=Category.CREATION,
        accepts={"self": ANY},
        results="each:same:self",
        shape="self",
        layout="eager",
        operands={"self": Operand("*S")},
        constraints=(("len(self) > 0", "the list holds tensors"),),
        errors=(("len(self) == 0", "the list is empty"),),
        decomposition=decompose.zero,
    ),
)
