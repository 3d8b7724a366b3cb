"""Every overload of the running PyTorch is accounted for, and every higher-order operator has a row."""

from __future__ import annotations

import pytest
import torch

from torchport.contract import higher_order
from torchport.contract.higher_order import ROWS, Treatment
from torchport.contract.opset import OpSet, opset
from torchport.contract.scope import RULES, Scope, Standing, reasons, registered, scope
from torchport.contract.spec import resolve


@pytest.fixture(scope="module")
def found() -> Scope:
    return scope(opset("1.0"))


def test_no_overload_is_unaccounted_for(found: Scope) -> None:
    assert found.open == ()


def test_every_entry_that_pytorch_has_is_found(found: Scope) -> None:
    entries = {row.name: row.reason for row in found.rows if row.standing is Standing.CONTRACT}
    contract = opset("1.0")
    ours = {name: spec.tier.value for name, spec in contract.ops.items() if not name.startswith("torchport.")}
    assert entries == {name: tier for name, tier in ours.items() if name in entries}
    assert not [n for n in ours.keys() - entries.keys() if _exists(n)]


def _exists(name: str) -> bool:
    try:
        return isinstance(resolve(name), torch._ops.OpOverload)
    except AttributeError:
        return False


@pytest.mark.parametrize(
    ("name", "standing", "reason"),
    [
        ("aten.add.Tensor", Standing.CONTRACT, "prim"),
        ("aten.convolution.default", Standing.CONTRACT, None),
        ("aten.add_.Tensor", Standing.OUT, "mutable"),
        ("aten.add.out", Standing.OUT, "out-variant"),
        ("aten.einsum.default", Standing.COMPOSITE, "composite"),
        ("aten.rand.generator", Standing.OUT, "generator"),
        ("aten._sparse_softmax.default", Standing.OUT, "sparse"),
        ("aten.values.default", Standing.OUT, "sparse"),
        ("aten._nested_from_padded.default", Standing.OUT, "nested"),
        ("aten.cudnn_convolution.default", Standing.OUT, "backend-private"),
        ("aten.quantize_per_tensor.default", Standing.OUT, "quantized-tensor"),
        ("quantized.add.default", Standing.OUT, "quantized-tensor"),
        ("prims.add.default", Standing.OUT, "prims"),
        ("prim.device.default", Standing.OUT, "torchscript"),
        ("c10d.allreduce_.default", Standing.OUT, "collective"),
        ("aten.set.source_Tensor", Standing.OUT, "storage"),
        ("aten._test_warn_in_autograd.default", Standing.OUT, "test"),
    ],
)
def test_where_single_overloads_stand(
    found: Scope, name: str, standing: Standing, reason: str | None
) -> None:
    row = next(row for row in found.rows if row.name == name)
    assert row.standing is standing
    assert reason is None or row.reason == reason


def test_what_the_contract_lacks_is_named() -> None:
    """A functional operator without an entry is open, whatever its family."""
    lost = {"aten.cos.default", "aten.mm.default"}
    without = {n: s for n, s in opset("1.0").ops.items() if n not in lost}
    assert set(scope(OpSet("1.0", without)).open) - set(scope(opset("1.0")).open) == lost


def test_operators_of_other_contract_versions_are_accounted_for() -> None:
    newer = scope(opset("1.1"))
    rows = {row.name: row for row in newer.rows}
    if "aten.cholesky.default" in rows:  # PyTorch 2.14 has it no more
        assert (rows["aten.cholesky.default"].standing, rows["aten.cholesky.default"].reason) == (
            Standing.OUT,
            "retired",
        )
    assert not {"aten.linalg_polar.default", "aten.cholesky.default"} & set(newer.open)
    assert "aten.linalg_polar.default" not in scope(opset("1.0")).open


def test_another_librarys_namespace_is_foreign() -> None:
    library = torch.library.Library("tp_scope_test", "FRAGMENT")
    library.define("something(Tensor x) -> Tensor")
    rows = {row.name: row for row in scope(opset("1.0"), registered()).rows}
    assert rows["tp_scope_test.something.default"].reason == "foreign"


def test_every_reason_has_a_sentence(found: Scope) -> None:
    used = {row.reason for row in found.rows if row.standing in (Standing.OUT, Standing.COMPOSITE)}
    assert used <= reasons().keys()
    assert len({rule.prose for rule in RULES}) == len(reasons()) - len(("retired", "later"))
    assert sum(sum(counted.values()) for counted in found.counts.values()) == len(found.rows) > 4000


def test_every_higher_order_operator_has_a_row() -> None:
    checked = higher_order.check()
    assert (checked.unknown, checked.missing) == ((), ())
    assert {row.treatment for row in ROWS.values()} == set(Treatment)


def test_new_and_missing_higher_order_operators_are_named() -> None:
    present = higher_order.present()
    checked = higher_order.check(present - {"cond"} | {"invented"}, torch.__version__)
    assert (checked.unknown, checked.missing) == (("invented",), ("cond",))


def test_a_row_may_begin_with_a_pytorch_version() -> None:
    before = frozenset(name for name, row in ROWS.items() if row.since != "2.14")
    assert higher_order.check(before, "2.13.0").missing == ()
    assert higher_order.check(before, "2.14.1+cpu").missing == ("flex_gemm", "switch")
