"""Error bounds derived from a decomposition: a running error analysis of its operators in float64.

Every intermediate value carries a bound on its absolute error, in units of the unit roundoff u of the
compute dtype. An operator adds the rounding of its own result to what its operands' errors become, to first
order (Wilkinson's running error analysis; Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd
ed., §3.3). Sums and differences are charged ``|a| + |b|`` instead of ``|a ± b|``, so that implementations
which distribute a product over a difference (``x·s - m·s`` for ``(x - m)·s``) are within the same bound.

Where 16-bit intermediates are allowed, a second pass charges each operator one rounding of its result, and
sums one per term where they may be accumulated in 16 bits too.

The bound grows by itself with the condition of the problem, such as the mean of a row against its spread,
and needs no tolerance chosen by hand.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.contract.roundoff import LAMBDA
from torchport.contract.spec import OpSpec, qualified_name
from torchport.errors import ContractError

_FUNCTION = 4.0
"""Errors of elementary functions, in u: what the contract allows exp, log, tanh and their like."""


@dataclass(frozen=True, slots=True)
class Charges:
    """What operators add to the error, in u: elementary functions, and sums by their number of terms.

    ``every_term``: a sum is charged for each term, else only for its result. ``spread``: sums and differences
    of two are charged for both operands, else for the result.
    """

    function: float = _FUNCTION
    spread: bool = True
    every_term: bool = True

    def growth(self, n: int) -> float:
        """Errors of a sum of ``n`` terms relative to the sum of their sizes; as in ``roundoff.gamma``."""
        return min(float(n), LAMBDA * math.sqrt(max(n, 1))) if self.every_term else 0.0


ACCURATE = Charges()
NARROW = Charges(function=1.0, spread=False, every_term=False)
NARROW_SUMS = Charges(function=1.0, spread=False)


class _RunningError(TorchDispatchMode):
    """Runs float64 operators and keeps each result's error bound; tensors not computed here are exact."""

    def __init__(self, name: str, charges: Charges) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.name, self.charges = name, charges
        self._errors: dict[int, tuple[Tensor, Tensor]] = {}

    def error(self, x: Any) -> Tensor:
        """The error bound of a value, of its shape."""
        found = self._errors.get(id(x))
        if found is not None:
            return found[1]
        if isinstance(x, Tensor):
            return torch.zeros_like(x, dtype=torch.float64)
        return torch.zeros((), dtype=torch.float64)

    def is_exact(self, x: Any) -> bool:
        """Whether a value has no error, as operands, constants and what is moved from them."""
        return id(x) not in self._errors

    def scaled(self, x: Any, factor: Tensor | float | None = None) -> Tensor | float:
        """The error bound of a value times a factor's size; a plain 0 for exact values, which most are."""
        found = self._errors.get(id(x))
        if found is None:
            return 0.0
        return found[1] if factor is None else (factor * found[1]).abs()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        named = dict(kwargs or {})
        result = func(*args, **named)
        if not isinstance(result, Tensor) or not _has_error(result):
            return result
        if not any(id(t) in self._errors for t in _tensors(args)) and _is_exact(func):
            return result
        rule = _rule_of(func)
        if rule is None:
            raise ContractError(
                "no running error rule for this operator of a decomposition", op=self.name, got=str(func)
            )
        bound = torch.where(result.abs() < math.inf, rule(self, func, result, args, named), 0.0)
        self._errors[id(result)] = (result, bound)
        return result


def _has_error(x: Tensor) -> bool:
    return x.is_floating_point() or x.is_complex()


def _tensors(args: Any) -> list[Tensor]:
    if isinstance(args, Tensor):
        return [args]
    if isinstance(args, tuple | list):
        return [t for a in args for t in _tensors(a)]
    return []


def _flat(result: Any) -> list[Any]:
    return [r for part in result for r in _flat(part)] if isinstance(result, tuple | list) else [result]


def running_error(
    spec: OpSpec, arguments: Mapping[str, Any], charges: Charges = ACCURATE
) -> tuple[Tensor | None, ...]:
    """Error bounds of the outputs of ``spec.decomposition`` in units of u, for float64 ``arguments``.

    ``None`` for outputs that are absent or not floating. Infinite and NaN results have the bound 0.

    Raises:
        ContractError: the entry has no decomposition, or uses an operator without a rule.
    """
    if spec.decomposition is None:
        raise ContractError("a primitive has no decomposition to derive a bound from", op=spec.name)
    mode = _RunningError(spec.name, charges)
    with torch.no_grad(), mode:
        result = spec.decomposition(**arguments)
    outputs = _flat(result)
    floating = (isinstance(r, Tensor) and _has_error(r) for r in outputs)
    return tuple(mode.error(r) if is_float else None for r, is_float in zip(outputs, floating, strict=True))


Rule = Callable[[_RunningError, Any, Tensor, Sequence[Any], Mapping[str, Any]], Tensor]


def _moved(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    """Operators that only move elements move the errors likewise."""

    def swap(a: Any) -> Any:
        if isinstance(a, Tensor):
            return mode.error(a) if _has_error(a) else a
        return [swap(x) for x in a] if isinstance(a, list) else a

    moved: Tensor = func(*(swap(a) for a in args), **kwargs)
    return moved.abs()


def _constant(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    """Constants, and what has steps: between them it does not change."""
    return torch.zeros_like(result)


def _parts(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    """A complex error bounds those of both parts."""
    return mode.error(args[0]).unsqueeze(-1).expand_as(result)


def _joined(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    return mode.error(args[0]).sum(-1)


def _where(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    return torch.where(args[0], mode.error(args[1]), mode.error(args[2]))


def _same(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    return mode.error(args[0])


def _extreme_of_two(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    return torch.maximum(mode.error(args[0]), mode.error(args[1]))


def _extreme(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    return mode.error(args[0]).amax(*args[1:], **kwargs)


def _sum_of_two(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    charged = result.abs()
    if mode.charges.spread:
        charged = abs(args[0]) + abs(args[1])
    return mode.scaled(args[0]) + mode.scaled(args[1]) + charged


def _product(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    a, b = args[:2]
    return mode.scaled(b, a) + mode.scaled(a, b) + result.abs()


def _quotient(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    inherited = mode.scaled(args[0]) + mode.scaled(args[1], result)
    return result.abs() + inherited / abs(args[1]) if isinstance(inherited, Tensor) else result.abs()


def _function(slope: Callable[[Tensor, Tensor], Tensor], factor: float = 1.0) -> Rule:
    """A function of one operand; ``slope(x, f(x))`` bounds its derivative; ``factor`` scales the charge."""

    def rule(
        mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Tensor:
        own = max(1.0, factor * mode.charges.function) * result.abs()
        if mode.is_exact(args[0]):
            return own
        inherited = mode.error(args[0])
        return own + torch.where(inherited > 0, slope(args[0], result).abs() * inherited, 0.0)

    return rule


def _sum(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    count = args[0].numel() // max(result.numel(), 1)
    sizes: Tensor = func(args[0].abs(), *args[1:], **kwargs)
    own = result.abs() + mode.charges.growth(count) * sizes
    return own if mode.is_exact(args[0]) else own + func(mode.error(args[0]), *args[1:], **kwargs)


def _matmul(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    a, b = args[0].abs(), args[1].abs()
    bound: Tensor = result.abs() + mode.charges.growth(a.shape[-1]) * func(a, b)
    if not mode.is_exact(args[0]):
        bound += func(mode.error(args[0]), b)
    if not mode.is_exact(args[1]):
        bound += func(a, mode.error(args[1]))
    return bound


def _index_put(
    mode: _RunningError, func: Any, result: Tensor, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Tensor:
    base, indices, values, accumulate = (*args, False)[:4]
    carried: Tensor = func(mode.error(base), indices, mode.error(values), accumulate)
    if not accumulate:
        return carried
    terms: Tensor = func(torch.zeros_like(base), indices, torch.ones_like(values), True)
    sizes: Tensor = func(base.abs(), indices, values.abs(), True)
    if not mode.charges.every_term:
        return carried + result.abs()
    return carried + torch.minimum(terms, LAMBDA * terms.sqrt()) * sizes


def _half(x: Tensor, y: Tensor) -> Tensor:
    return 0.5 * y.abs() / x.abs()


_MOVES = (
    "view.default _unsafe_view.default permute.default unsqueeze.default squeeze.dims expand.default "
    "slice.Tensor clone.default index.Tensor gather.default cat.default constant_pad_nd.default t.default "
    "transpose.int select.int _to_copy.default neg.default abs.default alias.default detach.default "
    "flip.default _conj_physical.default"
)
_EXACT = "full.default floor.default ceil.default trunc.default round.default sign.default arange.start_step"

_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_MOVES.split(), _moved),
    **dict.fromkeys(_EXACT.split(), _constant),
    **dict.fromkeys(("add.Tensor", "sub.Tensor"), _sum_of_two),
    **dict.fromkeys(("mul.Tensor", "mul.Scalar"), _product),
    **dict.fromkeys(("div.Tensor", "div.Scalar"), _quotient),
    **dict.fromkeys(("maximum.default", "minimum.default"), _extreme_of_two),
    **dict.fromkeys(("amax.default", "amin.default"), _extreme),
    **dict.fromkeys(("sum.dim_IntList", "mean.dim"), _sum),
    **dict.fromkeys(("mm.default", "bmm.default"), _matmul),
    "where.self": _where,
    "clamp.default": _same,
    "view_as_real.default": _parts,
    "view_as_complex.default": _joined,
    "index_put.default": _index_put,
    "exp.default": _function(lambda x, y: y),
    "expm1.default": _function(lambda x, y: y + 1),
    "log.default": _function(lambda x, y: 1 / x),
    "log1p.default": _function(lambda x, y: 1 / (1 + x)),
    "sin.default": _function(lambda x, y: torch.cos(x)),
    "tanh.default": _function(lambda x, y: 1 - y * y),
    "sigmoid.default": _function(lambda x, y: y * (1 - y)),
    "erf.default": _function(lambda x, y: 2 / math.sqrt(math.pi) * torch.exp(-x * x), 2.0),
    "sqrt.default": _function(_half, 0.25),
    "rsqrt.default": _function(_half, 0.5),
    "reciprocal.default": _function(lambda x, y: y * y, 0.25),
}


@functools.cache
def _rule_of(func: Any) -> Rule | None:
    return _RULES.get(qualified_name(func).removeprefix("aten."))


@functools.cache
def _is_exact(func: Any) -> bool:
    """Whether the operator rounds nothing, so that exact operands give an exact result."""
    return _rule_of(func) in (_moved, _parts, _joined, _where, _extreme, _extreme_of_two, _constant)
