"""Functions of the shape-rule language about matrices, which are the last two dimensions of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchport.contract.dims import ShapeError, equal, smallest
from torchport.contract.shape_predicates import Shape


def is_square(x: Shape) -> bool:
    """Whether a tensor holds square matrices."""
    return len(x) >= 2 and equal(x[-2], x[-1]) is not False


def is_vector_beside(b: Shape, a: Shape) -> bool:
    """Whether ``b`` is the right-hand side of vectors for the matrices ``a``, rather than of matrices."""
    if len(b) == 1:
        return True
    return len(b) == len(a) - 1 and all(bool(equal(p, q)) for p, q in zip(b, a, strict=False))


def with_ones(x: Shape, positions: Sequence[int]) -> tuple[Any, ...]:
    """The sizes with a 1 put in at each of ``positions``, which count in the result."""
    rest, result = list(x), []
    for i in range(len(x) + len(positions)):
        result.append(1 if i in positions else rest.pop(0))
    return tuple(result)


def block_diagonal(shapes: Sequence[Shape]) -> tuple[Any, ...]:
    """Sizes of matrices along a diagonal: rows and columns added up; a vector is one row, a number 1 × 1."""
    rows: Any = 0
    columns: Any = 0
    for s in shapes:
        if len(s) > 2:
            raise ShapeError("a block has more than two dimensions", got=str(tuple(s)))
        rows = rows + (s[0] if len(s) == 2 else 1)
        columns = columns + (s[-1] if len(s) else 1)
    return (rows, columns)


def shorter_side(x: Shape) -> Any:
    """The smaller of the number of rows and of columns."""
    return smallest(x[-2], x[-1])


MATRICES: Mapping[str, Callable[..., Any]] = {
    f.__name__: f for f in (is_square, is_vector_beside, with_ones, block_diagonal, shorter_side)
}
"""Functions by the name that rules call them by."""
