"""Layout classes: how a logical shape is laid out in memory. Each operand of a case gets its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Size = Any
"""An int, or a torch.SymInt when a region with symbolic sizes is being built."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A named rule from a shape to strides and a storage offset, both in elements.

    ``strides`` works on ints and on SymInts alike. ``min_rank``/``max_rank`` bound the ranks it applies to;
    ``offset`` is the storage offset; ``overlaps`` is true when several logical elements share one memory
    element; ``of_units`` when it differs from row-major only where a size is 1.
    """

    name: str
    strides: Callable[[Sequence[Size]], tuple[Size, ...]]
    min_rank: int = 0
    max_rank: int = 99
    offset: int = 0
    overlaps: bool = False
    of_units: bool = False

    def applies(self, rank: int) -> bool:
        """Whether a tensor of ``rank`` dimensions can have this layout and differ from a contiguous one by
        it.
        """
        return self.min_rank <= rank <= self.max_rank


def contiguous_strides(shape: Sequence[Size]) -> tuple[Size, ...]:
    """Row-major strides; sizes 0 and 1 count as 1, as in PyTorch."""
    strides: list[Size] = []
    running: Size = 1
    for size in reversed(shape):
        strides.append(running)
        running = running * (size if not isinstance(size, int) else max(size, 1))
    return tuple(reversed(strides))


def _permuted(shape: Sequence[Size], order: Sequence[int]) -> tuple[Size, ...]:
    """Strides of a tensor whose dimensions lie in memory in ``order``, outermost first."""
    inner = contiguous_strides([shape[d] for d in order])
    return tuple(inner[list(order).index(d)] for d in range(len(shape)))


def _transposed(shape: Sequence[Size]) -> tuple[Size, ...]:
    order = list(range(len(shape)))
    order[-1], order[-2] = order[-2], order[-1]
    return _permuted(shape, order)


def _first_innermost(shape: Sequence[Size]) -> tuple[Size, ...]:
    return _permuted(shape, [*range(1, len(shape)), 0])


def _reversed(shape: Sequence[Size]) -> tuple[Size, ...]:
    return _permuted(shape, list(reversed(range(len(shape)))))


def _channels_last(shape: Sequence[Size]) -> tuple[Size, ...]:
    return _permuted(shape, [0, *range(2, len(shape)), 1])


def _channel_slice(shape: Sequence[Size]) -> tuple[Size, ...]:
    return _channels_last([shape[0], shape[1] + 2, *shape[2:]])


def _step2(shape: Sequence[Size]) -> tuple[Size, ...]:
    return (*contiguous_strides([*shape[:-1], shape[-1] * 2])[:-1], 2)


def _every_other_row(shape: Sequence[Size]) -> tuple[Size, ...]:
    rows = contiguous_strides(shape)
    return (rows[0] * 2, *rows[1:])


def _column_slice(shape: Sequence[Size]) -> tuple[Size, ...]:
    return contiguous_strides([*shape[:-1], shape[-1] + 3])


def _scattered(shape: Sequence[Size]) -> tuple[Size, ...]:
    """Dimensions in reverse order, elements two apart, and gaps between the rows that they make."""
    rows = contiguous_strides([*reversed(shape[1:]), shape[0] * 2 + 3])
    return (2, *reversed(rows[:-1]))


def _repeats(dim: int) -> Callable[[Sequence[Size]], tuple[Size, ...]]:
    def strides(shape: Sequence[Size]) -> tuple[Size, ...]:
        at = dim % len(shape)
        packed = contiguous_strides([1 if d == at else size for d, size in enumerate(shape)])
        return tuple(0 if d == at else stride for d, stride in enumerate(packed))

    return strides


def _windows(shape: Sequence[Size]) -> tuple[Size, ...]:
    """Those of windows of ``unfold``: along the last dimension the elements of one window, two apart, along
    the one before windows that start three after each other and so overlap, with gaps between.
    """
    outer = contiguous_strides([*shape[:-2], shape[-2] * 3 + shape[-1] * 2])
    return (*outer[:-1], 3, 2)


def _unit_strides(shape: Sequence[Size]) -> tuple[Size, ...]:
    return tuple(
        13 if isinstance(size, int) and size == 1 else stride
        for size, stride in zip(shape, contiguous_strides(shape), strict=True)
    )


_ALL = (
    Layout("contiguous", contiguous_strides),
    Layout("transposed", _transposed, min_rank=2),
    Layout("step2", _step2, min_rank=1, offset=1),
    Layout("expanded", _repeats(0), min_rank=1, overlaps=True),
    Layout("offset1", contiguous_strides, offset=1),
    Layout("offset4", contiguous_strides, offset=4),
    Layout("offset7", contiguous_strides, offset=7),
    Layout("rows2", _every_other_row, min_rank=2, offset=3),
    Layout("columns", _column_slice, min_rank=2, offset=2),
    Layout("reversed", _reversed, min_rank=3),
    Layout("permuted", _first_innermost, min_rank=3, offset=5),
    Layout("channels_last", _channels_last, min_rank=4, max_rank=5),
    Layout("channel_slice", _channel_slice, min_rank=3, offset=1),
    Layout("scattered", _scattered, min_rank=1, offset=6),
    Layout("expanded_last", _repeats(-1), min_rank=2, overlaps=True),
    Layout("expanded_middle", _repeats(1), min_rank=3, offset=3, overlaps=True),
    Layout("windows", _windows, min_rank=2, offset=2, overlaps=True),
    Layout("unit_strides", _unit_strides, min_rank=1, of_units=True),
)
LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in _ALL}
"""Every layout class by name."""


def extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first to one past the last that a strided tensor touches; 0 when it is empty."""
    if any(size == 0 for size in shape):
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
