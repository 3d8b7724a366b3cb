"""A conformance case: plain, picklable data that names everything one run of one operator depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch

from torchport.contract.graph import dtype_name
from torchport_conformance.cases.layouts import LAYOUTS


@dataclass(frozen=True, slots=True)
class TensorPlan:
    """One tensor operand before it exists.

    ``dims`` is a shape rule over the other arguments, or has one entry per dimension: the letter of the size
    in the operand's shape pattern, or a literal size; ``shape`` are the sizes of this case. ``values`` is the
    contract's value class with its bound resolved (``index:5``), ``fill`` what of that class is drawn:
    ``random``, ``extreme``, or ``nan@first`` and the like.
    """

    dims: tuple[str | int, ...] | str
    shape: tuple[int, ...]
    dtype: torch.dtype
    layout: str = "contiguous"
    values: str = "any"
    fill: str = "random"

    @property
    def kind(self) -> tuple[Any, ...]:
        """What compiled code may depend on: all but sizes that are letters, and values."""
        return (self.dims, self.dtype, self.layout)

    def __str__(self) -> str:
        text = f"{dtype_name(self.dtype)}{list(self.shape)}"
        if self.layout != "contiguous":
            text += f" {self.layout}"
        return text if self.fill == "random" else f"{text} {self.fill}"


@dataclass(frozen=True, slots=True)
class SizeExpr:
    """An argument that depends on sizes: an expression over the tensor arguments, and its value here."""

    text: str
    value: Any

    def __str__(self) -> str:
        return repr(self.value)


Argument = Any
"""None, a literal, a :class:`SizeExpr`, a :class:`TensorPlan`, or a tuple of these."""


class AnyCase(Protocol):
    """What a case of any layer has. It is plain, picklable data.

    Cases of equal ``group`` share compiled work.
    """

    @property
    def id(self) -> str:
        """Unique in a profile, and stable."""

    @property
    def op(self) -> str:
        """The operator, or the program, that it is counted under."""

    @property
    def layer(self) -> str:
        """The layer that made it and runs it."""

    @property
    def dtype(self) -> str:
        """The dtype that it is counted under."""

    @property
    def layout(self) -> str:
        """The layout class that it is counted under."""

    @property
    def label(self) -> str | None:
        """The contract label that it is about."""

    @property
    def group(self) -> Hashable:
        """What compiled work depends on."""

    def call(self) -> str:
        """What is run, as text for reports."""

    def seed(self, run_seed: int) -> int:
        """The seed of the case's values: a function of its id and the run's seed alone."""


def seed_of(case_id: str, run_seed: int) -> int:
    """A seed below 2**48 from a case's id and the run's seed."""
    digest = hashlib.sha256(f"{run_seed}:{case_id}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


@dataclass(frozen=True, slots=True)
class Case:
    """One run of one operator.

    ``arguments`` are in schema order; arguments that are absent take the schema's default. ``sizes`` binds
    the letters of the shape patterns. ``label`` is the contract label that the case is about. The region of a
    ``static`` case serves no other, and is compiled for its very sizes.
    """

    id: str
    op: str
    arguments: tuple[tuple[str, Argument], ...]
    sizes: tuple[tuple[str, int], ...] = ()
    label: str | None = None
    static: bool = False
    layer: ClassVar[str] = "op"

    @property
    def layout(self) -> str:
        """The layout class that the case is counted under: the first that is not contiguous."""
        laid_out = (plan.layout for _, plan in self.tensors() if plan.layout != "contiguous")
        return next(laid_out, "contiguous")

    @property
    def dtype(self) -> str:
        """The dtype that the case is counted under: that of its first tensor, else of a dtype argument."""
        for _, value in self.tensors():
            return dtype_name(value.dtype)
        for _, argument in self.arguments:
            if isinstance(argument, torch.dtype):
                return dtype_name(argument)
        return "none"

    @property
    def group(self) -> tuple[Any, ...]:
        """Cases of equal groups can share one compiled region, whose sizes are symbolic unless it is
        ``static``.
        """
        fixed = tuple((letter, size) for letter, size in self.sizes if self.static or size < 2)
        return (self.op, fixed, tuple((name, _kind(argument)) for name, argument in self.arguments))

    def tensors(self) -> Iterator[tuple[str, TensorPlan]]:
        """Every tensor operand with the name it has in messages (``tensors[1]`` in a list)."""
        for name, argument in self.arguments:
            if isinstance(argument, TensorPlan):
                yield name, argument
            elif isinstance(argument, tuple):
                for i, item in enumerate(argument):
                    if isinstance(item, TensorPlan):
                        yield f"{name}[{i}]", item

    def seed(self, run_seed: int) -> int:
        """The seed of the case's values: a function of its id and the run's seed alone."""
        return seed_of(self.id, run_seed)

    def call(self) -> str:
        """The call as text, for reports."""
        return f"{self.op}({', '.join(f'{name}={_text(a)}' for name, a in self.arguments)})"


class AboutCase:
    """A case that is about a call of the op layer, ``case``, and is counted as that is."""

    __slots__ = ()
    layer: ClassVar[str] = "op"
    case: Case

    @property
    def id(self) -> str:
        """Names the call, and what is asked of it."""
        raise NotImplementedError

    @property
    def op(self) -> str:
        """The operator."""
        return self.case.op

    @property
    def dtype(self) -> str:
        """As of the call."""
        return self.case.dtype

    @property
    def layout(self) -> str:
        """As of the call."""
        return self.case.layout

    def call(self) -> str:
        """As of the call."""
        return self.case.call()

    def seed(self, run_seed: int) -> int:
        """The seed of the operands' values."""
        return seed_of(self.id, run_seed)


def _kind(argument: Argument) -> Any:
    if isinstance(argument, TensorPlan):
        return argument.kind
    if isinstance(argument, SizeExpr):
        return argument.text
    if isinstance(argument, tuple):
        return tuple(_kind(a) for a in argument)
    return (type(argument).__name__, repr(argument))


def _text(argument: Argument) -> str:
    if isinstance(argument, tuple):
        return f"[{', '.join(_text(a) for a in argument)}]"
    return str(argument) if isinstance(argument, TensorPlan | SizeExpr) else repr(argument)


def strides_of(plan: TensorPlan) -> tuple[tuple[int, ...], int]:
    """Strides and storage offset of a planned tensor, in elements."""
    layout = LAYOUTS[plan.layout]
    return tuple(layout.strides(plan.shape)), layout.offset
