"""What a call shows to its caller: results, memory of what it was given, aliases, gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from torchport.errors import ContractError
from torchport_conformance.layers.excuses import anonymous
from torchport_conformance.propagation.worlds import Worlds

Values = list[Tensor]
"""A tensor's values: one copy of what it holds, or its values in every world."""


@dataclass(frozen=True, eq=False)
class Seen:
    """One tensor. ``facts`` is all that is compared for equality, ``values`` what is judged."""

    name: str
    facts: dict[str, Any]
    values: Values


@dataclass(eq=False)
class Observation:
    """One call. ``raised`` and ``backward_raised`` are what it raised, empty if nothing."""

    raised: str = ""
    backward_raised: str = ""
    results: list[Seen | Any] = field(default_factory=list)
    memory: list[Seen] = field(default_factory=list)
    gradients: list[Seen | None] = field(default_factory=list)
    derailed: str = ""


def observe(run: Callable[[], Any], given: Sequence[Any], worlds: Worlds | None = None) -> Observation:
    """Calls, then goes backward from a weighted sum of all results that require a gradient.

    Args:
        run: the call.
        given: tensors whose memory and gradients are looked at.
        worlds: active during the call, for the reference.
    """
    seen = Observation()
    tensors = [t for t in tree_leaves(given) if isinstance(t, Tensor)]
    try:
        result = run() if worlds is None else _within(worlds, run)
    except Exception as error:  # noqa: BLE001 - whatever is raised is compared
        _refuse_own(error, worlds)
        seen.raised = _anonymous(error)
        return seen
    leaves = tree_leaves(result)
    results = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    for i, leaf in enumerate(leaves):
        is_tensor = isinstance(leaf, Tensor)
        seen.results.append(
            Seen(f"result {i}", _facts(leaf, tensors, results), _values(leaf, worlds)) if is_tensor else leaf
        )
    seen.memory = [
        Seen(f"argument {i}", _own_facts(t), _values(_storage_of(t), worlds)) for i, t in enumerate(tensors)
    ]
    roots = [r for r in results if r.requires_grad]
    if roots:
        weights = [_weights(r) for r in roots]
        try:
            if worlds is None:
                torch.autograd.backward(roots, weights)
            else:
                _within(worlds, lambda: torch.autograd.backward(roots, weights))
        except Exception as error:  # noqa: BLE001 - whatever is raised is compared
            _refuse_own(error, worlds)
            seen.backward_raised = _anonymous(error)
        for i, tensor in enumerate(tensors):
            grad = tensor.grad if tensor.is_leaf else None
            facts = {} if grad is None else {"dtype": grad.dtype, "shape": tuple(grad.shape)}
            seen.gradients.append(
                None if grad is None else Seen(f"gradient of argument {i}", facts, _values(grad, worlds))
            )
    if worlds is not None:
        seen.derailed = worlds.derailed
    return seen


def strides(tensor: Tensor) -> tuple[int, ...]:
    """Strides of the dimensions that have any say: none of an empty tensor, none of size 1."""
    if tensor.numel() == 0:
        return ()
    return tuple(s for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1)


def _anonymous(error: Exception) -> str:
    """An exception in words, without the name of the compiler."""
    return f"{type(error).__name__}: {anonymous(str(error))}"


def _refuse_own(error: Exception, worlds: Worlds | None) -> None:
    """Raises what the worlds raised: it is no answer of eager PyTorch."""
    if worlds is not None and isinstance(error, ContractError):
        raise error


def _within(worlds: Worlds, run: Callable[[], Any]) -> Any:
    with worlds:
        return run()


def _values(tensor: Tensor, worlds: Worlds | None) -> Values:
    if worlds is not None:
        return worlds.values(tensor)
    return [tensor.detach().resolve_conj().resolve_neg().clone()]


def _storage(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _storage_of(tensor: Tensor) -> Tensor:
    """All that is in a tensor's storage, canaries included."""
    plain = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    return plain.set_(tensor.detach().untyped_storage(), 0, (count,), (1,))


def _own_facts(tensor: Tensor) -> dict[str, Any]:
    return {
        "dtype": tensor.dtype,
        "shape": tuple(tensor.shape),
        "strides": strides(tensor),
        "requires_grad": tensor.requires_grad,
    }


def _facts(tensor: Tensor, given: Sequence[Tensor], results: Sequence[Tensor]) -> dict[str, Any]:
    own = _storage(tensor)
    owners = tuple(i for i, t in enumerate(given) if _storage(t) == own)
    # An empty tensor has no memory to share.
    shares = bool(tensor.untyped_storage().nbytes())
    return {
        **_own_facts(tensor),
        "the argument or result that it is": next(
            (i for i, t in enumerate([*given, *results]) if t is tensor), None
        ),
        "arguments that it shares memory with": owners if shares else (),
        "results that it shares memory with": tuple(
            i for i, t in enumerate(results) if shares and _storage(t) == own
        ),
        "storage offset": tensor.storage_offset() if owners and tensor.numel() else None,
    }


def _weights(root: Tensor) -> Tensor:
    """Different for every element, so that gradients cannot be mixed up unseen."""
    count = max(root.numel(), 1)
    steps = 0.5 + torch.arange(root.numel(), dtype=torch.float64) / count
    return steps.to(root.dtype).view(root.shape).to(root.device)
