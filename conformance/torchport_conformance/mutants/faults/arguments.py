"""Arguments that are ignored, or kept from another call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, tensors_of
from torchport_conformance.mutants.faults.shapes import KernelError
from torchport_conformance.mutants.kernel import Call

_SHAPES = (
    "size",
    "shape",
    "dtype",
    "memory_format",
    "output_size",
    "layout",
    "device",
    "pin_memory",
    "generator",
)
_STEERING = (
    "dim",
    "dims",
    "keepdim",
    "stable",
    "sparse",
    "implicit",
    "check_errors",
    "non_blocking",
    "cudnn_enable",
)


def neutral(spec: OpSpec, name: str) -> Any:
    """What an argument is taken for where it is ignored: its default, else the usual nothing of its kind.

    Raises:
        KeyError: the argument has no such value.
    """
    argument = next(a for a in spec.signature.arguments if a.name == name)
    if argument.has_default_value() and argument.default_value is not None:
        return argument.default_value
    kind = str(argument.type)
    if kind == "bool" or kind == "Optional[bool]":
        return False
    if kind.startswith("Optional"):
        return None
    ones = {"stride": 1, "dilation": 1, "groups": 1, "padding": 0, "output_padding": 0, "padding_idx": -1}
    return ones[name]


def ignorable(spec: OpSpec) -> Iterable[str]:
    """Arguments other than tensors whose value matters and that conformance gives other values."""
    known = {a.name for a in spec.signature.arguments}
    if spec.category in (Category.CREATION, Category.RANDOM):
        return
    for name, operand in spec.operands.items():
        if operand.pattern is not None or name not in known or name in _SHAPES + _STEERING:
            continue
        try:
            usual = neutral(spec, name)
        except KeyError:
            continue
        if len(operand.choices) > 1 and any(_differs(c, usual) for c in operand.choices):
            yield name


def _differs(choice: Any, usual: Any) -> bool:
    if isinstance(choice, list | tuple):
        return any(_differs(c, usual) for c in choice)
    return bool(choice != usual) or (type(choice) is bool and choice is not usual)


def _filled(value: Any, usual: Any) -> Any:
    """The neutral value in the form of what was given."""
    listed = isinstance(value, list | tuple) and not isinstance(usual, list | tuple)
    return [usual] * len(value) if listed else usual


def _ignored(call: Call, name: str) -> None:
    """Where ignoring the argument would change a shape, it is honoured."""
    usual = _filled(call.arguments[name], neutral(call.spec, name))
    try:
        results = call.right({name: usual})
    except (RuntimeError, ValueError, TypeError, IndexError, ZeroDivisionError):
        results = call.right()
    fits = len(results) == len(call.outs) and all(
        r.shape == o.shape for r, o in zip(results, call.outs, strict=True)
    )
    call.write(results if fits else call.right())


def _optional(spec: OpSpec) -> Iterable[str]:
    for name in tensors_of(spec):
        if spec.operands[name].optional:
            yield name


def _tensor_ignored(call: Call, name: str) -> None:
    results = call.right({name: None})
    call.write(results if len(results) == len(call.outs) else call.right())


def _optional_needed(call: Call, name: str) -> None:
    if call.arguments[name] is None:
        raise KernelError(f"{name} is needed")
    call.write(call.right())


def _stale(call: Call, name: str) -> None:
    """The argument's value of the first call with these ranks and dtypes is kept."""
    key = (name, tuple((x.dim(), x.dtype) for _, x in call.tensors()))
    value = call.cache.setdefault(key, call.arguments[name])
    try:
        results = call.right({name: value})
    except (RuntimeError, ValueError, TypeError, IndexError, ZeroDivisionError):
        results = call.right()
    fits = [r.shape for r in results] == [o.shape for o in call.outs]
    call.write(results if fits else call.right())


def _varied(spec: OpSpec) -> Iterable[str]:
    """Numbers and flags that conformance gives several values."""
    yield from ignorable(spec)
    known = {a.name for a in spec.signature.arguments}
    for name, operand in spec.operands.items():
        values = {repr(c) for c in operand.choices}
        steers = name in ("dim", "keepdim", "fill_value", "value", "start", "end", "step", "steps")
        if operand.pattern is None and name in known and steers and len(values) > 1:
            yield name


def _stale_operand(call: Call, name: str) -> None:
    """The operand is packed at the first call, as weights are, and never read again."""
    for given, x in call.tensors():
        if given == name:
            key = (name, tuple(x.shape), x.dtype)
            kept = call.cache.setdefault(key, x.clone())
            call.write(call.right({name: kept}) if isinstance(call.arguments[name], Tensor) else call.right())
            return
    call.write(call.right())


def _weights(spec: OpSpec) -> Iterable[str]:
    for name in tensors_of(spec):
        if name in ("weight", "mat2", "bias", "running_mean", "running_var", "batch2", "vec"):
            yield name


def _mask_of_gradients(call: Call, variant: str) -> None:
    """Gradients of parameters are made on the way to that of the input: without it, they are zero."""
    results, mask = call.right(), call.arguments["output_mask"]
    if not mask[0]:
        results = [torch.zeros_like(r) for r in results]
    call.write(results)


def _masked_gradients(spec: OpSpec) -> Iterable[str]:
    masks = spec.operands["output_mask"].choices if "output_mask" in spec.operands else ()
    return ("",) if any(isinstance(m, list) and not m[0] for m in masks) else ()


def _first_gradient_alone(call: Call, variant: str) -> None:
    """Gradients are right when all of them are asked for."""
    results, mask = call.right(), call.arguments["output_mask"]
    if not all(mask):
        results = [r * 2 for r in results]
    call.write(results)


FAULTS = (
    Fault(
        "argument-ignored",
        "an argument is taken for its default",
        ("train-eval-flag", "padding-idx", "ceil-mode", "align-corners", "conv-transpose"),
        _ignored,
        ignorable,
    ),
    Fault(
        "optional-tensor-ignored",
        "an optional tensor is taken for absent",
        ("optional-arg",),
        _tensor_ignored,
        _optional,
    ),
    Fault(
        "optional-tensor-needed",
        "a call without an optional tensor is refused",
        ("optional-arg",),
        _optional_needed,
        _optional,
    ),
    Fault(
        "stale-argument",
        "an argument keeps its value of the first call",
        ("cache-key", "dynamic-scalar", "guard-miss", "autocast-state"),
        _stale,
        _varied,
    ),
    Fault(
        "stale-weight",
        "an operand keeps the values of the first call",
        ("cache-key", "saved-tensor-mutation"),
        _stale_operand,
        _weights,
    ),
    Fault(
        "masked-gradients-zero",
        "without the input's gradient the others are zero",
        ("grad-mask",),
        _mask_of_gradients,
        _masked_gradients,
    ),
    Fault(
        "masked-gradients-doubled",
        "gradients are right only where all are asked for",
        ("grad-mask",),
        _first_gradient_alone,
        _masked_gradients,
    ),
)
