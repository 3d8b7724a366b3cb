"""Commands that look into the contract, into a program, and at the clock."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from torchport.cli.output import write_json
from torchport.contract.opset import opset

from .conftest import Run


def test_opset_list_is_the_contract(torchport: Run) -> None:
    listed = json.loads(torchport("opset", "list", "--json").stdout)
    contract = opset("1.0")
    assert {entry["name"] for entry in listed["operators"]} == set(contract.ops)
    assert (listed["opset"], listed["sha256"]) == ("1.0", contract.sha256)
    prims = json.loads(torchport("opset", "list", "--tier", "prim", "--json").stdout)
    assert {entry["name"] for entry in prims["operators"]} == set(contract.prims)
    table = torchport("opset", "list", "--tier", "prim").stdout
    assert f"{len(contract.prims)} operators" in table and "aten.add.Tensor" in table


def test_opset_show(torchport: Run) -> None:
    shown = json.loads(torchport("opset", "show", "aten.add.Tensor", "--json").stdout)
    spec = opset("1.0").ops["aten.add.Tensor"]
    assert (shown["schema"], shown["shape"]) == (spec.schema, list(spec.shape))
    text = torchport("opset", "show", "aten.add.Tensor").stdout
    assert spec.schema in text
    assert all(constraint.label in text for constraint in spec.constraints)
    assert "float32" in text and "accepts:" in text


def test_opset_show_renders_every_operator(torchport: Run) -> None:
    for name, spec in opset("1.0").ops.items():
        ran = torchport("opset", "show", name)
        assert ran.returncode == 0 and spec.schema in ran.stdout, name
        assert "{" not in ran.stdout.replace(spec.schema, ""), name


def test_opset_show_writes_choices_as_one_would_say_them(torchport: Run) -> None:
    gelu = torchport("opset", "show", "aten.gelu").stdout
    assert "choices: 'none', 'tanh'" in gelu
    norm = torchport("opset", "show", "aten.native_layer_norm").stdout
    assert "choices: [size(input, rank(input) - 1)]" in norm


def test_opset_show_completes_default_and_suggests(torchport: Run) -> None:
    assert json.loads(torchport("opset", "show", "aten.relu", "--json").stdout)["name"] == "aten.relu.default"
    ran = torchport("opset", "show", "aten.add.Tenso")
    assert ran.returncode == 2 and "aten.add.Tensor" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("list", "--opset", "9.9"), "known versions: 1.0"),
        (("check", "--opset", "../1.0"), "known versions: 1.0"),
        (("list", "--tier", "macaroni"), "tiers: "),
    ],
)
def test_opset_refusals(torchport: Run, arguments: tuple[str, ...], reason: str) -> None:
    ran = torchport("opset", *arguments)
    assert ran.returncode == 2 and reason in ran.stderr


def test_explain_an_example(torchport: Run) -> None:
    ran = torchport("explain", "mlp", "--backend", "torchport_openmp", "--json")
    assert ran.returncode == 0, ran.stderr
    explained = json.loads(ran.stdout)
    assert explained["backend"] == "torchport_openmp"
    assert explained["claimed"] > 0
    assert {graph["phase"] for graph in explained["graphs"]} == {"forward", "backward"}


def test_explain_a_factory_of_the_working_directory(torchport: Run, tmp_path: Path) -> None:
    source = (
        "import torch\n"
        "def factory():\n    return (lambda x: torch.relu(x) + 1), (torch.ones(4),)\n"
        "def wrong():\n    return 7\n"
    )
    (tmp_path / "work" / "my_model.py").write_text(source)
    ran = torchport("explain", "my_model:factory", "-b", "torchport_openmp")
    assert ran.returncode == 0, ran.stderr
    assert "torchport_openmp: 2 nodes claimed (100%" in ran.stdout
    for target, reason in (
        ("my_model:wrong", "must return a callable and a tuple"),
        ("my_model:absent", "cannot be imported"),
        ("my_absent:factory", "cannot be imported"),
        ("nonsense", "use one of mlp, attention, convnet"),
    ):
        refused = torchport("explain", target, "-b", "torchport_openmp")
        assert refused.returncode == 2 and reason in refused.stderr, refused.stderr


def test_explain_for_a_backend_of_the_working_directory(torchport: Run, tmp_path: Path) -> None:
    source = "import torchport as tp\nclass Mine(tp.EagerBackend):\n    name = 'of_this_directory'\n"
    (tmp_path / "work" / "my_backend.py").write_text(source)
    before = list(sys.path)
    ran = torchport("explain", "mlp", "-b", "my_backend:Mine")
    assert ran.returncode == 0 and "of_this_directory: " in ran.stdout, ran.stderr
    assert sys.path == before
    for backend, reason in (("my_backend:Yours", "cannot be imported"), ("absent", "is installed")):
        refused = torchport("explain", "my_absent:factory", "-b", backend)
        assert refused.returncode == 2 and reason in refused.stderr and "factory" not in refused.stderr


def test_bench_passes_its_options_on(torchport: Run) -> None:
    options = ("--vs", "eager", "--select", "tiny", "--seconds", "0.05", "--no-compile-time")
    ran = torchport("bench", "torchport_openmp", *options, "--json")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert (report["backend"], report["vs"]) == ("torchport_openmp", ["eager"])
    assert len(report["cases"]) == 1 and "tiny" in ran.stderr
    refused = torchport("bench", "nobody", *options)
    assert refused.returncode == 2 and "nobody" in refused.stderr


def test_json_stays_json_with_infinities(capsys: pytest.CaptureFixture[str]) -> None:
    write_json({"a": [1.5, float("inf")], "b": (float("nan"), -float("inf"), None, True)})
    assert json.loads(capsys.readouterr().out) == {"a": [1.5, "inf"], "b": ["nan", "-inf", None, True]}


FACTORY = """
import torch
import torchport as tp

def right():
    return (lambda x: x.exp().relu() + 1), (torch.ones(4),)

def relu(x):
    return torch.relu(x) + 1

def backend():
    return tp.EagerBackend({"aten.relu.default": relu})
"""


def test_explain_several_programs(torchport: Run, tmp_path: Path) -> None:
    (tmp_path / "work" / "explained.py").write_text(FACTORY)
    ran = torchport("explain", "explained:right", "mlp", "-b", "torchport_openmp", "--json")
    found = json.loads(ran.stdout)
    assert ran.returncode == 0 and list(found["programs"]) == ["explained:right", "mlp"]
    assert found["format"] == "torchport-explanations"
    text = torchport("explain", "explained:right", "-b", "torchport_openmp", COLUMNS="100").stdout
    assert "torchport_openmp: 3 nodes claimed (100%" in text and max(map(len, text.splitlines())) <= 100


def test_minify_finds_the_node_or_says_that_nothing_is_wrong(torchport: Run, tmp_path: Path) -> None:
    (tmp_path / "work" / "minified_program.py").write_text(FACTORY)
    options = ("minify", "minified_program:right", "--in-process", "-o", "shown.py", "--json")
    ran = torchport(*options, "-b", "minified_program:backend")
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["nodes"], found["nodes_before"]) == (["aten.relu.default"], 3)
    assert found["fault"]["kind"] == "accuracy" and found["verified"]
    assert "torch.ops.aten.relu.default(x0)" in (tmp_path / "work" / "shown.py").read_text()
    fine = torchport(*options, "-b", "torchport_openmp")
    assert fine.returncode == 1 and json.loads(fine.stdout)["fault"] is None
    for backend, reason in (("nobody", "no backend 'nobody'"), ("nothing:here", "cannot be imported")):
        refused = torchport("minify", "mlp", "-b", backend)
        assert refused.returncode == 2 and reason in refused.stderr
