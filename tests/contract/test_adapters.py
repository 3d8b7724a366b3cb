"""PyTorch versions that differ: entries load, graphs read alike, calls run as this version has them."""

from __future__ import annotations

import pytest
import torch

from torchport.contract import adapters
from torchport.contract.adapters import Pinned, is_present, pins, to_contract, to_running
from torchport.contract.opset import opset
from torchport.errors import ContractError

WINDOW = ("2.11.0", "2.12.0", "2.13.0", "2.14.1", "2.15.0")


def test_every_pin_is_as_the_running_pytorch_has_it() -> None:
    for name, pinned in pins().items():
        assert is_present(name) == pinned.expected(torch.__version__), name
        if is_present(name):
            assert str(adapters.resolve(name)._schema) in (pinned.schema, *pinned.others), name


def test_a_pin_says_something() -> None:
    """Some version of the window lacks the operator or has it under another schema."""
    for name, pinned in pins().items():
        assert (
            pinned.others or pinned.meta_first or not all(pinned.expected(version) for version in WINDOW)
        ), name
        assert str(adapters.schema_of(name)) == pinned.schema, name


def test_entries_have_the_pinned_schema() -> None:
    ops = {**opset("1.0").ops, **opset("1.1").ops}
    checked = [name for name in pins() if name in ops]
    assert len(checked) > 8
    for name in checked:
        assert ops[name].schema == pins()[name].schema


def test_an_operator_that_the_running_pytorch_lacks_has_an_entry() -> None:
    """``linalg_polar`` came with 2.14; its entry is the same before."""
    spec = opset("1.1").ops["aten.linalg_polar.default"]
    assert [a.name for a in spec.signature.arguments] == ["A"]
    assert pins()[spec.name].expected("2.14.1") and not pins()[spec.name].expected("2.13.0")


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A contract whose names for ``hardtanh`` are not PyTorch's, nor its number of arguments for ``gelu``."""
    invented = {
        "aten.hardtanh.default": Pinned(
            "aten::hardtanh(Tensor x, Scalar low=-1, Scalar high=1) -> Tensor", others=("...",)
        ),
        "aten.gelu.default": Pinned("aten::gelu(Tensor self) -> Tensor", others=("...",)),
        "aten.relu.default": Pinned("aten::relu(Tensor self, bool leaky=False) -> Tensor", others=("...",)),
        "aten.gone.default": Pinned("aten::gone(Tensor self) -> Tensor", last="2.10"),
    }
    monkeypatch.setattr(adapters, "pins", lambda: invented)


@pytest.mark.usefixtures("renamed")
def test_renamed_arguments_read_and_run_by_position() -> None:
    theirs = (("self", "x"), ("min_val", -2), ("max_val", 2))
    ours = (("x", "x"), ("low", -2), ("high", 2))
    assert to_contract("aten.hardtanh.default", theirs) == ours
    assert to_running("aten.hardtanh.default", ours) == theirs


@pytest.mark.usefixtures("renamed")
def test_an_argument_that_only_one_side_has_must_have_its_default() -> None:
    plain = (("self", "x"), ("approximate", "none"))
    assert to_contract("aten.gelu.default", plain) == (("self", "x"),)
    unlike = (("self", "x"), ("approximate", "tanh"))
    assert to_contract("aten.gelu.default", unlike) == unlike, "the verifier then says that it does not fit"
    assert to_running("aten.gelu.default", (("self", "x"),)) == plain
    assert to_contract("aten.relu.default", (("self", "x"),)) == (("self", "x"), ("leaky", False))
    assert to_running("aten.relu.default", (("self", "x"), ("leaky", False))) == (("self", "x"),)
    with pytest.raises(ContractError, match="has no argument 'leaky'"):
        to_running("aten.relu.default", (("self", "x"), ("leaky", True)))


@pytest.mark.usefixtures("renamed")
def test_a_call_of_an_absent_operator_says_since_when_it_is_absent() -> None:
    with pytest.raises(ContractError, match=r"(?s)has no such operator.*to 2\.10"):
        to_running("aten.gone.default", (("self", "x"),))


def test_what_is_not_pinned_is_left_alone() -> None:
    bound = (("self", "x"), ("other", "y"), ("alpha", 1))
    assert to_contract("aten.add.Tensor", bound) is bound
    assert to_running("aten.add.Tensor", bound) is bound
