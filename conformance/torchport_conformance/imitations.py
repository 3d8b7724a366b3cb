"""Known faults, imitated by the reference: each is a call with something changed, or a change of the right
result. The one that gives the wrong result, and not the right one, is the likely cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from torchport.contract import reference as contract_reference
from torchport.contract.graph import dtype_name
from torchport.contract.shape_rules import bind, parse
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.patterns import broadcasts
from torchport_conformance.causes import Diagnosis
from torchport_conformance.closeness import close, same
from torchport_conformance.specs import spec_of

LARGEST = 300_000
"""Elements of a result above which nothing is imitated: each imitation is a run of the reference."""
_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_MOST_CHOICES = 6


@dataclass(frozen=True, eq=False)
class _Imitation:
    cause: str
    detail: str
    result: Callable[[], torch.Tensor | None]
    exactly: bool = False


def imitated(
    case: Case,
    values: Mapping[str, torch.Tensor],
    index: int,
    expected: torch.Tensor,
    actual: torch.Tensor,
) -> Iterator[Diagnosis]:
    """Faults that give the wrong output ``actual`` of a case, likely ones first."""
    if not 0 < actual.numel() <= LARGEST:
        return
    right = expected.to(actual.dtype)
    call = _Call(case, values, index)
    for group in (_of_results(expected, actual.dtype), _of_operands(call, expected), _of_arguments(call)):
        for imitation in group:
            result = imitation.result()
            if result is None or result.shape != actual.shape:
                continue
            stored = result.to(actual.dtype)
            if same((stored,), (right,)) if imitation.exactly else close(stored, expected):
                continue
            if same((stored,), (actual,)) if imitation.exactly else close(actual, result):
                yield Diagnosis(imitation.cause, imitation.detail)


def in_range(case: Case, values: Mapping[str, torch.Tensor]) -> bool:
    """Whether operands that are indices or degrees stay below their bound: past it a reference may raise, or
    not end.
    """
    plans = dict(case.tensors())
    for name, value in values.items():
        kind, _, bound = plans[name].values.partition(":")
        if kind == "index" and value.numel():
            wide = value.to(torch.float64)
            if float(wide.max()) > int(bound) or float(wide.min()) < 0:
                return False
    return True


class _Call:
    """The call of a case, to be made with other operands or arguments."""

    def __init__(self, case: Case, values: Mapping[str, torch.Tensor], index: int) -> None:
        self.case, self.values, self.index = case, values, index
        self.spec = spec_of(case.op)

    def with_operands(self, changed: Mapping[str, torch.Tensor]) -> torch.Tensor | None:
        if not in_range(self.case, changed):
            return None
        try:
            return self._chosen(oracle.reference(self.case, {**self.values, **changed}).results)
        except oracle.ERRORS:
            return None

    def with_argument(self, name: str, value: Any) -> torch.Tensor | None:
        arguments = {**oracle.arguments_of(self.case, self.values), name: value}
        if not self._allows(arguments):
            return None
        try:
            results = contract_reference.reference(self.spec, arguments)
            return self._chosen(oracle.written(self.spec, arguments, results))
        except oracle.ERRORS:
            return None

    def _allows(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the contract has a call as it has the case: PyTorch may not survive others."""
        sizes = dict(self.case.sizes)
        known = bind({**sizes, **arguments})
        own = bind({**sizes, **oracle.arguments_of(self.case, self.values)})
        expressions = (parse(c.text) for c in self.spec.constraints)
        return all(e.holds(known) is not False or e.holds(own) is False for e in expressions)

    def _chosen(self, results: tuple[torch.Tensor | None, ...]) -> torch.Tensor | None:
        found = [r for r in results if r is not None]
        return found[self.index] if self.index < len(found) else None


# --- faults of results ---


def _of_results(expected: torch.Tensor, dtype: torch.dtype) -> Iterator[_Imitation]:
    zeros = expected == 0
    if dtype.is_floating_point and bool(zeros.any()):
        positive, negative = expected.clone(), expected.clone()
        positive[zeros], negative[zeros] = 0.0, -0.0
        for result in (positive, negative):
            yield _Imitation("sign of zero", "all else is right", partial(_itself, result), exactly=True)
    yield _Imitation("the sign is reversed", "", lambda: -expected.to(_signed(expected)))
    if dtype.is_floating_point:
        yield _Imitation("rounded toward zero", "", lambda: _truncated(expected, dtype), exactly=True)
        largest = torch.finfo(dtype).max
        yield _Imitation("infinity is lost", "", lambda: expected.clamp(-largest, largest), exactly=True)
        flushed = torch.where(expected.abs() < torch.finfo(dtype).smallest_normal, 0.0, expected)
        yield _Imitation("subnormal results are flushed to zero", "", lambda: flushed, exactly=True)
    if expected.dim() > 1:
        turned = expected.mT.reshape(expected.shape)
        yield _Imitation("two dimensions are exchanged", "the last two", lambda: turned)


def _signed(x: torch.Tensor) -> torch.dtype:
    signed = x.dtype.is_floating_point or x.dtype.is_complex or x.dtype.is_signed
    return x.dtype if signed else torch.int64


def _truncated(expected: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    nearest = expected.to(dtype)
    beyond = nearest.to(torch.float64).abs() > expected.abs().to(torch.float64)
    return torch.where(beyond, torch.nextafter(nearest, torch.zeros_like(nearest)), nearest)


# --- faults of operands ---


def _of_operands(call: _Call, expected: torch.Tensor) -> Iterator[_Imitation]:
    yield from _narrower(call)
    yield from _integers(call)
    names = list(call.values)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            x, y = call.values[a], call.values[b]
            if (x.shape, x.dtype) == (y.shape, y.dtype):
                text = f"{a!r} and {b!r} are exchanged"
                yield _Imitation(text, "", partial(call.with_operands, {a: y, b: x}))
    for name, value in call.values.items():
        for cause, detail, changed in _misread(name, value, expected):
            yield _Imitation(cause, detail, partial(call.with_operands, {name: changed}))


def _misread(
    name: str, value: torch.Tensor, expected: torch.Tensor
) -> Iterator[tuple[str, str, torch.Tensor]]:
    """What a kernel takes one operand for."""
    if value.dtype is torch.bool:
        yield f"{name!r} is inverted", "", ~value
        yield f"{name!r} is ignored", "as if all of it were true", torch.ones_like(value)
        yield f"{name!r} is ignored", "as if all of it were false", torch.zeros_like(value)
    # Any other operand keeps the shape that the call needs.
    if 0 < value.numel() < expected.numel() and broadcasts(value.shape, expected.shape):
        places = torch.arange(expected.numel()) % value.numel()
        flat = value.reshape(-1)
        text = f"broadcasting of {name!r} ignored"
        yield text, "its memory is read from front to end", flat[places].view(expected.shape)
        yield text, "its first element is taken for all", flat[:1].expand(value.shape).contiguous()
    if value.is_floating_point():
        if bool(value.isnan().any()):
            yield (
                "NaN is dropped",
                f"NaN of {name!r} is taken for 0",
                value.nan_to_num(0.0, torch.inf, -torch.inf),
            )
        if bool(value.isinf().any()):
            finite = value.clamp(torch.finfo(value.dtype).min, torch.finfo(value.dtype).max)
            yield "infinity is lost", f"in {name!r} it is taken for the largest number", finite
        tiny = torch.finfo(value.dtype).smallest_normal
        flushed = torch.where(value.abs() < tiny, torch.zeros_like(value), value)
        yield "subnormal operands are flushed to zero", f"in {name!r}", flushed
    elif value.dtype is not torch.bool and not value.dtype.is_complex:
        for step in (1, -1):
            moved = (value.to(torch.int64) + step).to(value.dtype)
            yield f"{name!r} is off by one", f"read as {step:+d}", moved
        yield f"{name!r} is ignored", "as if it were 0", torch.zeros_like(value)


def _narrower(call: _Call) -> Iterator[_Imitation]:
    """Operands rounded to a narrower dtype, one alone or all."""
    floats = {n: v for n, v in call.values.items() if v.dtype in (torch.float32, torch.float64)}
    for name, rounded in _ROUNDINGS.items():
        changed = {n: r for n, v in floats.items() if not torch.equal(r := rounded(v), v)}
        subsets = [changed, *({n: v} for n, v in changed.items())] if len(changed) > 1 else [changed]
        for subset in filter(None, subsets):
            which = "operands are" if len(subset) == len(changed) else f"{next(iter(subset))!r} is"
            text = f"{which} rounded to {name}"
            yield _Imitation("lower precision", text, partial(call.with_operands, subset))
            if name == "float16" or name == "bfloat16":
                narrow = getattr(torch, name)
                stored = partial(_stored, call, subset, narrow)
                yield _Imitation("lower precision", f"computed in {name}", stored)


def _itself(result: torch.Tensor) -> torch.Tensor:
    return result


def _stored(call: _Call, changed: Mapping[str, torch.Tensor], dtype: torch.dtype) -> torch.Tensor | None:
    result = call.with_operands(changed)
    return None if result is None or not result.is_floating_point() else result.to(dtype).to(result.dtype)


def _tf32(x: torch.Tensor) -> torch.Tensor:
    """Rounded to the 10 explicit significand bits of tf32; to nearest, ties away from zero."""
    bits = x.to(torch.float32).contiguous().view(torch.int32)
    rounded = ((bits + 0x1000) & ~0x1FFF).view(torch.float32)
    return torch.where(x.isfinite(), rounded.to(x.dtype), x)


def _through(dtype: torch.dtype) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: x.to(dtype).to(x.dtype)


_ROUNDINGS: Mapping[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "float32": _through(torch.float32),
    "tf32": _tf32,
    "float16": _through(torch.float16),
    "bfloat16": _through(torch.bfloat16),
}
"""Narrower dtypes by name, and how a wider value is rounded to each."""


def rounded_to(name: str, x: torch.Tensor) -> torch.Tensor:
    """A float tensor rounded to ``float32``, ``tf32``, ``float16`` or ``bfloat16``, in its own dtype."""
    return _ROUNDINGS[name](x)


def _integers(call: _Call) -> Iterator[_Imitation]:
    whole = {n: v for n, v in call.values.items() if _is_integer(v.dtype)}
    if not whole:
        return
    for dtype in (torch.float32, torch.float64, torch.int32):
        changed = {n: v.to(dtype).to(v.dtype) for n, v in whole.items()}
        cause = "integers pass through" if dtype.is_floating_point else "integers are cut to"
        yield _Imitation(f"{cause} {dtype_name(dtype)}", "", partial(call.with_operands, changed))
        yield _Imitation(
            f"{cause} {dtype_name(dtype)}",
            "of the result",
            partial(_cut_result, call, dtype),
        )
    wide = {n: v.to(torch.int64) for n, v in whole.items()}
    narrow = next(iter(whole.values())).dtype
    limits = torch.iinfo(narrow)
    yield _Imitation(
        "integers saturate where they must wrap",
        "",
        lambda: _clamped(call.with_operands(wide), limits.min, limits.max),
    )
    dtypes = {v.dtype for v in call.values.values()}
    for name, value in call.values.items() if len(dtypes) > 1 else ():
        alike = {n: v.to(value.dtype) for n, v in call.values.items()}
        text = f"operands are converted to the dtype of {name!r}"
        yield _Imitation("wrong promotion", text, partial(call.with_operands, alike))


def _is_integer(dtype: torch.dtype) -> bool:
    return dtype is not torch.bool and not dtype.is_floating_point and not dtype.is_complex


def _cut_result(call: _Call, dtype: torch.dtype) -> torch.Tensor | None:
    result = call.with_operands({})
    return None if result is None or not _is_integer(result.dtype) else result.to(dtype).to(result.dtype)


def _clamped(result: torch.Tensor | None, low: int, high: int) -> torch.Tensor | None:
    return None if result is None or not _is_integer(result.dtype) else result.clamp(low, high)


# --- faults of arguments ---


def _of_arguments(call: _Call) -> Iterator[_Imitation]:
    """Every argument in turn at another value: what a kernel computes that ignores it."""
    arguments = oracle.arguments_of(call.case, call.values)
    for schema in call.spec.overload._schema.arguments:
        name, value = schema.name, arguments.get(schema.name)
        if isinstance(value, torch.Tensor):
            if "Optional" in str(schema.real_type):
                text = f"{name!r} is ignored"
                yield _Imitation(text, "as if it were None", partial(call.with_argument, name, None))
            continue
        if isinstance(value, list) and any(isinstance(v, torch.Tensor) for v in value):
            continue
        for other in _alternatives(call, schema, value):
            cause, detail = f"argument {name!r} ignored", f"the result is that of {other!r}, not {value!r}"
            yield _Imitation(cause, detail, partial(call.with_argument, name, other))


def _alternatives(call: _Call, schema: Any, value: Any) -> list[Any]:
    found: list[Any] = [schema.default_value] if schema.has_default_value() else []
    if isinstance(value, bool):
        found.append(not value)
    elif isinstance(value, int | float):
        found += [1, 0, -value]
    elif isinstance(value, list) and all(isinstance(v, int) for v in value):
        found += [[1] * len(value), [0] * len(value), value[::-1]]
    operand = call.spec.operands.get(schema.name)
    found += [c for c in (operand.choices if operand else ()) if not isinstance(c, str)]
    distinct: list[Any] = []
    for other in found:
        if (
            other is not None
            and not isinstance(other, torch.dtype)
            and other != value
            and other not in distinct
        ):
            distinct.append(other)
    return distinct[:_MOST_CHOICES]
