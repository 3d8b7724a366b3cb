"""Products of matrices and vectors."""

from __future__ import annotations

from torchport.contract.decompositions import contraction as decompose
from torchport.contract.ops.builders import FLOATS, Decomposition, dotted, entry
from torchport.contract.spec import Category, Operand, OpSpec

SCALES = {"beta": Operand(choices=(1, 0.5, 0)), "alpha": Operand(choices=(1, 2))}


def _product(
    name: str,
    operands: dict[str, str],
    *,
    shape: str,
    length: str,
    constraints: tuple[tuple[str, str], ...],
    scaled: bool = False,
    special: tuple[str, ...] = (),
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """A contraction; all operands have the dtype of the first."""
    first = next(iter(operands))
    accepts = {n: FLOATS if n == first else (f"same:{first}",) for n in operands}
    return entry(
        name,
        category=Category.CONTRACTION,
        accepts=accepts,
        results=f"same:{first}",
        shape=shape,
        numerics=dotted(length, special=special),
        operands={n: Operand(p) for n, p in operands.items()} | (SCALES if scaled else {}),
        constraints=constraints,
        prim=prim,
        decomposition=decomposition,
    )


ENTRIES: tuple[OpSpec, ...] = (
    _product(
        "aten.mm.default",
        {"self": "[n, k]", "mat2": "[k, m]"},
        shape="[self[0], mat2[1]]",
        length="self[1]",
        constraints=(
            ("rank(self) == 2 and rank(mat2) == 2", "both operands are matrices"),
            ("self[1] == mat2[0]", "the inner sizes are equal"),
        ),
        prim=True,
    ),
    _product(
        "aten.bmm.default",
        {"self": "[b, n, k]", "mat2": "[b, k, m]"},
        shape="[self[0], self[1], mat2[2]]",
        length="self[2]",
        constraints=(
            ("rank(self) == 3 and rank(mat2) == 3", "both operands are batches of matrices"),
            ("self[0] == mat2[0] and self[2] == mat2[1]", "batch and inner sizes are equal"),
        ),
        prim=True,
    ),
    _product(
        "aten.addmm.default",
        {"self": "[m]", "mat1": "[n, k]", "mat2": "[k, m]"},
        shape="[mat1[0], mat2[1]]",
        length="mat1[1] + 2",
        scaled=True,
        constraints=(
            ("rank(mat1) == 2 and rank(mat2) == 2", "both factors are matrices"),
            ("mat1[1] == mat2[0]", "the inner sizes are equal"),
            ("expandable(self, [mat1[0], mat2[1]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.addmm,
    ),
    _product(
        "aten.baddbmm.default",
        {"self": "[b, n, m]", "batch1": "[b, n, k]", "batch2": "[b, k, m]"},
        shape="[batch1[0], batch1[1], batch2[2]]",
        length="batch1[2] + 2",
        scaled=True,
        constraints=(
            ("rank(batch1) == 3 and rank(batch2) == 3", "both factors are batches of matrices"),
            ("batch1[0] == batch2[0] and batch1[2] == batch2[1]", "batch and inner sizes are equal"),
            ("expandable(self, [batch1[0], batch1[1], batch2[2]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.baddbmm,
    ),
    _product(
        "aten.mv.default",
        {"self": "[n, k]", "vec": "[k]"},
        shape="[self[0]]",
        length="self[1]",
        constraints=(
            ("rank(self) == 2 and rank(vec) == 1", "a matrix and a vector"),
            ("self[1] == vec[0]", "the inner sizes are equal"),
        ),
        decomposition=decompose.mv,
    ),
    _product(
        "aten.addmv.default",
        {"self": "[n]", "mat": "[n, k]", "vec": "[k]"},
        shape="[mat[0]]",
        length="mat[1] + 2",
        scaled=True,
        constraints=(
            ("rank(mat) == 2 and rank(vec) == 1", "a matrix and a vector"),
            ("mat[1] == vec[0]", "the inner sizes are equal"),
            ("expandable(self, [mat[0]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.addmv,
    ),
    _product(
        "aten.dot.default",
        {"self": "[k]", "tensor": "[k]"},
        shape="[]",
        length="self[0]",
        constraints=(
            ("rank(self) == 1 and rank(tensor) == 1", "both operands are vectors"),
            ("self[0] == tensor[0]", "both have one length"),
        ),
        decomposition=decompose.dot,
    ),
    _product(
        "aten.addr.default",
        {"self": "[n, m]", "vec1": "[n]", "vec2": "[m]"},
        shape="[vec1[0], vec2[0]]",
        length="4",
        scaled=True,
        special=("narrow-accumulator",),
        constraints=(
            ("rank(vec1) == 1 and rank(vec2) == 1", "both factors are vectors"),
            ("expandable(self, [vec1[0], vec2[0]])", "the addend broadcasts to the product"),
        ),
        decomposition=decompose.addr,
    ),
)
