"""Padding by reflection and by repeating the edge, over one to three dimensions, and the gradients."""

from __future__ import annotations

from torchport.contract.decompositions import padding as decompose
from torchport.contract.ops.builders import (
    COMPLEX,
    EXACT,
    FLOATS,
    INTS,
    Decomposition,
    Rule,
    entry,
    summed,
)
from torchport.contract.spec import Category, Operand, OpSpec

SIZES = {1: "w + 3", 2: "h + 3, w + 3", 3: "d + 2, h + 4, w + 3"}
IMAGES = {axes: Operand(f"[n, c, {sizes}]") for axes, sizes in SIZES.items()}
PADS = {
    1: Operand(choices=("[1, 2]", "[0, 3]", "[-1, 2]")),
    2: Operand(choices=("[1, 2, 0, 1]", "[2, -1, 3, 0]", "[0, 0, 1, 1]")),
    3: Operand(choices=("[1, 2, 0, 1, 2, 1]", "[0, -1, 1, 1, 0, 2]")),
}
PADDED = "pad(self, padding)"


def _rules(axes: int, *, reflected: bool) -> tuple[Rule, ...]:
    spatial = f"self[rank(self) - {axes}:]"
    rules: list[Rule] = [
        (
            f"rank(self) == {axes + 1} or rank(self) == {axes + 2}",
            "the input is [C, *spatial] or [N, C, *spatial]",
        ),
        (f"rank(padding) == {2 * axes}", "two paddings per spatial dimension, the last dimension first"),
        (f"numel(self[rank(self) - {axes + 1}:]) > 0", "only the batch may be empty"),
        (f"min({PADDED}[rank(self) - {axes}:]) > 0", "something is left"),
    ]
    if reflected:
        bounds = " and ".join(
            f"max(padding[{2 * i}:{2 * i + 2}]) < {spatial}[{axes - 1 - i}]" for i in range(axes)
        )
        rules.append((bounds, "padding is smaller than the dimension that is mirrored"))
    return tuple(rules)


def _terms(kind: str, axes: int) -> str:
    """The most gradients that one source position can receive."""
    if kind == "reflection":
        return str(3**axes)
    return " * ".join(f"(max(0, padding[{2 * i}], padding[{2 * i + 1}]) + 1)" for i in range(axes))


def _pair(kind: str, axes: int, forward: Decomposition, backward: Decomposition) -> tuple[OpSpec, OpSpec]:
    rules = _rules(axes, reflected=kind == "reflection")
    name = f"aten.{kind}_pad{axes}d"
    unfit: Rule = (f"rank(padding) != {2 * axes}", "the number of paddings does not fit")
    return (
        entry(
            f"{name}.default",
            category=Category.LAYOUT,
            accepts={"self": (*FLOATS, *COMPLEX, *INTS)},
            results="same:self",
            shape=PADDED,
            layout="eager",
            numerics=EXACT,
            operands={"self": IMAGES[axes], "padding": PADS[axes]},
            constraints=rules,
            errors=(unfit,),
            decomposition=forward,
        ),
        entry(
            f"{name}_backward.default",
            category=Category.LAYOUT,
            accepts={"grad_output": (*FLOATS, *COMPLEX), "self": ("same:grad_output",)},
            results="same:grad_output",
            shape="self",
            layout="eager",
            numerics=summed(_terms(kind, axes), special=("narrow-accumulator",)),
            operands={
                "grad_output": Operand(f"={PADDED}"),
                "self": IMAGES[axes],
                "padding": PADS[axes],
            },
            constraints=(
                *rules,
                (f"grad_output == {PADDED}", "the gradient has the shape of the forward result"),
            ),
            errors=(unfit,),
            decomposition=backward,
        ),
    )


ENTRIES: tuple[OpSpec, ...] = tuple(
    spec
    for axes in (1, 2, 3)
    for spec in (
        *_pair("reflection", axes, decompose.reflection_pad, decompose.reflection_pad_backward),
        *_pair("replication", axes, decompose.replication_pad, decompose.replication_pad_backward),
    )
)
