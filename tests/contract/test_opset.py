"""Contract versions as objects."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import Tier
from torchport.contract.version import CURRENT, LOG, PINS, ordered, status
from torchport.errors import ContractError


def test_a_version_is_one_object() -> None:
    assert opset("1.0") is opset("1.0")
    assert opset().version == CURRENT == "1.0"


@pytest.mark.parametrize("version", [1.0, None, ["1.0"]])
def test_a_version_is_a_text(version: Any) -> None:
    with pytest.raises(ContractError, match="known versions: 1.0"):
        opset(version)


def test_unknown_version_lists_the_known() -> None:
    with pytest.raises(ContractError, match=r"(?s)'9\.9'.*known versions: 1\.0"):
        opset("9.9")


def test_tiers() -> None:
    ops = opset("1.0")
    assert set(ops.prims) < set(ops.aten)
    assert "aten.mm.default" in ops.prims
    assert "aten.addmm.default" not in ops.prims
    assert "aten.mm.default" in ops.core
    assert "aten.t.default" in ops.aten
    assert "aten.t.default" not in ops.core
    with pytest.raises(TypeError):
        ops.ops["x"] = None  # type: ignore[index]


def test_diff_names_additions_removals_and_changed_fields() -> None:
    old = opset("1.0")
    ops = dict(old.ops)
    ops["aten.new.default"] = replace(ops.pop("aten.mm.default"), name="aten.new.default")
    ops["aten.add.Tensor"] = replace(ops["aten.add.Tensor"], shape=("self",), tier=Tier.ATEN)
    diff = old.diff(OpSet("1.0", ops))
    assert diff.added == ("aten.new.default",)
    assert diff.removed == ("aten.mm.default",)
    assert diff.changed == {"aten.add.Tensor": ("tier", "shape")}
    assert str(diff).splitlines() == [
        "+ aten.new.default",
        "- aten.mm.default",
        "~ aten.add.Tensor: tier, shape",
    ]
    assert not old.diff(old)


def test_a_changed_decomposition_is_a_difference() -> None:
    old = opset("1.0")
    ops = dict(old.ops)
    ops["aten.addmm.default"] = replace(
        ops["aten.addmm.default"], decomposition=ops["aten.t.default"].decomposition
    )
    assert old.diff(OpSet("1.0", ops)).changed == {"aten.addmm.default": ("decomposition",)}


def test_the_second_version_adds_and_retires() -> None:
    diff = opset("1.0").diff(opset("1.1"))
    assert "aten.linalg_polar.default" in diff.added
    assert diff.removed == ("aten.cholesky.default",)
    assert not diff.changed
    assert all(opset("1.1").ops[name].since == "1.1" for name in diff.added)
    assert all(opset("1.1").retired[name].until == "1.1" for name in diff.removed)


def test_every_version_has_one_log_line_with_a_status() -> None:
    for version, line in LOG.items():
        assert status(version) == ("released" if version in PINS else "draft")
        assert "\n" not in line
    assert CURRENT in LOG
    assert list(LOG) == sorted(LOG, key=ordered)
    assert ordered("1.10") > ordered("1.9")


def test_importing_torchport_loads_no_entries() -> None:
    code = "import sys, torchport; print('torchport.contract.ops' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
