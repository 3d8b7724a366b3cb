"""Records the ATen calls of OpInfo's samples and writes the data file.

``python -m torchport_conformance.cases.freeze_opinfo`` runs every sample on the CPU. Of the calls of an
operator those are kept that have an attribute, a rank, a dtype, a layout or an extreme size which no call
before them had.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.contract import shape_rules
from torchport.contract.fx_import import bind_arguments
from torchport.contract.spec import OpSpec, qualified_name
from torchport.errors import ContractError
from torchport_conformance.cases import frozen
from torchport_conformance.cases.arguments import bindings_of
from torchport_conformance.cases.case import Argument, Case, TensorPlan
from torchport_conformance.cases.freeze_errors import attempts
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.opinfo import FILE
from torchport_conformance.cases.violations import Search
from torchport_conformance.specs import all_specs, defaults_of

_DTYPES = (torch.float32, torch.int64, torch.complex64, torch.bool, torch.float16)
_MOST = 4096
"""Elements of the largest operand that is kept."""
_SAMPLES = 60
_PER_OP = 24


class _Recorder(TorchDispatchMode):
    """Records the contract's calls, each once."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.specs = all_specs()
        self.sample = ""
        self.calls: dict[str, dict[str, tuple[str, tuple[tuple[str, Argument], ...]]]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        spec = self.specs.get(qualified_name(func))
        if spec is not None:
            arguments = planned(spec, dict(bind_arguments(func, args, kwargs or {})))
            if arguments is not None:
                found = self.calls.setdefault(spec.name, {})
                found.setdefault(str(arguments), (self.sample, arguments))
        return func(*args, **(kwargs or {}))


def planned(spec: OpSpec, given: dict[str, Any]) -> tuple[tuple[str, Argument], ...] | None:
    """A recorded call as arguments of a case; None where conformance cannot make it again."""
    defaults = defaults_of(spec)
    found: dict[str, Argument] = {}
    for name, value in given.items():
        if name in defaults and not isinstance(value, torch.Tensor) and value == defaults[name]:
            continue
        # Values of operands that the contract does not describe cannot be drawn.
        values = spec.operands[name].values if name in spec.operands else ""
        try:
            found[name] = _planned(value, values)
        except ContractError:
            return None
    try:
        return tuple((n, _bounded(a, found)) for n, a in found.items())
    except ContractError:
        return None


def _planned(value: Any, values: str) -> Argument:
    if isinstance(value, torch.Tensor):
        if type(value) is not torch.Tensor or value.layout is not torch.strided or value.numel() > _MOST:
            raise ContractError("no operand of a case")
        if not values or (value.dtype is torch.bool and values.startswith("index")):
            raise ContractError("no values can be drawn, or the result's size depends on them")
        shape = tuple(value.shape)
        return TensorPlan(shape, shape, value.dtype, _layout_of(value), values)
    if isinstance(value, tuple | list):
        return tuple(_planned(v, values) for v in value)
    frozen.encoded(value)
    return value


def _layout_of(value: torch.Tensor) -> str:
    """The named layout with the tensor's strides; a contiguous one where none has them."""
    shape = tuple(value.shape)
    for layout in LAYOUTS.values():
        if layout.applies(len(shape)) and tuple(layout.strides(shape)) == value.stride():
            return layout.name
    return "contiguous"


def _bounded(argument: Argument, given: dict[str, Argument]) -> Argument:
    """The argument with its value class's bound resolved."""
    if isinstance(argument, tuple):
        return tuple(_bounded(a, given) for a in argument)
    if not isinstance(argument, TensorPlan):
        return argument
    kind, _, expression = argument.values.partition("(")
    if kind not in ("index", "ends", "offsets"):
        return argument
    bound = int(shape_rules.parse(expression[:-1]).raw(bindings_of(given, {})))
    if bound < 1:
        raise ContractError("there is nothing to index")
    return replace(argument, values=f"{kind}:{bound}")


def record() -> _Recorder:
    """Runs the samples of every OpInfo."""
    from torch.testing._internal.common_methods_invocations import op_db

    recorder = _Recorder()
    for info in op_db:
        for dtype in _DTYPES:
            if dtype in info.supported_dtypes("cpu"):
                _record_samples(recorder, info, dtype)
    return recorder


def _record_samples(recorder: _Recorder, info: Any, dtype: torch.dtype) -> None:
    recorder.sample = f"{info.name}{'_' + info.variant_test_name if info.variant_test_name else ''}"
    torch.manual_seed(0)
    try:
        for sample in islice(info.sample_inputs("cpu", dtype, requires_grad=False), _SAMPLES):
            with recorder, torch.no_grad():
                info.op(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:  # noqa: BLE001 - some samples need what this machine lacks; said, not hidden
        sys.stderr.write(f"{info.name} {dtype}: {type(error).__name__}\n")


def chosen(spec: OpSpec, calls: Any) -> Iterator[tuple[str, tuple[tuple[str, Argument], ...]]]:
    """Calls that the contract allows and that have something which none before them had."""
    search, seen, count = Search(spec), set[Any](), 0
    for sample, arguments in calls:
        features = set(_features(arguments))
        if features <= seen:
            continue
        try:
            if search.broken(dict(arguments)):
                continue
        except (ContractError, ValueError, TypeError, AttributeError, RuntimeError, IndexError):
            continue
        seen |= features
        count += 1
        yield sample, arguments
        if count == _PER_OP:
            return


def _features(arguments: Any) -> Iterator[Any]:
    for name, argument in arguments:
        plans = argument if isinstance(argument, tuple) else (argument,)
        if not any(isinstance(p, TensorPlan) for p in plans):
            yield name, str(argument)
            continue
        yield name, len(plans)
        for plan in plans:
            if isinstance(plan, TensorPlan):
                ones, empty = 1 in plan.shape, 0 in plan.shape
                yield from ((name, len(plan.shape), ones, empty), (name, plan.dtype), (name, plan.layout))


def freeze(recorder: _Recorder) -> dict[str, Any]:
    """The content of the data file: calls that eager PyTorch runs on conformance's values."""
    ops: dict[str, Any] = {}
    for name, calls in sorted(recorder.calls.items()):
        kept = list(chosen(recorder.specs[name], calls.values()))
        runs = attempts([(Case(f"{name}[{i}]", name, a), None) for i, (_, a) in enumerate(kept)])
        fine = [c for c, result in zip(kept, runs, strict=True) if result == ""]
        if fine:
            ops[name] = [[s, [[n, frozen.encoded(a)] for n, a in arguments]] for s, arguments in fine]
    return {"ops": ops, "torch": torch.__version__.partition("+")[0]}


def main() -> None:
    """Writes the file."""
    warnings.simplefilter("ignore")
    data = freeze(record())
    path = frozen.write(Path(__file__).parent / "data", FILE, data)
    count = sum(map(len, data["ops"].values()))
    sys.stdout.write(f"{count} calls of {len(data['ops'])} operators: {path} {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
