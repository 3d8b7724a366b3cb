"""Backends that need static sizes under dynamic shapes: one region for each tuple of sizes, bounded, counted,
and right.
"""

import threading
from typing import Any, ClassVar

import pytest
import torch

import torchport as tp
from torchport.compile.specialize import Specializer, Vendor, specialized_code
from torchport.errors import FallbackError, LoweringError

D = tp.DynamicShapes


class Limited(tp.EagerBackend):
    """An eager backend with declared capabilities that records the regions it compiles and the nodes it is
    asked for.
    """

    name = "limited"

    def __init__(self, even: bool = False, **capabilities: Any) -> None:
        super().__init__()
        self.limits, self.even = tp.Capabilities(**capabilities), even
        self.compiled: list[tp.Region] = []
        self.asked: list[tp.Node] = []

    def capabilities(self, target: tp.Target) -> tp.Capabilities:
        return self.limits

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        self.asked.append(node)
        if self.even and any(s.shape and s.shape[0] % 2 for s in node.input_specs):  # type: ignore[operator]
            return tp.no(tp.Reason.SHAPE, "an odd number of rows")
        return super().claims(node, target)

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        self.compiled.append(region)
        return super().compile(region, target, options)


def static(region: tp.Region) -> bool:
    values = [*region.graph.inputs, *(v for n in region.nodes for v in n.results)]
    plain = [
        a for n in region.nodes for _, arg in n.args for a in (arg if isinstance(arg, tuple) else (arg,))
    ]
    return (
        not region.symbols
        and all(v.tensor.is_static for v in values)
        and not any(isinstance(a, tp.SymExpr) for a in plain)
    )


def fn(x: torch.Tensor) -> torch.Tensor:
    return (x * x.shape[0] + torch.arange(x.shape[0])[:, None]).softmax(0)


class TestTraining:
    def test_five_batch_sizes(self, network: Any) -> None:
        """Each of the two graphs has one region; each region is compiled once for each batch size."""
        backend = Limited(dynamic=D.NONE)
        torch._dynamo.mark_dynamic(x := torch.randn(4, 8), 0)
        compiled = torch.compile(network, backend=backend, fullgraph=True)
        sizes = (4, 7, 12, 33, 2)
        for rows in (*sizes, *sizes):
            x = x if rows == 4 else torch.randn(rows, 8)
            grads = []
            for run in (compiled, network):
                network.zero_grad()
                network.train(False)
                (run(x)[:, 0] ** 2).sum().backward()
                grads.append([p.grad.clone() for p in network.parameters()])
            for ours, wanted in zip(*grads, strict=True):
                torch.testing.assert_close(ours, wanted, rtol=1e-5, atol=1e-6)
        found = tp.reports(backend)
        assert [g.phase for g in found.graphs] == ["forward", "backward"]
        assert [len(g.regions) for g in found.graphs] == [1, 1]
        assert all(r.specialized for g in found.graphs for r in g.regions)
        assert [s.shapes for s in found.specializations] == [tuple((n,) for n in sizes)] * 2
        assert [(s.compiled, s.evicted, s.eager_calls) for s in found.specializations] == [(5, 0, 0)] * 2
        assert len(backend.compiled) == found.compiled_regions == 10
        assert all(map(static, backend.compiled)) and found.claimed_share == 1.0
        assert "5 of at most 16 shapes, 5 compiled" in str(found)


class TestBounds:
    def run(self, backend: Any, sizes: tuple[int, ...], **options: Any) -> Any:
        compiled = torch.compile(fn, backend=backend, dynamic=True, options=options or None)
        for rows in sizes:
            x = torch.randn(rows, 3)
            torch.testing.assert_close(compiled(x), fn(x))
        (counts,) = tp.reports(backend).specializations
        return counts

    def test_over_the_limit_runs_in_eager(self) -> None:
        backend = Limited(dynamic=D.NONE)
        counts = self.run(backend, (4, 5, 6, 7, 6, 4), max_specializations=2)
        assert (counts.compiled, counts.eager_calls, counts.evicted) == (2, 3, 0)
        assert {r.reason for r in counts.rejections} == {tp.Reason.DYNAMIC}
        assert any("max_specializations" in r.text and "=6" in r.text for r in counts.rejections)
        assert tp.reports(backend).reasons == {"dynamic": 2}

    def test_the_least_recently_used_is_evicted_where_asked_for(self) -> None:
        backend = Limited(dynamic=D.NONE)
        counts = self.run(backend, (4, 5, 4, 6, 4, 5), max_specializations=2, specialization_overflow="evict")
        assert (counts.compiled, counts.eager_calls, counts.evicted) == (4, 0, 2)
        assert [s[-1] for s in counts.shapes] == [4, 5]

    def test_refused_sizes_run_in_eager_with_the_reason(self) -> None:
        backend = Limited(even=True, dynamic=D.NONE)
        counts = self.run(backend, (4, 5, 6, 5))
        assert (counts.compiled, counts.eager_calls) == (2, 2)
        assert {r.reason for r in counts.rejections} == {tp.Reason.SHAPE}
        assert all("odd number of rows" in r.text and "=5" in r.text for r in counts.rejections)
        asked = len(backend.asked)
        compiled = torch.compile(fn, backend=backend, dynamic=True)
        compiled(torch.randn(5, 3))
        assert len(backend.asked) == asked, "a refused shape is remembered"

    def test_strict_raises_for_a_refused_size(self) -> None:
        backend = Limited(even=True, dynamic=D.NONE)
        compiled = torch.compile(fn, backend=backend, dynamic=True, options={"strict": True})
        x = torch.randn(4, 3)
        torch.testing.assert_close(compiled(x), fn(x))
        with pytest.raises(FallbackError, match=r"(?s)odd number of rows; at s.*=5.*max_specializations"):
            compiled(torch.randn(5, 3))
        torch.testing.assert_close(compiled(x), fn(x))

    def test_threads_compile_a_shape_once(self) -> None:
        """Below Dynamo, which compiles anew in each thread."""
        backend = Limited()
        torch.compile(fn, backend=backend, dynamic=True)(torch.randn(4, 3))
        (region,) = backend.compiled
        backend.compiled.clear()
        target, options = tp.Target(), tp.DynamoBackend([backend]).parse({"cache": False}, None)
        vendor = Vendor(
            "limited",
            lambda region: (),
            lambda region: (backend.compile(region, target, options), False),
            lambda region, code: tp.load_region(backend, region, code, target),
        )
        specializer = Specializer(specialized_code(region, None, {}), vendor, options, tp.opset("1.0"))
        inputs = [torch.randn(4 + i % 4, 3) for i in range(16)]
        outs = [torch.empty_like(x) for x in inputs]
        barrier = threading.Barrier(len(inputs))
        order = ["3" if s.hint == 3 else "rows" for s in region.symbols]

        def call(i: int) -> None:
            barrier.wait()
            symbols = [3 if name == "3" else len(inputs[i]) for name in order]
            specializer.run([inputs[i]], [outs[i]], symbols=symbols)

        threads = [threading.Thread(target=call, args=(i,)) for i in range(len(inputs))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for x, out in zip(inputs, outs, strict=True):
            torch.testing.assert_close(out, fn(x))
        assert specializer.counts.compiled == len(backend.compiled) == 4


class TestDeclared:
    def sizes(self, backend: Any, *rows: int, mark: dict[str, int] | None = None) -> None:
        compiled = torch.compile(fn, backend=backend, dynamic=None if mark else True)
        for n in rows:
            x = torch.randn(n, 3)
            if mark:
                torch._dynamo.mark_dynamic(x, 0, **mark)
            torch.testing.assert_close(compiled(x), fn(x))

    def test_bounded_stays_open_where_every_symbol_has_a_bound(self) -> None:
        backend = Limited(dynamic=D.BOUNDED)
        self.sizes(backend, 4, 9, 64, mark={"min": 2, "max": 64})
        (region,) = backend.compiled
        (symbol,) = region.symbols
        assert (symbol.low, symbol.high) == (2, 64)
        assert not tp.reports(backend).specializations

    def test_bounded_specialises_without_a_bound(self) -> None:
        backend = Limited(dynamic=D.BOUNDED)
        self.sizes(backend, 4, 9)
        assert len(backend.compiled) == 2 and all(map(static, backend.compiled))

    def test_ranged_stays_open_within_its_claims(self) -> None:
        class Ranged(Limited):
            name = "ranged"

            def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
                rows = [s.shape[0] for s in node.input_specs if s.shape]
                return tp.yes(within=[(n, 1, 8) for n in rows])

        backend = Ranged(dynamic=D.RANGED)
        self.sizes(backend, 4, 5, 8, 9)
        assert [bool(r.symbols) for r in backend.compiled] == [True]
        (counts,) = tp.reports(backend).specializations
        assert counts.eager_calls == 1 and {r.reason for r in counts.rejections} == {tp.Reason.SHAPE}
        assert "9 is not within 1 to 8" in counts.rejections[0].text

    def test_a_limit_on_a_symbol_needs_ranged(self) -> None:
        class Careless(Limited):
            name = "careless"

            def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
                return tp.yes(within=[(node.input_specs[0].shape[0], 1, 8)])

        with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="dynamic='ranged'") as caught:
            torch.compile(lambda x: x + 1, backend=Careless(), dynamic=True)(torch.randn(3))
        assert isinstance(caught.value.inner_exception, LoweringError)

    def test_index_width_is_checked_at_run_time(self) -> None:
        """Sizes stay open below 2^31 elements; above, the region runs in eager PyTorch. One element is in
        memory.
        """
        backend = Limited(index_width=32)

        def picked(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
            return x.index_select(0, i) + 1

        compiled = torch.compile(picked, backend=backend, dynamic=True)
        for rows in (4, 9, 2**31 + 1):
            x, last = torch.ones(1).expand(rows), torch.tensor([rows - 1])
            torch.testing.assert_close(compiled(x, last), picked(x, last))
        (counts,) = tp.reports(backend).specializations
        assert (counts.compiled, counts.eager_calls) == (1, 1) and backend.compiled[0].symbols
        assert [r.reason for r in counts.rejections] == [tp.Reason.SHAPE]

    def test_symbols_of_data_are_refused_with_the_reason(self) -> None:
        backend = Limited(dynamic=D.NONE)

        def positive(x: torch.Tensor) -> torch.Tensor:
            return (x[x > 0] * 2).sum() + (x * 3).sum()

        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            compiled = torch.compile(positive, backend=backend, fullgraph=True)
            for n in (5, 9):
                x = torch.randn(n)
                torch.testing.assert_close(compiled(x), positive(x))
        dynamic = {r.op for r in tp.reports(backend).rejections if r.reason is tp.Reason.DYNAMIC}
        assert {"aten.index.Tensor", "aten.mul.Scalar"} <= dynamic
        assert any("dynamic='none'" in r.text for r in tp.reports(backend).rejections)

    def test_late_refusal_of_one_size(self) -> None:
        class Picky(Limited):
            name = "picky"

            def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
                if any(s.shape and s.shape[0] == 5 for s in region.inputs):
                    return tp.Refusal((region.nodes[0].name,), tp.Reason.MEMORY, "too large")
                return super().compile(region, target, options)

        backend = Picky(dynamic=D.NONE)
        self.sizes(backend, 4, 5, 6)
        (counts,) = tp.reports(backend).specializations
        assert (counts.compiled, counts.eager_calls) == (2, 1)
        assert [r.reason for r in counts.rejections] == [tp.Reason.COMPILE]
        assert "memory: too large; at s" in counts.rejections[0].text


class TestArtifacts:
    """Specialised code is cached like any other."""

    class Compiler(Limited):
        name = "compiler"
        count: ClassVar[int] = 0

        def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
            type(self).count += 1
            return tp.Artifact("json", region.to_json().encode())

        def load(self, artifact: tp.Artifact, target: tp.Target, weights: Any) -> Any:
            region = tp.Region.from_json(artifact.payload.decode())
            inner = tp.EagerBackend().compile(region, target, tp.Options({}))

            class Executable:
                def run(self, args: Any, outs: Any, stream: Any = None, **_: Any) -> None:
                    for out, result in zip(outs, inner.fn((), *args), strict=True):
                        out.copy_(result)

                def update_weights(self, names: Any) -> None: ...

            return Executable()

    def test_every_shape_comes_from_the_cache(self, monkeypatch: Any, tmp_path: Any) -> None:
        monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(tmp_path))
        for expected in (3, 3):
            torch._dynamo.reset()
            backend = self.Compiler(dynamic=D.NONE)
            compiled = torch.compile(fn, backend=backend, dynamic=True)
            for rows in (4, 5, 6):
                x = torch.randn(rows, 3)
                torch.testing.assert_close(compiled(x), fn(x))
            assert self.Compiler.count == expected
        (counts,) = tp.reports(backend).specializations
        assert (counts.compiled, counts.from_cache) == (0, 3)


@pytest.mark.parametrize("train", [False, True])
def test_composites_are_claimed_whole(train: bool) -> None:
    """A backend without dynamic shapes gets attention as one node, with the sizes of each call."""
    attention = torch.nn.functional.scaled_dot_product_attention

    class Whole(Limited):
        name = "whole"

        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            assert all(s.is_static for s in node.input_specs)
            return super().claims(node, target)

    backend = Whole(dynamic=D.NONE)
    backend.macros = True
    compiled = torch.compile(lambda q: attention(q, q, q) * 2, backend=backend, dynamic=True)
    for length in (5, 9):
        grads = []
        q = torch.randn(2, 3, length, 4)
        for run in (compiled, lambda q: attention(q, q, q) * 2):
            x = q.clone().requires_grad_(train)
            result = run(x)
            if train:
                result.square().sum().backward()
            grads.append([result.detach(), x.grad])
        torch.testing.assert_close(*grads)
    ops = [n.op for r in backend.compiled for n in r.nodes]
    assert sum("scaled_dot_product_attention" in op and "backward" not in op for op in ops) == 2
