"""Which values a schema argument may have in a contract graph, from the argument's PyTorch type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch

from torchport.contract.graph import Opaque, ScalarSpec, TensorSpec, Value
from torchport.contract.symbols import SymExpr

Check = Callable[[Any], bool]


def _scalar_value(value: Any, kinds: tuple[str, ...]) -> bool:
    return isinstance(value, Value) and isinstance(value.spec, ScalarSpec) and value.spec.kind in kinds


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Value) and isinstance(value.spec, TensorSpec)


def _is_int(value: Any) -> bool:
    kind = type(value)
    return kind is int or kind is SymExpr or _scalar_value(value, ("int", "bool"))


def _is_bool(value: Any) -> bool:
    return type(value) is bool or type(value) is SymExpr or _scalar_value(value, ("bool",))


def _is_number(value: Any) -> bool:
    kind = type(value)
    return kind in (int, float, bool, complex, SymExpr) or _scalar_value(value, ("int", "float", "bool"))


def _is_real(value: Any) -> bool:
    return type(value) in (float, int, SymExpr) or _scalar_value(value, ("int", "float"))


_PLAIN: Mapping[str, Check] = {
    "Tensor": _is_tensor,
    "int": _is_int,
    "SymInt": _is_int,
    "bool": _is_bool,
    "SymBool": _is_bool,
    "float": _is_real,
    "SymFloat": _is_real,
    "number": _is_number,
    "Scalar": _is_number,
    "str": lambda value: type(value) is str,
    "ScalarType": lambda value: isinstance(value, torch.dtype),
    "Layout": lambda value: isinstance(value, torch.layout),
    "MemoryFormat": lambda value: isinstance(value, torch.memory_format),
    "Device": lambda value: isinstance(value, torch.device | str),
    "Generator": lambda value: isinstance(value, Opaque | torch.Generator),
    "Stream": lambda value: isinstance(value, Opaque),
}


def _list_of(item: Check) -> Check:
    return lambda value: type(value) is tuple and all(map(item, value))


def _optional(item: Check) -> Check:
    return lambda value: value is None or item(value)


@cache
def checker(type_text: str) -> Check:
    """A predicate for a schema type as PyTorch prints it, such as ``Optional[List[SymInt]]``; unknown types
    pass.
    """
    for prefix, make in (("Optional[", _optional), ("List[", _list_of)):
        if type_text.startswith(prefix):
            return make(checker(type_text[len(prefix) : -1]))
    return _PLAIN.get(type_text, lambda value: True)
