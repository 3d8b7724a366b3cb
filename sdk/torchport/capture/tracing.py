"""What composites are offered with: the private parts of PyTorch's tracing machinery, in one place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch._C import DispatchKey
from torch._functorch._aot_autograd.graph_capture_wrappers import disable_autocast
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.fx.experimental.proxy_tensor import get_proxy_mode
from torch.fx.traceback import get_current_meta, has_preserved_node_meta
from torch.utils._python_dispatch import _disable_current_modes

Hook = Callable[[torch._ops.OpOverload, tuple[Any, ...], Mapping[str, Any]], Any]
"""Called in the place of a composite; returns its result, or :data:`DESCEND`."""
DESCEND = object()

_KEYS = (DispatchKey.CompositeImplicitAutograd, DispatchKey.Autograd)
_LOCK = threading.Lock()
_HOOKED: dict[torch._ops.OpOverload, tuple[int, dict[Any, Any]]] = {}
"""Composites that are hooked now: by how many traces, and the kernels that they had."""
_STATE = threading.local()


def composites() -> Iterator[str]:
    """Every composite that PyTorch has registered for dense tensors, by its registered name."""
    for name in torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd"):
        if name.startswith("aten::"):
            yield name


def without_autocast() -> AbstractContextManager[Any]:
    """No casts inside, on any device."""
    return disable_autocast()


def autocasts(device: str) -> bool:
    """Whether autocast still has to look at the operators called here: it is on, and its kernel for the
    operator that is being called has not run.
    """
    return torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether a tensor is none of a user's or a transform's own kind."""
    return type(tensor) in (torch.Tensor, FakeTensor, FunctionalTensor, torch.nn.Parameter)


def transforms() -> bool:
    """Whether a transform of ``torch.func`` is at work."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def recording() -> bool:
    """Whether operators called here become nodes of a graph, and not only metadata."""
    return get_proxy_mode() is not None


def source_of_call() -> str:
    """The stack trace of the program's line that is being traced, as PyTorch keeps it."""
    return str(get_current_meta().get("stack_trace") or "") if has_preserved_node_meta() else ""


def traced_inside(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor that functionalization has wrapped, or the tensor itself."""
    if isinstance(tensor, FunctionalTensor):
        inner: torch.Tensor = tensor.from_functional()
        return inner
    return tensor


@contextmanager
def aside(with_casts: bool = False) -> Iterator[None]:
    """What is called inside leaves no trace in the graph, offers nothing and, by default, has no casts."""
    casts = nullcontext() if with_casts else without_autocast()
    with _disable_current_modes(), silent(), casts, torch.no_grad():
        yield


def id_of_storage(tensor: torch.Tensor) -> int:
    """A number for the memory behind a tensor, that of a transform's own kind included."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return int(tensor.untyped_storage()._cdata)


@contextmanager
def silent() -> Iterator[None]:
    """Composites called inside by this thread are offered to nobody."""
    before, _STATE.hook = getattr(_STATE, "hook", None), None
    try:
        yield
    finally:
        _STATE.hook = before


@contextmanager
def apart(op: torch._ops.OpOverload) -> Iterator[None]:
    """``op`` itself is not offered inside; composites among its parts are."""
    before: frozenset[torch._ops.OpOverload] = getattr(_STATE, "apart", frozenset())
    _STATE.apart = before | {op}
    try:
        yield
    finally:
        _STATE.apart = before


@contextmanager
def hooked(ops: Iterable[torch._ops.OpOverload], hook: Hook) -> Iterator[None]:
    """Calls of ``ops`` in this thread go to ``hook`` first, where Python dispatches them.

    Every operator is as it was when the last trace that hooks it has ended; other threads never notice.
    """
    chosen = tuple(ops)
    before = getattr(_STATE, "hook", None)
    try:
        _install(chosen)
        _STATE.hook = hook
        yield
    finally:
        _STATE.hook = before
        _remove(chosen)


def offered(op: torch._ops.OpOverload, rule: Callable[..., Any]) -> Callable[..., Any]:
    """``rule``, a decomposition of ``op`` for PyTorch's tables: the hook of this thread is asked first."""
    return _kernel(op, {DispatchKey.Autograd: rule}) if op in _HOOKED else rule


def _install(ops: Iterable[torch._ops.OpOverload]) -> None:
    with _LOCK:
        for op in ops:
            count, kernels = _HOOKED.get(op, (0, dict(op.py_kernels)))
            _HOOKED[op] = (count + 1, kernels)
            if count == 0:
                kernel = _kernel(op, kernels)
                op.py_kernels.update(dict.fromkeys(_KEYS, kernel))
                op._dispatch_cache.clear()


def _remove(ops: Iterable[torch._ops.OpOverload]) -> None:
    with _LOCK:
        for op in ops:
            count, kernels = _HOOKED[op]
            if count > 1:
                _HOOKED[op] = (count - 1, kernels)
                continue
            del _HOOKED[op]
            op.py_kernels.clear()
            op.py_kernels.update(kernels)
            op._dispatch_cache.clear()


def _kernel(op: torch._ops.OpOverload, kernels: Mapping[Any, Any]) -> Callable[..., Any]:
    own = kernels.get(DispatchKey.Autograd) or kernels.get(DispatchKey.CompositeImplicitAutograd)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        hook = getattr(_STATE, "hook", None)
        if hook is not None and op not in getattr(_STATE, "apart", ()):
            result = hook(op, args, kwargs)
            if result is not DESCEND:
                return result
        if own is not None:
            return own(*args, **kwargs)
        return op._op_dk(DispatchKey.CompositeImplicitAutograd, *args, **kwargs)

    return kernel
