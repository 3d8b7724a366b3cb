"""What the contract says about one operator. Plain data: everything but the decomposition is in the
snapshot.
"""

from __future__ import annotations

import enum
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch


class Tier(enum.StrEnum):
    """``prim``: the closed set everything reduces to. ``aten``: the canonical functional operators.
    ``macro``: composites that hardware may want whole.
    """

    PRIM = "prim"
    ATEN = "aten"
    MACRO = "macro"


class Category(enum.StrEnum):
    """What kind of operator it is; drives documentation, loops lowering and conformance layouts."""

    ELEMENTWISE = "elementwise"
    REDUCTION = "reduction"
    NORMALIZATION = "normalization"
    CONTRACTION = "contraction"
    LINEAR_ALGEBRA = "linear algebra"
    TRANSFORM = "transform"
    CONVOLUTION = "convolution"
    POOLING = "pooling"
    ATTENTION = "attention"
    VIEW = "view"
    LAYOUT = "layout"
    INDEXING = "indexing"
    SCAN = "scan"
    ORDER = "order"
    CREATION = "creation"
    CONVERSION = "conversion"
    RANDOM = "random"
    LOSS = "loss"
    DATA_DEPENDENT = "data dependent"
    EFFECT = "effect"
    COLLECTIVE = "collective"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A labelled precondition or error condition, ``text`` in the shape-rule language, ``prose`` for people.

    ``tier`` restricts it to graphs verified at that tier (a prim is an ATen overload plus prim-only
    constraints).
    """

    label: str  # "mm.C1" or "mm.E1"
    text: str
    prose: str
    tier: Tier | None = None


@dataclass(frozen=True, slots=True)
class DtypeRule:
    """Accepted dtypes per tensor argument (dtype names; ``"same:ARG"`` ties one argument to another) and the
    result.

    ``results`` has one expression per output, such as ``"same:self"``, ``"promote:self,other"`` or
    ``"arg:dtype|same:self"`` (an argument when given, else the rest): :mod:`torchport.contract.dtype_rules`
    has them all. ``computes`` restricts combinations of operands: the dtype that an expression gives has to
    be one of the names beside it (bool is accepted beside int64, but two bool operands are not divided).
    """

    accepts: Mapping[str, tuple[str, ...]]
    results: tuple[str, ...]
    computes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Numerics:
    """How close a result has to be to the exact one; evaluated by :mod:`torchport.contract.numerics`.

    ``kind``: ``exact`` (bit equal to the rounded reference), ``ulp`` (``ulps`` per dtype name), ``dot``
    (bound from operand magnitudes, accumulator width and reduction length), ``reduction`` (the same for sums
    without products), ``order`` (sort and top-k: ties may differ), ``law`` (random: properties, not values).
    ``special`` states NaN/inf/signed-zero and wrap rules as short keywords (``nan-propagates``, ``wraps``,
    ``signed-zero`` …). ``magnitude`` says what errors are measured against where the operands cancel (see
    :mod:`torchport.contract.numerics`; "" is the kind's default).
    """

    kind: str
    ulps: Mapping[str, float] = field(default_factory=dict)
    length: str | None = None  # reduction length in the shape-rule language, for dot and reduction
    special: tuple[str, ...] = ()
    magnitude: str = ""  # "result" | "abs" | "operands" | "terms" | "deviation" | "deviation-root"


@dataclass(frozen=True, slots=True)
class Operand:
    """What conformance may put in one argument; the only source of generated cases.

    Tensors: ``pattern`` is a shape pattern over shared letters (``"[n, k]"``, ``"*S"`` any rank, ``"[*B, n,
    2*k]"``, ``"~S"`` broadcastable to S), or ``"=EXPR"``, a shape rule over the other arguments; for a list
    of tensors it is the pattern of each, or ``"=[[…], […]]"``, the rule of each. ``values`` is a value class
    (``any``, ``positive``, ``unit`` (-1, 1), ``nonzero``, ``probability``, ``index(EXPR)`` integers in
    [0, EXPR), ``ends(EXPR)`` ascending integers in [0, EXPR] of which the last is EXPR, ``offsets(EXPR)``
    integers in [0, EXPR] that ascend from 0, ``bool``, ``small``, ``finite`` (small, and
    never NaN or infinite), ``sorted`` ascending along the last dimension, ``positive-definite`` matrices,
    ``pivots`` row exchanges (one-based, none above its place), ``result(OP, i)`` output i of another operator
    called with the arguments of the same names). Others: ``choices`` lists literal
    values; a string there is a shape-language
    expression over the tensor arguments and the arguments before it (a literal string is quoted), or a
    dtype's name for a dtype argument. ``optional`` tensors are also tried as None. What the entry's
    constraints exclude is not tried.
    """

    pattern: str | None = None
    values: str = "any"
    choices: tuple[Any, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class OpSpec:
    """One contract entry. ``name`` is ``namespace.op.overload``; ``schema`` is the full PyTorch schema text.

    ``shape`` has one shape-rule expression per output. ``layout`` has one layout rule per output:
    ``contiguous``, ``elementwise`` (PyTorch's stride propagation over the operands), ``view`` (shares memory
    with its first argument), ``like:ARG``, or ``eager`` (as PyTorch; not stated by rule). ``decomposition``
    is a function of the schema's arguments on tensors that uses contract operators only; a prim has one only
    for calls that its prim-tier constraints exclude. An entry holds in versions from ``since`` on, up to but
    without ``until``. ``fake`` is for operators of extensions without shape and dtype rules: it returns
    tensors of the results' shapes and dtypes.
    """

    name: str
    tier: Tier
    schema: str
    category: Category
    dtypes: DtypeRule
    shape: tuple[str, ...]
    layout: tuple[str, ...]
    numerics: Numerics
    operands: Mapping[str, Operand]
    since: str = "1.0"
    until: str | None = None
    core: bool = False
    deterministic: bool = True
    constraints: tuple[Constraint, ...] = ()
    errors: tuple[Constraint, ...] = ()
    decomposition: Callable[..., Any] | None = None
    fake: Callable[..., Any] | None = None

    @property
    def signature(self) -> torch.FunctionSchema:
        """``schema`` as PyTorch's schema object; there even where the running PyTorch lacks the operator."""
        return parsed(self.schema)

    @property
    def overload(self) -> torch._ops.OpOverload:
        """The PyTorch operator of this entry."""
        return resolve(self.name)


@cache
def parsed(schema: str) -> torch.FunctionSchema:
    """A schema text as PyTorch's schema object."""
    return torch._C.parse_schema(schema)


_PROVIDERS = {
    "torchport": "torchport.contract.ops",
    "torch_nn": "torch.nn.modules.linear_cross_entropy",
    "torchport_backward": "torchport.contract.composites",
}
"""Modules that define a namespace when they are imported; not every PyTorch version has them."""


@cache
def _provide(namespace: str) -> None:
    """Imports the module that defines ``namespace``, where there is one."""
    module = _PROVIDERS.get(namespace)
    if module is not None and importlib.util.find_spec(module) is not None:
        importlib.import_module(module)


def resolve(name: str) -> torch._ops.OpOverload:
    """The PyTorch operator called ``name`` (``namespace.op.overload``).

    Raises:
        AttributeError: PyTorch has no such operator.
    """
    namespace, op, overload = name.rsplit(".", 2) if name.count(".") >= 2 else (*name.split("."), "default")
    _provide(namespace)
    packet = getattr(getattr(torch.ops, namespace), op)
    return getattr(packet, overload)  # type: ignore[no-any-return]


def call_bound(op: Any, bound: Mapping[str, Any]) -> Any:
    """Calls an operator with its arguments by schema name, keyword-only ones by keyword."""
    schema = op._schema.arguments
    positional = [bound[a.name] for a in schema if not a.kwarg_only]
    return op(*positional, **{a.name: bound[a.name] for a in schema if a.kwarg_only})


def qualified_name(op: torch._ops.OpOverload) -> str:
    """``namespace.op.overload`` of a PyTorch operator."""
    return f"{op.namespace}.{op._schema.name.split('::')[1]}.{op._overloadname}"
