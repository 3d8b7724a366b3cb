"""Whole graphs across processes: found again with everything AOTAutograd puts around them, never for anything
else.

A second process is played by forgetting everything that Dynamo compiled and taking a new backend object.
"""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
import torch._functorch.config as functorch_config

import torchport as tp
from torchport.capture import aot_cache
from torchport.capture.graph_cache import KIND
from torchport.capture.graph_key import graph_key
from torchport.compile.store import Store, sealed
from torchport.compile.uncached import NotCached
from torchport.errors import ArtifactError


class JsonBackend(tp.EagerBackend):
    """Artifacts are regions as JSON, run by eager PyTorch; every call is counted."""

    name = "json"
    calls: ClassVar[dict[str, int]] = {}

    def count(self, what: str) -> None:
        JsonBackend.calls[what] = JsonBackend.calls.get(what, 0) + 1

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        self.count("claims")
        return super().claims(node, target)

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
        self.count("compile")
        return tp.Artifact("json", region.to_json().encode())

    def load(self, artifact: tp.Artifact, target: tp.Target, weights: tp.WeightSource) -> Any:
        self.count("load")
        region = tp.Region.from_json(artifact.payload.decode())
        inner = tp.EagerBackend().compile(region, target, tp.Options({}))
        return Loaded(inner.fn)


class Loaded:
    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def run(
        self, args: Any, outs: Any, stream: Any = None, *, workspace: Any = None, symbols: Any = ()
    ) -> None:
        for out, value in zip(outs, self.fn(tuple(symbols), *args), strict=True):
            out.copy_(value)

    def update_weights(self, names: Any) -> None: ...


class Negative(JsonBackend):
    """A backend whose code gives the negative of everything: whose code ran is seen in the result."""

    name = "negative"

    def load(self, artifact: tp.Artifact, target: tp.Target, weights: tp.WeightSource) -> Any:
        inner = super().load(artifact, target, weights)
        return Loaded(lambda symbols, *args: [-r for r in inner.fn(symbols, *args)])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "cache"
    monkeypatch.setenv("TORCHPORT_CACHE_DIR", str(root))
    JsonBackend.calls.clear()
    torch._dynamo.reset()
    yield root
    torch._dynamo.reset()


def process(
    fn: Callable[..., Any], *args: Any, backend: Any = None, dynamic: bool = False, **kwargs: Any
) -> tuple[Any, Any]:
    """What ``fn`` gives in a new process, with its counts."""
    torch._dynamo.reset()
    JsonBackend.calls.clear()
    backend = backend or JsonBackend()
    out = torch.compile(fn, backend=backend, dynamic=dynamic, **kwargs)(*args)
    return out, tp.reports(backend).cache


def trained(model: Any, x: torch.Tensor, **kwargs: Any) -> tuple[list[torch.Tensor], Any]:
    """Output and gradients, and the counts."""
    model, x = copy.deepcopy(model), x.clone().requires_grad_()
    out, counts = process(model, x, **kwargs) if kwargs.pop("compiled", True) else (model(x), None)
    out.square().sum().backward()
    return [out, x.grad, *(p.grad for p in model.parameters())], counts


def entries(root: Path) -> list[Path]:
    return sorted(p for p in (root / KIND).rglob("*") if p.is_file())


class TestASecondProcess:
    @pytest.mark.parametrize("dynamic", [False, True])
    def test_trains_without_any_call_of_the_vendor(self, dynamic: bool) -> None:
        torch.manual_seed(0)
        layers = torch.nn.Linear(6, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Linear(8, 4)
        model, x = torch.nn.Sequential(*layers), torch.randn(5, 6)
        wanted, _ = trained(model, x, compiled=False)
        first, counts = trained(model, x, dynamic=dynamic)
        assert (counts.hits, counts.misses, counts.stored) == (0, 1, 1) and not counts.uncached
        assert JsonBackend.calls["compile"] == 2 and JsonBackend.calls["claims"] > 5
        second, counts = trained(model, x, dynamic=dynamic)
        assert (counts.hits, counts.misses, counts.stored) == (1, 0, 0) and not counts.failures
        assert JsonBackend.calls == {"load": 2}
        torch.testing.assert_close(first, wanted)
        torch.testing.assert_close(second, first, rtol=0, atol=0)
        if dynamic:
            backend = JsonBackend()
            fn = torch.compile(model, backend=backend, dynamic=True)
            for size in (5, 3, 9):
                torch.testing.assert_close(fn(torch.ones(size, 6)), model(torch.ones(size, 6)))
            assert tp.reports(backend).cache.hits == 0  # not the training graph: x does not require grad

    def test_reports_what_the_first_one_did(self) -> None:
        model, x = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU()), torch.randn(5, 6)
        reports = []
        for _ in range(2):
            torch._dynamo.reset()
            backend = JsonBackend()
            torch.compile(model, backend=backend)(x).sum().backward()
            reports.append(tp.reports(backend))
        first, second = reports
        assert first.compiled_regions == 2 and second.compiled_regions == 0
        assert [g.phase for g in second.graphs] == ["forward", "backward"]
        assert [g.claimed for g in second.graphs] == [g.claimed for g in first.graphs]
        assert all(r.from_cache for g in second.graphs for r in g.regions)
        assert all(g.seconds.keys() == {"load"} for g in second.graphs)
        assert second.raised == first.raised
        assert "1 graphs from the cache" in str(second.cache)

    def test_keeps_aliases_and_mutations(self) -> None:
        def update(x: torch.Tensor, running: torch.Tensor) -> tuple[torch.Tensor, ...]:
            running.mul_(0.9).add_(x.mean(0), alpha=0.1)
            view = x.exp()
            return view.t(), view[0], x.view(-1), running.detach(), x.sin().detach()

        x = torch.randn(3, 4)
        wanted_state = torch.ones(4)
        wanted = update(x, wanted_state)
        for hits in (0, 1):
            state = torch.ones(4)
            got, counts = process(update, x, state)
            assert counts.hits == hits and not counts.failures
            torch.testing.assert_close(got, wanted)
            torch.testing.assert_close(state, wanted_state)
            assert got[0].data_ptr() == got[1].data_ptr() and got[0]._is_view()
            assert got[2].data_ptr() == x.data_ptr() and got[0].stride() == wanted[0].stride()

    def test_keeps_what_a_training_graph_writes(self) -> None:
        model = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.ReLU())
        x = torch.randn(4, 2, 8, 8)
        results = []
        for _ in range(2):
            twin = copy.deepcopy(model)
            out, counts = process(twin, x)
            out.sum().backward()
            results.append([*(p.grad for p in twin.parameters()), *twin.buffers()])
        assert counts.hits == 1
        reference = copy.deepcopy(model)
        reference(x).sum().backward()
        wanted = [*(p.grad for p in reference.parameters()), *reference.buffers()]
        torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)
        torch.testing.assert_close(results[1], wanted)

    def test_constants_of_a_graph_come_along(self) -> None:
        def table(x: torch.Tensor) -> torch.Tensor:
            return x + torch.tensor([1.0, 2.0, 4.0])

        def other(x: torch.Tensor) -> torch.Tensor:
            return x + torch.tensor([1.0, 2.0, 5.0])

        for fn, hits in ((table, 0), (table, 1), (other, 0), (other, 1)):
            got, counts = process(fn, torch.ones(3))
            assert counts.hits == hits
            torch.testing.assert_close(got, fn(torch.ones(3)))

    def test_higher_order_graphs_are_part_of_the_key(self) -> None:
        from torch.utils.checkpoint import checkpoint

        def sine(x: torch.Tensor) -> torch.Tensor:
            return checkpoint(lambda y: y.sin().exp(), x, use_reentrant=False)

        def cosine(x: torch.Tensor) -> torch.Tensor:
            return checkpoint(lambda y: y.cos().exp(), x, use_reentrant=False)

        for fn, hits in ((sine, 0), (sine, 1), (cosine, 0), (cosine, 1)):
            x = torch.ones(3, requires_grad=True)
            got, counts = process(fn, x)
            got.sum().backward()
            assert counts.hits == hits, counts
            torch.testing.assert_close(got, fn(x))

    def test_changes_no_setting(self) -> None:
        seen = []

        class Looking(JsonBackend):
            def compile(self, *args: Any) -> Any:
                seen.append(functorch_config.bundled_autograd_cache)
                return super().compile(*args)

            def instance_key(self) -> str:
                return ""

        def settings() -> Any:
            compiler = torch.compiler.config.get_serializable_config_copy()
            return functorch_config.get_serializable_config_copy(), compiler

        before = settings()
        for _ in range(2):
            process(torch.exp, torch.ones(3), backend=Looking())
            assert settings() == before
        assert seen == [True]

    def test_leaves_nothing_in_the_cache_of_pytorch(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
        trained(torch.nn.Linear(3, 3), torch.ones(2, 3))
        assert not list((tmp_path / "inductor").rglob("*/aotautograd/*"))
        assert not list((tmp_path / "inductor" / "aotautograd").rglob("*"))


class TestTheKey:
    def test_two_backends_get_their_own(self) -> None:
        fn, x = torch.exp, torch.ones(3)
        for _ in range(2):
            mine, counts = process(fn, x)
            theirs, their_counts = process(fn, x, backend=Negative())
            torch.testing.assert_close(mine, x.exp())
            torch.testing.assert_close(theirs, -x.exp())
        assert counts.hits == 1 and their_counts.hits == 1

    def test_the_hazard_that_pytorchs_own_cache_has(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two compilers behind the bundled AOTAutograd cache: the second gets the code of the first."""
        from torch._functorch.aot_autograd import SerializableAOTDispatchCompiler, aot_module_simplified

        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))

        def backend(sign: float) -> Any:
            def compile_aot(gm: torch.fx.GraphModule, inputs: Any) -> Any:
                return Signed(gm.graph.python_code("self").src, sign)

            compiler = SerializableAOTDispatchCompiler(Signed, compile_aot)

            def dynamo(gm: torch.fx.GraphModule, inputs: Any) -> Any:
                return aot_module_simplified(
                    gm, inputs, fw_compiler=compiler, bw_compiler=compiler, inference_compiler=compiler
                )

            return dynamo

        def served() -> list[torch.Tensor]:
            found = []
            for sign in (1.0, -1.0):
                torch._dynamo.reset()
                found.append(torch.compile(lambda x: x.exp(), backend=backend(sign))(torch.zeros(2)))
            return found

        with functorch_config.patch(bundled_autograd_cache=True, strict_autograd_cache=True):
            first, second = served()
        assert first.tolist() == [1.0, 1.0]
        assert second.tolist() == [1.0, 1.0], "PyTorch tells the compilers apart now: the hazard is gone"

    def test_state_of_an_instance_counts(self) -> None:
        for factor, hits in ((2, 0), (3, 0), (2, 1), (3, 1)):
            got, counts = process(torch.exp, torch.zeros(2), backend=Scaled(factor))
            assert got.tolist() == [factor, factor] and counts.hits == hits

    def test_a_class_in_a_function_counts_with_what_it_closes_over(self) -> None:
        def make(op: str) -> tp.Backend:
            class Picky(JsonBackend):
                def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
                    return tp.no(tp.Reason.OP) if node.op == op else super().claims(node, target)

            return Picky()

        for op in ("aten.exp.default", "aten.sin.default"):
            backend = make(op)
            process(lambda x: x.exp().sin(), torch.zeros(2), backend=backend)
            assert tp.reports(backend).fallback_ops == {op: 1}, op

    def test_options_and_order_of_backends_count(self) -> None:
        for backends, options, hits in (
            ((JsonBackend(), Negative()), {}, 0),
            ((JsonBackend(), Negative()), {"max_refusals": 3}, 0),
            ((Negative(), JsonBackend()), {}, 0),
            ((JsonBackend(), Negative()), {}, 1),
        ):
            composed = tp.compose(*backends)
            _, counts = process(torch.exp, torch.zeros(2), backend=composed, options=options)
            assert counts.hits == hits, (backends, options)

    def test_the_dtype_of_autocast_counts(self) -> None:
        """b211: a bfloat16 graph was served under float16."""
        layer, x = torch.nn.Linear(4, 4), torch.randn(2, 4)
        for dtype in (torch.bfloat16, torch.float16):
            with torch.autocast("cpu", dtype=dtype):
                got, counts = process(layer, x)
            assert got.dtype == dtype and counts.hits == 0
        with torch.autocast("cpu", dtype=torch.float16):
            got, counts = process(layer, x)
        assert got.dtype == torch.float16 and counts.hits == 1
        assert process(layer, x)[0].dtype == torch.float32

    def test_every_argument_counts(self) -> None:
        """b081: an argument was missing from the key."""
        x = torch.ones(1, 1, 4, 4)
        for divisor, wanted in ((2, 2.0), (3, 4 / 3)):
            got, _ = process(lambda x, d=divisor: torch.nn.functional.avg_pool2d(x, 2, divisor_override=d), x)
            torch.testing.assert_close(got, torch.full((1, 1, 2, 2), wanted))

    def test_inputs_count(self) -> None:
        def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return x + y

        one, wide = torch.ones(4), torch.ones(8)
        same = wide[:4]
        keys = {
            "plain": key_of(add, one, torch.ones(4)),
            "shape": key_of(add, torch.ones(5), torch.ones(5)),
            "dtype": key_of(add, one.double(), torch.ones(4)),
            "stride": key_of(add, wide[::2], torch.ones(4)),
            "offset": key_of(add, wide[4:], torch.ones(4)),
            "gradient": key_of(add, torch.ones(4, requires_grad=True), torch.ones(4)),
            "parameter": key_of(add, torch.nn.Parameter(torch.ones(4)), torch.ones(4)),
            "shared": key_of(add, same, wide[4:]),
            "apart": key_of(add, wide[:4], torch.ones(8)[4:]),
            "number": key_of(add, one, 2.0),
            "dynamic": key_of(add, one, torch.ones(4), dynamic=True),
        }
        assert len(set(keys.values())) == len(keys)
        assert keys["plain"] == key_of(add, torch.zeros(4), torch.zeros(4))

    def test_state_of_the_process_counts(self) -> None:
        def fn(x: torch.Tensor) -> torch.Tensor:
            return x @ x

        x = torch.ones(3, 3)
        states: dict[str, contextlib.AbstractContextManager[Any]] = {
            "plain": contextlib.nullcontext(),
            "no grad": torch.no_grad(),
            "autocast": torch.autocast("cpu", dtype=torch.bfloat16),
            "autocast cache": torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=False),
            "deterministic": switched(torch.use_deterministic_algorithms, True, False),
            "matmul": products_in("medium"),
            "dtype": switched(torch.set_default_dtype, torch.float64, torch.float32),
            "sdp": switched(torch.backends.cuda.enable_flash_sdp, False, True),
            "functorch": functorch_config.patch(activation_memory_budget=0.5),
        }
        keys = {}
        for name, state in states.items():
            with state:
                keys[name] = key_of(fn, x)
        assert len(set(keys.values())) == len(keys), keys

    def test_the_range_of_a_symbol_counts(self) -> None:
        keys = []
        for high in (64, 128):
            x = torch.ones(8)
            torch._dynamo.mark_dynamic(x, 0, min=2, max=high)
            keys.append(key_of(torch.exp, x))
        assert keys[0] != keys[1]

    def test_a_condition_on_symbols_makes_variants(
        self, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An entry that holds for some sizes only is not taken for others; both are kept."""
        conditions = ["L['t0'] < 10", "10 <= L['t0']"]
        monkeypatch.setattr(aot_cache, "guards_of", lambda entry: conditions[len(entries(cache))])
        for size, hits in ((5, 0), (50, 0), (7, 1), (70, 1)):
            got, counts = process(torch.exp, torch.ones(size), dynamic=True)
            assert (counts.hits, counts.stored) == (hits, 1 - hits), size
            torch.testing.assert_close(got, torch.ones(size).exp())
        assert len(entries(cache)) == 2

    def test_custom_operators_count_with_their_files(self, tmp_path: Path) -> None:
        keys = []
        for version in ("x.sin()", "x.cos()"):
            source = (
                "import torch\n"
                "@torch.library.custom_op('tp_graph_cache::wave', mutates_args=())\n"
                f"def wave(x: torch.Tensor) -> torch.Tensor:\n    return {version}\n"
                "@wave.register_fake\ndef _(x):\n    return torch.empty_like(x)\n"
            )
            path = tmp_path / f"custom_{len(keys)}.py"
            path.write_text(source)
            space: dict[str, Any] = {"__name__": f"custom_{len(keys)}", "__file__": str(path)}
            exec(compile(source, str(path), "exec"), space)
            keys.append(key_of(lambda x, wave=space["wave"]: wave(x), torch.ones(2)))
        assert keys[0] != keys[1]


class Scaled(JsonBackend):
    name = "scaled"

    def __init__(self, factor: int) -> None:
        super().__init__()
        self.factor = factor

    def load(self, artifact: tp.Artifact, target: tp.Target, weights: tp.WeightSource) -> Any:
        inner, factor = super().load(artifact, target, weights), self.factor
        return Loaded(lambda symbols, *args: [factor * r for r in inner.fn(symbols, *args)])


class Signed(aot_cache.OutputCode):  # type: ignore[misc]
    def __init__(self, source: str, sign: float) -> None:
        self.source, self.sign, self._boxed_call = source, sign, True

    def __call__(self, inputs: Any) -> Any:
        space = {"torch": torch, "device": torch.device}
        exec(self.source, space)
        args = list(inputs)
        inputs.clear()
        return [self.sign * out for out in space["forward"](None, *args)]  # type: ignore[operator]

    def post_compile(self, *args: Any) -> None: ...

    def set_triton_bundle(self, bundle: Any) -> None: ...

    def prepare_for_serialization(self) -> None: ...


@contextlib.contextmanager
def products_in(precision: str) -> Iterator[None]:
    """``torch.set_float32_matmul_precision`` also sets the backends' own precisions, and no value of it gives
    these back.
    """
    before: Any = torch.get_float32_matmul_precision()
    parts: tuple[Any, ...] = (torch.backends.mkldnn.matmul, torch.backends.cuda.matmul)
    own = [part.fp32_precision for part in parts]
    torch.set_float32_matmul_precision(precision)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
        for part, value in zip(parts, own, strict=True):
            part.fp32_precision = value


@contextlib.contextmanager
def switched(setter: Callable[[Any], Any], on: Any, off: Any) -> Iterator[None]:
    setter(on)
    try:
        yield
    finally:
        setter(off)


def key_of(fn: Callable[..., Any], *args: Any, dynamic: bool = False) -> str:
    found = []

    def backend(gm: torch.fx.GraphModule, inputs: Any) -> Any:
        found.append(graph_key(gm))
        return gm.forward

    torch._dynamo.reset()
    torch.compile(fn, backend=backend, dynamic=dynamic)(*args)
    return found[0]


class TestNotCached:
    """Each of these is compiled, gives eager's result, and says why it is not kept."""

    def check(self, why: str, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        got, counts = process(fn, *args, **kwargs)
        torch.testing.assert_close(got, fn(*args))
        assert counts.stored == counts.hits == 0 and not counts.failures
        assert [text for text in counts.uncached if why in text], counts

    def test_an_in_process_region(self) -> None:
        self.check(
            "no backend of this session returns artifacts",
            torch.exp,
            torch.ones(2),
            backend=tp.EagerBackend(),
        )

        class Sometimes(JsonBackend):
            def compile(self, *args: Any) -> Any:
                return tp.EagerBackend().compile(*args)

        self.check("in-process region", torch.exp, torch.ones(2), backend=Sometimes())

    def test_switched_off(self) -> None:
        self.check("the option cache is False", torch.exp, torch.ones(2), options={"cache": False})

    def test_state_that_is_not_plain(self) -> None:
        backend = JsonBackend()
        backend.handle = object()  # type: ignore[attr-defined]
        self.check("backend 'json' holds what is not plain data", torch.exp, torch.ones(2), backend=backend)

    def test_a_function_of_the_user(self) -> None:
        self.check(f"a call of {__name__}.opaque", lambda x: opaque(x), torch.ones(2))

    def test_hooks_on_saved_tensors(self) -> None:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            self.check("saved tensors", torch.exp, torch.ones(2))

    def test_a_tensor_subclass(self) -> None:
        from torch.testing._internal.two_tensor import TwoTensor

        x = TwoTensor(torch.ones(2), torch.ones(2))
        got, counts = process(torch.exp, x)
        assert torch.equal(got.a, x.a.exp()) and "TwoTensor" in str(counts.uncached)

    def test_another_pytorch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(aot_cache, "MISSING", "cannot import name 'OutputCode'")
        self.check("this PyTorch: cannot import name 'OutputCode'", torch.exp, torch.ones(2))

    def test_metadata_that_may_not_be_loaded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(aot_cache, "_METADATA_MODULES", ())
        self.check("AOTAutograd's metadata", torch.exp, torch.ones(2))


@torch._dynamo.allow_in_graph
def opaque(x: torch.Tensor) -> torch.Tensor:
    return x * 2


class TestEntriesThatCannotBeUsed:
    def only(self, root: Path) -> Path:
        (path,) = entries(root)
        return path

    def test_a_damaged_one_is_compiled_again(self, cache: Path) -> None:
        process(torch.exp, torch.ones(2))
        path = self.only(cache)
        path.write_bytes(path.read_bytes()[:-1])
        got, counts = process(torch.exp, torch.ones(2))
        assert torch.equal(got, torch.ones(2).exp())
        assert counts.failures == {"damaged entry": 1} and counts.stored == 1

    def test_a_forged_one_is_not_unpickled(self, cache: Path, tmp_path: Path) -> None:
        process(torch.exp, torch.ones(2))
        path, mark = self.only(cache), tmp_path / "mark"
        path.write_bytes(sealed(poisoned(path, mark), KIND, path.name, os.urandom(32)))
        _, counts = process(torch.exp, torch.ones(2))
        assert counts.failures == {"foreign entry": 1} and not mark.exists()

    def test_a_signed_one_may_not_load_anything_either(self, cache: Path, tmp_path: Path) -> None:
        process(torch.exp, torch.ones(2))
        path, mark = self.only(cache), tmp_path / "mark"
        secret = Store(cache).secret()
        assert secret is not None
        path.write_bytes(sealed(poisoned(path, mark), KIND, path.name, secret))
        got, counts = process(torch.exp, torch.ones(2))
        assert torch.equal(got, torch.ones(2).exp()) and not mark.exists()
        assert counts.failures == {"an entry cannot be loaded": 1} and counts.stored == 1

    def test_loads_no_class_outside_the_list(self) -> None:
        for value in (os.system, io.BytesIO, Path(), logging.getLogger):
            with pytest.raises(ArtifactError, match="may not hold"):
                aot_cache._load(pickle.dumps(value))
        with pytest.raises(ArtifactError, match="not an entry"):
            aot_cache._load(pickle.dumps([1.0, {1}, torch.Size([2]), torch.device("cpu")]))
        with pytest.raises(NotCached, match="made no entry"):
            aot_cache.dump(None)


class Poison:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def poisoned(path: Path, mark: Path) -> bytes:
    """An entry whose metadata would create ``mark`` when it is unpickled."""
    body = path.read_bytes()[len(b"torchport-entry-1\n") + 64 :]
    return body[: body.index(b"\x80\x05")] + pickle.dumps(Poison(mark))
