"""Losses and their gradients. ``reduction``: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from collections.abc import Mapping

from torchport.contract.decompositions import loss as decompose
from torchport.contract.ops.builders import FLOATS, Decomposition, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

REDUCTION = Operand(choices=(0, 1, 2))
REDUCTION_IS_KNOWN: Rule = ("0 <= reduction and reduction <= 2", "reduction is none, mean or sum")
LOSS = derived()
GRADIENT = derived()
ONE_SHAPE: Rule = ("self == target", "input and target have one shape")
GRAD_SHAPE: Rule = (
    "grad_output == (self if reduction == 0 else []) or numel(grad_output) == 1",
    "the gradient has the shape of the loss",
)


def _paired(
    name: str,
    decomposition: Decomposition,
    gradient: Decomposition,
    *,
    extra: Mapping[str, Operand] | None = None,
    constraints: tuple[Rule, ...] = (),
) -> tuple[OpSpec, OpSpec]:
    """A loss of two equal shapes, and its gradient with respect to the first."""
    accepts = {"self": FLOATS, "target": ("same:self",)}
    pair = {"self": Operand("*S"), "target": Operand("*S")}
    rest = {"reduction": REDUCTION, **(extra or {})}
    rules = (ONE_SHAPE, REDUCTION_IS_KNOWN, *constraints)
    return (
        entry(
            f"aten.{name}.default",
            category=Category.LOSS,
            accepts=accepts,
            results="same:self",
            shape="self if reduction == 0 else []",
            numerics=LOSS,
            operands={**pair, **rest},
            constraints=rules,
            decomposition=decomposition,
        ),
        entry(
            f"aten.{name}_backward.default",
            category=Category.LOSS,
            accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "target": ("same:grad_output",)},
            results="same:self",
            shape="self",
            layout="elementwise",
            numerics=GRADIENT,
            operands={"grad_output": Operand("=self if reduction == 0 else []"), **pair, **rest},
            constraints=(*rules, GRAD_SHAPE),
            decomposition=gradient,
        ),
    )


def _positive(name: str) -> Rule:
    return (f"{name} > 0", f"{name} is positive")


PAIRED = (
    *_paired("mse_loss", decompose.mse_loss, decompose.mse_loss_backward),
    *_paired(
        "smooth_l1_loss",
        decompose.smooth_l1_loss,
        decompose.smooth_l1_loss_backward,
        extra={"beta": Operand(choices=(1.0, 0.5))},
        constraints=(_positive("beta"),),
    ),
    *_paired(
        "huber_loss",
        decompose.huber_loss,
        decompose.huber_loss_backward,
        extra={"delta": Operand(choices=(1.0, 0.5))},
        constraints=(_positive("delta"),),
    ),
    *_paired("soft_margin_loss", decompose.soft_margin_loss, decompose.soft_margin_loss_backward),
)

WEIGHT_FITS: Rule = ("not given(weight) or expandable(weight, self)", "the weight broadcasts to the input")

CROSS_ENTROPY = (
    entry(
        "aten.binary_cross_entropy.default",
        category=Category.LOSS,
        accepts={"self": FLOATS, "target": ("same:self",), "weight": ("same:self",)},
        results="same:self",
        shape="self if reduction == 0 else []",
        numerics=derived(),
        operands={
            "self": Operand("*S", "probability"),
            "target": Operand("*S", "probability"),
            "weight": Operand("*S", "positive", optional=True),
            "reduction": REDUCTION,
        },
        constraints=(ONE_SHAPE, REDUCTION_IS_KNOWN, WEIGHT_FITS),
        errors=(("self != target", "input and target have different shapes"),),
        decomposition=decompose.binary_cross_entropy,
    ),
    entry(
        "aten.binary_cross_entropy_backward.default",
        category=Category.LOSS,
        accepts={
            "grad_output": FLOATS,
            "self": ("same:grad_output",),
            "target": ("same:grad_output",),
            "weight": ("same:grad_output",),
        },
        results="same:self",
        shape="self",
        layout="elementwise",
        numerics=GRADIENT,
        operands={
            "grad_output": Operand("=self if reduction == 0 else []"),
            "self": Operand("*S", "probability"),
            "target": Operand("*S", "probability"),
            "weight": Operand("*S", "positive", optional=True),
            "reduction": REDUCTION,
        },
        constraints=(ONE_SHAPE, REDUCTION_IS_KNOWN, WEIGHT_FITS, GRAD_SHAPE),
        decomposition=decompose.binary_cross_entropy_backward,
    ),
    entry(
        "aten.binary_cross_entropy_with_logits.default",
        category=Category.LOSS,
        accepts={
            "self": FLOATS,
            "target": ("same:self",),
            "weight": ("same:self",),
            "pos_weight": ("same:self",),
        },
        results="same:self",
        shape="self if reduction == 0 else []",
        numerics=LOSS,
        operands={
            "self": Operand("*S", "small"),
            "target": Operand("*S", "probability"),
            "weight": Operand("*S", "positive", optional=True),
            "pos_weight": Operand("*S", "positive", optional=True),
            "reduction": REDUCTION,
        },
        constraints=(
            ONE_SHAPE,
            REDUCTION_IS_KNOWN,
            WEIGHT_FITS,
            ("not given(pos_weight) or expandable(pos_weight, self)", "pos_weight broadcasts to the input"),
        ),
        decomposition=decompose.binary_cross_entropy_with_logits,
    ),
)

CLASSES = {"nll_loss": "size(self, rank(self) - 1)", "nll_loss2d": "self[1]"}
TARGET_SHAPE = {"nll_loss": "self[:-1]", "nll_loss2d": "drop(self, 1)"}
RANK: Mapping[str, Rule] = {
    "nll_loss": ("rank(self) == 1 or rank(self) == 2", "the input is [C] or [N, C]"),
    "nll_loss2d": ("rank(self) == 4", "the input is [N, C, H, W]"),
}


def _nll(
    name: str, pattern: str, target: str, forward: Decomposition, backward: Decomposition
) -> tuple[OpSpec, ...]:
    classes, rows = CLASSES[name], TARGET_SHAPE[name]
    loss_shape = f"{rows} if reduction == 0 else []"
    rules: tuple[Rule, ...] = (
        RANK[name],
        (f"target == {rows}", "one target per row"),
        (f"not given(weight) or weight == [{classes}]", "one weight per class"),
        REDUCTION_IS_KNOWN,
    )
    operands = {
        "self": Operand(pattern),
        "target": Operand(target, f"index({classes})"),
        "weight": Operand("[c]", "positive", optional=True),
        "reduction": REDUCTION,
        "ignore_index": Operand(choices=(-100, 0)),
    }
    accepts = {"self": FLOATS, "target": ("int64",), "weight": ("same:self",)}
    return (
        entry(
            f"aten.{name}_forward.default",
            category=Category.LOSS,
            accepts=accepts,
            results=("same:self", "same:self"),
            shape=(loss_shape, "[]"),
            layout=("contiguous", "contiguous"),
            numerics=derived(),
            operands=operands,
            constraints=rules,
            errors=((f"rank(target) > 0 and target != {rows}", "the targets do not match the rows"),),
            decomposition=forward,
        ),
        entry(
            f"aten.{name}_backward.default",
            category=Category.LOSS,
            accepts={
                "grad_output": FLOATS,
                "self": ("same:grad_output",),
                "target": ("int64",),
                "weight": ("same:grad_output",),
                "total_weight": ("same:grad_output",),
            },
            results="same:self",
            shape="self",
            numerics=GRADIENT,
            operands={
                "grad_output": Operand(f"={loss_shape}"),
                **operands,
                "total_weight": Operand("[]", "positive"),
            },
            constraints=(
                *rules,
                (
                    f"grad_output == ({loss_shape}) or numel(grad_output) == 1",
                    "the gradient has the shape of the loss",
                ),
                ("numel(total_weight) == 1", "the total weight is one number"),
            ),
            decomposition=backward,
        ),
    )


NEGATIVE_LOG_LIKELIHOOD = (
    *_nll("nll_loss", "[n, c]", "[n]", decompose.nll_loss_forward, decompose.nll_loss_backward),
    *_nll(
        "nll_loss2d", "[n, c, h, w]", "[n, h, w]", decompose.nll_loss2d_forward, decompose.nll_loss2d_backward
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*PAIRED, *CROSS_ENTROPY, *NEGATIVE_LOG_LIKELIHOOD)
