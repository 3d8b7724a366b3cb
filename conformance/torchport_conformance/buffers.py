"""Tensors inside guarded memory: inputs surrounded by poison, destinations surrounded by canaries.

A tensor is placed in a larger typed allocation. What lies around it, and in the gaps between its elements, is
a known pattern: NaN or the largest integer for inputs, so that a kernel that reads outside its operand shows
it in its result; a fixed byte for destinations, so that a kernel that writes outside, or leaves elements
unwritten, is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torchport_conformance.cases.layouts import extent

PAD = 64
"""Guard elements on each side; a multiple of 64 bytes for every dtype, so that alignment is that of the
allocator.
"""
CANARY_BYTE = 0x7F


def poison_value(dtype: torch.dtype) -> float | int | bool | complex:
    """What surrounds an input: NaN, the largest integer, or True."""
    if dtype.is_complex:
        return complex(float("nan"), float("nan"))
    if dtype.is_floating_point:
        return float("nan")
    return True if dtype is torch.bool else int(torch.iinfo(dtype).max)


def other_poison(dtype: torch.dtype) -> float | int | bool:
    """What surrounds an input in a second run: a kernel that reads it and drops NaN, or the largest integer,
    shows it then.
    """
    if dtype.is_floating_point or dtype.is_complex:
        return 1e4 if dtype.itemsize > 1 else 16.0
    return False if dtype is torch.bool else 1


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What lies around and in guarded memory before a run: ``other`` names the operands that the other poison
    surrounds, ``canary`` is the byte that destinations hold.
    """

    other: frozenset[str] = frozenset()
    canary: int = CANARY_BYTE


USUAL = Surroundings()
OTHER_CANARY_BYTE = 0x35


def _as_bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.uint8)


@dataclass(frozen=True, eq=False)
class Guarded:
    """A tensor in guarded memory. ``whole`` is the allocation, ``before`` its bytes when it was made."""

    tensor: torch.Tensor
    whole: torch.Tensor
    before: torch.Tensor

    def is_untouched(self) -> bool:
        """True when no byte of the allocation changed: neither the tensor nor anything around it."""
        return torch.equal(_as_bytes(self.whole), self.before)

    def _owned(self) -> torch.Tensor:
        """Which elements of the allocation belong to the tensor, as a bool tensor."""
        owned = torch.zeros(self.whole.numel(), dtype=torch.bool, device=self.whole.device)
        view = owned.as_strided(self.tensor.shape, self.tensor.stride(), PAD + self.tensor.storage_offset())
        view.fill_(True)
        return owned

    def _changed(self) -> torch.Tensor:
        """Which elements of the allocation differ from when it was made, as a bool tensor."""
        differs = _as_bytes(self.whole) != self.before
        return differs.view(self.whole.numel(), self.whole.element_size()).any(1)

    def _body(self) -> slice:
        """The bytes of the tensor's storage in the allocation."""
        width = self.whole.element_size()
        return slice(PAD * width, PAD * width + self.tensor.untyped_storage().nbytes())

    def stray_writes(self) -> tuple[int, ...]:
        """Positions written outside the tensor, in elements relative to its first element; at most eight."""
        whole, body = _as_bytes(self.whole), self._body()
        fills = self.tensor.is_contiguous() and self.tensor.nbytes == body.stop - body.start
        if (
            fills
            and torch.equal(whole[: body.start], self.before[: body.start])
            and torch.equal(whole[body.stop :], self.before[body.stop :])
        ):
            return ()
        stray = (self._changed() & ~self._owned()).nonzero().flatten()
        first = PAD + int(self.tensor.storage_offset())
        return tuple(int(i) - first for i in stray[:8])

    def nothing_written(self) -> bool:
        """Whether the tensor has elements and its memory holds what it held before."""
        body = self._body()
        return bool(self.tensor.numel()) and torch.equal(_as_bytes(self.whole)[body], self.before[body])

    def unwritten(self) -> int:
        """How many elements of the tensor still hold the canary."""
        return int((self._owned() & ~self._changed()).sum())


def place_input(values: torch.Tensor, strides: Sequence[int], offset: int, *, other: bool = False) -> Guarded:
    """A copy of ``values`` with ``strides`` and ``offset`` (elements), its storage starting inside poison,
    the ``other`` one where that is asked for.

    Where a stride is 0 the values along that dimension are those of its first element.
    """
    dtype, shape = values.dtype, tuple(values.shape)
    size = max(extent(shape, strides), 1) + offset
    # A kernel that takes expanded memory for row-major memory reads poison, too, and the same in every run.
    behind = max(values.numel() - size, 0) + PAD
    poison = other_poison(dtype) if other else poison_value(dtype)
    whole = torch.full((PAD + size + behind,), poison, dtype=dtype, device=values.device)
    tensor = _inside(whole, size, shape, strides, offset)
    if values.numel():
        distinct = [1 if stride == 0 else n for n, stride in zip(shape, strides, strict=True)]
        first = tuple(slice(0, n) for n in distinct)
        tensor.as_strided(distinct, tuple(strides), offset).copy_(values[first])
    return Guarded(tensor, whole, _as_bytes(whole).clone())


def place_output(
    shape: Sequence[int],
    strides: Sequence[int],
    dtype: torch.dtype,
    device: str,
    canary: int = CANARY_BYTE,
) -> Guarded:
    """A destination filled with, and surrounded by, canaries."""
    size = max(extent(shape, strides), 1)
    whole = torch.empty((PAD + size + PAD,), dtype=dtype, device=device)
    # A byte other than 0 and 1 is not a bool: kernels may not read destinations, but torch may when it prints
    # one.
    _as_bytes(whole).fill_(int(canary == CANARY_BYTE) if dtype is torch.bool else canary)
    return Guarded(_inside(whole, size, shape, strides, 0), whole, _as_bytes(whole).clone())


def _inside(
    whole: torch.Tensor, size: int, shape: Sequence[int], strides: Sequence[int], offset: int
) -> torch.Tensor:
    """A tensor whose storage is the middle of ``whole``: to a kernel it looks like its own allocation."""
    width = whole.element_size()
    storage = whole.untyped_storage()[PAD * width : (PAD + size) * width]
    return torch.empty(0, dtype=whole.dtype, device=whole.device).set_(
        storage, offset, tuple(shape), tuple(strides)
    )
