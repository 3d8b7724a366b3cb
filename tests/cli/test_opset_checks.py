"""``torchport opset check | scope | profile | diff``: what differs is named, what is asked for is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from torchport.contract import adapters
from torchport.contract.adapters import Pinned
from torchport.contract.opset import OpSet, opset
from torchport.contract.profiles import profile_named, profile_names
from torchport.contract.scope import Standing, scope
from torchport.contract.snapshot import path_of
from torchport.tools.meta_results import MetaCheck
from torchport.tools.opset_check import Kind, check_core, check_schemas
from torchport.tools.reach import Reach

from .conftest import Run


def test_schemas_agree_with_the_running_torch(torchport: Run) -> None:
    ran = torchport("opset", "check", "--calls", "0", "--json")
    found = json.loads(ran.stdout)
    assert (ran.returncode, found["drifts"]) == (0, [])
    assert found["compared"] == len(json.loads(path_of("1.0").read_text())["ops"]) > 100
    assert found["higher_order"] > 40 and found["torch"] == torch.__version__
    text = torchport("opset", "check", "--calls", "0").stdout
    assert f"PyTorch {torch.__version__}" in text and "0 drifts" in text


def test_a_changed_a_removed_and_a_renamed_operator_are_drifts() -> None:
    """What is named is the operator and both schemas, down to one argument's name."""
    relu = "aten::relu(Tensor self) -> Tensor"
    schemas = {
        "aten.relu.default": relu,
        "aten.abs.default": relu,
        "aten.gone.default": "aten::gone() -> ()",
        "aten.mm.default": "aten::mm(Tensor self, Tensor other) -> Tensor",
    }
    changed, gone, renamed = check_schemas(schemas)
    assert (changed.op, changed.kind, changed.contract, changed.running) == (
        "aten.abs.default",
        Kind.SCHEMA,
        relu,
        "aten::abs(Tensor self) -> Tensor",
    )
    assert (gone.op, gone.kind, gone.running) == ("aten.gone.default", Kind.REMOVED, None)
    assert (renamed.op, renamed.running) == (
        "aten.mm.default",
        "aten::mm(Tensor self, Tensor mat2) -> Tensor",
    )


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Pinned]]:
    """Pins to be filled by a test in the place of the real ones."""
    pins: dict[str, Pinned] = {}
    monkeypatch.setattr("torchport.tools.opset_check.pins", lambda: pins)
    monkeypatch.setattr(adapters, "pins", lambda: pins)
    yield pins


def test_what_an_adapter_says_is_no_drift(pinned: dict[str, Pinned]) -> None:
    ours, theirs = "aten::abs(Tensor x) -> Tensor", "aten::abs(Tensor self) -> Tensor"
    pinned["aten.abs.default"] = Pinned(ours, others=(theirs,))
    pinned["aten.gone.default"] = Pinned("aten::gone() -> ()", last="2.10")
    schemas = {"aten.abs.default": ours, "aten.gone.default": "aten::gone() -> ()"}
    assert list(check_schemas(schemas)) == []
    pinned["aten.abs.default"] = Pinned(ours, first="2.99", others=(theirs,))
    (early,) = check_schemas(schemas)
    assert (early.op, early.kind, early.running) == ("aten.abs.default", Kind.APPEARED, theirs)


def test_a_changed_meta_result_is_named_with_the_call() -> None:
    """As if PyTorch returned another shape, or another dtype, than the contract says."""
    transposed = opset("1.0").ops["aten.t.default"]
    checks = MetaCheck()
    assert list(checks.check(transposed, 2)) == [] and checks.compared > 0
    ((ours, theirs),) = MetaCheck().check(replace(transposed, shape=("self",)), 2)
    rows, columns = re.fullmatch(r"output 1 is float32\[(\d+), (\d+)\]", ours).groups()  # type: ignore[union-attr]
    assert rows != columns
    assert theirs == f"float32[{columns}, {rows}] for self=float32[{rows}, {columns}]"
    largest = opset("1.0").ops["aten.argmax.default"]
    rules = replace(largest.dtypes, results=("int32",))
    ((ours, theirs),) = MetaCheck().check(replace(largest, dtypes=rules), 1)
    assert ours.startswith("output 1 is int32[") and theirs.startswith("int64[")


def test_a_core_mark_that_changed_is_named() -> None:
    spec = opset("1.0").ops["aten.mm.default"]
    (drift,) = check_core(OpSet("1.0", {spec.name: replace(spec, core=False)}))
    assert (drift.kind, drift.contract, drift.running) == (Kind.CORE, "not Core ATen", "Core ATen")


def test_a_decomposition_that_stops_above_the_primitives_is_named() -> None:
    contract = opset("1.0")
    addmm = contract.ops["aten.addmm.default"]
    reach = Reach(contract)
    assert list(reach.check(addmm, 2)) == [] and reach.followed == 2
    without = OpSet("1.0", {n: s for n, s in contract.ops.items() if n != "aten.mm.default"})
    assert list(Reach(without).check(addmm, 1)) == [
        ("decomposes to contract operators", "aten.mm.default is not one")
    ]
    stuck = OpSet("1.0", {**contract.ops, addmm.name: replace(addmm, decomposition=None)})
    ((_, why),) = Reach(stuck).check(stuck.ops[addmm.name], 1)
    assert why.startswith("nothing decomposes") and "aten.addmm.default" in why


def test_a_few_operators_through_the_whole_check() -> None:
    for name in ("aten.convolution.default", "aten.native_layer_norm.default", "aten.gelu.default"):
        spec = opset("1.0").ops[name]
        assert list(MetaCheck().check(spec, 2)) == []
        assert list(Reach(opset("1.0")).check(spec, 2)) == []


def test_diff(torchport: Run) -> None:
    found = json.loads(torchport("opset", "diff", "1.0", "1.1", "--json").stdout)
    assert "aten.linalg_polar.default" in found["added"]
    assert (found["removed"], found["changed"]) == (["aten.cholesky.default"], {})
    assert found["older"]["sha256"] == opset("1.0").sha256 != found["newer"]["sha256"]
    assert "- aten.cholesky.default" in torchport("opset", "diff", "1.0", "1.1").stdout.splitlines()
    refused = torchport("opset", "diff", "1.0", "9.9")
    assert refused.returncode == 2 and "known versions" in refused.stderr


def test_scope(torchport: Run) -> None:
    ran = torchport("opset", "scope", "--json")
    found, wanted = json.loads(ran.stdout), scope(opset("1.0"))
    assert ran.returncode == bool(wanted.open)
    assert found["overloads"] == len(found["rows"]) == len(wanted.rows)
    assert found["open"] == list(wanted.open)
    assert found["higher_order"]["rows"]["cond"]["treatment"] == "claimable"
    used = {row["reason"] for row in found["rows"] if row["standing"] in (Standing.OUT, Standing.COMPOSITE)}
    assert used <= found["reasons"].keys()
    sparse = torchport("opset", "scope", "--reason", "sparse").stdout.split()
    assert "aten._sparse_softmax.default" in sparse and "aten.add.Tensor" not in sparse
    assert "sparse tensors" in torchport("opset", "scope").stdout


@pytest.mark.parametrize("name", profile_names())
def test_profiles_are_closed_and_counted(torchport: Run, name: str) -> None:
    found = json.loads(torchport("opset", "profile", name, "--json").stdout)
    contract = opset(found["opset"])
    assert found == profile_named(name).to_dict()
    assert found["ops"].keys() <= contract.ops.keys()
    assert found["prims"].keys() <= contract.prims.keys()
    for kind in ("ops", "prims"):
        uses = list(found[kind].values())
        total = sum(use["calls"] for use in uses)
        assert all(abs(use["share"] - use["calls"] / total) < 1e-6 for use in uses)
        assert [use["calls"] for use in uses] == sorted((use["calls"] for use in uses), reverse=True)
        assert all(1 <= use["models"] <= len(found["models"]) for use in uses)
    assert f"{len(found['ops'])} operators" in torchport("opset", "profile", name).stdout


def test_profiles_are_listed(torchport: Run) -> None:
    assert set(profile_names()) == {"training", "transformer-inference", "vision-inference"}
    assert torchport("opset", "profile").stdout.split() == list(profile_names())
    refused = torchport("opset", "profile", "nonsense")
    assert refused.returncode == 2 and "training" in refused.stderr
