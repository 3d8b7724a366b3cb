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
    element.
    """

    name: str
    strides: Callable[[Sequence[Size]], tuple[Size, ...]]
    min_rank: int = 0
    max_rank: int = 99
    offset: int = 0
    overlaps: bool = False

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


def _reversed(shape: Sequence[Size]) -> tuple[Size, ...]:
    return _permuted(shape, list(reversed(range(len(shape)))))


def _channels_last(shape: Sequence[Size]) -> tuple[Size, ...]:
    return _permuted(shape, [0, *range(2, len(shape)), 1])


def _step2(shape: Sequence[Size]) -> tuple[Size, ...]:
    return (*contiguous_strides([*shape[:-1], shape[-1] * 2])[:-1], 2)


def _every_other_row(shape: Sequence[Size]) -> tuple[Size, ...]:
    rows = contiguous_strides(shape)
    return (rows[0] * 2, *rows[1:])


def _expanded(shape: Sequence[Size]) -> tuple[Size, ...]:
    return (0, *contiguous_strides(shape)[1:])


def _unit_strides(shape: Sequence[Size]) -> tuple[Size, ...]:
    return tuple(
        13 if isinstance(size, int) and size == 1 else stride
        for size, stride in zip(shape, contiguous_strides(shape), strict=True)
    )


_ALL = (
    Layout("contiguous", contiguous_strides),
    Layout("transposed", _transposed, min_rank=2),
    Layout("step2", _step2, min_rank=1),
    Layout("expanded", _expanded, min_rank=1, overlaps=True),
    Layout("offset1", contiguous_strides, offset=1),
    Layout("offset4", contiguous_strides, offset=4),
    Layout("offset7", contiguous_strides, offset=7),
    Layout("rows2", _every_other_row, min_rank=2, offset=3),
    Layout("reversed", _reversed, min_rank=3),
    Layout("channels_last", _channels_last, min_rank=4, max_rank=5),
    Layout("unit_strides", _unit_strides, min_rank=1),
)
LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in _ALL}
"""Every layout class by name."""

QUICK_LAYOUTS = ("contiguous", "transposed", "step2", "expanded", "offset7")
"""The layout classes of the ``quick`` profile."""


def extent(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first to one past the last that a strided tensor touches; 0 when it is empty."""
    if any(size == 0 for size in shape):
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
