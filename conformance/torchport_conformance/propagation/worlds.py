"""Error bounds of whole programs by Monte Carlo arithmetic in float64, driven by the contract's numerics.

While a program runs in eager PyTorch, every operator is also run on float64 twins of its operands in several
*worlds*. World 0 is undisturbed: it is the exact result. In every other world each result of an operator is
moved, elementwise, by random shares (of either sign) of :data:`AMPLITUDE` times what the contract allows that
operator to be wrong by; the worlds come in pairs that are moved in opposite directions, so that a choice
between equals goes both ways. How far the worlds end up apart is how far an allowed error can reach through
what follows it: the condition of the problem is measured, not modelled (Parker, *Monte Carlo Arithmetic*,
1997; Vignes, 1993).

The bound on an element is :data:`FACTOR` times its largest distance from world 0. An element is not judged
where the worlds disagree about what is no matter of size: an index, a comparison, a NaN, an infinity. Where
no operator rounds, the worlds agree and the bound is 0: what is only moved is compared exactly.

The true run decides the control flow, so that views, writes in place, aliases, the autograd engine and sizes
that depend on values are those of eager. Twins belong to storages: a view of a tensor is a view of its twin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from torchport.contract.roundoff import ulp
from torchport.contract.spec import qualified_name
from torchport.contract.views import is_view
from torchport.errors import ContractError
from torchport_conformance.propagation.charges import UNDECLARED_WRITES, charges, functional_spec

PAIRS = 6
"""Pairs of disturbed worlds. The bound on an element is too small only where the errors cancel in all of
them: for an error as large as all that the contract allows, a probability of about 1e-8."""
AMPLITUDE = 4.0
FACTOR = 4.0
_WIDE = {torch.complex32: torch.complex128, torch.complex64: torch.complex128}


def wide(dtype: torch.dtype) -> torch.dtype:
    """The dtype of a twin: float64 or complex128 of what is inexact."""
    if dtype.is_floating_point:
        return torch.float64
    return _WIDE.get(dtype, dtype)


@dataclass(eq=False)
class _Twin:
    """The storages that stand for one storage, by world; ``ratio`` is how much larger they are."""

    owner: torch.UntypedStorage
    ratio: int
    storages: list[torch.UntypedStorage]


class Worlds(TorchDispatchMode):
    """Runs what is called while it is active in every world.

    Attributes:
        derailed: why values cannot be judged at all: a size or a number that the program read depends on
            rounding. Empty otherwise.
    """

    def __init__(self, seed: int, pairs: int = PAIRS) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._count, self._generator = 2 * pairs + 1, torch.Generator().manual_seed(seed % 2**63)
        self._twins: dict[int, _Twin] = {}
        self.derailed = ""

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        named = dict(kwargs or {})
        if func is torch.ops.aten._efficientzerotensor.default:
            func = torch.ops.aten.zeros.default  # Gradients that are zero have no memory to make a twin of.
        if _is_composite(func):
            with self:
                return func.decompose(*args, **named)
        for tensor in _tensors((args, named)):
            self._twin(tensor)
        if not isinstance(func, torch._ops.OpOverload) or is_view(qualified_name(func)):
            return func(*args, **named)
        written = _written(func, args, named)
        if torch.Tag.inplace_view in func.tags or func.name().startswith("aten::set_"):
            return func(*args, **named)
        before = _before(written, (args, named))
        result = func(*args, **named)
        returned = [*_flat(result)]
        true = [*returned, *(t for t in written if all(t is not r for r in returned))]
        if torch.Tag.nondeterministic_seeded in func.tags or "empty" in func.name():
            self._adopt(true)
            return result
        try:
            with _wide_defaults():
                if any(isinstance(t, Tensor) for t in true):
                    self._replay(func, (args, named), true, written, before)
                elif true:
                    self._watch(func, args, named, true)
        except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError) as error:
            raise ContractError(
                "an operator has no exact counterpart", op=str(func), got=str(error)
            ) from error
        return result

    def values(self, tensor: Tensor) -> list[Tensor]:
        """The tensor's values in every world, of its shape, in a wide dtype."""
        return [self._shadow(tensor, k).clone() for k in range(self._count)]

    # --- twins ---

    def _twin(self, tensor: Tensor) -> _Twin:
        storage = tensor.untyped_storage()
        ratio = torch.empty((), dtype=wide(tensor.dtype)).element_size() // tensor.element_size()
        found = self._twins.get(storage._cdata)
        if found is None or found.ratio != ratio:
            # Reinterpreted bits have no twin: they are taken as they are.
            flat = _whole(tensor).to(wide(tensor.dtype))
            found = _Twin(storage, ratio, [flat.clone().untyped_storage() for _ in range(self._count)])
            self._twins[storage._cdata] = found
        size = storage.nbytes() * ratio
        for twin in found.storages:
            if twin.nbytes() < size:
                twin.resize_(size)
        return found

    def _shadow(self, tensor: Tensor, world: int) -> Tensor:
        twin = self._twin(tensor)
        shadow = torch.empty(0, dtype=wide(tensor.dtype)).set_(
            twin.storages[world], tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride())
        )
        if tensor.is_conj():
            shadow = shadow.conj()
        return torch._neg_view(shadow) if tensor.is_neg() else shadow

    def _adopt(self, tensors: Sequence[Any]) -> None:
        """Random numbers, and memory that nobody wrote, are the same in every world."""
        for tensor in tensors:
            if isinstance(tensor, Tensor):
                for world in range(self._count):
                    self._shadow(tensor, world).copy_(tensor)

    # --- operators ---

    def _replay(
        self, func: Any, given: Any, true: Sequence[Any], written: Sequence[Tensor], before: Any
    ) -> None:
        """Runs an operator in every world. ``given`` and ``before`` are its operands after and before it ran,
        ``true`` what it returned and wrote.
        """
        fresh = [isinstance(t, Tensor) and t.untyped_storage()._cdata not in self._twins for t in true]
        noises = [self._noise(limit) for limit in charges(func, before[0], before[1], true)]
        for world in range(self._count):
            if _of_bits(func):
                values = self._narrow_results(func, given, world)
            else:
                args, named = _widened(self._swapped(given, world))
                if world % 2:
                    args, named = _overflowing((args, named), true)
                values = [*_flat(func(*args, **named))]
            for position, tensor in enumerate(true):
                if not isinstance(tensor, Tensor):
                    continue
                if fresh[position]:
                    value = values[position]
                    if not isinstance(value, Tensor) or value.shape != tensor.shape:
                        self.derailed = f"sizes of {func} depend on rounding"
                        continue
                    self._shadow(tensor, world).copy_(value)
                noise = noises[position]
                if world and noise is not None and (fresh[position] or any(tensor is w for w in written)):
                    _disturb(self._shadow(tensor, world), noise[(world - 1) // 2], world, tensor)

    def _narrow_results(self, func: Any, given: Any, world: int) -> list[Any]:
        """The results of an operator that is about the bits of its dtype: it has no meaning in another."""
        narrow: dict[int, Tensor] = {}

        def rounded(a: Any) -> Any:
            if not isinstance(a, Tensor):
                return a
            return narrow.setdefault(id(a), self._shadow(a, world).to(a.dtype))

        args, named = tree_map(rounded, given)
        values = [*_flat(func(*args, **named))]
        for tensor in _written(func, *given):
            self._shadow(tensor, world).copy_(narrow[id(tensor)])
        return values

    def _noise(self, limit: Tensor | None) -> list[Tensor] | None:
        """What each pair of worlds is moved by."""
        if limit is None or not bool(limit.any()):
            return None
        size = AMPLITUDE * limit.nan_to_num(nan=0.0, posinf=0.0)
        shape = (self._count // 2, *limit.shape)
        shares = 0.5 + 0.5 * torch.rand(shape, generator=self._generator, dtype=torch.float64)
        signs = torch.randint(0, 2, shape, generator=self._generator) * 2 - 1
        return [*(shares * signs * size)]

    def _watch(self, func: Any, args: Sequence[Any], named: Mapping[str, Any], true: Sequence[Any]) -> None:
        """Numbers that the program reads: they must not depend on rounding."""
        for world in range(self._count):
            own = _flat(func(*self._swapped(args, world), **self._swapped(named, world)))
            if [*own] != [*true]:
                self.derailed = "a number that the program reads depends on rounding"

    def _swapped(self, tree: Any, world: int) -> Any:
        return tree_map(lambda a: self._shadow(a, world) if isinstance(a, Tensor) else a, tree)


@cache
def _is_composite(func: Any) -> bool:
    """Whether a call of an operator is calls of others. Autograd makes these of it, so that the operator
    itself arrives only in inference mode, which has no autograd.
    """
    if not isinstance(func, torch._ops.OpOverload) or not func._can_decompose():
        return False
    return not torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CPU")


def _of_bits(func: Any) -> bool:
    spec = functional_spec(func)
    return spec is not None and "own-precision" in spec.numerics.special


def _disturb(shadow: Tensor, noise: Tensor, world: int, true: Tensor) -> None:
    moved = noise if world % 2 else -noise
    shadow.add_(torch.complex(moved, moved) if shadow.is_complex() else moved)
    if world % 2 and not shadow.is_complex():
        # Fused code may keep intermediates in a wider dtype, or not: what overflows does so in half the
        # worlds.
        largest = torch.finfo(true.dtype).max
        shadow.masked_fill_(shadow > largest, torch.inf).masked_fill_(shadow < -largest, -torch.inf)


def _widened(tree: Any) -> Any:
    args, named = tree_map(lambda a: wide(a) if isinstance(a, torch.dtype) else a, tree)
    return args, named


def _overflowing(tree: Any, true: Sequence[Any]) -> Any:
    """Numbers that do not fit the result's dtype are infinite in half the worlds: an implementation may
    convert them first.
    """
    dtype = next((t.dtype for t in true if isinstance(t, Tensor) and t.is_floating_point()), torch.float64)
    largest = torch.finfo(dtype).max
    return tree_map(
        lambda a: math.copysign(math.inf, a) if isinstance(a, float) and abs(a) > largest else a, tree
    )


def _before(written: Sequence[Tensor], tree: Any) -> tuple[Any, Any]:
    """The operands as they were: copies of those that are about to be written."""
    kept = {id(t): t.clone() for t in written}
    args, named = tree_map(lambda a: kept.get(id(a), a) if isinstance(a, Tensor) else a, tree)
    return args, named


def _written(func: Any, args: Sequence[Any], named: Mapping[str, Any]) -> list[Tensor]:
    found: list[Tensor] = []
    undeclared = UNDECLARED_WRITES.get(qualified_name(func), ())
    for i, argument in enumerate(func._schema.arguments):
        declared = argument.alias_info is not None and argument.alias_info.is_write
        if declared or argument.name in undeclared:
            value = args[i] if i < len(args) else named.get(argument.name)
            found += _tensors(value)
    return found


def _tensors(tree: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def _flat(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for item in result:
            yield from _flat(item)
    elif result is not None:
        yield result


def _whole(tensor: Tensor) -> Tensor:
    """All that is in a tensor's storage, in the tensor's dtype."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    plain = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return plain.set_(tensor.untyped_storage(), 0, (count,), (1,))


@contextmanager
def _wide_defaults() -> Iterator[None]:
    """Integers become float64 where they become floats."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_default_dtype(before)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The comparison of one tensor with its worlds. ``ratio`` is the largest error over its bound, infinite
    where none is allowed; ``judged`` of ``elements`` could be judged.
    """

    ratio: float
    elements: int
    judged: int
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether everything that could be judged is within its bound."""
        return not self.message


def judge(got: Tensor, worlds: Sequence[Tensor]) -> Judgement:
    """Compares a tensor with what it is in every world.

    Args:
        got: the tensor, in its own dtype.
        worlds: its values in each world, of the same shape, world 0 first.
    """
    got = got.detach().cpu().resolve_conj().resolve_neg()
    if got.is_complex():
        got = torch.view_as_real(got)
        worlds = [torch.view_as_real(w.resolve_conj()) for w in worlds]
    exact, others = worlds[0], worlds[1:]
    if not got.numel():
        return Judgement(0.0, 0, 0)
    if not got.is_floating_point():
        stable = torch.ones_like(exact, dtype=torch.bool)
        for other in others:
            stable &= other == exact
        wrong = stable & (got != exact)
        return _judgement(got, exact, torch.where(wrong, torch.inf, 0.0), stable, None)
    distance = torch.zeros_like(exact)
    stable = torch.ones_like(exact, dtype=torch.bool)
    for other in others:
        alike = (other.isnan() == exact.isnan()) & (other.isinf() == exact.isinf())
        stable &= alike & (~exact.isinf() | (other == exact))
        distance = torch.maximum(distance, (other - exact).abs().nan_to_num(0.0, 0.0, 0.0))
    rounded = exact.to(got.dtype).to(torch.float64)
    limit = FACTOR * distance + torch.where(rounded != exact, 0.5 * ulp(exact, got.dtype), 0.0)
    stable &= exact.isinf() | exact.isnan() | (exact.abs() + limit < torch.finfo(got.dtype).max)
    value = got.to(torch.float64)
    error = (value - exact).abs()
    ratio = torch.where(error > 0, error / limit.clamp(min=torch.finfo(torch.float64).tiny), 0.0)
    odd = exact.isnan() | exact.isinf() | value.isnan() | value.isinf()
    same = (value == exact) | (value.isnan() & exact.isnan())
    ratio = torch.where(odd, torch.where(same, 0.0, torch.inf), ratio)
    ratio = torch.where((error > 0) & (limit == 0) & ~odd, torch.inf, ratio)
    return _judgement(got, exact, torch.where(stable, ratio, 0.0), stable, limit)


def _judgement(got: Tensor, exact: Tensor, ratio: Tensor, stable: Tensor, limit: Tensor | None) -> Judgement:
    worst, judged = float(ratio.max()), int(stable.sum())
    if worst <= 1.0:
        return Judgement(worst, got.numel(), judged)
    flat = int(ratio.argmax())
    index = tuple(int(i) for i in torch.unravel_index(torch.tensor(flat), got.shape))
    allowed = "exactly that" if limit is None or float(limit[index]) == 0.0 else f"±{float(limit[index]):.3g}"
    text = (
        f"{int((ratio > 1.0).sum())} of {got.numel()} elements are wrong; worst at {list(index)}: "
        f"got {got[index].item()!r}, exact {exact[index].item()!r}, allowed {allowed}"
    )
    return Judgement(worst, got.numel(), judged, text)
