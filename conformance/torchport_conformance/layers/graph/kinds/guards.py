"""State that a compiled object depends on: one thing changes in each call, then it changes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from torchport_conformance.layers.graph.program import Call, Choices, Draws, Kind, Program, stateless

KIND = Kind("guard")
DYNAMIC = {"False": False, "True": True, "None": None}

_Make = Callable[[Draws], Tensor]


def _plain(draws: Draws) -> Tensor:
    return draws.normal(torch.float32, 4, 4)


_CHANGES: dict[str, _Make] = {
    "shape": lambda d: d.normal(torch.float32, 6, 6),
    "one-row": lambda d: d.normal(torch.float32, 1, 1),
    "empty": lambda d: d.normal(torch.float32, 0, 0),
    "stride": lambda d: d.normal(torch.float32, 4, 4).t(),
    "step": lambda d: d.laid_out(d.normal(torch.float32, 4, 4), "step2"),
    "offset": lambda d: d.laid_out(d.normal(torch.float32, 4, 4), "offset7"),
    "expanded": lambda d: d.normal(torch.float32, 1, 4).expand(4, 4),
    "double": lambda d: d.normal(torch.float64, 4, 4),
    "bfloat16": lambda d: d.normal(torch.bfloat16, 4, 4),
    "requires-grad": lambda d: d.normal(torch.float32, 4, 4).requires_grad_(),
    "parameter": lambda d: nn.Parameter(d.normal(torch.float32, 4, 4)),
    "rank": lambda d: d.normal(torch.float32, 2, 4, 4),
}
_USES: dict[str, Callable[[Tensor], Any]] = {
    "pointwise": lambda x: x * 2 + 1,
    "sum": lambda x: (x.sum(-1), x.sum(0)),
    "matmul": lambda x: x @ x,
    "softmax": lambda x: torch.softmax(x, -1),
    "view": lambda x: (x.reshape(-1) + 1, x.mT),
    "cat": lambda x: torch.cat([x, x.flip(-1)], -1),
    "write": lambda x: x.detach().add_(1),
    "index": lambda x: x[..., :2] * x[..., -1:],
}


@KIND.family(
    axes={"change": tuple(_CHANGES), "use": tuple(_USES), "dynamic": tuple(DYNAMIC)},
    quick=4,
    applies=lambda c: not (c["use"] == "write" and c["change"] == "expanded"),
)
def argument(choices: Choices) -> Program:
    """Metadata of an argument."""
    changed = _CHANGES[choices["change"]]
    makes = ((_plain, "first"), (changed, choices["change"]), (_plain, "back"))
    calls = [Call(lambda d, m=make: (m(d),), text) for make, text in makes]  # type: ignore[misc]
    return stateless(_USES[choices["use"]], *calls, dynamic=DYNAMIC[choices["dynamic"]])


_NUMBERS: dict[str, Sequence[Any]] = {
    "ints": (2, 3, 0, 1, -1, 2),
    "floats": (0.5, 0.25, 0.0, 1.0, -2.0, 0.5),
    "int-float": (2, 2.5, 2),
    "int-bool": (1, True, False, 1),
    "special": (1.0, float("nan"), float("inf"), float("-inf"), 1.0),
    "large": (3, 2**24 + 1, 2**31, 2**40, 3),
    "one-changes": (1, 2, 3, 2),
}
_NUMBER_USES: dict[str, Callable[[Tensor, Any], Any]] = {
    "sum": lambda x, n: x + n,
    "product": lambda x, n: x * n,
    "comparison": lambda x, n: x > n,
    "clamp": lambda x, n: x.clamp(max=n),
    "fill": lambda x, n: torch.full_like(x, n),
    "alpha": lambda x, n: torch.add(x, x, alpha=n),
    "branch": lambda x, n: x.sin() if n > 1 else x.cos(),
    "write": lambda x, n: x.add_(n),
    "returned": lambda x, n: (x * 2, n, n + 1),
}


@KIND.family(
    axes={
        "numbers": tuple(_NUMBERS),
        "use": tuple(_NUMBER_USES),
        "dtype": ("float32", "int64"),
        "dynamic": tuple(DYNAMIC),
    },
    quick=3,
    applies=lambda c: c["dtype"] == "float32" or c["numbers"] in ("ints", "large", "one-changes"),
)
def number(choices: Choices) -> Program:
    """A Python number that is an argument."""
    dtype, values = getattr(torch, choices["dtype"]), _NUMBERS[choices["numbers"]]
    use = _NUMBER_USES[choices["use"]]

    def call(value: Any) -> Call:
        return Call(lambda d: (d.normal(dtype, 3, 4), value), repr(value))

    return stateless(use, *map(call, values), dynamic=DYNAMIC[choices["dynamic"]])


_SIZES_FROM: dict[str, Callable[[Tensor, int], Any]] = {
    "full": lambda x, n: torch.full((3, n), n, device=x.device),
    "arange": lambda x, n: torch.arange(n, device=x.device) + n,
    "zeros": lambda x, n: torch.zeros(n, 2, device=x.device) + x[0, 0],
    "expand": lambda x, n: x[:1].expand(n, -1) * 2,
    "repeat": lambda x, n: x.repeat(n, 1),
    "slice": lambda x, n: x[:n] * 2,
    "roll": lambda x, n: x.roll(n, 0),
    "unfold": lambda x, n: x.unfold(0, max(n, 1), 1).sum(-1),
    "dim": lambda x, n: x.sum(n % 2),
}


@KIND.family(axes={"use": tuple(_SIZES_FROM), "dynamic": tuple(DYNAMIC)}, quick=2)
def size_argument(choices: Choices) -> Program:
    """A Python integer that is a size or a position."""
    use = _SIZES_FROM[choices["use"]]

    def call(value: int) -> Call:
        return Call(lambda d: (d.normal(torch.float32, 6, 4), value), repr(value))

    return stateless(use, *map(call, (5, 3, 0, 1, 5)), dynamic=DYNAMIC[choices["dynamic"]])


class Layered(nn.Module):
    """A module with everything in it that a program may depend on."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([2.0, -1.0, 0.5]))
        self.shift: Any
        self.register_buffer("shift", torch.ones(3))
        self.scale, self.names, self.items = 3.0, {"a": 1.0}, [1.0, 2.0]
        self.drop = nn.Dropout(1.0)
        self.activation: Callable[[Tensor], Tensor] = torch.sin

    def forward(self, x: Tensor) -> Any:
        """``x`` is (n, 3)."""
        y = self.activation(self.drop(x * self.weight * self.scale)) + self.shift + self.names["a"]
        for item in self.items:
            y = y * item
        return y


_STATE: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "attribute": (lambda m: setattr(m, "scale", 5.0), lambda m: setattr(m, "scale", 3.0)),
    "attribute-int": (lambda m: setattr(m, "scale", 4), lambda m: setattr(m, "scale", 3.0)),
    "dictionary": (lambda m: m.names.update(a=7.0), lambda m: m.names.update(a=1.0)),
    "list": (lambda m: m.items.append(3.0), lambda m: m.items.pop()),
    "list-item": (lambda m: m.items.__setitem__(0, 9.0), lambda m: m.items.__setitem__(0, 1.0)),
    "buffer": (
        lambda m: setattr(m, "shift", torch.full((3,), 9.0)),
        lambda m: setattr(m, "shift", torch.ones(3)),
    ),
    "buffer-shape": (
        lambda m: setattr(m, "shift", torch.full((1,), 9.0)),
        lambda m: setattr(m, "shift", torch.ones(3)),
    ),
    "buffer-written": (lambda m: m.shift.mul_(4), lambda m: m.shift.fill_(1)),
    "parameter": (
        lambda m: setattr(m, "weight", nn.Parameter(torch.full((3,), 4.0))),
        lambda m: setattr(m, "weight", nn.Parameter(torch.tensor([2.0, -1.0, 0.5]))),
    ),
    "parameter-data": (lambda m: m.weight.data.mul_(2), lambda m: m.weight.data.div_(2)),
    "loaded": (
        lambda m: m.load_state_dict({"weight": torch.arange(3.0), "shift": torch.zeros(3)}),
        lambda m: m.load_state_dict({"weight": torch.ones(3), "shift": torch.ones(3)}),
    ),
    "frozen": (lambda m: m.weight.requires_grad_(False), lambda m: m.weight.requires_grad_(True)),
    "mode": (lambda m: m.train(), lambda m: m.eval()),
    "module": (lambda m: setattr(m, "drop", nn.ReLU()), lambda m: setattr(m, "drop", nn.Identity())),
    "function": (
        lambda m: setattr(m, "activation", torch.cos),
        lambda m: setattr(m, "activation", torch.sin),
    ),
}


@KIND.family(axes={"change": tuple(_STATE), "grad": ("yes", "no")}, quick=3)
def module(choices: Choices) -> Program:
    """State of a module."""
    change, back = _STATE[choices["change"]]
    context: Callable[[], AbstractContextManager[Any]] = (
        nullcontext if choices["grad"] == "yes" else torch.no_grad
    )
    # Some changes replace a tensor: they run before each call alike, on the compiled and on the eager module.
    steps: tuple[tuple[str, Callable[[Any], Any]], ...] = (
        ("first", lambda m: m.eval()),
        ("changed", change),
        ("back", back),
        ("changed again", change),
    )
    calls = [Call(lambda d: (d.normal(torch.float32, 5, 3),), text, step, context) for text, step in steps]
    return Program(Layered, calls)


class _Holder:
    """Something that a function closes over, or finds in its module or in its defaults."""

    factor: Any = 2.0


_CAPTURED: dict[str, Sequence[Any]] = {
    "numbers": (2.0, 3.0, 2.0),
    "integers": (2, 3, 2),
    "functions": (torch.add, torch.mul, torch.add),
    "lambdas": (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x + y),
    "tensors": (torch.tensor([2.0]), torch.tensor([3.0]), torch.tensor([2.0])),
    "strings": ("sum", "product", "sum"),
    "flags": (True, False, True),
    "lists": ((1.0, 2.0), (1.0, 2.0, 3.0), (1.0, 2.0)),
}


def _use(value: Any, x: Any) -> Any:
    if isinstance(value, str):
        return x + 1 if value == "sum" else x * 3
    if isinstance(value, bool):
        return x.sin() if value else x.cos()
    if isinstance(value, tuple):
        for item in value:
            x = x * item
        return x
    if callable(value):
        return value(x, x + 1)
    return x * value


class _Captures:
    """Calls a function that finds a value in one of several places."""

    def __init__(self, place: str, value: Any) -> None:
        self.place, self.value = place, value
        self.holder = _Holder()
        self.table: dict[str, Any] = {}

    def keep(self, value: Any) -> None:
        """Changes the value."""
        self.value = value
        self.holder.factor = value
        self.table["value"] = value

    def __call__(self, x: Tensor) -> Any:
        if self.place == "attribute":
            return _use(self.value, x)
        if self.place == "nested":
            return _use(self.holder.factor, x)
        if self.place == "table":
            return _use(self.table["value"], x)
        value = self.value

        def closure(y: Tensor) -> Any:
            return _use(value, y)

        def default(y: Tensor, own: Any = value) -> Any:
            return _use(own, y)

        return (closure if self.place == "closure" else default)(x)


@KIND.family(
    axes={"captured": tuple(_CAPTURED), "place": ("attribute", "nested", "table", "closure", "default")},
    quick=3,
)
def captured(choices: Choices) -> Program:
    """A value that is found in an object, a table, a closure or a default argument."""
    values, place = _CAPTURED[choices["captured"]], choices["place"]

    def make() -> Any:
        holder = _Captures(place, values[0])

        def program(x: Tensor) -> Any:
            return holder(x)

        program.keep = holder.keep  # type: ignore[attr-defined]
        return program

    def call(value: Any) -> Call:
        text = getattr(value, "__name__", None) or repr(value)
        return Call(lambda d: (d.normal(torch.float32, 4),), text, lambda program: program.keep(value))

    return Program(make, [call(v) for v in values])


_CONTEXTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "no-grad": torch.no_grad,
    "inference": torch.inference_mode,
    "enable-grad": torch.enable_grad,
    "autocast-bfloat16": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "autocast-float16": lambda: torch.autocast("cpu", dtype=torch.float16),
    "autocast-off": lambda: torch.autocast("cpu", enabled=False),
}


@KIND.family(
    axes={
        "context": tuple(_CONTEXTS),
        "use": ("matmul", "pointwise", "linear", "flag", "nested"),
        "grad": ("yes", "no"),
    },
    quick=3,
)
def context(choices: Choices) -> Program:
    """Grad mode and autocast around the call, and autocast inside it."""
    use = choices["use"]

    def fn(x: Tensor, w: Tensor) -> Any:
        if use == "matmul":
            return x @ w
        if use == "linear":
            return nn.functional.linear(x, w).relu()
        if use == "flag":
            return x * 2, torch.is_grad_enabled()
        if use == "nested":
            hidden = x @ w
            with torch.autocast("cpu", enabled=False):
                return hidden.float() @ w.float().t()
        return x * w + 1

    def given(draws: Draws) -> tuple[Tensor, ...]:
        x, w = draws.normal(torch.float32, 4, 4), draws.normal(torch.float32, 4, 4)
        return (x.requires_grad_(), w.requires_grad_()) if choices["grad"] == "yes" else (x, w)

    inside = _CONTEXTS[choices["context"]]
    order = (("plain", nullcontext), (choices["context"], inside), ("plain", nullcontext), ("again", inside))
    return stateless(fn, *[Call(given, text, context=c) for text, c in order])
