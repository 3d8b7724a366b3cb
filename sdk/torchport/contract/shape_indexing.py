"""Functions of the shape-rule language for broadcasting, indexing and counted results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchport.contract.dims import DataDependent, ShapeError, equal, product, wrap
from torchport.contract.shape_predicates import Shape, all_int


def _join(a: Any, b: Any) -> Any:
    same = equal(a, b)
    if same:
        return a
    if not isinstance(a, DataDependent) and a == 1:
        return b
    if not isinstance(b, DataDependent) and b == 1:
        return a
    if same is None or isinstance(a, DataDependent) or isinstance(b, DataDependent):
        return b if isinstance(b, int) else a
    raise ShapeError("shapes do not broadcast", got=f"sizes {a} and {b}")


def broadcast(*shapes: Shape | None) -> tuple[Any, ...]:
    """The common shape under broadcasting; arguments that are None are skipped."""
    present = [s for s in shapes if s is not None]
    if len(present) == 1 or (
        len(present) == 2
        and all_int(present[0])
        and all_int(present[1])
        and tuple(present[0]) == tuple(present[1])
    ):
        return tuple(present[0])
    result: list[Any] = []
    for s in present:
        s = list(s)
        while len(result) < len(s):
            result.insert(0, 1)
        offset = len(result) - len(s)
        for i, d in enumerate(s):
            result[offset + i] = _join(result[offset + i], d)
    return tuple(result)


def _spread(indices: Sequence[Shape | None], dtypes: str) -> list[Shape | None]:
    """One shape for each indexed dimension: a mask stands for one vector of unknown length a dimension."""
    found: list[Shape | None] = []
    for index, dtype in zip(indices, dtypes.split(","), strict=True):
        if index is None or dtype != "bool":
            found.append(index)
        else:
            found += [(DataDependent(product(index)),)] * len(index)
    return found


def index(x: Shape, indices: Sequence[Shape | None], dtypes: str) -> tuple[Any, ...]:
    """Sizes of ``x[indices]``: the broadcast shape of the indices, in place if they are adjacent, else
    first. ``dtypes`` are those of the indices, joined by commas; a bool index is a mask over as many
    dimensions as it has.
    """
    listed = _spread(indices, dtypes) if indices else []
    if len(listed) > len(x):
        raise ShapeError("more indices than dimensions", got=f"{len(listed)} for rank {len(x)}")
    used = [i for i, s in enumerate(listed) if s is not None]
    if not used:
        return tuple(x)
    common = broadcast(*(listed[i] for i in used))
    rest = [d for i, d in enumerate(x) if i not in used]
    at = used[0] if used == list(range(used[0], used[-1] + 1)) else 0
    return (*rest[:at], *common, *rest[at:])


def indexes(x: Shape, indices: Sequence[Shape | None], dtypes: str) -> bool:
    """Whether ``indices`` address a tensor of shape ``x``: not more than there are dimensions, each mask as
    large as the dimensions that it stands for.
    """
    at = 0
    for index, dtype in zip(indices, dtypes.split(","), strict=bool(indices)):
        taken = len(index) if index is not None and dtype == "bool" else 1
        if at + taken > len(x) or taken == 0:
            return False
        if index is not None and dtype == "bool":
            sizes = zip(index, x[at : at + taken], strict=True)
            if any(equal(p, q) is False for p, q in sizes):
                return False
        at += taken
    return True


def contains_dtype(dtypes: str, dtype: str) -> bool:
    """Whether a list of dtype names, joined by commas, has ``dtype``."""
    return dtype in dtypes.split(",")


def one_dtype(dtypes: str) -> bool:
    """Whether the dtype names of a list, joined by commas, are all the same."""
    names = dtypes.split(",")
    return all(name == names[0] for name in names)


def below_diagonal(rows: int, columns: int, offset: int) -> int:
    """Number of entries of a matrix on or below the diagonal ``offset``: row i has i + offset + 1 of them, at
    least 0 and at most ``columns``.
    """

    def first(n: int) -> int:
        """0 + 1 + … + n with each term cut at ``columns``."""
        grown = max(min(n, columns), 0)
        return grown * (grown + 1) // 2 + max(n - columns, 0) * columns

    return first(rows + offset) - first(offset)


def diag_embed(x: Shape, offset: int, a: int, b: int) -> tuple[Any, ...]:
    """Sizes after the last dimension became a diagonal between dimensions ``a`` and ``b`` of the result."""
    a, b = wrap(a, len(x) + 1), wrap(b, len(x) + 1)
    if a == b:
        raise ShapeError("a diagonal needs two different dimensions", got=f"{a} twice")
    side = x[-1] + abs(offset)
    first, second = min(a, b), max(a, b)
    return (*x[:first], side, *x[first : second - 1], side, *x[second - 1 : -1])


def chunk_cat(shapes: Sequence[Shape], dim: int, chunks: int) -> tuple[Any, ...]:
    """Sizes of ``chunks`` rows, each with a share of every tensor: dimension ``dim`` is split into chunks,
    and what follows is flattened and concatenated.
    """
    at = wrap(dim, len(shapes[0]))
    columns: Any = 0
    for x in shapes:
        if len(x) <= at:
            raise ShapeError("the dimension does not exist", got=f"{at} for rank {len(x)}")
        columns = columns + -(-x[at] // chunks) * product(x[at + 1 :])
    return (*shapes[0][:at], chunks, columns)


def same_rank(shapes: Sequence[Shape]) -> bool:
    """Whether all shapes of a list have as many dimensions."""
    return all(len(x) == len(shapes[0]) for x in shapes)


def edges(bins: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
    """Shapes of the edges of each number of bins: one more."""
    return tuple((n + 1,) for n in bins)


def spans(edges: Sequence[Shape]) -> tuple[Any, ...]:
    """Number of bins between the edges of each coordinate."""
    return tuple(edge[0] - 1 for edge in edges)


INDEXING: Mapping[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        broadcast,
        index,
        indexes,
        contains_dtype,
        one_dtype,
        below_diagonal,
        diag_embed,
        chunk_cat,
        same_rank,
        edges,
        spans,
    )
}
"""Functions by the name that rules call them by."""
