"""Writes that name a place more than once: which of its values stands there in the end is open.

PyTorch says so of ``index_put`` without ``accumulate``, of ``put``, ``index_copy`` and ``scatter``: with
several threads the last to write is another one in every run. ``unique-indices`` in ``numerics.special``
marks what is about one write to each place. ``kv_cache_write`` is made of such a write; unpooling and
``as_strided_scatter`` are some, too. Each element of a result is one of the values written there, bit for
bit. Elements of one row need not agree on which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from torchport.contract.spec import OpSpec

Arguments = Mapping[str, Any]


def is_order_open(spec: OpSpec, arguments: Arguments) -> bool:
    """Whether a call writes to some place more than once without combining the values.

    Args:
        spec: the operator.
        arguments: every schema argument.
    """
    found = _written(spec, arguments)
    return found is not None and bool((_times(found[0]) > 1).any())


def open_where_repeated(spec: OpSpec, arguments: Arguments, expected: Tensor, got: Tensor) -> Tensor:
    """The reference with the elements of ``got`` in places that are written more than once, where they are
    one of the values written there.

    Args:
        spec: the operator.
        arguments: every schema argument, tensors in their dtypes.
        expected: the output of the reference.
        got: the output to be judged.
    """
    found = _written(spec, arguments)
    if found is None or got.shape != expected.shape:
        return expected
    places, values = found
    mine = got.detach().cpu().contiguous().view(-1)
    times = _times(places, mine.numel())
    if not bool((times > 1).any()):
        return expected
    one_of_them = torch.zeros(mine.numel(), dtype=torch.bool)
    one_of_them[places[_same(mine[places], values.to(mine.dtype))]] = True
    right = ((times > 1) & one_of_them).view(expected.shape)
    return torch.where(right, got.detach().cpu().to(expected.dtype), expected)


def _written(spec: OpSpec, arguments: Arguments) -> tuple[Tensor, Tensor] | None:
    """The places that a call writes to, as positions in the flat result, and the value written to each; None
    where the operator is no such write.
    """
    write = _WRITES.get(spec.name)
    if write is None or arguments.get("accumulate"):
        return None
    places, values = write(arguments)
    return places.reshape(-1).cpu(), values.reshape(-1).cpu()


def _times(places: Tensor, count: int = 0) -> Tensor:
    """How often each place is written."""
    return torch.bincount(places, minlength=count)


def _same(a: Tensor, b: Tensor) -> Tensor:
    """Which elements are the same bit for bit; any NaN is as good as another."""
    if not a.numel():
        return torch.zeros(0, dtype=torch.bool)
    x, y = (t.contiguous().view(torch.uint8).view(t.numel(), -1) for t in (a, b))
    same = (x == y).all(1)
    return same | (a.isnan() & b.isnan()) if a.is_floating_point() or a.is_complex() else same


def _positions(shape: torch.Size) -> Tensor:
    return torch.arange(shape.numel()).view(shape)


def _put(a: Arguments) -> tuple[Tensor, Tensor]:
    return torch.take(_positions(a["self"].shape), a["index"]), a["source"]


def _index_put(a: Arguments) -> tuple[Tensor, Tensor]:
    places = torch.ops.aten.index.Tensor(_positions(a["self"].shape), a["indices"])
    return places, a["values"].expand(places.shape)


def _scatter(a: Arguments) -> tuple[Tensor, Tensor]:
    index, source = torch.atleast_1d(a["index"]), torch.atleast_1d(a["src"])
    if not index.numel():
        return torch.zeros(0, dtype=torch.int64), source.reshape(-1)[:0]
    places = torch.atleast_1d(_positions(a["self"].shape)).gather(a["dim"], index.to(torch.int64))
    return places, source[tuple(slice(0, n) for n in index.shape)]


def _slices(destination: str, index: str, source: str) -> Callable[[Arguments], tuple[Tensor, Tensor]]:
    def written(a: Arguments) -> tuple[Tensor, Tensor]:
        positions = torch.atleast_1d(_positions(a[destination].shape))
        places = positions.index_select(a["dim"], a[index].reshape(-1).to(torch.int64))
        return places, a[source]

    return written


def _as_strided(a: Arguments) -> tuple[Tensor, Tensor]:
    positions = _positions(a["self"].shape).view(-1)
    return positions.as_strided(a["size"], a["stride"], a["storage_offset"] or 0), a["src"]


def _unpool(axes: int) -> Callable[[Arguments], tuple[Tensor, Tensor]]:
    def written(a: Arguments) -> tuple[Tensor, Tensor]:
        x = a["self"]
        positions = _positions(torch.Size((*x.shape[:-axes], *a["output_size"]))).flatten(-axes)
        return positions.gather(-1, a["indices"].flatten(-axes)), x

    return written


_WRITES: Mapping[str, Callable[[Arguments], tuple[Tensor, Tensor]]] = {
    "aten.put.default": _put,
    "aten.index_put.default": _index_put,
    "aten._unsafe_index_put.default": _index_put,
    "aten._index_put_impl.default": _index_put,
    "aten.scatter.src": _scatter,
    "aten.index_copy.default": _slices("self", "index", "source"),
    "aten.as_strided_scatter.default": _as_strided,
    "torchport.kv_cache_write.default": _slices("cache", "positions", "update"),
    "aten.max_unpool2d.default": _unpool(2),
    "aten.max_unpool3d.default": _unpool(3),
}
