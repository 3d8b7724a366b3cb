"""The graph layer: programs that a clean backend passes, and faults of regions that each fail by name."""

from __future__ import annotations

import pickle
from typing import Any

import planted_graph_faults as faults
import pytest
import torch

import torchport as tp
import torchport_conformance as tc
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.layers import Request
from torchport_conformance.layers.graph import Runner, cases
from torchport_conformance.layers.graph.case import GraphCase
from torchport_conformance.layers.graph.program import Draws, one
from torchport_conformance.layers.graph.runner import ProgramRunner
from torchport_conformance.subject import Subject, dynamo_subject


def case(name: str, **axes: str) -> GraphCase:
    kind, _, family = name.partition("/")
    return GraphCase(kind, family, tuple(axes.items()))


WRITES = case("write/sequences", form="pieces", layout="contiguous", dtype="float32")
CLONES = case("alias/results", first="value", second="value-cloned", write="none", grad="no")
SIZES = case("size/sequence", use="mean-by-size", sizes="both", dynamic="True", grad="no")
NUMBERS = case("guard/number", numbers="ints", use="product", dtype="float32", dynamic="False")
FLIPS = case("write/of_itself", form="add", read="flip", before="nothing", layout="contiguous")
WRAPS = case("integer/wraps", wrap="negated", follow="less", dtype="uint8")
CASTS = case("integer/wraps", wrap="plus-one", follow="int64", dtype="int8")
BOXES = case("view/patterns", pattern="boxes", layout="contiguous", grad="no")
REPEATS = case("index/repeated", write="accumulate", layout="contiguous", dtype="float32", dynamic="False")
INDICES = case("reduction/fused", reduction="max-rows", operand="sum", layout="transposed", dtype="float32")
ZEROS = case("constant/identities", form="times-zero", values="nan-first", dtype="float32")
DRAWS = case("random/draws_differ", form="uniform")
ALL = (WRITES, CLONES, SIZES, NUMBERS, FLIPS, WRAPS, CASTS, BOXES, REPEATS, INDICES, ZEROS, DRAWS)


def results(backend: tp.Backend, *wanted: GraphCase) -> list[tc.CaseResult]:
    runner = Runner(dynamo_subject(backend), 0)
    return [runner.run(c) for c in wanted]


def test_a_backend_that_runs_regions_node_by_node_passes() -> None:
    found = results(faults.Interpreted(), *ALL)
    assert [(r.id, r.message) for r in found if r.status is not tc.Status.PASSED] == []
    assert all("nodes on the backend, 0 left to eager PyTorch" in r.message for r in found)


@pytest.mark.parametrize(
    ("fault", "caught_by", "cause"),
    [
        (faults.WriteLost, WRITES, "values"),
        (faults.AliasReturned, CLONES, "alias"),
        (faults.StaleNumbers, SIZES, "values"),
        (faults.StaleConstant, NUMBERS, "values"),
        (faults.ReadAfterWrite, FLIPS, "values"),
        (faults.WrapLost, WRAPS, "values"),
        (faults.WrapLost, CASTS, "values"),
        (faults.OffsetDropped, BOXES, "values"),
        (faults.AccumulateLost, REPEATS, "values"),
        (faults.ReductionIndexWrong, INDICES, "values"),
        (faults.ZeroFolded, ZEROS, "values"),
        (faults.OneDraw, DRAWS, "law"),
    ],
    ids=lambda value: getattr(value, "__name__", None) or getattr(value, "op", value),
)
def test_a_fault_of_regions_fails_with_program_and_cause(
    fault: type[tp.Backend], caught_by: GraphCase, cause: str
) -> None:
    (found,) = results(fault(), caught_by)
    assert found.status is tc.Status.FAILED
    assert found.cause == cause, found.message
    assert caught_by.call() in found.message or cause == "law"
    assert "nodes on the backend" in found.message


def test_what_runs_nowhere_on_the_backend_is_no_pass() -> None:
    class Nothing(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            return tp.no(tp.Reason.OP)

    (found,) = results(Nothing(), WRITES)
    assert found.status is tc.Status.UNCLAIMED and "0 nodes on the backend" in found.message


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_cases_are_unique_plain_data(profile: str) -> None:
    found = list(cases(Request(profile_named(profile), ())))
    assert len({c.id for c in found}) == len(found) >= {"quick": 130, "full": 3500}[profile]
    assert pickle.loads(pickle.dumps(found)) == found
    kinds = {c.kind for c in found}
    assert {"alias", "write", "overlap", "guard", "size", "state", "integer", "random", "fuzz"} <= kinds


def test_quick_reaches_every_family_of_full() -> None:
    families = [{c.op for c in cases(Request(profile_named(p), ()))} for p in ("quick", "full")]
    assert families[0] == families[1]


def test_results_that_eager_returns_have_its_layout_and_aliases() -> None:
    class Packed(faults.Interpreted):
        """Results are row-major whatever was asked for."""

        def keep(self, value, made):
            return made.contiguous() if isinstance(made, torch.Tensor) else made

    wanted = case("alias/structures", form="dict", grad="no", layout="contiguous")
    assert results(Packed(), wanted)[0].status is tc.Status.PASSED  # the SDK asks for eager's strides


def transposed_in_memory(graph: Any, examples: Any) -> Any:
    """A compiler whose results lie column after column."""
    return lambda *args: [r.T.contiguous().T for r in graph(*args)]


OTHER_STRIDES = Subject("transposed_in_memory", "inductor", "cpu", None, transposed_in_memory)


@pytest.mark.parametrize("dynamic", [False, True])
def test_strides_that_shape_functions_give_are_pytorchs(dynamic: bool) -> None:
    def arguments(draws: Draws) -> list[torch.Tensor]:
        return [torch.tensor([[-0.5, 2.5], [1.5, -3.0]]), torch.tensor([[0.5, 1.0], [2.5, 2.0]]).T]

    def causes(op: Any, subject: Subject) -> tuple[list[str], list[str]]:
        program = one(lambda x, y: op(x, y), arguments, dynamic=dynamic)
        found, _, _ = ProgramRunner(subject).compare(program, 0)
        assert found.judged == 12  # the result, and both arguments after the call
        return [d.cause for d in found.differences], [d.cause for d in found.pytorchs]

    clean = dynamo_subject(tp.EagerBackend())
    # The shape function takes the strides of the second operand, the kernel those of the first.
    assert causes(torch.copysign, clean) == ([], ["strides"])
    assert causes(torch.hypot, clean) == ([], [])
    assert causes(torch.hypot, OTHER_STRIDES) == (["strides"], [])
