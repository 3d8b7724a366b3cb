"""Vector norms, the older ``norm`` operators, and weight normalization."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import norms as decompose
from torchport.contract.ops.builders import COMPLEX, FLOATS, Rule, derived, entry, reduction, summed
from torchport.contract.spec import Category, Operand, OpSpec

ELEMENTS = (*FLOATS, *COMPLEX)
OPTIONAL_DIM = Operand(choices=(None, "[0]", "[-1]", "iota(rank(self))"))
LISTED_DIM = Operand(choices=("[0]", "[-1]", "iota(rank(self))", "[]"))
ORDER = Operand(choices=(2, 1, float("inf"), 3.0, 0, -float("inf"), -1.0))
OPTIONAL_ORDER = Operand(choices=(None, 2, 1.0, float("inf"), 3, 0))
KIND: Rule = (
    "not given(dtype) or "
    "floating(dtype) == floating(dtype(self)) and itemsize(dtype) >= itemsize(dtype(self))",
    "the elements are widened, not narrowed, and stay real or complex",
)
WIDER = Operand(choices=(torch.float64, torch.complex128))
PER_DIM = "numel(sizes(self, dim)) + 8"
IN_ALL = "numel(self) + 8"


def _identity(order: str, over: str) -> Rule:
    return (
        f"numel({over}) > 0 or not given({order}) or {order} >= 0 and {order} < 1e300",
        "no elements have a norm of a finite order that is not negative only",
    )


NORMS = (
    reduction(
        "aten.linalg_vector_norm.default",
        dtypes=ELEMENTS,
        result="real:dtype|real:self",
        numerics=summed(PER_DIM, magnitude="result"),
        dim=OPTIONAL_DIM,
        extra={"ord": ORDER, "dtype": Operand(choices=(None, *WIDER.choices))},
        constraints=(_identity("ord", "sizes(self, dim)"), KIND),
        decomposition=decompose.vector_norm,
    ),
    reduction(
        "aten.norm.Scalar",
        dtypes=ELEMENTS,
        result="real:self",
        numerics=summed(IN_ALL, magnitude="result"),
        dim=None,
        extra={"p": ORDER},
        constraints=(_identity("p", "self"),),
        decomposition=decompose.norm_all,
    ),
    reduction(
        "aten.norm.ScalarOpt_dtype",
        dtypes=FLOATS,
        result="arg:dtype",
        numerics=summed(IN_ALL, magnitude="result"),
        dim=None,
        extra={"p": OPTIONAL_ORDER, "dtype": Operand(choices=(torch.float64,))},
        constraints=(_identity("p", "self"), KIND),
        decomposition=decompose.norm_all_dtype,
    ),
    reduction(
        "aten.norm.ScalarOpt_dim",
        dtypes=ELEMENTS,
        result="real:self",
        numerics=summed(PER_DIM, magnitude="result"),
        dim=LISTED_DIM,
        extra={"p": OPTIONAL_ORDER},
        constraints=(_identity("p", "sizes(self, dim)"),),
        decomposition=decompose.norm_dims,
    ),
    reduction(
        "aten.norm.ScalarOpt_dim_dtype",
        dtypes=FLOATS,
        result="arg:dtype",
        numerics=summed(PER_DIM, magnitude="result"),
        dim=LISTED_DIM,
        extra={"p": OPTIONAL_ORDER, "dtype": Operand(choices=(torch.float64,))},
        constraints=(_identity("p", "sizes(self, dim)"), KIND),
        decomposition=decompose.norm_dims_dtype,
    ),
)


def _at_an_end(v: str) -> Rule:
    return (
        f"rank({v}) > 0 and (dim == 0 or dim == rank({v}) - 1)",
        "the dimension that is kept is the first or the last",
    )


WEIGHTS = (
    entry(
        "aten._weight_norm_interface.default",
        category=Category.NORMALIZATION,
        accepts={"v": FLOATS, "g": ("same:v",)},
        results=("same:v", "opmath:g"),
        shape=("v", "g"),
        layout=("contiguous", "contiguous"),
        numerics=derived(),
        operands={
            "v": Operand("[n, k, m]"),
            "g": Operand("=[v[0], 1, 1] if dim == 0 else [1, 1, v[2]]", "positive"),
            "dim": Operand(choices=(0, 2)),
        },
        constraints=(
            _at_an_end("v"),
            ("numel(g) == v[dim] and rank(g) == rank(v)", "one length for each slice"),
            ("numel(v) > 0", "no dimension is empty"),
        ),
        errors=(("dim != 0 and dim != rank(v) - 1", "the dimension is neither the first nor the last"),),
        decomposition=decompose.weight_norm_interface,
    ),
    entry(
        "aten._weight_norm_interface_backward.default",
        category=Category.NORMALIZATION,
        accepts={
            "grad_w": FLOATS,
            "saved_v": ("same:grad_w",),
            "saved_g": ("same:grad_w",),
            "saved_norms": ("float32", "float64"),
        },
        results=("same:saved_v", "same:saved_g"),
        shape=("saved_v", "saved_g"),
        layout=("contiguous", "contiguous"),
        numerics=derived(),
        operands={
            "grad_w": Operand("[n, k, m]"),
            "saved_v": Operand("[n, k, m]"),
            "saved_g": Operand("=[saved_v[0], 1, 1] if dim == 0 else [1, 1, saved_v[2]]", "positive"),
            "saved_norms": Operand("=[saved_v[0], 1, 1] if dim == 0 else [1, 1, saved_v[2]]", "positive"),
            "dim": Operand(choices=(0, 2)),
        },
        constraints=(
            _at_an_end("saved_v"),
            ("grad_w == saved_v", "the gradient has the shape of the weight"),
            (
                "numel(saved_g) == saved_v[dim] and rank(saved_g) == rank(saved_v)",
                "one length for each slice",
            ),
            ("saved_norms == saved_g", "one norm for each slice"),
            ("numel(saved_v) > 0", "no dimension is empty"),
        ),
        decomposition=decompose.weight_norm_interface_backward,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*NORMS, *WEIGHTS)
