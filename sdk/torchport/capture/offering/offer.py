"""Which composites are offered, to whom, and what becomes of a call: a macro, a claimed composite, its parts.

A call is offered under the macro's name where the contract has one, then under its own. Calls that PyTorch
must break up are not offered: those whose result shares memory with an argument, that write to one, whose
result sizes depend on data, that draw random numbers and have a gradient (a recomputation would draw others),
that specialise a symbolic size, and those that autocast would give another result dtype through their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchport.capture.offering import recurrent
from torchport.capture.offering.macros import OFFERED_AS, macro_call, run
from torchport.capture.offering.recurrent import ONE_KERNEL
from torchport.capture.offering.twins import ClaimedCall
from torchport.capture.sizes import traced_symbols
from torchport.capture.tracing import (
    DESCEND,
    apart,
    aside,
    autocasts,
    hooked,
    id_of_storage,
    is_plain,
    recording,
    source_of_call,
    traced_inside,
    transforms,
    without_autocast,
)
from torchport.compile.backend import may_claim
from torchport.compile.bound import Bound
from torchport.compile.reports import RaisedMacro
from torchport.contract.composites import (
    backward_name,
    composites,
    form_of,
    tensors_in,
    with_tensors,
)
from torchport.contract.fx_import import SYMBOLIC, bind_arguments, make_node, provenance_of_trace, tensor_spec
from torchport.contract.graph import Node, Provenance, Role, Value
from torchport.contract.opset import OpSet
from torchport.contract.spec import call_bound, qualified_name, resolve
from torchport.contract.symbols import from_torch
from torchport.lowering.claims import ask

Run = Callable[[Sequence[Any]], Any]
"""What a claimed call runs instead: takes the composite's arguments in schema order."""
PROBABILITIES = ("p", "dropout_p")
"""Arguments of random operators that draw nothing where they are 0."""
COPIES = (
    torch.ops.aten._to_copy,
    torch.ops.aten.clone,
    torch.ops.aten._unsafe_view,
    torch.ops.aten.detach,
)
"""Operators that compute nothing: they move values, or change their dtype."""
COMPOSITE = "composite"
"""What the reports say for a pattern, where a composite was claimed under its own name."""


def offering(
    backends: Sequence[Bound],
    opset: OpSet,
    found: list[RaisedMacro],
    *,
    trains: bool,
    macros: bool = True,
) -> AbstractContextManager[None]:
    """Offers the composites that PyTorch would break up inside to ``backends``, in order of preference.

    Composites that are operators of the contract themselves come apart as PyTorch has it.

    Args:
        backends: who is asked.
        opset: the contract version that has the macros.
        found: receives one entry for each call that a backend claimed.
        trains: the trace includes a backward graph.
        macros: offer composites as the contract's macros too.
    """
    names = [name for name in composites() - opset.ops.keys() if _somebody(backends, name)]
    if macros:
        names += [n for n, macro in OFFERED_AS.items() if macro in opset.ops and _somebody(backends, macro)]
    names.append(recurrent.LSTM)
    ops = [resolve(name) for name in dict.fromkeys(names)]
    return hooked(ops, _Offering(backends, opset, found, "forward" if trains else "inference", macros))


def _somebody(backends: Sequence[Bound], op: str) -> bool:
    return any(may_claim(bound.backend, op) for bound in backends)


@dataclass(slots=True, eq=False)
class _Observed(TorchDispatchMode):
    """What a composite's own rule does: computations, whether it draws random numbers, what it writes to."""

    computed: list[tuple[str, tuple[torch.dtype, ...]]] = field(default_factory=list)
    draws: bool = False
    written: list[torch.Tensor] = field(default_factory=list)

    def __post_init__(self) -> None:
        TorchDispatchMode.__init__(self)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = {a.name: a.default_value for a in func._schema.arguments}
        given |= dict(zip(given, args, strict=False)) | (kwargs or {})
        never = any(given.get(name, 1) == 0 for name in PROBABILITIES)
        self.draws |= torch.Tag.nondeterministic_seeded in func.tags and not never
        for argument in func._schema.arguments:
            if argument.alias_info is not None and argument.alias_info.is_write:
                self.written += tensors_in([given.get(argument.name)])
        if func.namespace != "prim" and not func.is_view and func.overloadpacket not in COPIES:
            self.computed.append((func.name(), tuple(t.dtype for t in tensors_in(list(given.values())))))
        return func(*args, **(kwargs or {}))


class _Offering:
    """The hook of one trace; answers are kept by signature."""

    def __init__(
        self, backends: Sequence[Bound], opset: OpSet, found: list[RaisedMacro], phase: str, macros: bool
    ) -> None:
        self.backends, self.opset, self.found, self.phase = backends, opset, found, phase
        self.macros = macros
        self.answers: dict[Any, tuple[Run, RaisedMacro] | None] = {}

    def __call__(self, op: torch._ops.OpOverload, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if transforms():
            return DESCEND
        values = tuple(v for _, v in bind_arguments(op, args, kwargs))
        leaves = tuple(tensors_in(values))
        if not leaves or not all(map(is_plain, leaves)):
            return DESCEND
        device = leaves[0].device.type
        casts = autocasts(device)
        key = (
            op,
            casts and torch.get_autocast_dtype(device),
            torch.is_grad_enabled(),
            *map(described, values),
        )
        if key not in self.answers:
            self.answers[key] = self.answer(op, values, casts)
        answer = self.answers[key]
        if answer is None:
            return self.parts(op, values)
        call, report = answer
        if recording():
            source = provenance_of_trace(source_of_call()).source
            self.found.append(
                RaisedMacro(report.macro, report.pattern, 1, source, report.backend, report.own_backward)
            )
        with without_autocast() if casts else nullcontext():
            return call(values)

    @staticmethod
    def parts(op: torch._ops.OpOverload, values: Sequence[Any]) -> Any:
        """What PyTorch makes of a call that nobody claims."""
        looped = recurrent.as_loop(qualified_name(op), values)
        if looped[0] is values[0]:
            return DESCEND
        with apart(op):
            return call_bound(op, arguments_of(op, looped))

    def answer(
        self, op: torch._ops.OpOverload, values: Sequence[Any], casts: bool
    ) -> tuple[Run, RaisedMacro] | None:
        """What a call becomes; None where it is left to its parts."""
        traced = traced_values(values)
        seen = None if traced is None else observe(op, traced)
        if traced is None or seen is None:
            return None
        if not casts:
            return self.offered(op, traced, seen)
        device = next(tensors_in(traced)).device.type
        dtype = torch.get_autocast_dtype(device)
        one_kernel = qualified_name(op) in ONE_KERNEL.get(device, ())
        eager = None if one_kernel else observe(op, traced, with_casts=True)
        if eager is not None and eager.computed == seen.computed:
            return self.offered(op, traced, seen)
        narrow = traced_casts(traced, dtype)
        narrowed = observe(op, narrow)
        if narrowed is not None and (one_kernel or (eager and eager.computed == narrowed.computed)):
            answer = self.offered(op, narrow, narrowed)
            if answer is not None:
                call, report = answer
                return lambda given: call(with_casts(given, dtype)), report
        if eager is None or dtypes(eager.results) != dtypes(seen.results):
            return None
        return self.offered(op, traced, seen)

    def offered(
        self, op: torch._ops.OpOverload, values: Sequence[Any], seen: Seen
    ) -> tuple[Run, RaisedMacro] | None:
        """A call without casts: as the macro, then as the composite that it is."""
        grad = torch.is_grad_enabled()
        macro = OFFERED_AS.get(qualified_name(op), "") if self.macros else ""
        if macro in self.opset.ops and _somebody(self.backends, macro):
            with aside(), torch.set_grad_enabled(grad):
                program, found = macro_call(op, values, seen.results, self.backends, self.opset)
            if any(m.backend for m in found):
                return lambda given: run(program, tuple(tensors_in(given))), found[-1]
        trains = grad and any(t.requires_grad for t in tensors_in(values))
        if seen.shared or seen.specialised or (seen.draws and trains):
            return None
        if not _somebody(self.backends, qualified_name(op)):
            return None
        return self.composite(op, values, seen.results)

    def composite(
        self, op: torch._ops.OpOverload, values: Sequence[Any], results: Any
    ) -> tuple[Run, RaisedMacro] | None:
        """The call under its own name, where a backend claims that."""
        name = qualified_name(op)
        bound = self.claimed(contract_call(name, [a.name for a in op._schema.arguments], values, results))
        if bound is None:
            return None
        own = self.own_backward(op, values, results, bound) if self.phase == "forward" else None
        report = RaisedMacro(name, COMPOSITE, 1, "", bound.backend.name, own is not None)
        return lambda given: ClaimedCall(op, tuple(given), own)(), report

    def claimed(self, node: Node) -> Bound | None:
        """The first backend that claims a call."""
        for bound in self.backends:
            claim = ask(node, bound, self.phase, traced_symbols(node))
            if claim.accepted and not claim.parts_preferred:
                return bound
        return None

    def own_backward(
        self, op: torch._ops.OpOverload, values: Sequence[Any], results: Any, bound: Bound
    ) -> tuple[bool, ...] | None:
        """Which gradients the backend's backward operator gives; None where it does not claim that."""
        name = backward_name(qualified_name(op))
        wanted = tuple(t.requires_grad for t in tensors_in(values))
        if not any(wanted) or not may_claim(bound.backend, name):
            return None
        with aside():
            grads = [torch.empty_like(r, memory_format=torch.contiguous_format) for r in flat(results)]
            found = [torch.empty_like(t) for t, flag in zip(tensors_in(values), wanted, strict=True) if flag]
        resolve(name)
        names = form_of(op).names
        keywords = arguments_of(op, values)
        given = [*grads, *(keywords[n] for n in names[len(grads) : -1]), wanted]
        node = contract_call(name, names, given, found)
        claim = ask(node, bound, "backward", traced_symbols(node))
        return wanted if claim.accepted and not claim.parts_preferred else None


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A composite's own rule on one call: its traced results and what it did besides."""

    results: Any
    computed: tuple[tuple[str, tuple[torch.dtype, ...]], ...]
    draws: bool
    shared: bool
    specialised: bool


def traced_values(values: Sequence[Any]) -> list[Any] | None:
    """The arguments with the fake tensors that they are traced with; None outside of a trace."""
    with aside():
        inner = [traced_inside(t) for t in tensors_in(values)]
        mode = next((t.fake_mode for t in inner if isinstance(t, FakeTensor)), None)
        if mode is None or any(type(t) not in (FakeTensor, torch.Tensor, torch.nn.Parameter) for t in inner):
            return None
        fakes = [t if isinstance(t, FakeTensor) else mode.from_tensor(t) for t in inner]
        leaves = [
            fake.detach().requires_grad_(t.requires_grad)
            for fake, t in zip(fakes, tensors_in(values), strict=True)
        ]
        return with_tensors(values, iter(leaves))


def observe(op: torch._ops.OpOverload, values: Sequence[Any], *, with_casts: bool = False) -> Seen | None:
    """Runs a composite's rule on traced tensors; None where it fails or has results of unknown sizes."""
    name, leaves = qualified_name(op), tuple(tensors_in(values))
    with aside():
        shaped = None if with_casts else recurrent.results(name, values)
    if shaped is not None:
        return Seen(shaped, (), recurrent.draws(name, values), shared=False, specialised=False)
    mode = next(t.fake_mode for t in leaves if isinstance(t, FakeTensor))
    env = mode.shape_env
    fixed = set(env.replacements) if env is not None else set()
    unbacked = env.ignore_fresh_unbacked_symbols() if env is not None else nullcontext()
    with aside(with_casts), unbacked, mode, _Observed() as seen:
        try:
            results = call_bound(op, arguments_of(op, values))
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError):
            return None  # PyTorch raises it again when it traces the parts, or they are not its to trace
    results = tuple(results) if isinstance(results, list) else results
    memory = {id_of_storage(t) for t in leaves}
    outputs = [id_of_storage(t) for t in flat(results)]
    shared = bool(memory & {*outputs, *map(id_of_storage, seen.written)}) or len(set(outputs)) < len(outputs)
    specialised = env is not None and any(
        env.replacements[s].is_number for s in env.replacements.keys() - fixed
    )
    return Seen(results, tuple(seen.computed), seen.draws, shared, specialised)


def with_casts(values: Sequence[Any], dtype: torch.dtype) -> list[Any]:
    """The arguments as autocast hands them to an operator that it computes in ``dtype``."""
    cast = (
        t.to(dtype) if t.is_floating_point() and t.dtype is not torch.float64 else t
        for t in tensors_in(values)
    )
    return with_tensors(values, iter(cast))


def traced_casts(values: Sequence[Any], dtype: torch.dtype) -> list[Any]:
    """Traced arguments after those casts."""
    with aside():
        cast = zip(tensors_in(with_casts(values, dtype)), tensors_in(values), strict=True)
        return with_tensors(values, (c.detach().requires_grad_(t.requires_grad) for c, t in cast))


def arguments_of(op: torch._ops.OpOverload, values: Sequence[Any]) -> dict[str, Any]:
    """Arguments by name."""
    return {a.name: v for a, v in zip(op._schema.arguments, values, strict=True)}


def contract_call(name: str, names: Sequence[str], values: Sequence[Any], results: Any) -> Node:
    """A call as a node of the contract."""
    inputs: dict[int, Value] = {}
    fakes: dict[str, Any] = {}

    def argument(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if id(value) not in inputs:
                spec = tensor_spec(value, role=Role.INPUT, requires_grad=value.requires_grad)
                inputs[id(value)] = Value(f"arg{len(inputs)}", spec)
            return inputs[id(value)]
        if isinstance(value, tuple | list):
            return tuple(map(argument, value))
        return from_torch(value) if isinstance(value, SYMBOLIC) else value

    args = tuple((n, argument(v)) for n, v in zip(names, values, strict=True))
    return make_node("offered", name, args, results, Provenance(), fakes)[0]


def described(value: Any) -> Any:
    """What an answer depends on, of one argument."""
    if isinstance(value, torch.Tensor):
        geometry = str((tuple(value.shape), value.stride(), value.storage_offset()))
        return value.dtype, str(value.device), value.requires_grad, geometry
    if isinstance(value, tuple | list):
        return tuple(map(described, value))
    return type(value), str(value)


def flat(results: Any) -> tuple[torch.Tensor, ...]:
    """Results as a tuple."""
    return results if isinstance(results, tuple) else (results,)


def dtypes(results: Any) -> list[torch.dtype]:
    """The dtype of each result."""
    return [r.dtype for r in flat(results)]
