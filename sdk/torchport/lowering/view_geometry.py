"""Strides of the common views of symbolic sizes, without asking PyTorch, whose answer may fix a size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchport.contract.graph import TensorSpec, Value, contiguous_strides


def view_spec(name: str, arguments: Mapping[str, Any], shape: tuple[Any, ...]) -> TensorSpec | None:
    """The spec of a view of ``self`` with the sizes ``shape``; ``None`` where the strides are not plain."""
    operand = arguments.get("self")
    if not isinstance(operand, Value) or not isinstance(operand.spec, TensorSpec):
        return None
    base = operand.spec
    match name:
        case "aten.view.default" | "aten.unsqueeze.default" if base.is_contiguous:
            return base.with_(shape=shape, stride=contiguous_strides(shape))
        case "aten.permute.default":
            order = [d % base.rank for d in arguments["dims"]] if base.rank else []
            return base.with_(shape=shape, stride=tuple(base.stride[d] for d in order))
        case "aten.expand.default":
            new = len(shape) - base.rank
            kept = [
                0 if str(size) != str(old) else stride
                for size, old, stride in zip(shape[new:], base.shape, base.stride, strict=True)
            ]
            return base.with_(shape=shape, stride=(*(0,) * new, *kept))
    return None
