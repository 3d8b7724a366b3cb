"""The predicates of the shape-rule language, for constraints. They never raise on shapes that do not fit:
they are false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchport.contract.dims import equal, wrap

Shape = Sequence[Any]


def given(x: Any) -> bool:
    """Whether an optional argument was given."""
    return x is not None


def floating(dtype: str) -> bool:
    """Whether a dtype name is a real floating-point type."""
    return dtype.startswith(("float", "bfloat"))


def integral(dtype: str) -> bool:
    """Whether a dtype name is an integer type or bool."""
    return dtype.startswith(("int", "uint", "bool"))


_WIDTHS = {"bool": 1, "bfloat16": 2, "complex32": 4, "complex64": 8, "complex128": 16}


def itemsize(dtype: str) -> int:
    """Bytes of one element of a dtype."""
    found = _WIDTHS.get(dtype)
    return found if found is not None else int(dtype.lstrip("uintfloa").partition("_")[0]) // 8


def whole(*numbers: Any) -> bool:
    """Whether numbers are integers (symbolic ones included), not floats."""
    return not any(isinstance(n, float | complex) for n in numbers)


def in_range(dim: int, n: int) -> bool:
    """Whether ``dim`` names a dimension of a tensor of rank ``n`` (a rank of 0 counts as 1)."""
    return -max(n, 1) <= dim < max(n, 1)


def distinct(dims: Any, n: int) -> bool:
    """Whether ``dims`` (an int, a list or None) name different dimensions of a tensor of rank ``n``."""
    if dims is None:
        return True
    listed = [dims] if isinstance(dims, int) else list(dims)
    if not all(in_range(d, n) for d in listed):
        return False
    return len({wrap(d, n) for d in listed}) == len(listed)


def expandable(x: Shape, target: Shape) -> bool:
    """Whether ``x`` broadcasts to exactly ``target``."""
    if len(x) > len(target):
        return False
    pairs = zip(reversed(x), reversed(target), strict=False)
    return all(equal(d, 1) or equal(d, t) is not False for d, t in pairs)


def same_except(a: Shape, b: Shape, dim: int) -> bool:
    """Whether two shapes of one rank agree everywhere but in ``dim``."""
    if len(a) != len(b):
        return False
    at = wrap(dim, len(a))
    return all(i == at or equal(p, q) is not False for i, (p, q) in enumerate(zip(a, b, strict=True)))


def within(a: Shape, b: Shape, dim: int) -> bool:
    """Whether ``a`` is nowhere larger than ``b`` but perhaps in ``dim``."""
    if len(a) != len(b):
        return False
    at = wrap(dim, len(a))
    return all(i == at or bool(p <= q) for i, (p, q) in enumerate(zip(a, b, strict=True)))


def covers(a: Shape, b: Shape) -> bool:
    """Whether ``a`` is at least as large as ``b`` in every dimension."""
    return len(a) == len(b) and all(bool(q <= p) for p, q in zip(a, b, strict=True))


def fits_storage(sizes: Shape, strides: Shape, offset: Any, n: Any) -> bool:
    """Whether a strided view of a row-major tensor of ``n`` elements stays inside it."""
    if any(isinstance(d, int) and d == 0 for d in sizes):
        return True
    last = 0 if offset is None else offset
    for d, step in zip(sizes, strides, strict=True):
        last = last + (d - 1) * step
    return bool(last < n)


def nonempty_each(shapes: Sequence[Shape]) -> bool:
    """Whether no shape of a list has a size 0."""
    return all(equal(d, 0) is not True for x in shapes for d in x)


def all_int(x: Shape) -> bool:
    """Whether every size is a plain integer."""
    return all(type(d) is int for d in x)


PREDICATES: Mapping[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        given,
        floating,
        integral,
        itemsize,
        whole,
        in_range,
        distinct,
        expandable,
        same_except,
        within,
        covers,
        fits_storage,
        nonempty_each,
    )
}
"""Predicates by the name that rules call them by."""
