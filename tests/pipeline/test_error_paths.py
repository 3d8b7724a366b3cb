"""What a user sees when something is wrong: one clear typed error or a clean recovery, and a process that
goes on working.
"""

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._dynamo.exc import BackendCompilerFailed, InvalidBackend

import torchport as tp
from torchport.errors import (
    CompileError,
    ContractError,
    FallbackError,
    LoweringError,
    OptionError,
    RegistrationError,
    RunError,
)


def fn(x: torch.Tensor) -> torch.Tensor:
    return (x * 2).exp().tanh() + 1


def failure(backend: Any, error: type[Exception], function: Any = fn, **kwargs: Any) -> str:
    """The message of the error that compiling with ``backend`` ends in. Afterwards the same function works
    with another backend.
    """
    x = torch.randn(3)
    with pytest.raises(BackendCompilerFailed) as caught:
        compiled: Any = torch.compile(function, backend=backend, **kwargs)
        compiled(x)
    inner = caught.value.inner_exception
    assert type(inner) is error and caught.value.__cause__ in (None, inner)
    assert str(inner) in str(caught.value), "torch.compile's own message repeats it"
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=tp.EagerBackend())
    torch.testing.assert_close(compiled(x), function(x))
    return str(inner)


def backend_with(**methods: Any) -> tp.Backend:
    made: tp.Backend = type("Made", (tp.EagerBackend,), {"name": "made", **methods})()
    return made


class TestOptionsAndModes:
    def test_a_close_name_is_suggested(self) -> None:
        assert "did you mean 'strict'?" in failure(tp.EagerBackend(), OptionError, options={"strickt": True})

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"max_refusals": True}, "takes int"),
            ({"cache": "no"}, "takes bool"),
            ({"max_specializations": 0}, "must be at least 1"),
            ({"specialization_overflow": "crash"}, "must be one of ('eager', 'evict')"),
        ],
    )
    def test_values(self, options: Any, text: str) -> None:
        assert text in failure(tp.EagerBackend(), OptionError, options=options)

    def test_an_unknown_mode_lists_the_known(self) -> None:
        tuned = backend_with(modes=("default", "max-autotune"))
        text = failure(tuned, OptionError, mode="max-autotone")
        assert "did you mean 'max-autotune'?" in text and "its modes: default, max-autotune" in text

    @pytest.mark.parametrize("spelling", [{"mode": "max-autotune"}, {"options": {"mode": "max-autotune"}}])
    def test_a_mode_reaches_the_backend(self, spelling: Any) -> None:
        seen: list[str] = []

        def compile_(self: Any, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
            seen.append(options.mode)
            return tp.EagerBackend.compile(self, region, target, options)

        tuned = backend_with(modes=("default", "max-autotune"), compile=compile_)
        x = torch.randn(3)
        torch.testing.assert_close(torch.compile(fn, backend=tuned, **spelling)(x), fn(x))
        assert seen == ["max-autotune"]

    def test_a_composed_backend_has_the_modes_of_all(self) -> None:
        both = tp.compose(backend_with(modes=("default", "max-autotune")), tp.EagerBackend())
        assert "its modes: default" in failure(both, OptionError, mode="max-autotune")

    def test_options_that_clash(self) -> None:
        first = backend_with(options={"tile": tp.Option(int, 4, "rows")})
        second = backend_with(options={"tile": tp.Option(str, "4x4", "shape")})
        assert "declare the option 'tile' differently" in failure(tp.compose(first, second), OptionError)
        assert "one of the SDK" in failure(
            backend_with(options={"strict": tp.Option(int, 4, "")}), OptionError
        )
        assert "does not allow" in failure(
            backend_with(options={"tile": tp.Option(int, "4", "")}), OptionError
        )

    def test_options_of_compose_and_of_the_call(self) -> None:
        both = tp.compose(backend_with(), tp.EagerBackend(), max_refusals=3)
        assert both.parse(None, None)["max_refusals"] == 3
        assert both.parse({"max_refusals": 5}, None)["max_refusals"] == 5
        assert tp.dynamo_backend(backend_with()).parse({"mode": "default"}, None).mode == "default"
        with pytest.raises(OptionError, match="two different modes"):
            both.parse({"mode": "default"}, "max-autotune")

    def test_suppress_errors_is_honoured(self) -> None:
        x = torch.randn(3)
        with torch._dynamo.config.patch(suppress_errors=True):
            got = torch.compile(fn, backend=tp.EagerBackend(), options={"fast": 1})(x)
        torch.testing.assert_close(got, fn(x))


class TestStrict:
    def test_each_refusal_with_its_line(self) -> None:
        def claims(self: Any, node: tp.Node, target: tp.Target) -> tp.Claim:
            if node.op == "aten.exp.default":
                return tp.no(tp.Reason.COST, "too slow")
            return tp.EagerBackend.claims(self, node, target)

        def compile_(*args: Any) -> Any:
            raise AssertionError("nothing is compiled")

        backend, x = backend_with(claims=claims, compile=compile_), torch.randn(3)
        with pytest.raises(BackendCompilerFailed) as caught:
            torch.compile(fn, backend=backend, options={"strict": True})(x)
        error = caught.value.inner_exception
        assert isinstance(error, FallbackError)
        (rejection,) = error.rejections
        assert (rejection.op, rejection.reason, rejection.backend) == (
            "aten.exp.default",
            tp.Reason.COST,
            "made",
        )
        assert "test_error_paths.py" in rejection.source and rejection.source in str(error)
        assert "too slow" in str(error)


class TestMisbehaviour:
    """Backends that break the interface, seen through torch.compile."""

    def test_claims_changes_the_node(self) -> None:
        def claims(self: Any, node: tp.Node, target: tp.Target) -> tp.Claim:
            node.args += (("extra", 1),)  # type: ignore[misc]
            return tp.yes()

        assert "FrozenInstanceError" in failure(backend_with(claims=claims), LoweringError)

    def test_load_raises(self) -> None:
        def compile_(*args: Any) -> Any:
            return tp.Artifact("made-1", b"payload")

        def load(*args: Any) -> Any:
            raise OSError("libmade.so: cannot open shared object file")

        text = failure(backend_with(compile=compile_, load=load), CompileError, options={"cache": False})
        assert "load() of backend 'made' raised OSError: libmade.so" in text and "'made-1'" in text

    def test_load_returns_something_else(self) -> None:
        backend = backend_with(compile=lambda *_: tp.Artifact("made-1", b""), load=lambda *_: object())
        assert "Executable with run() and update_weights()" in failure(
            backend, CompileError, options={"cache": False}
        )

    def test_an_error_at_run_time_keeps_its_type_and_says_where(self) -> None:
        def compile_(self: Any, region: tp.Region, *_: Any) -> Any:
            def run(*args: torch.Tensor) -> Any:
                raise IndexError("row 7 of 5")

            return tp.InProcess(run)

        x = torch.randn(3)
        with pytest.raises(IndexError, match="row 7 of 5") as caught:
            torch.compile(fn, backend=backend_with(compile=compile_))(x)
        assert any("in region 'made_inference_" in note for note in caught.value.__notes__)
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(fn, backend="torchport_openmp")(x), fn(x))

    def test_results_in_place_of_outputs_are_checked_too(self) -> None:
        """``LoadedRegion.run`` copies what an in-process region returns; it does not broadcast it."""
        backend = backend_with()
        target, options = backend.targets()[0], tp.Options({})
        kept: list[tp.Region] = []

        def compile_(self: Any, region: tp.Region, *_: Any) -> Any:
            kept.append(region)
            return tp.EagerBackend.compile(self, region, target, options)

        torch.compile(fn, backend=backend_with(compile=compile_))(torch.randn(3))
        loaded = tp.load_region(backend, kept[0], tp.InProcess(lambda x: [torch.ones(1)]), target)
        with pytest.raises(RunError, match=r"must be torch.float32 \(3,\)"):
            loaded(torch.randn(3))

    @pytest.mark.parametrize(
        ("limits", "text"),
        [
            ({"layouts": "blocked"}, "Capabilities.layouts"),
            ({"index_width": 16}, "Capabilities.index_width"),
            ({"alignment": 48}, "Capabilities.alignment"),
            ({"region_size_limit": 0}, "Capabilities.region_size_limit"),
        ],
    )
    def test_capabilities_that_mean_nothing(self, limits: Any, text: str) -> None:
        backend = backend_with(capabilities=lambda self, target: tp.Capabilities(**limits))
        assert text in failure(backend, ContractError)

    def test_a_backend_for_a_newer_contract(self) -> None:
        assert "9.0" in failure(backend_with(opset="9.0"), ContractError)


class TestDeclared:
    def declared(self, **limits: Any) -> Any:
        return backend_with(capabilities=lambda self, target: tp.Capabilities(**limits))

    def test_deterministic_algorithms(self) -> None:
        backend, x = self.declared(deterministic=False), torch.randn(3)
        compiled = torch.compile(fn, backend=backend)
        torch.testing.assert_close(compiled(x), fn(x))
        assert tp.reports(backend).claimed_share == 1.0
        torch.use_deterministic_algorithms(True)
        try:
            torch.testing.assert_close(compiled(x), fn(x))
        finally:
            torch.use_deterministic_algorithms(False)
        assert set(tp.reports(backend).reasons) == {"determinism"}
        assert tp.reports(backend).graphs[-1].claimed_share == 0.0

    def test_deterministic_is_passed_on(self) -> None:
        torch.use_deterministic_algorithms(True)
        try:
            options = tp.DynamoBackend([tp.EagerBackend()]).parse(None, None)
        finally:
            torch.use_deterministic_algorithms(False)
        assert options.deterministic
        assert options.cache_key() != tp.DynamoBackend([tp.EagerBackend()]).parse(None, None).cache_key()

    def test_index_width(self) -> None:
        """2^31 + 1 elements, one of which is in memory."""
        backend, large = self.declared(index_width=32), torch.ones(1).expand(2**31 + 1)
        picked = torch.compile(lambda x, i: x.index_select(0, i) + 1, backend=backend)
        torch.testing.assert_close(picked(large, torch.tensor([2**31])), torch.tensor([2.0]))
        (rejection,) = tp.reports(backend).rejections
        assert (rejection.op, rejection.reason) == ("aten.index_select.default", tp.Reason.SHAPE)
        assert "index_width of 32 bits" in rejection.text

    @pytest.mark.parametrize("destination", [False, True])
    @pytest.mark.parametrize("alignment", [32, 4096])
    def test_alignment(self, alignment: int, destination: bool) -> None:
        def compile_(self: Any, region: tp.Region, target: tp.Target, options: tp.Options) -> Any:
            inner = tp.EagerBackend.compile(self, region, target, options)

            def run(symbols: Any, *args: torch.Tensor) -> Any:
                assert all(a.data_ptr() % alignment == 0 for a in args)
                return inner.fn(symbols, *args)

            def into(args: Any, outs: Any, stream: Any = None, *, symbols: Any = ()) -> None:
                assert all(t.data_ptr() % alignment == 0 for t in outs)
                for out, result in zip(outs, run(symbols, *args), strict=True):
                    out.copy_(result)

            return tp.InProcess(into, destination=True) if destination else tp.InProcess(run, True)

        limits = tp.Capabilities(alignment=alignment)
        backend = backend_with(compile=compile_, capabilities=lambda self, target: limits)
        memory = torch.randn(5000)
        offset = -memory.data_ptr() // 4 % (alignment // 4)
        compiled = torch.compile(lambda x, y: x * 2 + y, backend=backend)
        for shift in (0, 1):
            x = memory[offset + shift :][:24].view(4, 6).t()
            y = memory[offset + shift : offset + shift + 1].expand(6, 4)
            torch.testing.assert_close(compiled(x, y), x * 2 + y)
        copies = tp.reports(backend).alignment_copies
        if alignment == 32:
            assert (copies.count, copies.bytes) == (2, 4 * 24 + 4), "both inputs of the second call"
        else:
            assert copies.count >= 2

    def test_region_size_limit(self) -> None:
        backend, x = self.declared(region_size_limit=3), torch.randn(3)
        torch.testing.assert_close(torch.compile(fn, backend=backend)(x), fn(x))
        assert [r.nodes for r in tp.reports(backend).graphs[0].regions] == [3, 1]

    def test_tensors_of_another_device(self) -> None:
        backend = self.declared()
        got = torch.compile(lambda x: x * 2 + 1, backend=backend)(torch.empty(3, device="meta"))
        assert got.device.type == "meta" and got.shape == (3,)
        assert set(tp.reports(backend).reasons) == {"device"}
        assert "on meta, and the target is on cpu" in str(tp.reports(backend).rejections[0])


def subclass() -> torch.Tensor:
    return torch.randn(4, 4).as_subclass(type("Labelled", (torch.Tensor,), {}))


INPUTS: dict[str, tuple[Callable[[], torch.Tensor], Callable[[torch.Tensor], torch.Tensor]]] = {
    "complex": (lambda: torch.randn(4, dtype=torch.complex64), lambda x: (x * 2).abs()),
    "float8": (lambda: torch.randn(4).to(torch.float8_e4m3fn), lambda x: x.to(torch.float32) * 2),
    "quantized": (
        lambda: torch.quantize_per_tensor(torch.randn(4), 0.1, 0, torch.qint8),
        lambda x: x.dequantize() * 2,
    ),
    "sparse": (lambda: torch.eye(4).to_sparse(), lambda x: (x * 2).to_dense()),
    "nested": (
        lambda: torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)], layout=torch.jagged),
        lambda x: (x * 2).values(),
    ),
    "mkldnn": (lambda: torch.randn(4, 4).to_mkldnn(), lambda x: x.to_dense() * 2),
    "subclass": (subclass, lambda x: x * 2),
    "unsigned": (lambda: torch.tensor([1, 2], dtype=torch.uint16), lambda x: x.to(torch.int32) + 1),
}


@pytest.mark.filterwarnings("ignore")  # of PyTorch, about quantized and nested tensors
@pytest.mark.parametrize("kind", INPUTS)
def test_inputs_that_few_backends_take(kind: str) -> None:
    make, function = INPUTS[kind]
    torch.manual_seed(0)
    x = make()
    wanted, got = function(x), torch.compile(function, backend="torchport_openmp")(x)
    assert type(got) is type(wanted)
    torch.testing.assert_close(got, wanted)


def test_a_graph_with_a_foreign_input_is_left_whole_with_the_reason() -> None:
    backend, x = backend_with(), subclass()
    got = torch.compile(fn, backend=backend)(x)
    assert type(got) is type(x)
    (rejection,) = tp.reports(backend).rejections
    assert rejection.reason is tp.Reason.ARGUMENT and "Labelled" in rejection.text
    with pytest.raises(BackendCompilerFailed, match="Labelled"):
        torch.compile(lambda t: fn(t), backend=backend, options={"strict": True})(x)


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs a distribution with one backend entry point: real metadata on sys.path."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made: list[str] = []

    def install(name: str, source: str, attribute: str = "Plugin", package: str = "") -> None:
        package = package or f"{name}_package"
        (tmp_path / f"{package}.py").write_text(textwrap.dedent(source))
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[torchport.backends]\n{name} = {package}:{attribute}\n")
        made.append(package)

    yield install
    for package in made:
        sys.modules.pop(package, None)


GOOD = """
import torchport as tp
class Plugin(tp.EagerBackend):
    name = "{name}"
"""


class TestPlugins:
    def test_missing(self) -> None:
        with pytest.raises(RegistrationError, match="no backend 'nowhere' is installed") as caught:
            tp.dynamo_backend("nowhere")
        assert "torchport_openmp" in str(caught.value)
        with pytest.raises(InvalidBackend, match="nowhere"):
            torch.compile(fn, backend="nowhere")(torch.randn(3))
        with pytest.raises(RegistrationError, match="nowhere"):
            tp.compose("torchport_openmp", "nowhere")

    def test_a_good_one_is_found(self, plugin: Any) -> None:
        plugin("t8_good", GOOD.format(name="t8_good"))
        x = torch.randn(3)
        both = tp.compose("t8_good", "torchport_openmp")
        torch.testing.assert_close(torch.compile(fn, backend=both)(x), fn(x))
        assert both.reports.graphs[0].regions[0].backend == "t8_good"

    @pytest.mark.parametrize(
        ("source", "attribute", "match"),
        [
            ("import library_that_is_not_there", "Plugin", "ModuleNotFoundError: No module named"),
            ("def broken(:", "Plugin", "SyntaxError"),
            ("raise RuntimeError('no driver')", "Plugin", "RuntimeError: no driver"),
            ("other = 1", "Plugin", "AttributeError"),
            ("Plugin = dict", "Plugin", "must name a subclass of torchport.Backend"),
            (GOOD.format(name="another"), "Plugin", "calls itself 'another'"),
            (
                GOOD.format(name="t8_broken") + "    def __init__(self): raise OSError('no device')\n",
                "Plugin",
                "cannot be made: OSError: no device",
            ),
            (
                "import torchport as tp\nclass Plugin(tp.Backend):\n    name = 't8_broken'\n",
                "Plugin",
                "cannot be made: TypeError.*abstract",
            ),
        ],
        ids=["import", "syntax", "raises", "attribute", "class", "name", "constructor", "abstract"],
    )
    def test_broken(self, plugin: Any, source: str, attribute: str, match: str) -> None:
        plugin("t8_broken", source, attribute)
        with pytest.raises(RegistrationError, match=f"(?s){match}"):
            tp.dynamo_backend("t8_broken")
        entry = next(b for b in tp.backends() if b.name == "t8_broken")
        assert entry.backend is None and isinstance(entry.error, RegistrationError)
        x = torch.randn(3)
        torch.testing.assert_close(torch.compile(fn, backend="torchport_openmp")(x), fn(x))

    def test_two_of_one_name(self, plugin: Any) -> None:
        plugin("t8_twice", GOOD.format(name="t8_twice"), package="t8_first")
        plugin("t8_twice", GOOD.format(name="t8_twice"), package="t8_second")
        with pytest.raises(RegistrationError, match="(?s)installed twice.*t8_first.*t8_second"):
            tp.load_backend("t8_twice")
