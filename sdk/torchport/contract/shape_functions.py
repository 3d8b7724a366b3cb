"""The function table of the shape-rule language. Each function is total on valid input, raises
:class:`~torchport.contract.dims.ShapeError` on shapes that do not fit, uses integer arithmetic only and can
be written in C++ as it stands. Shapes are tuples of sizes; ``dim`` arguments may be negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torchport.contract.dims import DataDependent, ShapeError, SymDim, equal, largest, product, smallest, wrap
from torchport.contract.shape_indexing import INDEXING, broadcast
from torchport.contract.shape_matrices import MATRICES
from torchport.contract.shape_predicates import PREDICATES, Shape, expandable, same_except


def shape(x: Shape) -> tuple[Any, ...]:
    """The sizes of a tensor argument."""
    return tuple(x)


def rank(x: Shape) -> int:
    """Number of dimensions (or of list elements)."""
    return len(x)


def numel(x: Shape) -> Any:
    """Number of elements; of a list of ints, their product."""
    return product(x)


def absent() -> None:
    """An output that is not there."""
    return None


def size(x: Shape, dim: int) -> Any:
    """Size of one dimension; 1 for a tensor of rank 0."""
    return x[wrap(dim, len(x))] if len(x) else 1


def sizes(x: Shape, dims: Any) -> tuple[Any, ...]:
    """Sizes of the listed dimensions; of all for None or an empty list."""
    return tuple(size(x, d) for d in _listed(dims, len(x)))


def iota(n: int) -> tuple[int, ...]:
    """0, 1, … n-1."""
    return tuple(range(n))


def reverse(x: Sequence[Any]) -> tuple[Any, ...]:
    """The elements from last to first."""
    return tuple(reversed(x))


def fill(n: int, value: Any) -> tuple[Any, ...]:
    """A list of ``n`` equal elements."""
    return (value,) * n


def ceil_div(a: Any, b: Any) -> Any:
    """``a / b`` rounded up."""
    return -((-a) // b)


def _listed(dims: Any, n: int) -> tuple[int, ...]:
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        return tuple(range(n))
    listed = tuple(wrap(d, n) for d in ([dims] if isinstance(dims, int) else dims))
    if len(set(listed)) != len(listed):
        raise ShapeError("a dimension is listed twice", got=str(tuple(dims)))
    return listed if n else ()


def reduce(x: Shape, dims: Any, keepdim: bool) -> tuple[Any, ...]:
    """Sizes after reducing ``dims`` (an int, a list; None or empty means all)."""
    gone = set(_listed(dims, len(x)))
    if keepdim:
        return tuple(1 if i in gone else d for i, d in enumerate(x))
    return tuple(d for i, d in enumerate(x) if i not in gone)


def permute(x: Shape, dims: Sequence[int]) -> tuple[Any, ...]:
    """Dimensions in the order of ``dims``."""
    order = [wrap(d, len(x)) for d in dims] if len(x) else []
    if sorted(order) != list(range(len(x))):
        raise ShapeError("not a permutation of the dimensions", got=str(tuple(dims)))
    return tuple(x[d] for d in order)


def transpose(x: Shape, a: int, b: int) -> tuple[Any, ...]:
    """Two dimensions swapped."""
    a, b = wrap(a, len(x)), wrap(b, len(x))
    swapped = list(x)
    if swapped:
        swapped[a], swapped[b] = x[b], x[a]
    return tuple(swapped)


def view(x: Shape, target: Shape) -> tuple[Any, ...]:
    """``target`` with its -1 inferred; the number of elements must stay the same."""
    holes = [i for i, d in enumerate(target) if isinstance(d, int) and d == -1]
    total = product(x)
    if len(holes) > 1:
        raise ShapeError("only one size can be inferred", got=str(tuple(target)))
    if holes:
        known = product(d for i, d in enumerate(target) if i != holes[0])
        if equal(known, 0):
            raise ShapeError("the size cannot be inferred from an empty tensor", got=str(tuple(target)))
        if equal(total % known, 0) is False and not isinstance(total % known, SymDim):
            raise ShapeError("the number of elements does not divide", got=f"{tuple(x)} as {tuple(target)}")
        return tuple(total // known if i == holes[0] else d for i, d in enumerate(target))
    if equal(total, product(target)) is False:
        raise ShapeError("the number of elements changes", got=f"{tuple(x)} as {tuple(target)}")
    return tuple(target)


def expand(x: Shape, target: Shape) -> tuple[Any, ...]:
    """``target`` with -1 replaced by the existing size; size-1 dimensions may grow."""
    new = len(target) - len(x)
    if new < 0:
        raise ShapeError("expand cannot drop dimensions", got=f"{tuple(x)} to {tuple(target)}")
    result = []
    for i, t in enumerate(target):
        if isinstance(t, int) and t == -1:
            if i < new:
                raise ShapeError("a new dimension needs a size", got=str(tuple(target)))
            t = x[i - new]
        elif i >= new and not equal(x[i - new], 1) and equal(x[i - new], t) is False:
            raise ShapeError(
                "only dimensions of size 1 can be expanded", got=f"{tuple(x)} to {tuple(target)}"
            )
        result.append(t)
    return tuple(result)


def insert(x: Shape, dim: int, value: Any) -> tuple[Any, ...]:
    """A new dimension at ``dim`` (counted in the result)."""
    at = wrap(dim, len(x) + 1)
    return (*x[:at], value, *x[at:])


def drop(x: Shape, dim: int) -> tuple[Any, ...]:
    """Without one dimension."""
    at = wrap(dim, len(x))
    return (*x[:at], *x[at + 1 :])


def replace(x: Shape, dim: int, value: Any) -> tuple[Any, ...]:
    """With the size of one dimension replaced."""
    at = wrap(dim, len(x))
    return (*x[:at], value, *x[at + 1 :]) if len(x) else tuple(x)


def squeeze(x: Shape, dims: Any = None) -> tuple[Any, ...]:
    """Without the listed dimensions (None: all) that have size 1."""
    listed = (
        range(len(x))
        if dims is None
        else {wrap(d, len(x)) for d in ([dims] if isinstance(dims, int) else dims)}
    )
    return tuple(d for i, d in enumerate(x) if i not in listed or d != 1)


def _bound(index: Any, n: Any) -> Any:
    """A slice bound in [0, n]."""
    if isinstance(index, int) and isinstance(n, int):
        return min(max(index + n if index < 0 else index, 0), n)
    if isinstance(index, int) and index < 0:
        return largest(index + n, 0)
    return smallest(index, n)


def slice_(x: Shape, dim: int, start: Any, end: Any, step: int) -> tuple[Any, ...]:
    """Sizes of ``x[start:end:step]`` along ``dim``."""
    n = size(x, dim)
    first = 0 if start is None else _bound(start, n)
    last = n if end is None or (isinstance(end, int) and end >= 2**63 - 1) else _bound(end, n)
    length = last - first if first == 0 else largest(last - first, 0)
    return replace(x, dim, length if step == 1 else ceil_div(length, step))


def split(x: Shape, step: Any, dim: int) -> tuple[tuple[Any, ...], ...]:
    """Shapes of pieces of ``step`` elements along ``dim``; the last may be shorter."""
    n = size(x, dim)
    if not isinstance(n, int):
        whole = n // step
        if isinstance(whole, int) and equal(whole * step, n):
            return tuple(replace(x, dim, step) for _ in range(whole))
        n, step = (
            int(n) if not isinstance(n, SymDim) else n,
            int(step) if not isinstance(step, SymDim) else step,
        )
    if not isinstance(n, int) or not isinstance(step, int):
        raise ShapeError("the number of pieces depends on a symbol", got=f"{n} in pieces of {step}")
    if step == 0:
        return (tuple(x),)
    starts = range(0, n, step) if n else range(1)
    return tuple(replace(x, dim, min(step, n - s)) for s in starts)


def split_sizes(x: Shape, lengths: Sequence[Any], dim: int) -> tuple[tuple[Any, ...], ...]:
    """Shapes of pieces of the given lengths along ``dim``; they must add up."""
    if equal(sum(lengths[1:], lengths[0]) if lengths else 0, size(x, dim)) is False:
        raise ShapeError("the lengths do not add up to the size", got=f"{tuple(lengths)} for {size(x, dim)}")
    return tuple(replace(x, dim, n) for n in lengths)


def unbind(x: Shape, dim: int) -> tuple[tuple[Any, ...], ...]:
    """Shapes of the slices along ``dim``."""
    n = x[wrap(dim, len(x))]
    n = n if isinstance(n, SymDim) else int(n)
    if not isinstance(n, int):
        raise ShapeError("the number of pieces depends on a symbol", got=str(n))
    return (drop(x, dim),) * n


def diagonal(x: Shape, offset: int, a: int, b: int) -> tuple[Any, ...]:
    """Sizes of the diagonal between dimensions ``a`` and ``b``, moved to the end."""
    a, b = wrap(a, len(x)), wrap(b, len(x))
    if a == b:
        raise ShapeError("a diagonal needs two different dimensions", got=f"{a} twice")
    rows, columns = x[a] + min(offset, 0), x[b] - max(offset, 0)
    length = largest(smallest(rows, columns), 0)
    return (*(d for i, d in enumerate(x) if i not in (a, b)), length)


def unfold(x: Shape, dim: int, window: Any, step: int) -> tuple[Any, ...]:
    """Sizes after sliding a window along ``dim``; the window becomes the last dimension."""
    n = size(x, dim)
    if isinstance(n, int) and isinstance(window, int) and window > n:
        raise ShapeError("the window is larger than the dimension", got=f"{window} for {n}")
    return (*replace(x, dim, (n - window) // step + 1), window)


def cat(shapes: Sequence[Shape], dim: int) -> tuple[Any, ...]:
    """Sizes of a concatenation; a one-dimensional empty tensor is skipped, as eager does."""
    kept = [s for s in shapes if not (len(s) == 1 and isinstance(s[0], int) and s[0] == 0)]
    if not kept:
        return tuple(shapes[0])
    first = kept[0]
    at = wrap(dim, len(first))
    total: Any = 0
    for s in kept:
        if not same_except(s, first, dim):
            raise ShapeError(
                "sizes differ outside of the concatenated dimension", got=f"{tuple(first)}, {tuple(s)}"
            )
        total = total + s[at]
    return replace(first, dim, total)


def stack(shapes: Sequence[Shape], dim: int) -> tuple[Any, ...]:
    """Sizes of equal shapes stacked along a new dimension."""
    if any(len(s) != len(shapes[0]) or not expandable(s, shapes[0]) for s in shapes):
        raise ShapeError("stacked shapes differ", got=str([tuple(s) for s in shapes]))
    return insert(shapes[0], dim, len(shapes))


def pad(x: Shape, pads: Sequence[Any]) -> tuple[Any, ...]:
    """Sizes after padding: pairs (before, after), last dimension first."""
    if len(pads) % 2 or len(pads) > 2 * len(x):
        raise ShapeError(
            "pads come in pairs, at most one a dimension", got=f"{tuple(pads)} for rank {len(x)}"
        )
    result = list(x)
    for i in range(len(pads) // 2):
        grown = result[-1 - i] + pads[2 * i] + pads[2 * i + 1]
        if isinstance(grown, int) and grown < 0:
            raise ShapeError("the padding removes more than there is", got=f"{tuple(pads)} for {tuple(x)}")
        result[-1 - i] = grown
    return tuple(result)


def repeat(x: Shape, counts: Sequence[Any]) -> tuple[Any, ...]:
    """Sizes after tiling; leading counts add dimensions."""
    if len(counts) < len(x):
        raise ShapeError("fewer counts than dimensions", got=f"{tuple(counts)} for rank {len(x)}")
    full = (1,) * (len(counts) - len(x)) + tuple(x)
    return tuple(d * n for d, n in zip(full, counts, strict=True))


def arange(start: Any, end: Any, step: Any) -> tuple[Any, ...]:
    """The one size of ``arange(start, end, step)``; floats round the length up."""
    if any(isinstance(v, float) for v in (start, end, step)):
        return (int(-((start - end) // step)),)
    if isinstance(step, int) and isinstance(start, int) and isinstance(end, int) and (end - start) * step < 0:
        raise ShapeError("the bounds do not fit the sign of the step", got=f"arange({start}, {end}, {step})")
    return (end - start if isinstance(step, int) and step == 1 else ceil_div(end - start, step),)


def range_(start: Any, end: Any, step: Any) -> tuple[Any, ...]:
    """The one size of ``range(start, end, step)``, which includes ``end``: ``(end - start) // step + 1``."""
    length = (end - start) // step + 1
    return (int(length) if isinstance(length, float) else length,)


def _at(values: Any, i: int) -> Any:
    return values if isinstance(values, int | SymDim) else values[i if len(values) > 1 else 0]


def broadcast_each(*lists: Sequence[Shape] | Shape) -> tuple[tuple[Any, ...], ...]:
    """The common shape at each position of several lists of shapes; one shape alone goes with every
    position.
    """
    several = [x for x in lists if x and isinstance(x[0], tuple)]
    if not several or any(len(x) != len(several[0]) for x in several):
        raise ShapeError("the lists have different lengths", got=str([len(x) for x in several]))
    alone = [x for x in lists if not (x and isinstance(x[0], tuple))]
    return tuple(broadcast(*shapes, *alone) for shapes in zip(*several, strict=True))


def mm_each(a: Sequence[Shape], b: Sequence[Shape]) -> tuple[tuple[Any, ...], ...]:
    """The shape of the matrix product at each position of two lists."""
    if len(a) != len(b) or any(len(x) != 2 for x in (*a, *b)):
        raise ShapeError("the lists are not matrices in pairs", got=f"{len(a)}, {len(b)}")
    return tuple((x[0], y[1]) for x, y in zip(a, b, strict=True))


def numel_each(shapes: Sequence[Shape]) -> tuple[Any, ...]:
    """The number of elements of each shape of a list."""
    return tuple(product(x) for x in shapes)


def scaled_each(shapes: Sequence[Shape], dim: int, times: Any, parts: Any) -> tuple[tuple[Any, ...], ...]:
    """Each shape of a list with the size of one dimension times ``times``, divided by ``parts``."""
    return tuple(replace(x, dim, size(x, dim) * times // parts) for x in shapes)


def size_each(shapes: Sequence[Shape], dim: int) -> tuple[Any, ...]:
    """The size of one dimension of each shape of a list."""
    return tuple(size(x, dim) for x in shapes)


def conv_out(n: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    """Size of one dimension after a convolution: ``(n + 2·padding - dilation·(kernel - 1) - 1) // stride +
    1``.
    """
    return (n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def conv_transpose_out(n: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, extra: Any) -> Any:
    """Size of one dimension after a transposed convolution."""
    return (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1


def conv(
    x: Shape,
    weight: Shape,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    extra: Any,
    groups: int,
) -> tuple[Any, ...]:
    """Sizes of ``convolution(x, weight, …)``: [batch, channels, *spatial]; the batch may be missing."""
    spatial = len(weight) - 2
    lead = tuple(x[: len(x) - spatial - 1])
    channels = weight[1] * groups if transposed else weight[0]
    result = []
    for i in range(spatial):
        n, k = x[len(x) - spatial + i], weight[2 + i]
        s, p, d = _at(stride, i), _at(padding, i), _at(dilation, i)
        result.append(
            conv_transpose_out(n, k, s, p, d, _at(extra, i)) if transposed else conv_out(n, k, s, p, d)
        )
    if any(isinstance(n, int) and n < 0 for n in result):
        raise ShapeError("the kernel is larger than the padded input", got=f"{tuple(x)} and {tuple(weight)}")
    return (*lead, channels, *result)


def pool_out(n: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """Size of one pooled dimension; with ``ceil_mode`` the last window must start inside the padded input."""
    span = n + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return span // stride + 1
    length = ceil_div(span, stride) + 1
    return length - 1 if (length - 1) * stride >= n + padding else length


def pool(
    x: Shape, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, spatial: int
) -> tuple[Any, ...]:
    """Sizes after pooling the last ``spatial`` dimensions; an empty stride means the kernel's."""
    steps = kernel if stride is None or (not isinstance(stride, int) and len(stride) == 0) else stride
    at = len(x) - spatial
    pooled = (
        pool_out(x[at + i], _at(kernel, i), _at(steps, i), _at(padding, i), _at(dilation, i), ceil_mode)
        for i in range(spatial)
    )
    return (*x[:at], *pooled)


def data_dependent(upper: Any = None) -> DataDependent:
    """A size known only when the operator has run, at most ``upper``."""
    return DataDependent(upper)


def sorted_strides(x: Shape) -> tuple[Any, ...]:
    """Row-major strides of a shape."""
    strides: list[Any] = []
    step: Any = 1
    for d in reversed(x):
        strides.insert(0, step)
        step = step * (largest(d, 1) if isinstance(d, int) else d)
    return tuple(strides)


def _fold(pick: Callable[[Any, Any], Any], values: Sequence[Any]) -> Any:
    """Of several sizes, or of one list of sizes."""
    if len(values) == 1 and isinstance(values[0], tuple):
        values = values[0]
    result = values[0]
    for value in values[1:]:
        result = pick(result, value)
    return result


_SHAPES = (
    shape,
    rank,
    numel,
    absent,
    size,
    sizes,
    iota,
    reverse,
    fill,
    ceil_div,
    broadcast,
    reduce,
    permute,
    transpose,
    view,
    expand,
    insert,
    drop,
    replace,
    squeeze,
    slice_,
    split,
    split_sizes,
    unbind,
    diagonal,
    unfold,
    cat,
    stack,
    pad,
    repeat,
    arange,
    range_,
    broadcast_each,
    mm_each,
    numel_each,
    size_each,
    scaled_each,
    conv_out,
    conv_transpose_out,
    conv,
    pool_out,
    pool,
    data_dependent,
    wrap,
)

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{f.__name__.rstrip("_"): f for f in _SHAPES},
    **PREDICATES,
    **INDEXING,
    **MATRICES,
    "strides": sorted_strides,
    "min": lambda *values: _fold(smallest, values),
    "max": lambda *values: _fold(largest, values),
    "abs": abs,
    "len": len,
    "sum": lambda values: sum(values[1:], values[0]) if len(values) else 0,
}
"""Every function a rule may call, by name. Their docstrings are the language's reference."""
