"""Arguments that are not tensors: the contract's choices, evaluated where they are expressions over the
tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from torchport.contract.dtype_rules import dtype_from_name
from torchport.contract.graph import TensorSpec
from torchport.contract.shape_rules import Bindings, bind, parse
from torchport.errors import ContractError
from torchport_conformance.cases.case import Argument, SizeExpr, TensorPlan, strides_of


def bindings_of(arguments: Mapping[str, Argument], letters: Mapping[str, Any]) -> Bindings:
    """What the rules and expressions of an operator see: its arguments, and the letters of its patterns."""
    known = {name: _seen(argument) for name, argument in arguments.items()}
    return bind({**letters, **known})


def _seen(argument: Argument) -> Any:
    if isinstance(argument, TensorPlan):
        strides, offset = strides_of(argument)
        return TensorSpec(argument.shape, strides, argument.dtype, storage_offset=offset)
    if isinstance(argument, tuple):
        return tuple(_seen(a) for a in argument)
    return argument.value if isinstance(argument, SizeExpr) else argument


def reads(argument: Argument) -> frozenset[str]:
    """Names that an argument's expressions read: other arguments, or letters."""
    if isinstance(argument, tuple):
        return frozenset[str]().union(*(reads(a) for a in argument))
    if isinstance(argument, TensorPlan) and isinstance(argument.dims, str):
        return names_in(argument.dims)
    return names_in(argument.text) if isinstance(argument, SizeExpr) else frozenset()


def names_in(text: str) -> frozenset[str]:
    """Names that an expression of the shape-rule language reads."""
    rule = parse(text)
    return frozenset((*rule.names, *rule.dtype_names))


def in_order(needs: Mapping[str, frozenset[str]]) -> list[str]:
    """Names such that each comes after those it needs; needs that are not among the names do not count.

    Raises:
        ContractError: the needs form a cycle.
    """
    done: list[str] = []
    while len(done) < len(needs):
        ready = [
            n for n in needs if n not in done and all(m in done or m not in needs for m in needs[n] - {n})
        ]
        if not ready:
            raise ContractError(
                "operands depend on each other in a circle", got=", ".join(needs.keys() - set(done))
            )
        done += ready
    return done


def evaluated(text: str, bindings: Bindings) -> Any:
    """The value of an expression, lists as tuples.

    Raises:
        ContractError: the expression does not apply to the arguments.
    """
    return _frozen(parse(text).raw(bindings))


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, tuple | list) else value


def choice_argument(choice: Any, schema_type: str, bindings: Bindings) -> Argument:
    """One of an operand's choices as an argument of a case.

    A text is an expression, save for string arguments, where only a quoted text is, and for dtype arguments,
    where it is a dtype's name.
    """
    if is_expression(choice, schema_type):
        value = evaluated(choice, bindings)
        return dtype_from_name(value) if "ScalarType" in schema_type else SizeExpr(choice, value)
    if isinstance(choice, str) and "ScalarType" in schema_type:
        return dtype_from_name(choice)
    return tuple(choice) if isinstance(choice, list) else choice


def is_expression(choice: Any, schema_type: str) -> bool:
    """Whether one of an operand's choices is an expression over other arguments."""
    if not isinstance(choice, str):
        return False
    if "ScalarType" in schema_type:
        return not choice.isidentifier()
    return "str" not in schema_type or choice[:1] in "'\""


def choice_text(argument: Argument) -> str:
    """How a choice appears in case ids: without spaces and brackets that would hide the id's structure."""
    if isinstance(argument, SizeExpr):
        argument = argument.value
    if isinstance(argument, torch.dtype):
        return str(argument).removeprefix("torch.")
    if isinstance(argument, tuple):
        return f"({','.join(choice_text(a) for a in argument)})"
    return f"{argument:g}" if isinstance(argument, float) else str(argument)
