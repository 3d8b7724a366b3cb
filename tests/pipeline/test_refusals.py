"""Options, strict mode, late refusals, misbehaving backends and mixing: each is honoured or one clear
error.
"""

from typing import Any, ClassVar

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed

import torchport as tp
from torchport.errors import CompileError, FallbackError, LoweringError, OptionError, PartitionError, RunError


def chain(x: torch.Tensor) -> torch.Tensor:
    return (x * 2).exp().tanh() + 1


CHAIN = ["aten.mul.Scalar", "aten.exp.default", "aten.tanh.default", "aten.add.Scalar"]


def failure(backend: Any, error: type[Exception], fn: Any = chain, **kwargs: Any) -> Exception:
    with pytest.raises(BackendCompilerFailed) as caught:
        torch.compile(fn, backend=backend, **kwargs)(torch.randn(3))
    assert isinstance(caught.value.inner_exception, error)
    return caught.value.inner_exception


class TestOptions:
    def test_unknown_option_lists_the_known(self, selective: Any) -> None:
        error = failure(selective(), OptionError, options={"fast": True})
        assert "'fast'" in str(error) and "strict: bool" in str(error)

    def test_wrong_type(self, selective: Any) -> None:
        assert "takes bool" in str(failure(selective(), OptionError, options={"strict": 1}))

    def test_mode_is_refused_by_name(self, selective: Any) -> None:
        assert "reduce-overhead" in str(failure(selective(), OptionError, mode="reduce-overhead"))

    def test_a_backend_declares_its_own(self, selective: Any) -> None:
        class Tuned(selective):  # type: ignore[misc]
            options: ClassVar[dict[str, tp.Option]] = {"tile": tp.Option(int, 4, "tile size", (4, 8))}
            seen: ClassVar[list[int]] = []

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                self.seen.append(options["tile"])
                return super().compile(region, target, options)

        torch.compile(chain, backend=Tuned(), options={"tile": 8})(torch.randn(3))
        assert Tuned.seen == [8]
        assert "one of (4, 8)" in str(failure(Tuned(), OptionError, options={"tile": 5}))


class TestStrict:
    def test_lists_every_reason(self, selective: Any) -> None:
        error = failure(selective(CHAIN[:2]), FallbackError, options={"strict": True})
        assert isinstance(error, FallbackError)
        assert len(error.reasons) == 2
        assert "aten.tanh.default" in str(error) and "not selected" in str(error)

    def test_passes_when_all_is_claimed(self, selective: Any) -> None:
        x = torch.randn(3)
        torch.testing.assert_close(
            torch.compile(chain, backend=selective(), options={"strict": True})(x), chain(x)
        )


class Refusing(tp.EagerBackend):
    """Refuses given operators late, when compiling."""

    name = "refusing"

    def __init__(self, ops: list[str], at_a_time: int = 99) -> None:
        super().__init__()
        self.ops, self.at_a_time, self.calls = ops, at_a_time, 0

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        self.calls += 1
        refused = tuple(n.name for n in region.nodes if n.op in self.ops)[: self.at_a_time]
        if refused:
            return tp.Refusal(refused, tp.Reason.MEMORY, "too large")
        return super().compile(region, target, options)


class TestLateRefusal:
    def test_the_region_is_split_around_the_node(self) -> None:
        backend, x = Refusing(["aten.exp.default"]), torch.randn(3)
        torch.testing.assert_close(torch.compile(chain, backend=backend)(x), chain(x))
        (graph,) = tp.reports(backend).graphs
        assert [r.ops for r in graph.regions] == [
            ("aten.mul.Scalar",),
            ("aten.tanh.default", "aten.add.Scalar"),
        ]
        (rejection,) = graph.rejections
        assert (rejection.op, rejection.reason) == ("aten.exp.default", tp.Reason.COMPILE)
        assert "too large" in rejection.text

    def test_attempts_are_bounded(self) -> None:
        error = failure(Refusing(CHAIN, at_a_time=1), CompileError, options={"max_refusals": 2})
        assert "max_refusals=2" in str(error)

    def test_a_refusal_of_foreign_nodes_is_an_error(self) -> None:
        class Confused(tp.EagerBackend):
            name = "confused"

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                return tp.Refusal(("nonsense",), tp.Reason.MEMORY)

        assert "nonsense" in str(failure(Confused(), CompileError))

    def test_the_next_backend_takes_what_was_refused(self, selective: Any) -> None:
        first, second = Refusing(["aten.exp.default"]), selective(CHAIN)
        both, x = tp.compose(first, second), torch.randn(3)
        torch.testing.assert_close(torch.compile(chain, backend=both)(x), chain(x))
        assert [r.backend for r in both.reports.graphs[0].regions] == ["refusing", "selective", "refusing"]
        assert both.reports.claimed_share == 1.0


class TestMisbehaviour:
    def test_claims_raises(self) -> None:
        class Broken(tp.EagerBackend):
            name = "broken"

            def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
                raise KeyError(node.op)

        error = failure(Broken(), LoweringError)
        assert "broken" in str(error) and "KeyError" in str(error) and "aten.mul.Scalar" in str(error)

    def test_claims_returns_a_bool(self) -> None:
        class Lazy(tp.EagerBackend):
            name = "lazy"

            def claims(self, node: tp.Node, target: tp.Target) -> Any:
                return True

        assert "tp.yes()" in str(failure(Lazy(), LoweringError))

    def test_compile_returns_a_function(self) -> None:
        class Loose(tp.EagerBackend):
            name = "loose"

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                return lambda *args: args

        assert "Artifact, InProcess or Refusal" in str(failure(Loose(), CompileError))

    @pytest.mark.parametrize(
        ("result", "match"),
        [
            (None, "NoneType"),
            ([], "0 results"),
            ([torch.ones(3, dtype=torch.float64)], "float64"),
            ([torch.ones(4)], r"\(4,\)"),
            ([1.0], "float"),
        ],
    )
    def test_results_that_were_not_promised(self, result: Any, match: str) -> None:
        class Wrong(tp.EagerBackend):
            name = "wrong"

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                return tp.InProcess(lambda *args: result)

        with pytest.raises(RunError, match=rf"(?s)wrong_inference.*{match}"):
            torch.compile(chain, backend=Wrong())(torch.randn(3))

    def test_compile_raises(self) -> None:
        class Crashing(tp.EagerBackend):
            name = "crashing"

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                raise ZeroDivisionError("tiles")

        error = failure(Crashing(), CompileError)
        assert "ZeroDivisionError: tiles" in str(error) and "aten.exp.default" in str(error)

    def test_an_artifact_without_load(self) -> None:
        class Half(tp.EagerBackend):
            name = "half"

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                return tp.Artifact("half", b"")

        assert "load()" in str(failure(Half(), CompileError, options={"cache": False}))

    @pytest.mark.parametrize(
        "nodes", [{"mul", "add"}, {"unknown"}, set()], ids=["not convex", "unknown", "empty"]
    )
    def test_invalid_proposals(self, nodes: set[str]) -> None:
        class Proposing(tp.EagerBackend):
            name = "proposing"

            def propose(self, graph: tp.Graph, target: tp.Target) -> Any:
                return [tp.Proposal(frozenset(nodes), "mine")]

        failure(Proposing(), PartitionError)


class TestCompose:
    def test_each_node_goes_to_the_first_that_claims_it(self, selective: Any) -> None:
        first, second = selective(["aten.exp.default"]), selective(["aten.exp.default", "aten.tanh.default"])
        both, x = tp.compose(first, second), torch.randn(3)
        torch.testing.assert_close(torch.compile(chain, backend=both)(x), chain(x))
        assert [n.op for r in first.compiled for n in r.nodes] == ["aten.exp.default"]
        assert [n.op for r in second.compiled for n in r.nodes] == ["aten.tanh.default"]
        (graph,) = both.reports.graphs
        assert dict(graph.fallback_ops) == {"aten.mul.Scalar": 1, "aten.add.Scalar": 1}
        assert len(graph.rejections) == 4  # two backends refused each of the two

    def test_needs_two_different_backends(self, selective: Any) -> None:
        backend = selective()
        with pytest.raises(tp.TorchportError, match="two or more"):
            tp.compose(backend, backend)


class TestDeclaredLimits:
    @pytest.mark.parametrize(
        ("limits", "reason"),
        [
            ({"max_rank": 0}, tp.Reason.RANK),
            ({"dtypes": (torch.float64,)}, tp.Reason.DTYPE),
        ],
        ids=["rank", "dtype"],
    )
    def test_nodes_outside_are_refused_with_the_reason(
        self, selective: Any, limits: Any, reason: tp.Reason
    ) -> None:
        class Limited(selective):  # type: ignore[misc]
            def capabilities(self, target: tp.Target) -> tp.Capabilities:
                return tp.Capabilities(**limits)

        backend, x = Limited(), torch.randn(5)
        compiled = torch.compile(chain, backend=backend, dynamic=True)
        torch.testing.assert_close(compiled(x), chain(x))
        assert {r.reason for r in tp.reports(backend).rejections} == {reason}

    def test_training_false_leaves_training_graphs_to_eager(self, selective: Any) -> None:
        class Inference(selective):  # type: ignore[misc]
            def capabilities(self, target: tp.Target) -> tp.Capabilities:
                return tp.Capabilities(training=False)

        backend = Inference()
        compiled = torch.compile(chain, backend=backend)
        compiled(torch.randn(3, requires_grad=True)).sum().backward()
        assert tp.reports(backend).claimed_share == 0 and {
            r.reason for r in tp.reports(backend).rejections
        } == {tp.Reason.TRAINING}
        compiled(torch.randn(3))
        assert tp.reports(backend).graphs[-1].claimed_share == 1.0

    def test_contiguous_inputs_where_declared(self, selective: Any) -> None:
        class Packed(selective):  # type: ignore[misc]
            def capabilities(self, target: tp.Target) -> tp.Capabilities:
                return tp.Capabilities(layouts="contiguous")

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                inner = super().compile(region, target, options)

                def run(symbols: Any, *args: torch.Tensor) -> Any:
                    assert all(a.is_contiguous() for a in args)
                    return inner.fn(symbols, *args)

                return tp.InProcess(run, wants_symbols=True)

        backend, x = Packed(), torch.randn(4, 6).t()
        got = torch.compile(chain, backend=backend)(x)
        torch.testing.assert_close(got, chain(x))
        assert got.stride() == chain(x).stride() and all(s.is_contiguous for s in backend.compiled[0].inputs)
