"""The same faulty kernels under eager PyTorch, for suites that call operators there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.contract.adapters import to_contract
from torchport.contract.fx_import import bind_arguments
from torchport.contract.reference import flatten
from torchport_conformance.mutants.fault import Fault
from torchport_conformance.mutants.faults.shapes import KernelError
from torchport_conformance.mutants.kernel import ANY_DTYPE, Call
from torchport_conformance.mutants.mutant import Mutant
from torchport_conformance.specs import spec_of

_GUARD = 64
"""Bytes of an allocation behind a result and before it, which no suite for eager PyTorch looks at."""


class Planted(TorchDispatchMode):
    """Calls of one operator below autograd, and in one dtype, run a mutant's kernel.

    Results lie in memory of their own, as a device's would, with the strides that PyTorch gives them. What
    the kernel leaves unwritten is zero. Faults that take the process with them raise instead.

    ``calls`` counts the calls that ran the faulty kernel.
    """

    def __init__(self, mutant: Mutant) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        planted = mutant.planted
        assert isinstance(planted, Fault)  # those of programs are in no kernel
        self.mutant, self.fault, self.spec = mutant, planted, spec_of(mutant.op)
        self.calls = 0
        self.cache: dict[Any, Any] = {}

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func is not self.spec.overload:
            return func(*args, **kwargs)
        bound = to_contract(self.spec.name, tuple(bind_arguments(self.spec.overload, args, kwargs)))
        call = Call(self.spec, dict(bound), (), {}, self.cache)
        if self.mutant.dtype not in (ANY_DTYPE, call.dtype):
            return func(*args, **kwargs)
        self.calls += 1
        if self.fault.isolated:
            return self._lost(call, func, args, kwargs)
        try:
            right = func(*args, **kwargs)
        except (RuntimeError, IndexError, ValueError, TypeError):
            if self.mutant.fault == "unchecked":
                return torch.zeros(())
            raise
        outs = [_destination(r) for r in flatten(right) if isinstance(r, Tensor)]
        self.fault.plant(Call(self.spec, call.arguments, outs, {}, self.cache), self.mutant.variant)
        return _rebuilt(right, iter(outs))

    def _lost(self, call: Call, func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        on_empty = self.mutant.fault == "crashes-on-empty"
        if on_empty and all(x.numel() for _, x in call.tensors()):
            return func(*args, **kwargs)
        raise KernelError("the process would have ended")


def _destination(right: Tensor) -> Tensor:
    """Zeros with a result's strides, inside an allocation with room around it."""
    extent = (
        1 + sum((n - 1) * s for n, s in zip(right.shape, right.stride(), strict=True)) if right.numel() else 0
    )
    width = right.element_size()
    whole = torch.zeros(_GUARD + extent * width + _GUARD, dtype=torch.uint8)
    storage = whole.untyped_storage()[_GUARD : _GUARD + extent * width]
    made = torch.empty(0, dtype=right.dtype)
    return made.set_(storage, 0, tuple(right.shape), tuple(right.stride()))


def _rebuilt(right: Any, outs: Any) -> Any:
    if isinstance(right, tuple | list):
        return type(right)(_rebuilt(r, outs) for r in right)
    return next(outs) if isinstance(right, Tensor) else right


def reached(fn: Callable[[], Any]) -> frozenset[str]:
    """Names of the operators that a function calls below autograd."""
    mode = _Recording()
    with mode:
        fn()
    return frozenset(mode.names)


class _Recording(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.add(f"{func.namespace}.{func._schema.name.split('::')[1]}.{func._overloadname}")
        return func(*args, **(kwargs or {}))
