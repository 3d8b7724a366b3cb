"""Softmax, log-softmax and their gradients."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import masked_softmax as decompose_masked, softmax as decompose
from torchport.contract.ops.builders import DIM, FLOATS, Decomposition, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

ROW = derived()
IN_RANGE = ("in_range(dim, rank(self))", "the normalized dimension exists")
OUT_OF_RANGE = ("not in_range(dim, rank(self))", "there is no such dimension")


def _forward(name: str, decomposition: Decomposition) -> OpSpec:
    return entry(
        name,
        category=Category.NORMALIZATION,
        accepts={"self": FLOATS},
        results="float32_if:half_to_float|same:self",
        shape="self",
        numerics=ROW,
        operands={"self": Operand("*S", "small"), "dim": DIM, "half_to_float": Operand(choices=(False,))},
        constraints=(
            IN_RANGE,
            (
                "not half_to_float or dtype(self) == 'float16' or dtype(self) == 'bfloat16'",
                "half_to_float widens 16-bit floats only",
            ),
        ),
        errors=(OUT_OF_RANGE,),
        decomposition=decomposition,
    )


def _backward(name: str, decomposition: Decomposition, values: str) -> OpSpec:
    return entry(
        name,
        category=Category.NORMALIZATION,
        accepts={"grad_output": FLOATS, "output": ("same:grad_output",)},
        results="arg:input_dtype",
        shape="output",
        numerics=ROW,
        operands={
            "grad_output": Operand("*S"),
            "output": Operand("*S", values),
            "dim": Operand(choices=(0, -1, "max(rank(output), 1) - 1")),
            "input_dtype": Operand(choices=("dtype(output)",)),
        },
        constraints=(
            ("in_range(dim, rank(output))", "the normalized dimension exists"),
            ("grad_output == output", "the gradient has the shape of the result"),
        ),
        errors=(("not in_range(dim, rank(output))", "there is no such dimension"),),
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    _forward("aten._softmax.default", decompose.softmax),
    _forward("aten._log_softmax.default", decompose.log_softmax),
    _backward("aten._softmax_backward_data.default", decompose.softmax_backward_data, "probability"),
    _backward("aten._log_softmax_backward_data.default", decompose.log_softmax_backward_data, "unit"),
    entry(
        "aten._safe_softmax.default",
        category=Category.NORMALIZATION,
        accepts={"self": FLOATS},
        results="arg:dtype|same:self",
        shape="self",
        numerics=ROW,
        operands={
            "self": Operand("*S", "small"),
            "dim": DIM,
            "dtype": Operand(choices=(None, torch.float32)),
        },
        constraints=(IN_RANGE,),
        errors=(OUT_OF_RANGE,),
        decomposition=decompose.safe_softmax,
    ),
    entry(
        "aten._masked_softmax.default",
        category=Category.NORMALIZATION,
        accepts={"self": FLOATS, "mask": ("bool",)},
        results="same:self",
        shape="self",
        numerics=ROW,
        operands={
            "self": Operand("[n, k, l, l]", "small"),
            "mask": Operand(
                "=[self[2], self[3]] if mask_type == 0 else [self[0], self[3]] if mask_type == 1 else self"
            ),
            "dim": Operand(choices=(None, -1, 3)),
            "mask_type": Operand(choices=(0, 1, 2)),
        },
        constraints=(
            ("not given(dim) or in_range(dim, rank(self))", "the normalized dimension exists"),
            (
                "not given(mask_type) or 0 <= mask_type and mask_type <= 2",
                "the mask is one of rows, of padding, or of the input's shape",
            ),
            (
                "mask == ([self[2], self[3]] if mask_type == 0 else "
                "[self[0], self[3]] if mask_type == 1 else self)",
                "the mask has the shape of its type",
            ),
            ("not given(mask_type) or mask_type == 2 or rank(self) == 4", "scores are [B, heads, L, L]"),
        ),
        errors=(("given(dim) and not in_range(dim, rank(self))", "there is no such dimension"),),
        decomposition=decompose_masked.masked_softmax,
    ),
    entry(
        "aten._masked_softmax_backward.default",
        category=Category.NORMALIZATION,
        accepts={"grad_output": FLOATS, "output": ("same:grad_output",), "mask": ("bool",)},
        results="same:output",
        shape="output",
        numerics=ROW,
        operands={
            "grad_output": Operand("[*B, k]"),
            "output": Operand("[*B, k]", "probability"),
            "mask": Operand("[*B, k]", "bool"),
            "dim": Operand(choices=(None, -1, 0)),
        },
        constraints=(
            ("not given(dim) or in_range(dim, rank(output))", "the normalized dimension exists"),
            ("grad_output == output and mask == output", "all have the shape of the result"),
        ),
        decomposition=decompose_masked.masked_softmax_backward,
    ),
)
