"""`tp.minify`: planted faults are reduced to the nodes that have them, and the script shows them."""

from __future__ import annotations

import importlib
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

import torchport as tp
from torchport.errors import UsageError
from torchport.tools.minify.minifier import Progress
from torchport.tools.minify.reduce import smallest

FAULTS = """
import os
import torch
import torchport as tp

def healed():
    return "HEALED" in os.environ

def softmax(x, dim, half=False):
    right = torch.softmax(x, dim)
    return right * 1.001 if x.shape[-1] == 12 and not healed() else right

def gelu(x, **keywords):
    if healed():
        return torch.ops.aten.gelu(x, **keywords)
    raise RuntimeError("no kernel for these strides")

def killing_gelu(x, **keywords):
    if healed():
        return torch.ops.aten.gelu(x, **keywords)
    os.abort()

def killing():
    return tp.EagerBackend({"aten.gelu.default": killing_gelu})
"""

Program = tuple[Callable[..., Any], tuple[Any, ...]]


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of planted faults that other processes can import too."""
    (tmp_path / "planted_in_bert.py").write_text(FAULTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("planted_in_bert")
    del sys.modules["planted_in_bert"]


@pytest.fixture(scope="module")
def bert() -> Program:
    """BERT with two small layers, with a loss, so that there is a backward graph."""
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=50,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model, ids = transformers.BertModel(config), torch.randint(0, 50, (2, 12))
    return (lambda ids: model(ids).last_hidden_state.square().mean()), (ids,)


def test_an_accuracy_fault_inside_bert(bert: Program, faults: Any) -> None:
    seen: list[Progress] = []
    backend = tp.EagerBackend({"aten._softmax.default": faults.softmax})
    found = tp.minify(*bert, backend, isolate=False, progress=seen.append)
    assert found.fault is not None and found.fault.kind == "accuracy" and "allowed" in found.fault.text
    assert found.nodes == ("aten._softmax.default",) and found.nodes_before > 50
    assert found.graph is not None and found.graph.inputs[0].tensor.shape == (1, 1, 1, 12)
    assert {"nodes", "sizes", "values"} <= {step.step for step in seen}
    assert seen[-1].nodes == 1 and all(step.seconds_left >= 0 for step in seen)


def test_a_crash_inside_bert(bert: Program, faults: Any) -> None:
    backend = tp.EagerBackend({"aten.gelu.default": faults.gelu})
    found = tp.minify(*bert, backend, isolate=False)
    assert found.nodes == ("aten.gelu.default",)
    assert str(found.fault) == "crash: RuntimeError: no kernel for these strides"


def test_a_kernel_that_ends_the_process(
    bert: Program, faults: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "repro.py"
    found = tp.minify(*bert, "planted_in_bert:killing", output=path)
    assert found.fault is not None and (found.fault.kind, found.fault.key) == ("killed", "SIGABRT")
    assert found.isolated and found.verified and found.nodes == ("aten.gelu.default",)
    assert 'if sys.argv[1:] != ["here"]' in path.read_text() and len(path.read_text().splitlines()) < 35
    monkeypatch.setenv("HEALED", "1")
    monkeypatch.setattr(sys, "argv", [str(path), "here"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path))
    assert end.value.code == 0


class Fusing(tp.EagerBackend):
    """Wrong where a product's sine is computed in the region of the product."""

    name = "fusing"

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
        made = super().compile(region, target, options)
        producers = region.graph.producers
        if not any(
            n.op == "aten.sin.default" and producers.get(n.inputs[0].name, n).op == "aten.mm.default"
            for n in region.nodes
        ):
            return made
        return tp.InProcess(lambda s, *a: [t + 0.01 for t in made.fn(s, *a)], wants_symbols=True)


def test_a_fault_of_two_nodes_together_keeps_both() -> None:
    def program(x: torch.Tensor) -> torch.Tensor:
        return ((x.exp() @ x).sin() * 2).relu() + x.cos()

    found = tp.minify(program, (torch.randn(4, 4),), Fusing(), isolate=False)
    assert found.nodes == ("aten.mm.default", "aten.sin.default") and found.nodes_before == 7


class Symbolic(tp.EagerBackend):
    """Wrong in tanh's gradient, where a size is a symbol."""

    name = "symbolic"

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
        made = super().compile(region, target, options)
        if not (region.symbols and any(n.op == "aten.tanh_backward.default" for n in region.nodes)):
            return made
        return tp.InProcess(lambda s, *a: [t * 1.1 for t in made.fn(s, *a)], wants_symbols=True)


def test_a_fault_of_symbolic_sizes_in_the_backward_stays_symbolic(tmp_path: Path) -> None:
    weight = torch.randn(5, requires_grad=True)

    def program(x: torch.Tensor) -> torch.Tensor:
        return (x * weight).tanh().exp()

    found = tp.minify(
        program, (torch.randn(6, 5),), Symbolic(), dynamic=True, isolate=False, output=tmp_path / "repro.py"
    )
    assert (found.phase, found.nodes) == ("backward", ("aten.tanh_backward.default",))
    assert found.graph is not None and found.graph.symbols
    text = (tmp_path / "repro.py").read_text()
    unknown = 'raise SystemExit("put your backend here")\nbackend = None'
    assert "dynamic=True" in text and unknown in text and not found.verified
    (tmp_path / "repro.py").write_text(text.replace(unknown, "backend = given"))
    for backend, code in ((Symbolic(), 1), (tp.EagerBackend(), 0)):
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(tmp_path / "repro.py"), {"given": backend})
        assert end.value.code == code


def test_random_draws_and_matrix_factors_are_no_faults() -> None:
    def program(x: torch.Tensor) -> Any:
        q, r = torch.linalg.qr(torch.nn.functional.dropout(x, 0.5))
        return (q @ r).softmax(-1), x.topk(2)[1], x.masked_fill(x > 0, -3.4e38).softmax(-1)

    found = tp.minify(program, (torch.randn(5, 5),), tp.EagerBackend(), isolate=False)
    assert found.fault is None and str(found) == "torchport_eager: nothing is wrong"
    assert found.tests == 2


def test_a_region_and_its_script_by_reference(tmp_path: Path) -> None:
    regions: list[tp.Region] = []

    class Keeping(Fusing):
        def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
            regions.append(region)
            return super().compile(region, target, options)

    torch.compile(lambda x: (x @ x).sin() + 1, backend=Keeping())(torch.randn(3, 3))
    saved = tp.Region.from_json(regions[0].to_json())
    found = tp.minify(saved, None, Fusing(), isolate=False)
    assert found.nodes == ("aten.mm.default", "aten.sin.default")
    assert tp.fault_of(saved, [torch.randn(3, 3)], Fusing()) is not None
    assert tp.fault_of(saved, [torch.randn(3, 3)], tp.EagerBackend()) is None


def test_any_backend_of_torch_compile() -> None:
    def wrong_relu(gm: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        relu = any("relu" in str(n.target) for n in gm.graph.nodes)
        return lambda *a: [t + 1 for t in gm(*a)] if relu else gm(*a)

    found = tp.minify(lambda x: (x.exp() + 1).relu().sin(), (torch.randn(3),), wrong_relu, isolate=False)
    assert found.nodes == ("aten.relu.default",)
    assert tp.fault_of(lambda x: x.relu(), [torch.randn(3)], wrong_relu) is not None
    assert tp.fault_of(lambda x: x.exp(), [torch.randn(3)], wrong_relu) is None


def test_a_program_without_a_graph_is_refused() -> None:
    with pytest.raises(UsageError, match="makes no graph"):
        tp.minify(lambda x: x, (torch.randn(3),), tp.EagerBackend(), isolate=False)


@pytest.mark.parametrize("guilty", [{7}, {0, 19}, {3, 4, 11}, set(range(20))])
def test_the_search_finds_exactly_what_is_needed(guilty: set[int]) -> None:
    asked: list[Sequence[int]] = []

    def fails(items: Sequence[int]) -> bool:
        asked.append(items)
        return guilty <= set(items)

    assert set(smallest(range(20), fails)) == guilty
    assert len(asked) < (12 if len(guilty) == 1 else 200)
