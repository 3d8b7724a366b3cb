"""Calls that no backend is offered, since only PyTorch gives them the meaning or the error that they have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import torch

from torchport.contract.adapters import schema_of
from torchport.contract.graph import Graph, Node, TensorSpec
from torchport.errors import VerifierError

_LAZY_VIEWS = frozenset({"aten._conj.default", "aten._neg_view.default"})
_BY_STORAGE = frozenset(
    {"aten.as_strided.default", "aten.as_strided_copy.default", "aten.as_strided_scatter.default"}
)


def unoffered(graph: Graph) -> dict[str, VerifierError]:
    """Calls left to PyTorch, by node name, with the reason.

    They are views that leave a conjugation or a negation pending, which is a bit of the tensor and not a
    value; calls that read the storage of a tensor by strides of their own, where the tensor is not all of its
    storage in order; and calls with a number that their dtype does not hold, which PyTorch refuses at run
    time for some operators and wraps for others.
    """
    found = {}
    for node in graph.nodes:
        if node.op in _LAZY_VIEWS:
            found[node.name] = _error(node, "lazy-bit", "the result is a bit of the tensor, not a value")
            continue
        if node.op in _BY_STORAGE and not _is_its_storage(node.input_specs[0]):
            found[node.name] = _error(node, "storage", "it reads memory beside the values of its operand")
            continue
        for number in _numbers(node):
            if any(not _holds(dtype, number) for dtype in _dtypes(node, number)):
                found[node.name] = _error(node, "number-range", f"its dtype does not hold {number!r}")
    return found


def _is_its_storage(spec: TensorSpec) -> bool:
    """Whether the elements of a tensor are its storage, in order, as far as the trace knows."""
    return spec.is_contiguous and spec.storage_offset == 0


def _error(node: Node, label: str, message: str) -> VerifierError:
    return VerifierError(message, node=node.name, op=node.op, label=f"pytorch.{label}")


@lru_cache(maxsize=4096)
def _number_arguments(op: str) -> frozenset[str]:
    """Names of the arguments of an ATen operator that are numbers: not sizes, dimensions or flags."""
    if not op.startswith("aten."):
        return frozenset()
    kinds = (
        (a.name, str(a.type).removeprefix("Optional[").removesuffix("]")) for a in schema_of(op).arguments
    )
    return frozenset(name for name, kind in kinds if kind in ("number", "Scalar"))


def _numbers(node: Node) -> Iterator[int | float]:
    names = _number_arguments(node.op)
    for name, value in node.args:
        if name in names and type(value) in (int, float):
            yield value


def _dtypes(node: Node, number: float) -> Iterator[torch.dtype]:
    """Dtypes that a number is converted to: the result's, and those of operands of its own kind."""
    for spec in node.output_specs:
        if isinstance(spec, TensorSpec) and spec.dtype is not torch.bool:
            yield spec.dtype
    for spec in node.input_specs:
        if not isinstance(spec, TensorSpec) or spec.dtype is torch.bool or spec.dtype.is_complex:
            continue
        if spec.dtype.is_floating_point or isinstance(number, int):
            yield spec.dtype


def _holds(dtype: torch.dtype, number: float) -> bool:
    if dtype.is_floating_point or dtype.is_complex:
        return not math.isfinite(number) or abs(number) <= torch.finfo(dtype).max
    if not math.isfinite(number):
        return False
    limits = torch.iinfo(dtype)
    return limits.min <= number <= limits.max
