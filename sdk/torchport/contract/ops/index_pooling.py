"""Pooling that names the element it took: adaptive and fractional maxima, their gradients, and unpooling."""

from __future__ import annotations

from torchport.contract.decompositions import index_pooling as decompose
from torchport.contract.ops.builders import (
    EXACT,
    FLOATS,
    Decomposition,
    Rule,
    entry,
    summed,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

FIRST = Numerics("exact", special=("nan-propagates", "first-index"))
OWN = Numerics("exact", special=("nan-propagates", "first-index", "own-precision"))
IMAGES = {2: Operand("[n, c, h + 3, w + 2]"), 3: Operand("[n, 2, d + 3, h + 3, w + 2]")}
OUTPUTS = {2: Operand(choices=([2, 3], [1, 1], [4, 2])), 3: Operand(choices=([2, 3, 1], [1, 2, 2]))}


def _ranked(axes: int) -> tuple[Rule, Rule]:
    return (
        (
            f"rank(self) == {axes + 1} or rank(self) == {axes + 2}",
            "the input is [C, *spatial] or [N, C, *spatial]",
        ),
        (f"numel(self[rank(self) - {axes + 1}:]) > 0", "only the batch may be empty"),
    )


def _unranked(axes: int) -> Rule:
    return (f"rank(self) < {axes + 1} or rank(self) > {axes + 2}", "the rank does not fit")


def _gradient(axes: int, pooled: str) -> tuple[Rule, Rule]:
    return (
        (f"grad_output == {pooled}", "the gradient has the shape of the forward result"),
        ("indices == grad_output", "one index per pooled element"),
    )


def _summed(axes: int) -> Numerics:
    """All pooled elements may have taken the same position."""
    return summed(f"numel(grad_output[rank(grad_output) - {axes}:])", special=("narrow-accumulator",))


def _adaptive(axes: int, backward: Decomposition) -> tuple[OpSpec, OpSpec]:
    name, shape = f"aten.adaptive_max_pool{axes}d", f"self[:rank(self) - {axes}] + output_size"
    return (
        entry(
            f"{name}.default",
            category=Category.POOLING,
            accepts={"self": FLOATS},
            results=("same:self", "int64"),
            shape=(shape, shape),
            layout=("eager", "eager"),
            numerics=FIRST,
            operands={"self": IMAGES[axes], "output_size": OUTPUTS[axes]},
            constraints=(
                *_ranked(axes),
                (
                    f"rank(output_size) == {axes} and min(output_size) > 0",
                    "one output size per spatial dimension",
                ),
            ),
            errors=(_unranked(axes),),
            decomposition=decompose.adaptive_max_pool,
        ),
        entry(
            f"{name}_backward.default",
            category=Category.POOLING,
            accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "indices": ("int64",)},
            results="same:grad_output",
            shape="self",
            layout="eager",
            numerics=_summed(axes),
            operands={
                "grad_output": Operand(f"[n, {'c' if axes == 2 else 2}, {', '.join('pqr'[:axes])}]"),
                "self": IMAGES[axes],
                "indices": Operand("=grad_output", f"index(numel(self[rank(self) - {axes}:]))"),
            },
            constraints=(
                *_ranked(axes),
                *_gradient(axes, f"self[:rank(self) - {axes}] + grad_output[rank(self) - {axes}:]"),
                (f"numel(grad_output[rank(self) - {axes}:]) > 0", "the pooled sizes are positive"),
            ),
            errors=(_unranked(axes),),
            decomposition=backward,
        ),
    )


def _fractional(axes: int, forward: Decomposition, backward: Decomposition) -> tuple[OpSpec, OpSpec]:
    name, shape = f"aten.fractional_max_pool{axes}d", f"self[:rank(self) - {axes}] + output_size"
    most = "<=" if axes == 2 else "<"
    fits = " and ".join(
        f"output_size[{i}] + kernel_size[{i}] - 1 {most} self[rank(self) - {axes - i}]" for i in range(axes)
    )
    windows: tuple[Rule, ...] = (
        (
            f"rank(kernel_size) == {axes} and rank(output_size) == {axes} "
            "and min(kernel_size) > 0 and min(output_size) > 0",
            "one window and one output size per spatial dimension",
        ),
        (fits, "the windows fit"),
    )
    geometry = {
        "kernel_size": Operand(choices=([2, 3, 2][:axes], [1, 2, 2][:axes])),
        "output_size": Operand(choices=([2, 3, 2][:axes], [3, 1, 2][:axes])),
    }
    return (
        entry(
            f"{name}.default",
            category=Category.POOLING,
            accepts={"self": FLOATS, "random_samples": ("same:self",)},
            results=("same:self", "int64"),
            shape=(shape, shape),
            layout=("eager", "eager"),
            numerics=OWN,
            operands={
                "self": IMAGES[axes],
                **geometry,
                "random_samples": Operand(f"=self[:2] + [{axes}]", "probability"),
            },
            constraints=(
                *_ranked(axes),
                *windows,
                (
                    f"random_samples == ([1] + self)[:2] + [{axes}] if rank(self) == {axes + 1} "
                    f"else random_samples == self[:2] + [{axes}]",
                    "one uniform number per channel and spatial dimension",
                ),
            ),
            errors=(_unranked(axes),),
            decomposition=forward,
        ),
        entry(
            f"{name}_backward.default",
            category=Category.POOLING,
            accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "indices": ("int64",)},
            results="same:grad_output",
            shape="self",
            layout="eager",
            numerics=_summed(axes),
            operands={
                "self": IMAGES[axes],
                **geometry,
                "grad_output": Operand(f"={shape}"),
                "indices": Operand(f"={shape}", f"index(numel(self[rank(self) - {axes}:]))"),
            },
            constraints=(*_ranked(axes), *windows, *_gradient(axes, shape)),
            errors=(_unranked(axes),),
            decomposition=backward,
        ),
    )


def _unpool(axes: int, forward: Decomposition) -> OpSpec:
    more = (
        {"stride": Operand(choices=([2] * 3,)), "padding": Operand(choices=([0] * 3,))} if axes == 3 else {}
    )
    return entry(
        f"aten.max_unpool{axes}d.default",
        category=Category.POOLING,
        accepts={"self": FLOATS, "indices": ("int64",)},
        results="same:self",
        shape=f"self[:rank(self) - {axes}] + output_size",
        layout="eager",
        numerics=EXACT,
        operands={
            # A row of a sort's indices names every position of the row once.
            "self": Operand(f"[n, c, {'1, ' * (axes - 1)}w]"),
            "indices": Operand("=self", "result(aten.sort.default, 1)"),
            "output_size": Operand(choices=([*([2] * (axes - 1)), 7], [*([1] * (axes - 1)), 9])),
            **more,
        },
        constraints=(
            *_ranked(axes),
            ("indices == self", "one index per element"),
            (
                f"rank(output_size) == {axes} and min(output_size) > 0",
                "one output size per spatial dimension",
            ),
            *((("min(stride) > 0", "the stride is positive"),) if axes == 3 else ()),
        ),
        errors=(("indices != self", "the indices have another shape"),),
        deterministic=False,
        decomposition=forward,
    )


ENTRIES: tuple[OpSpec, ...] = (
    *_adaptive(2, decompose.adaptive_max_pool2d_backward),
    *_adaptive(3, decompose.adaptive_max_pool3d_backward),
    *_fractional(2, decompose.fractional_max_pool2d, decompose.fractional_max_pool2d_backward),
    *_fractional(3, decompose.fractional_max_pool3d, decompose.fractional_max_pool3d_backward),
    _unpool(2, decompose.max_unpool2d),
    _unpool(3, decompose.max_unpool3d),
)
