"""One sample through the whole contract: capture, lower to primitives, verify, execute, compare with
float64.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._functorch.aot_autograd import aot_function
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from torchport.capture.aot import CapturedGraph, boxed, import_captured
from torchport.contract.graph import Graph
from torchport.contract.numerics import judge
from torchport.contract.opset import OpSet
from torchport.contract.spec import Category, Tier
from torchport.errors import VerifierError
from torchport.lowering.descend import LoweredGraph
from torchport.pipeline import Session, lower as lower_stage
from torchport.run.program import OpStep, Program, build
from torchport.tools.closure.observe import Observed, Ordered, RuleError, run_observed
from torchport.tools.closure.samples import Sample

FACTOR = 2.0
"""How many of eager's own errors against float64 are allowed."""
ULPS = 4.0
"""Machine epsilons of the largest float64 result that are allowed beside, at least."""

DIGITS = 1e-6
"""To how many digits an error is compared with its limit."""

MOVING = frozenset({Category.VIEW, Category.LAYOUT, Category.INDEXING, Category.CREATION})
"""Operators that round nothing."""

UNINITIALISED = ("empty", "resize")
"""Operators whose names contain one of these may return memory as they found it."""


class StageError(Exception):
    """A sample failed in one stage of ours."""

    def __init__(self, stage: str, text: str) -> None:
        super().__init__(text)
        self.stage, self.text = stage, text


class OutsideError(Exception):
    """A sample that the contract cannot be about; ``kind`` says why, and the text is PyTorch's proof."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind, self.text = kind, text


UNTRACEABLE = "untraceable"
"""PyTorch's own trace of the call fails."""
NO_KERNEL = "eager has no kernel"
"""Eager PyTorch on this device cannot run the call at all."""
BEYOND_OPERANDS = "reads beyond its operands"
"""Eager PyTorch runs the call only where the operands' storages hold more than the operands."""


@dataclass(slots=True)
class Outcome:
    """What one sample showed."""

    aten: set[str] = field(default_factory=set)
    prims: set[str] = field(default_factory=set)
    nodes: int = 0
    lower_seconds: float = 0.0
    ratio: float = 0.0
    ulps: float = ULPS
    judged: bool = True
    observed: Observed = field(default_factory=Observed)
    gradients: int = 0


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks samples against one opset. ``session`` lowers to its prim tier."""

    opset: OpSet
    session: Session
    dynamic: bool = False

    def check(self, fn: Callable[..., Any], sample: Sample, seed: int) -> Outcome:
        """Raises :class:`StageError` where the sample is open, :class:`OutsideError` where it cannot be
        captured as a function of its operands.
        """
        outcome = Outcome()
        leaves, tree = tree_flatten((sample.args, dict(sample.kwargs)))
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]

        call = _over_tensors(fn, sample, leaves, tree, places)
        inputs = [leaves[i] for i in places]
        try:
            eager = _run(call, inputs, seed)
        except NotImplementedError as error:
            raise OutsideError(NO_KERNEL, _first_line(error)) from error
        _reads_operands_only(call, inputs, seed)
        ours = self._ours(call, inputs, seed, outcome, eager)
        exact = None
        if outcome.judged:
            exact = _exact(fn, sample, leaves, tree, places, seed)
        compare("values", ours.results, eager.results, exact.results if exact else None, outcome)
        compare("gradients", ours.gradients, eager.gradients, exact.gradients if exact else None, outcome)
        outcome.gradients = sum(g is not None for g in ours.gradients)
        return outcome

    def _ours(
        self, call: Callable[..., Any], inputs: Sequence[Tensor], seed: int, outcome: Outcome, eager: _Run
    ) -> _Run:
        compiled = aot_function(
            call,
            fw_compiler=self._compiler("forward", outcome),
            bw_compiler=self._compiler("backward", outcome),
            inference_compiler=self._compiler("inference", outcome),
            decompositions={},
            dynamic=self.dynamic,
        )
        try:
            return _run(compiled, inputs, seed, like=eager)
        except StageError:
            raise
        except Exception as error:
            self._prove_untraceable(call, inputs, seed, eager)
            raise StageError("execute", f"{type(error).__name__}: {error}") from error

    def _prove_untraceable(
        self, call: Callable[..., Any], inputs: Sequence[Tensor], seed: int, eager: _Run
    ) -> None:
        def untouched(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Any:
            return boxed(lambda flat: torch.fx.Interpreter(gm).run(*flat))

        plain = aot_function(call, fw_compiler=untouched, decompositions={}, dynamic=self.dynamic)
        try:
            _run(plain, inputs, seed, like=eager)
        except Exception as error:
            raise OutsideError(UNTRACEABLE, _first_line(error)) from error

    def _compiler(self, phase: str, outcome: Outcome) -> Callable[..., Any]:
        def compile_aot(gm: torch.fx.GraphModule, _: Sequence[Any]) -> Any:
            try:
                captured = import_captured(gm, phase, (), to_run=False)
            except Exception as error:
                raise StageError("capture", f"{type(error).__name__}: {error}") from error
            names = {n.op for n in captured.graph.nodes}
            outcome.aten |= names
            outcome.ulps = max(outcome.ulps, allowed_ulps(captured.graph, self.opset))
            outcome.judged &= not any(_unpredictable(name, self.opset) for name in names)
            started = time.thread_time()
            try:
                stage = lower_stage(captured, self.session, to_run=False)
            except Exception as error:
                raise StageError("lower", f"{type(error).__name__}: {error}") from error
            outcome.lower_seconds += time.thread_time() - started
            lowered = stage.graph
            outcome.nodes += len(lowered.nodes)
            self._verify(stage)
            outcome.prims |= {n.op for n in lowered.nodes}
            if not self.dynamic:
                return boxed(lambda flat: self._observe(captured, lowered, flat, outcome))
            outcome.observed.symbolic += symbolic_calls(captured.graph) + symbolic_calls(lowered)
            steps = tuple(OpStep(node) for node in lowered.nodes)
            program = Program(captured.arguments, steps, lowered.outputs, lowered.symbols, lowered.constants)
            return boxed(build(program))

        return compile_aot

    def _observe(
        self, captured: CapturedGraph, lowered: Graph, flat: list[Any], outcome: Outcome
    ) -> list[Any]:
        """Runs the captured graph and then the lowered one, whose outputs count."""
        try:
            with torch.random.fork_rng(devices=[]):
                run_observed(captured.graph, captured.arguments, flat, self.opset, outcome.observed)
            return run_observed(lowered, captured.arguments, flat, self.opset, outcome.observed)
        except RuleError as error:
            raise StageError("rules", str(error)) from error

    def _verify(self, stage: LoweredGraph) -> None:
        try:
            self.opset.verify(stage.graph, Tier.PRIM)
        except VerifierError as error:
            why = "; ".join(r.text for r in stage.rejections if r.node == error.node)
            raise StageError("verify", f"{why}; {error}" if why else str(error)) from error


def _over_tensors(
    fn: Callable[..., Any], sample: Sample, leaves: list[Any], tree: Any, places: list[int]
) -> Callable[..., list[Tensor]]:
    """The sample as a function of the tensors among its leaves."""

    def call(*tensors: Tensor) -> list[Tensor]:
        filled = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        args, kwargs = tree_unflatten(filled, tree)
        result = sample.finish(fn(*args, **kwargs))
        return [t for t in tree_leaves(result) if isinstance(t, Tensor)]

    return call


@dataclass(frozen=True, slots=True)
class _Run:
    results: list[Tensor]
    gradients: list[Tensor | None]
    cotangents: list[Tensor]


def _run(call: Callable[..., Any], inputs: Sequence[Tensor], seed: int, *, like: _Run | None = None) -> _Run:
    """Results, and gradients of the inputs that require them for drawn cotangents (those of ``like``)."""
    torch.manual_seed(seed)
    fresh = [_copy(t).requires_grad_(t.requires_grad) for t in inputs]
    results = list(call(*[t.view_as(t) if t.requires_grad else t for t in fresh]))
    wanted = [t for t in fresh if t.requires_grad]
    sources = [r for r in results if r.requires_grad]
    cotangents = [torch.randn_like(r.detach()) for r in sources] if like is None else like.cotangents
    if not wanted or not sources:
        return _Run([r.detach() for r in results], [], [])
    given = [c.to(r.dtype) for c, r in zip(cotangents, sources, strict=True)]
    gradients = torch.autograd.grad(sources, wanted, given, allow_unused=True)
    return _Run([r.detach() for r in results], list(gradients), cotangents)


def _reads_operands_only(call: Callable[..., Any], inputs: Sequence[Tensor], seed: int) -> None:
    parts = [t for t in inputs if t.untyped_storage().nbytes() > t.numel() * t.itemsize]
    if not parts:
        return
    try:
        _run(call, [t.detach().clone().requires_grad_(t.requires_grad) for t in inputs], seed)
    except RuntimeError as error:
        raise OutsideError(BEYOND_OPERANDS, _first_line(error)) from error


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"


def symbolic_calls(graph: Graph) -> int:
    """Calls with a result of symbolic size."""
    return sum(any(spec.symbols for spec in node.output_specs) for node in graph.nodes)


def _copy(tensor: Tensor) -> Tensor:
    """A copy with strides, offset and whatever else lies in the storage."""
    if tensor.is_conj() or tensor.is_neg():
        return tensor.detach().clone()
    storage = tensor.detach().untyped_storage().clone()
    made = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return made.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())


def _exact(
    fn: Callable[..., Any], sample: Sample, leaves: list[Any], tree: Any, places: list[int], seed: int
) -> _Run | None:
    """The same call in float64; ``None`` where PyTorch has no such kernel."""
    wide = [_widened(leaf) for leaf in leaves]

    call = _over_tensors(fn, sample, wide, tree, places)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return _run(call, [wide[i] for i in places], seed)
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return None
    finally:
        torch.set_default_dtype(before)


def _widened(leaf: Any) -> Any:
    wider = {
        torch.float16: torch.float64,
        torch.bfloat16: torch.float64,
        torch.float32: torch.float64,
        torch.complex32: torch.complex128,
        torch.complex64: torch.complex128,
    }
    if isinstance(leaf, Tensor):
        needs = leaf.requires_grad
        return leaf.detach().to(wider.get(leaf.dtype, leaf.dtype)).requires_grad_(needs)
    return wider.get(leaf, leaf) if isinstance(leaf, torch.dtype) else leaf


def _unpredictable(name: str, opset: OpSet) -> bool:
    spec = opset.ops.get(name)
    law = spec is not None and spec.numerics.kind == "law" and not spec.deterministic
    return law or any(part in name for part in UNINITIALISED)


def compare(
    what: str,
    ours: Sequence[Tensor | None],
    eager: Sequence[Tensor | None],
    exact: Sequence[Tensor | None] | None,
    outcome: Outcome,
) -> None:
    """Holds results of ours against eager's and the exact ones; ``what`` is ``values`` or ``gradients``.

    Raises:
        StageError: one is missing, has another shape or dtype, or is too far off.
    """
    if what == "gradients" and not ours:
        ours = [None] * len(eager)  # AOTAutograd leaves results without elements outside autograd
    if len(ours) != len(eager):
        raise StageError(what, f"{len(ours)} {what} instead of {len(eager)}")
    for i, (mine, theirs) in enumerate(zip(ours, eager, strict=True)):
        if mine is None or theirs is None:
            if theirs is not None and bool(theirs.count_nonzero()):
                raise StageError(what, f"{what[:-1]} {i} is missing")
            continue
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            got, wanted = (f"{t.dtype}{list(t.shape)}" for t in (mine, theirs))
            raise StageError(what, f"{what[:-1]} {i} is {got}, eager's {wanted}")
        if not outcome.judged:
            continue
        truth = exact[i] if exact is not None and i < len(exact) else None
        if mine.dtype is torch.int64 and _same_choice(mine, theirs, outcome.observed.orders):
            continue
        ratio = error_ratio(mine, theirs, truth, outcome.ulps)
        outcome.ratio = max(outcome.ratio, ratio)
        if ratio > 1.0 + DIGITS:
            raise StageError(what, f"{what[:-1]} {i} is off by {ratio:.3g} times the limit")


def _same_choice(mine: Tensor, theirs: Tensor, orders: Sequence[Ordered]) -> bool:
    """Whether ``theirs`` are indices that an operator chose among equal elements, and ``mine`` as good."""
    for order in orders:
        for i, result in enumerate(order.results):
            if isinstance(result, Tensor) and result.shape == theirs.shape and torch.equal(result, theirs):
                got = [*order.results[:i], mine, *order.results[i + 1 :]]
                return judge(order.spec, order.arguments, got).ok
    return False


def allowed_ulps(graph: Graph, opset: OpSet) -> float:
    """Machine epsilons that the contract's bounds allow a captured graph; at least :data:`ULPS`.

    Those of its operators add up as the root of their squares, since roundings are independent.
    """
    squares = 0.0
    for node in graph.nodes:
        spec = opset.ops.get(node.op)
        floating = any(s.dtype.is_floating_point or s.dtype.is_complex for s in node.output_specs)
        if spec is not None and floating and spec.category not in MOVING:
            squares += float(spec.numerics.ulps.get("float32", 1.0)) ** 2
    return max(ULPS, math.sqrt(squares))


def _saturated(x: Tensor) -> Tensor:
    """A float8 tensor as float32; beyond the largest number kernels give that number or NaN, both allowed."""
    wide = x.float()
    largest = torch.finfo(x.dtype).max
    return torch.where(wide.abs() >= largest, torch.full_like(wide, torch.nan), wide)


def error_ratio(mine: Tensor, theirs: Tensor, truth: Tensor | None, ulps: float = ULPS) -> float:
    """Largest error over 2·max|eager - f64| + ``ulps`` eps max|f64|; infinite where NaN, infinities, integers
    or booleans differ.
    """
    mine, theirs = mine.resolve_conj().resolve_neg(), theirs.resolve_conj().resolve_neg()
    if mine.dtype.itemsize == 1 and mine.is_floating_point():
        mine, theirs = _saturated(mine), _saturated(theirs)
        truth = None if truth is None else truth.double()
    if not (mine.is_floating_point() or mine.is_complex()):
        return 0.0 if torch.equal(mine, theirs) else float("inf")
    if mine.is_complex():
        parts = (None if t is None else t.resolve_conj().contiguous() for t in (mine, theirs, truth))
        reals = [None if t is None else torch.view_as_real(t) for t in parts]
        mine, theirs, truth = reals  # type: ignore[assignment]
    usable = truth is not None and truth.shape == theirs.shape and truth.dtype == torch.float64
    a, b = mine.double(), theirs.double()
    reference = truth if usable and truth is not None else b
    finite = a.isfinite() & b.isfinite() & reference.isfinite()
    odd = ~finite
    if bool((odd & ~((a == b) | (a.isnan() & b.isnan()))).any()):
        agree = (a == reference) | (a.isnan() & reference.isnan())
        if bool((odd & ~((a == b) | (a.isnan() & b.isnan()) | agree)).any()):
            return float("inf")
    if not bool(finite.any()):
        return 0.0
    error = (a - reference)[finite].abs().max()
    allowed = FACTOR * (b - reference)[finite].abs().max()
    allowed = allowed + ulps * torch.finfo(mine.dtype).eps * reference[finite].abs().max()
    if float(error) == 0.0:
        return 0.0
    return float(error / allowed) if float(allowed) > 0.0 else float("inf")
