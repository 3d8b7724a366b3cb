"""Connectionist temporal classification and its gradient, lengths given as numbers."""

from __future__ import annotations

from torchport.contract.decompositions import ctc_loss as decompose
from torchport.contract.ops.builders import FLAG, INDEX, Rule, entry, summed
from torchport.contract.spec import Category, Operand, OpSpec

KINDS = ("float32", "float64")
STATES = "2 * max(target_lengths) + 1"
LATTICE = "log_probs[0] * (2 * max(target_lengths) + 1) * 16"
"""Roundings on the way to one number: a few for each step and state."""
RULES: tuple[Rule, ...] = (
    ("rank(log_probs) == 3", "log_probs is [T, B, C]"),
    ("rank(targets) == 1 or rank(targets) == 2", "targets are rows, or one after the other"),
    (
        "len(input_lengths) == log_probs[1] and len(target_lengths) == log_probs[1] and log_probs[1] > 0",
        "there is a length for each of the inputs and targets, and there is one",
    ),
    ("max(input_lengths) <= log_probs[0] and min(input_lengths) > 0", "inputs end within log_probs"),
    (
        "min(target_lengths) >= 0 and "
        "(sum(target_lengths) == targets[0] if rank(targets) == 1 else max(target_lengths) <= targets[1])",
        "targets have their lengths",
    ),
    ("blank >= 0 and blank < log_probs[2]", "the blank is a class"),
)
OPERANDS = {
    "log_probs": Operand("[l, b, n]", "small"),
    "targets": Operand("[b, k]", "index(log_probs[2])"),
    "input_lengths": Operand(choices=("fill(log_probs[1], log_probs[0])",)),
    "target_lengths": Operand(choices=("fill(log_probs[1], targets[1])",)),
    "blank": Operand(choices=(0, 1)),
    "zero_infinity": FLAG,
}

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten._ctc_loss.default",
        category=Category.LOSS,
        accepts={"log_probs": KINDS, "targets": INDEX},
        results=("same:log_probs", "same:log_probs"),
        shape=("log_probs[1:2]", f"[log_probs[1], log_probs[0], {STATES}]"),
        layout=("contiguous", "eager"),
        numerics=summed(LATTICE, magnitude="result"),
        operands=OPERANDS,
        constraints=RULES,
        errors=(("blank < 0 or blank >= log_probs[2]", "the blank is no class"),),
        decomposition=decompose.ctc_loss,
    ),
    entry(
        "aten._ctc_loss_backward.default",
        category=Category.LOSS,
        accepts={
            "grad": KINDS,
            "log_probs": ("same:grad",),
            "targets": INDEX,
            "neg_log_likelihood": ("same:grad",),
            "log_alpha": ("same:grad",),
        },
        results="same:log_probs",
        shape="log_probs",
        numerics=summed(LATTICE, magnitude="operands"),
        operands={
            "grad": Operand("=log_probs[1:2]"),
            **OPERANDS,
            "neg_log_likelihood": Operand("[b]", "result(aten._ctc_loss.default, 0)"),
            "log_alpha": Operand("[b, l, n]", "result(aten._ctc_loss.default, 1)"),
        },
        constraints=(
            *RULES,
            (
                "grad == log_probs[1:2] and neg_log_likelihood == grad",
                "one loss and gradient for each target",
            ),
            (
                f"log_alpha == [log_probs[1], log_probs[0], {STATES}]",
                "the forward variables of every step and state",
            ),
        ),
        decomposition=decompose.ctc_loss_backward,
    ),
)
