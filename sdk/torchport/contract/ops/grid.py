"""Sampling at positions given by a grid, its gradients, and affine grids."""

from __future__ import annotations

from torchport.contract.decompositions import grid as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, Rule, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

IMAGES = {2: Operand("[n, c, h, w + 1]"), 3: Operand("[n, c, d, h + 1, w + 2]")}
GRIDS = {2: Operand("[n, p + 1, q, 2]", "unit"), 3: Operand("[n, p, q + 1, r, 3]", "unit")}
SAMPLED = derived(32)
"""Weights come from positions, which are rounded to the compute dtype first."""


def _pair(axes: int) -> tuple[OpSpec, OpSpec]:
    sampled = f"input[:2] + grid[1:{axes + 1}]"
    modes = {
        "interpolation_mode": Operand(choices=(0, 1, 2)[: 3 if axes == 2 else 2]),
        "padding_mode": Operand(choices=(0, 1, 2)),
        "align_corners": FLAG,
    }
    rules: tuple[Rule, ...] = (
        (
            f"rank(input) == {axes + 2} and rank(grid) == {axes + 2}",
            "the input is [N, C, *sizes], the grid [N, *out, axes]",
        ),
        (f"grid[0] == input[0] and grid[{axes + 1}] == {axes}", "one coordinate per spatial dimension"),
        ("numel(input[2:]) > 0", "no spatial dimension is empty"),
        (
            f"interpolation_mode >= 0 and interpolation_mode <= {2 if axes == 2 else 1}",
            "linear (0), nearest (1)" + (" or bicubic (2)" if axes == 2 else ""),
        ),
        ("padding_mode >= 0 and padding_mode <= 2", "zeros (0), the edge (1) or the mirror image (2)"),
    )
    unfit: Rule = (f"rank(input) != {axes + 2} or rank(grid) != {axes + 2}", "the rank does not fit")
    return (
        entry(
            f"aten.grid_sampler_{axes}d.default",
            category=Category.INDEXING,
            accepts={"input": FLOATS, "grid": ("same:input",)},
            results="same:input",
            shape=sampled,
            layout="eager",
            numerics=SAMPLED,
            operands={"input": IMAGES[axes], "grid": GRIDS[axes], **modes},
            constraints=rules,
            errors=(unfit,),
            decomposition=decompose.grid_sampler,
        ),
        entry(
            f"aten.grid_sampler_{axes}d_backward.default",
            category=Category.INDEXING,
            accepts={"grad_output": FLOATS, "input": ("same:grad_output",), "grid": ("same:grad_output",)},
            results=("same:input", "same:grid"),
            shape=("input if output_mask[0] else absent()", "grid"),
            layout=("eager", "eager"),
            numerics=SAMPLED,
            operands={
                "grad_output": Operand(f"={sampled}"),
                "input": IMAGES[axes],
                "grid": GRIDS[axes],
                **modes,
                "output_mask": Operand(choices=([True, True], [False, True])),
            },
            constraints=(
                *rules,
                (f"grad_output == {sampled}", "the gradient has the shape of the forward result"),
            ),
            errors=(unfit,),
            decomposition=decompose.grid_sampler_backward,
        ),
    )


ENTRIES: tuple[OpSpec, ...] = (
    *_pair(2),
    *_pair(3),
    entry(
        "aten.affine_grid_generator.default",
        category=Category.CREATION,
        accepts={"theta": FLOATS},
        results="same:theta",
        shape="[size[0]] + size[2:] + [rank(size) - 2]",
        layout="eager",
        numerics=derived(),
        operands={
            "theta": Operand("[2, k, k + 1]"),
            "size": Operand(
                choices=("[2, 3, 5, 4, 2][: size(theta, 1) + 2]", "[2, 1, 1, 3, 4][: size(theta, 1) + 2]")
            ),
            "align_corners": FLAG,
        },
        constraints=(
            ("rank(size) == 4 or rank(size) == 5", "the image has two or three spatial dimensions"),
            ("theta == [size[0], rank(size) - 2, rank(size) - 1]", "one matrix for each image"),
            ("min(size) > 0", "no dimension is empty"),
        ),
        errors=(("rank(size) < 4 or rank(size) > 5", "the number of dimensions does not fit"),),
        decomposition=decompose.affine_grid_generator,
    ),
)
