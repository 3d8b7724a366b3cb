"""One case on a backend: claim, compile, run in guarded memory, compare, and say what was wrong."""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from torchport.compile.artifact import Compiled
from torchport.compile.backend import Backend, compiles_many
from torchport.compile.bound import Bound
from torchport.compile.capabilities import DynamicShapes
from torchport.compile.options import parse_options
from torchport.compile.reason import Claim, Reason
from torchport.contract.graph import Node, ScalarSpec
from torchport.contract.laws import draws_differ
from torchport.contract.repeated_places import is_order_open
from torchport.contract.spec import Category, OpSpec
from torchport.contract.symbols import evaluate
from torchport_conformance import diagnosis, eager, numerics, obligation, oracle, repetition
from torchport_conformance.buffers import (
    OTHER_CANARY_BYTE,
    USUAL,
    Guarded,
    Surroundings,
    place_input,
    place_output,
)
from torchport_conformance.cases.case import Case, TensorPlan, strides_of
from torchport_conformance.cases.layouts import LAYOUTS, contiguous_strides
from torchport_conformance.closeness import same
from torchport_conformance.isolation.endings import OUT_OF_MEMORY
from torchport_conformance.loading import Refused, RunRegion, Sharing, load_compiled
from torchport_conformance.regions import BuiltRegion, build_region, probe, sizes_follow_values
from torchport_conformance.report.model import CaseResult, Status, result_of
from torchport_conformance.specs import spec_of
from torchport_conformance.stages import Stage, enter


@dataclass(frozen=True, eq=False)
class _Prepared:
    """A region that is ready to run, or why there is none (``status`` and ``message``)."""

    built: BuiltRegion | None = None
    run: RunRegion | None = None
    status: Status = Status.PASSED
    message: str = ""
    cause: str = ""


@dataclass(frozen=True, eq=False)
class _Ran:
    """The memory of a run, and which results the backend returned in memory of others."""

    inputs: Mapping[str, Guarded]
    outs: list[Guarded]
    shared: tuple[Sharing, ...] = ()

    @property
    def got(self) -> list[torch.Tensor]:
        """The results on the host."""
        return [out.tensor.cpu() for out in self.outs]


REGIONS_TOGETHER = 48
"""Regions that are handed over in one call."""
_ENTANGLED_DTYPES = 2
"""Dtypes of an operator of which a case is run on two threads at once."""
_FAR = 2.0**-12
_WHATEVER_THE_SIZES = (Reason.OP, Reason.DTYPE, Reason.NOT_IN_CONTRACT)


class _BackendRaised(Exception):
    """Carries what a backend raised past the suite's own errors."""


class CaseRunner:
    """Runs cases on the first target of a backend. Regions are compiled once per group of cases."""

    def __init__(self, backend: Backend, seed: int) -> None:
        self.backend, self.seed = backend, seed
        self.target = backend.targets()[0]
        self.capabilities = backend.capabilities(self.target)
        self._bound = Bound(backend, self.target, self.capabilities)
        self.options = parse_options(backend.options, None, mode=None, backend=backend.name)
        self._refusals: dict[Any, Claim | None] = {}
        self._accepted: set[Any] = set()  # operators with the dtypes of their operands that were claimed
        # Operators that were claimed or refused by dtype, and whether they were ever refused so.
        self._choosy: dict[str, bool] = {}
        self._regions: dict[Any, _Prepared] = {}  # by group, where one region serves several sizes
        self._latest_static: tuple[Any, _Prepared] | None = None
        # Operators with a dtype, or none where operands are not row-major, of which one case was repeated.
        self._repeated: set[tuple[str, str]] = set()
        # Dtypes of an operator of which a case was run on two threads at once.
        self._entangled: defaultdict[str, set[str]] = defaultdict(set)
        self._earlier: dict[Any, list[torch.Tensor]] = {}  # what a group's region wrote last
        symbolic = self.capabilities.dynamic in (DynamicShapes.FULL, DynamicShapes.RANGED)
        self._together = symbolic and compiles_many(backend)
        self._gathered: set[Any] = set()  # groups that prepare() has seen

    def run(self, case: Case) -> CaseResult:
        """The result of one case; what the backend raises becomes a failure of the case."""
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                # Eager warns about what some cases are made for, such as a variance of one element.
                warnings.simplefilter("ignore")
                result = self._run(self._as_declared(case))
        except _BackendRaised as raised:
            cause = OUT_OF_MEMORY if _lacked_memory(raised.__cause__) else "exception"
            result = result_of(case, Status.FAILED, f"the backend raised {raised}", cause=cause)
            result = self._excused(case, result, None)
        except Exception as error:  # noqa: BLE001 - counted as the suite's own failure, never a pass
            result = result_of(case, Status.SUITE, f"the suite raised {describe(error)}", cause="suite")
        return replace(result, id=case.id, seconds=time.perf_counter() - started)

    def _as_declared(self, case: Case) -> Case:
        """The case as the SDK hands it on: row-major operands where the backend declares ``contiguous``."""
        if self.capabilities.layouts != "contiguous":
            return case

        return _relaid(case, lambda layout: LAYOUTS[layout].strides is not contiguous_strides)

    def _run(self, case: Case) -> CaseResult:
        refused = self._refusal(case)
        if refused is not None:
            return result_of(case, Status.UNCLAIMED, _why(refused), cause=_cause(refused))
        prepared = self._prepare(case)
        if prepared.status is not Status.PASSED:
            return result_of(case, prepared.status, prepared.message, cause=prepared.cause)
        values = oracle.operands(case, self.seed)
        try:
            reference = oracle.reference(case, values)
        except oracle.ERRORS as error:
            return self._without_reference(case, prepared, values, error)
        ran = self._execute(case, prepared, values)
        enter(Stage.JUDGE)
        result = self._judge(case, prepared, values, reference, ran)
        self._earlier = {case.group: ran.got}
        return result

    def _without_reference(
        self, case: Case, prepared: _Prepared, values: Mapping[str, torch.Tensor], error: Exception
    ) -> CaseResult:
        """The result of a case that has no reference: passed where eager PyTorch refuses the very operands,
        which makes the case one of an error, and the backend raises as well; else the suite's own error.
        """
        if eager.refuses(case, values):
            try:
                self._execute(case, prepared, values)
            except _BackendRaised:
                return result_of(case, Status.PASSED, "")
        text = f"the reference raised {describe(error)}"
        return result_of(case, Status.SUITE, text, cause="no reference")

    def _refusal(self, case: Case) -> Claim | None:
        """The backend's refusal of the operator or of the dtypes of a case, which holds for its whole group.

        Asked once per group, before anything is built, until operands of these dtypes are claimed, or of any
        dtypes where none have been refused; every other refusal may depend on sizes or layouts of results,
        and is asked for the region itself.
        """
        if self._choosy.get(case.op) is False:
            return None
        return self._refused_dtypes(case)

    def _refused_dtypes(self, case: Case) -> Claim | None:
        """The refusal of a case's operator or dtypes, asked before there is a region."""
        dtypes = (case.op, *(plan.dtype for _, plan in case.tensors()))
        if dtypes in self._accepted:
            return None
        if case.group not in self._refusals:
            node = probe(case, device=self.target.device)
            claim = None if node is None else self._ask(node)
            if claim is not None and claim.accepted:
                self._accepted.add(dtypes)
                self._choosy.setdefault(case.op, False)
                return None
            final = claim is not None and claim.reason in _WHATEVER_THE_SIZES
            if final:
                self._choosy[case.op] = True
            self._refusals[case.group] = claim if final else None
        return self._refusals[case.group]

    def _ask(self, node: Node) -> Claim:
        enter(Stage.CLAIM)
        try:
            claim = self.backend.claims(node, self.target)
        except (Exception, SystemExit) as error:
            raise _BackendRaised(describe(error)) from error
        if not isinstance(claim, Claim):
            raise _BackendRaised(f"no error, and claims() returned {claim!r}, which is no Claim")
        outside = obligation.undeclared(node, self._bound) if claim.accepted else None
        return claim if outside is None else Claim(False, text=outside)

    def _prepare(self, case: Case) -> _Prepared:
        """The region of a case, compiled now or for an earlier case of its group."""
        if sizes_follow_values(case):
            return self._build(case, symbolic=False)
        if self.capabilities.dynamic in (DynamicShapes.FULL, DynamicShapes.RANGED):
            if case.group not in self._regions:
                self._regions[case.group] = self._build(case, symbolic=not case.static)
            found = self._regions[case.group]
            if found.built is not None and found.built.serves(case):
                return found
        key = (case.group, case.sizes)
        if self._latest_static is None or self._latest_static[0] != key:
            self._latest_static = (key, self._build(case, symbolic=False))
        return self._latest_static[1]

    def lacks(self, case: Case) -> bool:
        """Whether :meth:`prepare` has something to do for a case."""
        return self._together and self._as_declared(case).group not in self._gathered

    def prepare(self, cases: Iterable[Case]) -> None:
        """Compiles the regions of the next groups of cases in one call of the backend's ``compile_many``.

        What stands in the way of a group's region is left for its first case to find.
        """
        waiting: dict[Any, BuiltRegion] = {}
        for case in map(self._as_declared, cases):
            if len(waiting) == REGIONS_TOGETHER:
                break
            if case.group in self._gathered:
                continue
            self._gathered.add(case.group)
            try:
                refused = self._refusal(case) is not None
                made = None if refused else self._claimed_region(case, symbolic=not case.static)
            except Exception:  # noqa: BLE001 - raised again, and reported, where the case runs
                continue
            if isinstance(made, BuiltRegion) and case.group not in self._regions:
                waiting[case.group] = made
        if waiting:
            found = self._compiled_together(list(waiting.values()))
            self._regions.update(zip(waiting, found, strict=True))

    def _compiled_together(self, built: list[BuiltRegion]) -> list[_Prepared]:
        try:
            found = self.backend.compile_many([b.region for b in built], self.target, self.options)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a vendor's compiler may raise anything
            text = f"compile_many() raised {describe(error)}"
        else:
            if len(found) == len(built):
                return [self._loaded(b, partial(_itself, c)) for b, c in zip(built, found, strict=True)]
            text = f"compile_many() returned {len(found)} results for {len(built)} regions"
        return [_Prepared(b, status=Status.FAILED, message=text, cause="compile error") for b in built]

    def _build(self, case: Case, *, symbolic: bool) -> _Prepared:
        built = self._claimed_region(case, symbolic=symbolic)
        if isinstance(built, _Prepared):
            return built
        return self._loaded(built, lambda: self.backend.compile(built.region, self.target, self.options))

    def _claimed_region(self, case: Case, *, symbolic: bool) -> BuiltRegion | _Prepared:
        """The region of a case that the backend claims, or why there is none."""
        try:
            built = build_region(case, self.seed, symbolic=symbolic, device=self.target.device)
        except oracle.ERRORS as error:
            refused = self._refused_dtypes(case)
            if refused is not None:
                return _Prepared(status=Status.UNCLAIMED, message=_why(refused), cause=_cause(refused))
            text = f"PyTorch's shape function raised {describe(error)}"
            return _Prepared(status=Status.SUITE, message=text, cause="no shape")
        claim = self._ask(built.node)
        if claim.accepted:
            return built
        if claim.reason in _WHATEVER_THE_SIZES:
            self._choosy[case.op] = True
        # A refusal of symbols is not yet one of the operator: sizes are tried as numbers.
        return _Prepared(
            None if symbolic else built,
            status=Status.UNCLAIMED,
            message=_why(claim),
            cause=_cause(claim),
        )

    def _loaded(self, built: BuiltRegion, compiled: Callable[[], Compiled | Exception]) -> _Prepared:
        enter(Stage.COMPILE)
        try:
            made = compiled()
            if isinstance(made, Exception):
                raise made
            loaded = load_compiled(self.backend, built.region, made, self.target)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a vendor's compiler may raise anything
            text = f"the node is claimed and compile() or load() raised {describe(error)}"
            cause = OUT_OF_MEMORY if _lacked_memory(error) else "compile error"
            return _Prepared(built, status=Status.FAILED, message=text, cause=cause)
        if isinstance(loaded, Refused):
            text = f"the node is claimed and compile() refused it: {loaded.text}; what is claimed must run"
            return _Prepared(built, status=Status.FAILED, message=text, cause="claimed but refused")
        return _Prepared(built, loaded)

    def _execute(
        self,
        case: Case,
        prepared: _Prepared,
        values: Mapping[str, torch.Tensor],
        around: Surroundings = USUAL,
        ready: Callable[[], object] = lambda: None,
    ) -> _Ran:
        """Runs a case; ``ready`` is called when operands and destinations are in place."""
        assert prepared.built is not None and prepared.run is not None
        inputs = {}
        for name, plan in case.tensors():
            strides, offset = strides_of(plan)
            operand = values[name].to(self.target.device)
            inputs[name] = place_input(operand, strides, offset, other=name in around.other)
        symbols = prepared.built.symbols(case)
        outs = []
        for value in prepared.built.region.output_values:
            assert not isinstance(value.spec, ScalarSpec)
            shape = tuple(evaluate(d, symbols) for d in value.spec.shape)
            strides = tuple(evaluate(d, symbols) for d in value.spec.stride)
            outs.append(place_output(shape, strides, value.spec.dtype, self.target.device, around.canary))
        enter(Stage.RUN)
        ready()
        try:
            shared = prepared.run([g.tensor for g in inputs.values()], [g.tensor for g in outs], symbols)
            if self.target.device != "cpu":
                torch.accelerator.synchronize()
        except (Exception, SystemExit) as error:
            raise _BackendRaised(describe(error)) from error
        return _Ran(inputs, outs, shared)

    def _judge(
        self,
        case: Case,
        prepared: _Prepared,
        values: Mapping[str, torch.Tensor],
        reference: oracle.Reference,
        ran: _Ran,
    ) -> CaseResult:
        damage = _damage(case, ran) or self._shared_memory(case, values, ran)
        damage = damage or self._nothing_written(case, prepared, values, ran)
        if damage is not None:
            return damage
        wanted, got = [r for r in reference.results if r is not None], ran.got
        if [tuple(g.shape) for g in got] != [tuple(w.shape) for w in wanted]:
            shapes = f"{[list(g.shape) for g in got]}, the reference {[list(w.shape) for w in wanted]}"
            return result_of(case, Status.SUITE, f"outputs have shapes {shapes}", cause="shapes disagree")
        verdict = numerics.judge(spec_of(case.op), reference, got)
        if verdict.ok:
            found = self._steady(case, prepared, values, got) or result_of(case, Status.PASSED, "")
            if found.status is Status.EAGER_DEFECT:
                return found
            return replace(found, bound_ratio=verdict.ratio, ulp=verdict.ulp, lean=verdict.lean)
        i = verdict.output
        failed = result_of(case, Status.FAILED, verdict.message, cause="outside the bound")
        failed = replace(failed, bound_ratio=verdict.ratio, ulp=verdict.ulp)
        failed = self._excused(case, failed, got, reference)
        if failed.status is not Status.FAILED:
            return failed
        failure = diagnosis.Failure(
            case,
            values,
            i,
            wanted[i],
            ran.outs[i],
            lambda: _is_far(got[i], wanted[i]) and self._right_if_row_major(case, values, reference),
            lambda v, around: self._execute(case, prepared, v, around).got,
            got,
            self._earlier.get(case.group, ()),
        )
        likely = diagnosis.explain(failure)
        if not likely:
            return failed
        return replace(failed, message=f"{verdict.message}\nlikely cause: {likely}", cause=likely.cause)

    def _steady(
        self,
        case: Case,
        prepared: _Prepared,
        values: Mapping[str, torch.Tensor],
        got: list[torch.Tensor],
    ) -> CaseResult | None:
        """A failure where a right result is not the same again, asked of one case of each dtype of an
        operator and of one that is not row-major; or not on two threads at once, asked of few dtypes.
        """
        alike = (case.op, case.dtype if case.layout == "contiguous" else "")
        keys = _keys(case)
        repeats = bool(keys) or alike not in self._repeated
        plain = all(plan.fill == "random" for _, plan in case.tensors())
        entangled = self._entangled[case.op]
        entangles = plain and case.dtype not in entangled and len(entangled) < _ENTANGLED_DTYPES
        if not (repeats or entangles) or not any(g.numel() for g in got):
            return None
        self._repeated.add(alike)
        spec, declared = spec_of(case.op), self._as_declared(case)
        other_seed = self.seed if sizes_follow_values(case) else self.seed + 1
        others = values if other_seed == self.seed else oracle.operands(case, other_seed)

        def run(operands: Mapping[str, torch.Tensor], around: Surroundings) -> list[torch.Tensor]:
            return self._execute(case, prepared, operands, around).got

        def is_right(operands: Mapping[str, torch.Tensor], results: Sequence[torch.Tensor]) -> bool:
            exact = oracle.reference(case, operands)
            if numerics.judge(spec, exact, results).ok:
                return True
            # As wrong for other values as eager is: no trace of an earlier call.
            return operands is others and bool(eager.shown_defect(declared, other_seed, list(results), exact))

        if repeats and spec.deterministic:
            is_open = is_order_open(spec, oracle.arguments_of(case, values))
            cause = repetition.unsteady(
                run,
                values,
                others,
                got,
                is_right,
                lambda results: same(results, got) or (is_open and is_right(values, results)),
            )
        elif repeats and spec.category is Category.RANDOM:
            arguments = oracle.arguments_of(case, values)
            must_differ = _must_differ(spec, arguments, got)
            if not must_differ:
                self._repeated.discard(alike)  # a case that surely draws tells more
            cause = repetition.unfair(run, values, must_differ=must_differ)
            if cause is None and keys and draws_differ(spec.numerics.special[0], arguments, got[0]):
                cause = repetition.deaf(run, values, got, keys)
        else:
            cause = None
        if cause is None and entangles and spec.category is not Category.RANDOM:
            self._entangled[case.op].add(case.dtype)
            cause = repetition.entangled(
                lambda operands, ready: self._execute(case, prepared, operands, ready=ready).got,
                values,
                others,
                got,
                is_right,
            )
        if cause is None:
            return None
        text = f"the result is right once and not always; {cause}"
        unsteady = eager.shown_unsteady(declared, self.seed)
        if unsteady is not None:
            text = f"eager PyTorch: {unsteady.text}\n{text}"
            return result_of(case, Status.EAGER_DEFECT, text, cause=unsteady.text)
        return result_of(case, Status.FAILED, text, cause=cause.cause)

    def _nothing_written(
        self, case: Case, prepared: _Prepared, values: Mapping[str, torch.Tensor], ran: _Ran
    ) -> CaseResult | None:
        """A failure for destinations that hold their canary, and in another run another one."""
        if not _is_untouched(ran.outs) or not spec_of(case.op).deterministic:
            return None
        again = self._execute(case, prepared, values, Surroundings(canary=OTHER_CANARY_BYTE))
        if not _is_untouched(again.outs):
            return None
        text = "nothing was written: the destinations hold what they held before"
        return result_of(case, Status.FAILED, text, cause="nothing written")

    def _shared_memory(self, case: Case, values: Mapping[str, torch.Tensor], ran: _Ran) -> CaseResult | None:
        """A failure for results that lie in memory of inputs or of each other where PyTorch's do not."""
        if not ran.shared:
            return None
        extra = set(ran.shared) - set(eager.sharings_of(case, values))
        if not extra:
            return None
        first = min(extra, key=lambda s: (s.output, s.other))
        names = list(ran.inputs)
        other = f"input {names[first.other]!r}" if first.with_input else f"output {first.other}"
        text = f"output {first.output} lies in the memory of {other}; PyTorch's does not"
        return result_of(case, Status.FAILED, text, cause="shares memory")

    def _right_if_row_major(
        self, case: Case, values: Mapping[str, torch.Tensor], reference: oracle.Reference
    ) -> bool:
        """Whether a failed case passes with row-major operands of the same values."""
        plain = _relaid(case, lambda layout: True)
        prepared = self._prepare(plain)
        if prepared.status is not Status.PASSED:
            return False
        try:
            ran = self._execute(plain, prepared, values)
        except _BackendRaised:
            return False
        got = ran.got
        shapes = [r.shape for r in reference.results if r is not None]
        if _damage(plain, ran) is not None or [g.shape for g in got] != shapes:
            return False
        return numerics.judge(spec_of(case.op), reference, got).ok

    def _excused(
        self,
        case: Case,
        failed: CaseResult,
        got: list[torch.Tensor] | None,
        exact: oracle.Reference | None = None,
    ) -> CaseResult:
        """The failure; an eager defect, where eager PyTorch does the same by a declared defect."""
        defect = eager.shown_defect(self._as_declared(case), self.seed, got, exact)
        if defect is None:
            return failed
        text = f"eager PyTorch: {defect.text}\n{failed.message}"
        excused = replace(failed, status=Status.EAGER_DEFECT, message=text, cause=defect.text)
        return replace(excused, bound_ratio=None, ulp=None)


def _relaid(case: Case, changes: Callable[[str], bool]) -> Case:
    """The case with contiguous operands in place of those whose layout ``changes``."""

    def row_major(argument: Any) -> Any:
        if isinstance(argument, tuple):
            return tuple(row_major(a) for a in argument)
        if isinstance(argument, TensorPlan) and changes(argument.layout):
            return replace(argument, layout="contiguous")
        return argument

    return replace(case, arguments=tuple((name, row_major(a)) for name, a in case.arguments))


def _damage(case: Case, ran: _Ran) -> CaseResult | None:
    """A failure for memory that was written and may not be."""
    for i, out in enumerate(ran.outs):
        stray = out.stray_writes()
        if stray:
            text = (
                f"output {i}: wrote outside its destination, at elements {list(stray)} counted from its first"
            )
            return result_of(case, Status.FAILED, text, cause="write outside the destination")
    for name, guarded in ran.inputs.items():
        if not guarded.is_untouched():
            text = (
                f"input {name!r} or the memory around it was modified; operators may not write their inputs"
            )
            return result_of(case, Status.FAILED, text, cause="input modified")
    return None


def _is_far(got: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Whether a wrong result is another value altogether, as what is read elsewhere is, and not one with
    other rounding errors.
    """
    mine, exact = (x.to(torch.complex128) if x.is_complex() else x.to(torch.float64) for x in (got, wanted))
    error, size = (mine - exact).abs(), exact.abs()
    finite = error.isfinite() & size.isfinite()
    return not bool(finite.all()) or bool(error.max() > _FAR * size.max())


def _is_untouched(outs: Sequence[Guarded]) -> bool:
    """Whether no destination changed; those of bools, which any byte may be right for, do not count."""
    told = [out for out in outs if out.tensor.dtype is not torch.bool and out.tensor.numel()]
    return bool(told) and all(out.nothing_written() for out in told)


def _keys(case: Case) -> dict[str, int]:
    """The operands that the draws of a random operator follow from, and how many values each may have; none
    where it draws from a generator.
    """
    spec = spec_of(case.op)
    if spec.category is not Category.RANDOM or torch.Tag.nondeterministic_seeded in spec.overload.tags:
        return {}
    bounds = {name: plan.values.partition(":") for name, plan in case.tensors()}
    return {name: int(bound) for name, (kind, _, bound) in bounds.items() if kind == "index"}


def _must_differ(spec: OpSpec, arguments: Mapping[str, Any], got: Sequence[torch.Tensor]) -> bool:
    """Whether another draw of a random operator is another result, as good as surely; never where it draws
    from a key among its operands.
    """
    if torch.Tag.nondeterministic_seeded not in spec.overload.tags:
        return False
    special = spec.numerics.special
    if "dropout" in special:
        return (
            0.2 <= float(arguments["p"]) <= 0.8 and got[-1].numel() >= 400 and arguments["train"] is not False
        )
    return bool(special) and draws_differ(special[0], arguments, got[0])


def _lacked_memory(error: BaseException | None) -> bool:
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "allocate memory" in str(error)


def _why(refusal: Claim) -> str:
    return ": ".join(text for text in (refusal.reason, refusal.text) if text)


def _cause(refusal: Claim) -> str:
    """The reason of a refusal; a claim that the suite refuses in the backend's place has none."""
    return str(refusal.reason or obligation.UNDECLARED)


def describe(error: BaseException) -> str:
    """An exception in one line or a few."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {' | '.join(lines[:4])}" if lines else type(error).__name__


def _itself(compiled: Compiled | Exception) -> Compiled | Exception:
    return compiled
