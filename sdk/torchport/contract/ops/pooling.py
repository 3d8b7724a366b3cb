"""Pooling and its gradients. The plain windows are primitive; adaptive windows and gradients decompose."""

from __future__ import annotations

from collections.abc import Mapping

from torchport.contract.decompositions import pooling as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, INTS, Decomposition, Rule, derived, entry, summed
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

MAX = Numerics("exact", special=("nan-propagates", "first-index"))
IMAGES = {2: "[n, c, h + 3, w + 3]", 3: "[n, c, d + 3, h + 3, w + 3]"}


def _operands(axes: int, *, dilated: bool) -> dict[str, Operand]:
    return {
        "kernel_size": Operand(choices=([3] * axes, [2] * axes)),
        "stride": Operand(choices=([2] * axes, [])),
        "padding": Operand(choices=([1] * axes, [0] * axes)),
        **({"dilation": Operand(choices=([1] * axes,))} if dilated else {}),
        "ceil_mode": FLAG,
    }


def _average(axes: int) -> dict[str, Operand]:
    return {
        **_operands(axes, dilated=False),
        "count_include_pad": FLAG,
        "divisor_override": Operand(choices=(None, 3, 1)),
    }


def _shape(axes: int, *, dilated: bool) -> str:
    return f"pool(self, kernel_size, stride, padding, {'dilation' if dilated else 1}, ceil_mode, {axes})"


def _rules(axes: int) -> tuple[Rule, ...]:
    return (
        (
            f"rank(self) == {axes + 1} or rank(self) == {axes + 2}",
            "the input is [C, *spatial] or [N, C, *spatial]",
        ),
        (
            f"(rank(kernel_size) == 1 or rank(kernel_size) == {axes}) and min(kernel_size) > 0",
            "the window has one size, or one per spatial dimension",
        ),
        ("2 * max(padding) <= max(kernel_size)", "padding is at most half the window"),
        (f"numel(self[rank(self) - {axes + 1}:]) > 0", "only the batch may be empty"),
    )


def _errors(axes: int) -> tuple[Rule, ...]:
    return (
        ("2 * min(padding) > max(kernel_size)", "padding is more than half the window"),
        (f"rank(self) < {axes + 1} or rank(self) > {axes + 2}", "the rank does not fit"),
    )


def _gradient_rule(axes: int, *, dilated: bool) -> Rule:
    return (
        f"grad_output == {_shape(axes, dilated=dilated)}",
        "the gradient has the shape of the forward result",
    )


POOLED = (*FLOATS, *INTS)


def _max(axes: int, backward: Decomposition) -> tuple[OpSpec, OpSpec]:
    name, shape = f"aten.max_pool{axes}d_with_indices", _shape(axes, dilated=True)
    operands = _operands(axes, dilated=True)
    return (
        entry(
            f"{name}.default",
            category=Category.POOLING,
            accepts={"self": POOLED},
            results=("same:self", "int64"),
            shape=(shape, shape),
            layout=("like:self", "like:self"),
            numerics=MAX,
            operands={"self": Operand(IMAGES[axes]), **operands},
            constraints=_rules(axes),
            errors=_errors(axes),
            prim=True,
        ),
        entry(
            f"{name}_backward.default",
            category=Category.POOLING,
            accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "indices": ("int64",)},
            results="same:grad_output",
            shape="self",
            layout="like:self",
            numerics=derived(narrow="sums"),
            operands={
                "grad_output": Operand(f"={shape}"),
                "self": Operand(IMAGES[axes]),
                **operands,
                "indices": Operand(f"={shape}", f"result({name}.default, 1)"),
            },
            constraints=(
                *_rules(axes),
                _gradient_rule(axes, dilated=True),
                ("indices == grad_output", "one index per pooled element"),
            ),
            decomposition=backward,
        ),
    )


def _avg(axes: int, forward: Decomposition, backward: Decomposition) -> tuple[OpSpec, OpSpec]:
    name, shape = f"aten.avg_pool{axes}d", _shape(axes, dilated=False)
    rules = (
        *_rules(axes),
        ("not given(divisor_override) or divisor_override != 0", "the divisor is not zero"),
    )
    cube = "kernel_size[0] * kernel_size[0] * kernel_size[0]"
    length = f"numel(kernel_size) if rank(kernel_size) == {axes} else {cube}"
    return (
        entry(
            f"{name}.default",
            category=Category.POOLING,
            accepts={"self": (*FLOATS, "int64")},
            results="same:self",
            shape=shape,
            layout="like:self",
            numerics=summed(length),
            operands={"self": Operand(IMAGES[axes]), **_average(axes)},
            constraints=(
                *rules,
                ("divisor_override == 1", "the primitive adds up windows", Tier.PRIM),
            ),
            errors=_errors(axes),
            prim=True,
            decomposition=forward,
        ),
        entry(
            f"{name}_backward.default",
            category=Category.POOLING,
            accepts={"grad_output": (*FLOATS, "int64"), "self": ("same:grad_output",)},
            results="same:grad_output",
            shape="self",
            layout="like:self",
            numerics=derived(narrow="sums"),
            operands={"grad_output": Operand(f"={shape}"), "self": Operand(IMAGES[axes]), **_average(axes)},
            constraints=(*rules, _gradient_rule(axes, dilated=False)),
            decomposition=backward,
        ),
    )


ADAPTIVE_SIZES: Mapping[int, Operand] = {
    2: Operand(choices=([1, 1], [2, 3], "self[-2:]")),
    3: Operand(choices=([1, 1, 1], [2, 3, 1])),
}


def _adaptive(axes: int, forward: Decomposition, backward: Decomposition) -> tuple[OpSpec, OpSpec]:
    name = f"aten._adaptive_avg_pool{axes}d"
    rules: tuple[Rule, ...] = (
        (
            f"rank(self) == {axes + 1} or rank(self) == {axes + 2}",
            "the input is [C, *spatial] or [N, C, *spatial]",
        ),
        (f"numel(self[rank(self) - {axes}:]) > 0", "no spatial dimension is empty"),
    )
    return (
        entry(
            f"{name}.default",
            category=Category.POOLING,
            accepts={"self": FLOATS},
            results="same:self",
            shape=f"self[:rank(self) - {axes}] + output_size",
            layout="like:self",
            numerics=derived(narrow="sums"),
            operands={"self": Operand(IMAGES[axes]), "output_size": ADAPTIVE_SIZES[axes]},
            constraints=(
                *rules,
                (
                    f"rank(output_size) == {axes} and min(output_size) > 0",
                    "one output size per spatial dimension",
                ),
            ),
            errors=((f"rank(output_size) != {axes}", "the output sizes do not fit"),),
            decomposition=forward,
        ),
        entry(
            f"{name}_backward.default",
            category=Category.POOLING,
            accepts={"grad_output": FLOATS, "self": ("same:grad_output",)},
            results="same:grad_output",
            shape="self",
            layout="like:self",
            numerics=derived(narrow="sums"),
            operands={
                "grad_output": Operand(f"[n, c, {', '.join('pqr'[:axes])}]"),
                "self": Operand(IMAGES[axes]),
            },
            constraints=(
                *rules,
                (
                    "rank(grad_output) == rank(self) and "
                    f"grad_output[:rank(self) - {axes}] == self[:rank(self) - {axes}]",
                    "the gradient has the input's leading dimensions",
                ),
                (f"numel(grad_output[rank(self) - {axes}:]) > 0", "the pooled sizes are positive"),
            ),
            decomposition=backward,
        ),
    )


ENTRIES: tuple[OpSpec, ...] = (
    *_max(2, decompose.max_pool2d_with_indices_backward),
    *_max(3, decompose.max_pool3d_with_indices_backward),
    *_avg(2, decompose.avg_pool2d, decompose.avg_pool2d_backward),
    *_avg(3, decompose.avg_pool3d, decompose.avg_pool3d_backward),
    *_adaptive(2, decompose.adaptive_avg_pool2d, decompose.adaptive_avg_pool2d_backward),
    *_adaptive(3, decompose.adaptive_avg_pool3d, decompose.adaptive_avg_pool3d_backward),
)
