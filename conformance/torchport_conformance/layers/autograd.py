"""Gradients of operators: forward and backward through ``torch.compile``, judged against float64.

What is varied: the layouts of operands and of the incoming gradient, which operands are frozen, one tensor as
several operands, broadcasting, empty and large sizes, other arguments.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch

from torchport.contract.adapters import call as call_operator
from torchport.contract.claims import law_of
from torchport.contract.reference import flatten, widened
from torchport.contract.spec import Category, OpSpec, Tier
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.patterns import BROADCASTS
from torchport_conformance.execution import describe
from torchport_conformance.fresh_dynamo import fresh_dynamo
from torchport_conformance.layers import Request
from torchport_conformance.layers.batches import Batches
from torchport_conformance.layers.calls import (
    Breadth,
    CallCase,
    Calls,
    Setting,
    alone_in_a_process,
    breadth,
    has_tensor_results,
    turn_of,
)
from torchport_conformance.layers.closeness import Differentiated, compare
from torchport_conformance.layers.excuses import REFUSED
from torchport_conformance.layers.programs import (
    Bound,
    bind,
    graph_of,
    laid_out,
    shares_a_graph,
)
from torchport_conformance.obligation import FELL_BACK
from torchport_conformance.regions import sizes_follow_values
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import spec_of

LAYER = "autograd"
QUICK_SHARE = 10
"""The quick profile takes one operator of so many."""
FLOATS = ("float32", "float64", "float16", "bfloat16")
SETTINGS = (
    (Setting("transposed", 2), "expanded"),
    (Setting("channels_last", 4), "channels_last"),
    (Setting("contiguous", 3), "transposed"),
    (Setting("contiguous", 4), "channels_last"),
    (Setting("contiguous", 2), "contiguous"),
    (Setting("step2", 2), "contiguous"),
    (Setting("expanded", 2), "step2"),
    (Setting("reversed", 4), "reversed"),
    (Setting("offset7", 2), "offset7"),
    (Setting("unit_strides", 3, "unit"), "contiguous"),
    (Setting("contiguous", 0), "contiguous"),
    (Setting("contiguous", 2, "empty"), "contiguous"),
    (Setting("contiguous", 3, "unit"), "expanded"),
)
"""Layouts of operands and of the incoming gradient, most telling first."""
_OTHER_DTYPES = (SETTINGS[0], SETTINGS[2])
_SHARED = 6
"""Settings that the dtypes beside float32 share out."""
_SIGNS = 3
"""Signs of the incoming gradient that are tried to see how large sums get."""
LARGEST = 1 << 20
"""Elements of the largest operand of a case with a large size."""


@dataclass(frozen=True, slots=True)
class GradientCase(CallCase):
    """The gradient of a call.

    ``tangent`` is the layout of the incoming gradient, ``frozen`` the operand that takes none, and ``same``
    says that operands that are alike are one tensor. ``constant`` are operands that PyTorch does not
    differentiate the operator by, such as the running statistics of a batch norm.
    """

    tangent: str = "contiguous"
    frozen: str = ""
    same: bool = False
    constant: tuple[str, ...] = ()


def _gradient(
    base: Case | None, tangent: str = "contiguous", frozen: str = "", same: bool = False
) -> Iterator[GradientCase]:
    if base is None:
        return
    parts = [f"tangent:{tangent}"] if tangent != "contiguous" else []
    parts += [f"frozen:{frozen}"] if frozen else []
    parts += ["same"] if same else []
    yield GradientCase(LAYER, base, "-".join(parts), tangent, frozen, same)


def cases(request: Request) -> Iterator[GradientCase]:
    """For each operator with a gradient: every variation with float32, some with the other float dtypes."""
    wide = breadth(request.profile)
    if not request.profile.gradients:
        return
    for spec in request.specs:
        calls, turn = Calls(spec), turn_of(spec)
        if wide is Breadth.FEW and turn % QUICK_SHARE:
            continue
        if not _may_have_gradient(spec) or "float32" not in calls.dtypes:
            continue
        base = next(calls.in_settings("float32", [Setting("contiguous", 2), Setting("contiguous", 0)]), None)
        constant = None if base is None else constant_operands(base)
        if constant is None:
            continue
        seen: set[str] = set()
        for case in _variations(calls, wide, turn // QUICK_SHARE):
            if case.id not in seen and _has_leaf(case, constant) and not _ties(spec, case.base):
                seen.add(case.id)
                yield replace(case, constant=constant)


def _has_leaf(case: GradientCase, constant: Sequence[str]) -> bool:
    """Whether some operand takes a gradient, and the frozen one would."""
    floating = {name for name, plan in case.base.tensors() if plan.dtype.is_floating_point}
    return case.frozen not in constant and bool(floating - {case.frozen, *constant})


def _ties(spec: OpSpec, base: Case) -> bool:
    """Whether elements share memory, and so are equal, where the contract leaves open which of equals is
    taken, and the gradient with it.
    """
    open_choice = spec.numerics.kind == "order" and not {"first-index", "last-index"} & set(
        spec.numerics.special
    )
    return open_choice and any(LAYOUTS[plan.layout].overlaps for _, plan in base.tensors())


def _may_have_gradient(spec: OpSpec) -> bool:
    """Not for random results, for results that are right up to a choice (signs of eigenvectors), and for what
    needs other processes; nor for macros, which stand in a graph after autograd: eager PyTorch differentiates
    what they are written in, and a compiler finds no formula.
    """
    return (
        spec.category is not Category.RANDOM
        and spec.tier is not Tier.MACRO
        and spec.deterministic
        and spec.numerics.kind != "law"
        and law_of(spec) is None
        and has_tensor_results(spec)
        and alone_in_a_process(spec)
    )


@cache
def constant_operands(case: Case) -> tuple[str, ...] | None:
    """Operands that eager PyTorch does not differentiate an operator by; None where it differentiates by
    none. Asked with the operands of a case.
    """
    if _has_gradient(case, ()):
        return ()
    floating = [name for name, plan in case.tensors() if plan.dtype.is_floating_point]
    constant = tuple(n for n in floating if not _has_gradient(case, tuple(m for m in floating if m != n)))
    return constant if len(constant) < len(floating) and _has_gradient(case, constant) else None


def _has_gradient(case: Case, constant: Sequence[str]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call = _leaves(bind(case, oracle.operands(case, 0), "cpu"), constant)
            results = call.eager()
            tangents = {i: torch.ones_like(results[i]) for i in _differentiable(results)}
            return bool(tangents) and any(_present(_backward(call, results, tangents).gradients))
        except oracle.ERRORS:
            return False


def _present(gradients: Mapping[str, torch.Tensor | None]) -> list[bool]:
    return [gradient is not None for gradient in gradients.values()]


def _variations(calls: Calls, wide: Breadth, turn: int) -> Iterator[GradientCase]:
    def settings(dtype: str, chosen: Sequence[tuple[Setting, str]]) -> Iterator[GradientCase]:
        for setting, tangent in chosen:
            for base in calls.in_settings(dtype, [setting]):
                yield from _gradient(base, tangent)

    if wide is Breadth.FEW:
        possible = [*settings("float32", SETTINGS[:4]), *_frozen(calls)]
        yield from possible[turn % len(possible) :][:1] if possible else ()
        return
    yield from settings("float32", SETTINGS)
    yield from _frozen(calls)
    yield from _gradient(calls.case(calls.recipe("float32", 2)), same=True)
    yield from _gradient(calls.case(calls.recipe("float32", 2, "empty")), same=True)
    for name in calls.sig.tensors:
        if "~" in (calls.sig.operands[name].pattern or ""):
            for how in BROADCASTS[1:]:
                recipe = calls.recipe("float32", 2, broadcasts={name: how})
                yield from _gradient(calls.case(recipe), "expanded" if how == "unit" else "contiguous")
    for name in calls.sig.choosable:
        for i in range(1, len(calls.sig.operands[name].choices)):
            base = calls.case(calls.recipe("float32", 2, choices={name: i}))
            if base is not None and not _is_whole(dict(base.arguments)[name]):
                yield from _gradient(base)
    large = calls.case(calls.recipe("float32", 1, "large"))
    if large is not None and max(_elements(large)) <= LARGEST:
        yield from _gradient(large)
    others = [d for d in FLOATS[1:] if d in calls.dtypes]
    for i, dtype in enumerate(others if wide is Breadth.ALL else others[:1]):
        if wide is not Breadth.ALL:
            yield from settings(dtype, _OTHER_DTYPES)
            continue
        # What a dtype changes of a gradient it changes in every layout: the dtypes share the layouts.
        possible = list(settings(dtype, SETTINGS[:_SHARED]))
        shares = min(len(FLOATS) - 1, len(possible)) or 1
        yield from possible[(turn + i) % shares :: shares]


def _is_whole(choice: object) -> bool:
    """Whether an argument is a dtype that has no gradient."""
    return isinstance(choice, torch.dtype) and not (choice.is_floating_point or choice.is_complex)


def _elements(case: Case) -> list[int]:
    return [torch.Size(plan.shape).numel() for _, plan in case.tensors()]


def _frozen(calls: Calls) -> Iterator[GradientCase]:
    """Each operand frozen in its turn, where another one is left."""
    base = calls.case(calls.recipe("float32", 2))
    floating = [] if base is None else [n for n, p in base.tensors() if p.dtype.is_floating_point]
    for name in floating if len(floating) > 1 else ():
        yield from _gradient(base, frozen=name)


# --- running ---


@dataclass(frozen=True, eq=False)
class _Prepared:
    """A call whose operands take gradients, the incoming gradients by result, and what should come out."""

    case: GradientCase
    call: Bound
    tangents: Mapping[int, torch.Tensor]
    eager: Differentiated
    exact: Differentiated


class Runner(Batches[GradientCase, _Prepared]):
    """Differentiates calls in graphs of many."""

    def ready(self, case: GradientCase) -> _Prepared | CaseResult:
        """The call, with the gradients of eager PyTorch and of float64."""
        why = self.refusals.of(case.base)
        if why:
            return result_of(case, Status.UNCLAIMED, why, cause=why.partition(":")[0])
        generator = torch.Generator().manual_seed(case.seed(self.seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = oracle.operands(case.base, self.seed)
            fixed = (case.frozen, *case.constant)
            call = _leaves(bind(case.base, values, self.subject.device), fixed, case.same)
            try:
                results = call.eager()
            except oracle.ERRORS as error:
                return result_of(
                    case, Status.UNCLAIMED, f"eager PyTorch raised {describe(error)}", cause=REFUSED
                )
            tangents = {i: _tangent(results[i], case.tangent, generator) for i in _differentiable(results)}
            if not tangents:
                return result_of(case, Status.SUITE, "nothing depends on the operands", cause="no gradient")
            try:
                eager = _backward(call, results, tangents)
            except oracle.ERRORS as error:
                return result_of(
                    case, Status.UNCLAIMED, f"eager PyTorch raised {describe(error)}", cause=REFUSED
                )
            own = "own-precision" in spec_of(case.op).numerics.special
            return _Prepared(case, call, tangents, eager, eager if own else _exact(call, tangents))

    def kin(self, prepared: _Prepared) -> str | None:
        """None where a call cannot share a graph."""
        return "" if shares_a_graph(prepared.case.base) else None

    def judge(self, prepared: Sequence[_Prepared]) -> dict[str, CaseResult]:
        """Compares results and gradients; a backward that did not run on the backend is no pass."""
        module, inputs = graph_of([p.call for p in prepared])
        by_values = any(sizes_follow_values(p.case.base) for p in prepared)
        with warnings.catch_warnings(), fresh_dynamo(capture_dynamic_output_shape_ops=by_values):
            warnings.simplefilter("ignore")
            outputs = self.watched.compile(module, dynamic=False, fullgraph=len(prepared) > 1)(*inputs)
            found = _backward_of_all(prepared, outputs)
        graphs = [g for g in self.watched.graphs() if g.phase == "backward"]
        ran = self.watched.ran()
        if self.subject.backend is not None and len(prepared) > 1 and (ran.fallback or ran.refused):
            return {}  # which of them ran on the backend shows when each is compiled alone
        results = {p.case.id: compare(p.case, found[p.case.id], p.eager, p.exact) for p in prepared}
        if self.subject.backend is not None and len(prepared) == 1:
            (case_id,) = results
            computes = sum(g.claimed + g.fallback for g in graphs)
            if results[case_id].status is Status.PASSED and computes and not sum(g.claimed for g in graphs):
                text = f"the backward did not run on the backend; {ran}"
                results[case_id] = result_of(prepared[0].case, Status.UNCLAIMED, text, cause="fallback")
            elif results[case_id].status is Status.PASSED and ran.refused:
                results[case_id] = result_of(prepared[0].case, Status.UNCLAIMED, ran.refused, cause=FELL_BACK)
        return results


def _leaves(call: Bound, fixed: Sequence[str], same: bool = False) -> Bound:
    """The call with operands that take gradients, all but the ``fixed`` ones; alike ones are one tensor with
    ``same``.
    """
    chosen: dict[str, torch.Tensor] = {}
    for name, tensor in call.tensors.items():
        twin = next((t for t in chosen.values() if same and _alike(t, tensor)), None)
        chosen[name] = tensor if twin is None else twin
        if tensor.is_floating_point() and name not in fixed:
            chosen[name].requires_grad_()
    return Bound(call.case, chosen, oracle.arguments_of(call.case, chosen))


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.is_floating_point() and (a.shape, a.dtype) == (b.shape, b.dtype)


def _differentiable(results: Sequence[Any]) -> list[int]:
    return [
        i
        for i, r in enumerate(results)
        if isinstance(r, torch.Tensor) and r.grad_fn is not None and r.grad_fn.name() != "NotImplemented"
    ]


def _tangent(result: torch.Tensor, layout: str, generator: torch.Generator) -> torch.Tensor:
    wide = torch.complex128 if result.is_complex() else torch.float64
    values = torch.randn(result.shape, generator=generator, dtype=wide).to(result.dtype)
    rule = LAYOUTS[layout]
    if not rule.applies(result.dim()):
        rule = LAYOUTS["contiguous"]
    strides = tuple(rule.strides(tuple(result.shape)))
    return laid_out(values.to(result.device), strides, rule.offset)


def _leaf_operands(call: Bound) -> dict[str, torch.Tensor]:
    """Operands that take gradients, each once."""
    found: dict[int, tuple[str, torch.Tensor]] = {}
    for name, tensor in call.tensors.items():
        if tensor.requires_grad:
            found.setdefault(id(tensor), (name, tensor))
    return dict(found.values())


def _backward(
    call: Bound, results: Sequence[Any], tangents: Mapping[int, torch.Tensor], *, keep: bool = False
) -> Differentiated:
    """The gradients; ``keep`` says that others are asked for later."""
    leaves = _leaf_operands(call)
    gradients = torch.autograd.grad(
        [results[i] for i in tangents],
        list(leaves.values()),
        list(tangents.values()),
        allow_unused=True,
        retain_graph=keep,
    )
    values = {i: r.detach() for i, r in enumerate(results) if isinstance(r, torch.Tensor)}
    wants = {i: r.requires_grad for i, r in enumerate(results) if isinstance(r, torch.Tensor)}
    return Differentiated(values, wants, dict(zip(leaves, gradients, strict=True)))


def _exact(call: Bound, tangents: Mapping[int, torch.Tensor]) -> Differentiated:
    """Results and gradients in float64."""
    spec = spec_of(call.case.op)
    twins: dict[int, torch.Tensor] = {}
    for tensor in call.tensors.values():
        if id(tensor) not in twins:
            wide = tensor.detach().cpu()
            wide = wide.double() if tensor.is_floating_point() else wide
            twins[id(tensor)] = wide.contiguous().requires_grad_(tensor.requires_grad)
    operands = {name: twins[id(tensor)] for name, tensor in call.tensors.items()}
    arguments = widened(spec, oracle.arguments_of(call.case, operands))
    results = flatten(_in_float64(spec, arguments))
    exact = Bound(call.case, operands, arguments)
    incoming = {i: t.to("cpu", results[i].dtype) for i, t in tangents.items()}
    sizes = _sizes(exact, results, incoming)
    return replace(_backward(exact, results, incoming), sizes=sizes)


def _sizes(call: Bound, results: Sequence[Any], tangents: Mapping[int, torch.Tensor]) -> dict[str, float]:
    """How large gradients get where the terms of their sums do not cancel: a gradient is linear in the
    incoming one, so other signs of that one give other signs of the terms.
    """
    generator, found = torch.Generator().manual_seed(0), dict[str, float]()
    for attempt in range(_SIGNS):
        signed = {i: t.abs().to(t.dtype) for i, t in tangents.items()}
        if attempt:
            signed = {i: t * _signs(t, generator) for i, t in tangents.items()}
        for name, gradient in _backward(call, results, signed, keep=True).gradients.items():
            if gradient is not None and gradient.numel():
                largest = gradient.detach().abs().nan_to_num(0.0, 0.0, 0.0).max()
                found[name] = max(found.get(name, 0.0), float(largest))
    return found


def _signs(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randint(0, 2, tensor.shape, generator=generator) * 2 - 1


def _in_float64(spec: OpSpec, arguments: Mapping[str, Any]) -> Any:
    """The operator on float64 operands; its decomposition where PyTorch has no such kernel.

    Raises:
        RuntimeError and others of ``oracle.ERRORS``: there is neither.
    """
    try:
        return call_operator(spec, arguments)
    except (*oracle.ERRORS, AssertionError):
        if spec.decomposition is None:
            raise
        return spec.decomposition(**arguments)


def _backward_of_all(prepared: Sequence[_Prepared], outputs: Sequence[Any]) -> dict[str, Differentiated]:
    """Gradients of every call of a compiled graph, by one backward."""
    results = [flatten(output) for output in outputs]
    pairs = [(r[i], t) for p, r in zip(prepared, results, strict=True) for i, t in p.tangents.items()]
    pairs = [(r, t) for r, t in pairs if isinstance(r, torch.Tensor) and r.requires_grad]
    leaves = [t for p in prepared for t in _leaf_operands(p.call).values()]
    gradients = iter(
        torch.autograd.grad([r for r, _ in pairs], leaves, [t for _, t in pairs], allow_unused=True)
    )
    found = {}
    for p, flat in zip(prepared, results, strict=True):
        values = {i: r.detach() for i, r in enumerate(flat) if isinstance(r, torch.Tensor)}
        wants = {i: r.requires_grad for i, r in enumerate(flat) if isinstance(r, torch.Tensor)}
        found[p.case.id] = Differentiated(values, wants, {n: next(gradients) for n in _leaf_operands(p.call)})
    return found
