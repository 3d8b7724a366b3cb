"""Operators of a vendor's own: the same verifier, the same claims, the same decompositions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
import torch
from torch.nn import functional as F

import torchport as tp
from torchport.compile.reason import Reason
from torchport.compile.region import Region
from torchport.contract.graph import Graph, Node, Symbol, TensorSpec, Value, contiguous_strides
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import DtypeRule
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError, VerifierError

SWIGLU = "swiglu(Tensor x, Tensor gate) -> Tensor"


def swiglu(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    return F.silu(gate) * x


def write_row(cache: torch.Tensor, row: torch.Tensor, at: int) -> torch.Tensor:
    return torch.slice_scatter(cache, row.unsqueeze(0), 0, at, at + 1)


@pytest.fixture(scope="module")
def extended() -> OpSet:
    return opset("1.0").extend("tp_test", SWIGLU, decomposition=swiglu)


@pytest.fixture(scope="module")
def with_cache(extended: OpSet) -> OpSet:
    schema = "write_row(Tensor(a!) cache, Tensor row, int at) -> ()"
    return extended.extend("tp_test", schema, mutates=["cache"], decomposition=write_row)


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def call(*shape: Any, dtype: torch.dtype = torch.float32, of: tuple[Any, ...] = (2, 3)) -> Graph:
    """A call of swiglu whose result is said to have ``shape`` and ``dtype``."""
    x, gate = (Value(n, TensorSpec(of, contiguous_strides(of), torch.float32)) for n in ("x", "gate"))
    out = Value("out", TensorSpec(shape, contiguous_strides(shape), dtype))
    names = {d.text for d in of if isinstance(d, SymExpr)}
    symbols = tuple(Symbol(n, 2, None, 7, ("size", "x", 0)) for n in sorted(names))
    node = Node("act", "tp_test.swiglu.default", (("x", x), ("gate", gate)), (out,))
    return Graph((x, gate), (node,), (out,), symbols)


def test_an_extension_is_another_object_with_another_digest(extended: OpSet) -> None:
    base = opset("1.0")
    assert extended.ops.keys() - base.ops.keys() == {"tp_test.swiglu.default"}
    assert (extended.version, extended.base, extended.extensions) == ("1.0+tp_test", "1.0", ("tp_test",))
    assert extended.sha256 != base.sha256
    assert extended.ops["tp_test.swiglu.default"].schema == f"tp_test::{SWIGLU}"
    other = base.extend("tp_test", SWIGLU, decomposition=lambda x, gate: F.silu(x) * gate)
    assert other.sha256 != extended.sha256, "the decomposition is part of it"


def test_results_are_verified_by_the_fake_function(extended: OpSet) -> None:
    extended.verify(call(2, 3))
    with pytest.raises(VerifierError, match=r"(?s)swiglu\.S1.*'act'.*float32\[3, 2\].*float32\[2, 3\]"):
        extended.verify(call(3, 2))
    with pytest.raises(VerifierError, match=r"swiglu\.D1"):
        extended.verify(call(2, 3, dtype=torch.float64))
    s0 = SymExpr("s0")
    extended.verify(call(s0, 3, of=(s0, 3)))
    with pytest.raises(VerifierError, match=r"swiglu\.S1"):
        extended.verify(call(s0, 4, of=(s0, 3)))
    with pytest.raises(VerifierError, match="not in the contract"):
        opset("1.0").verify(call(2, 3))


def test_rules_can_be_given_instead_of_a_fake_function() -> None:
    rules = {"dtypes": DtypeRule({"x": ("float32",), "gate": ("same:x",)}, ("same:x",)), "shape": ("x",)}
    stated = opset("1.0").extend("tp_test", SWIGLU, decomposition=swiglu, **rules)
    s0 = SymExpr("s0")
    stated.verify(call(s0, 3, of=(s0, 3)))
    with pytest.raises(VerifierError, match=r"swiglu\.S1"):
        stated.verify(call(SymExpr("s0"), 2, of=(s0, 3)))
    with pytest.raises(ContractError, match="given together"):
        opset("1.0").extend("tp_test", SWIGLU, decomposition=swiglu, shape=("x",))


def test_a_custom_op_of_pytorch_is_taken_as_it_is() -> None:
    @torch.library.custom_op("tp_test::halve", mutates_args=())
    def halve(x: torch.Tensor) -> torch.Tensor:
        return x / 2

    schema = "halve(Tensor x) -> Tensor"
    with pytest.raises(ContractError, match="nothing says what the operator returns"):
        opset("1.0").extend("tp_test", schema)
    taken = opset("1.0").extend("tp_test", schema, fake=torch.empty_like)
    assert taken.ops["tp_test.halve.default"].decomposition is None
    with pytest.raises(ContractError, match=r"(?s)exists with another schema.*halve\(Tensor x\)"):
        opset("1.0").extend("tp_test", "halve(Tensor y) -> Tensor")


@pytest.mark.parametrize(
    ("namespace", "schema", "given", "reason"),
    [
        ("aten", SWIGLU, {"decomposition": swiglu}, "not a namespace"),
        ("torchport", SWIGLU, {"decomposition": swiglu}, "not a namespace"),
        ("a-b", SWIGLU, {"decomposition": swiglu}, "not a namespace"),
        ("tp_test", "swiglu(Tensr x) -> Tensor", {"decomposition": swiglu}, "cannot be read"),
        ("tp_test", "absent(Tensor x) -> Tensor", {}, "does not exist and has no decomposition"),
        (
            "tp_test",
            SWIGLU,
            {"decomposition": swiglu, "mutates": ["x"]},
            "mutates is not what the schema says",
        ),
        (
            "tp_test",
            "w(Tensor(a!) c) -> ()",
            {"decomposition": swiglu},
            "mutates is not what the schema says",
        ),
        ("tp_test", "v(Tensor(a) x) -> Tensor(a)", {"decomposition": swiglu}, "may not share memory"),
    ],
)
def test_refusals(namespace: str, schema: str, given: dict[str, Any], reason: str) -> None:
    with pytest.raises(ContractError, match=reason):
        opset("1.0").extend(namespace, schema, **given)


def test_an_operator_is_added_once(extended: OpSet) -> None:
    with pytest.raises(ContractError, match="has this operator already"):
        extended.extend("tp_test", SWIGLU, decomposition=swiglu)


class Vendor(tp.EagerBackend):
    """Eager PyTorch as a vendor with operators of its own; ``refused`` are not claimed."""

    name: ClassVar[str] = "tp_test_vendor"

    def __init__(self, contract: OpSet, refused: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.opset, self.refused, self.ran = contract, refused, list[str]()

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        return tp.no(Reason.OP) if node.op in self.refused else super().claims(node, target)

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
        self.ran += [n.op for n in region.nodes]
        return super().compile(region, target, options)


@pytest.mark.parametrize("refused", [(), ("tp_test.swiglu.default",)])
def test_a_custom_operator_is_claimed_whole_or_in_parts(extended: OpSet, refused: tuple[str, ...]) -> None:
    vendor = Vendor(extended, refused)
    x, gate = torch.randn(2, 4, 8).unbind(0)
    compiled = torch.compile(lambda x, g: torch.ops.tp_test.swiglu(x, g) + 1, backend=vendor, fullgraph=True)
    torch.testing.assert_close(compiled(x, gate), swiglu(x, gate) + 1)
    assert ("tp_test.swiglu.default" in vendor.ran) == (not refused)
    assert ("aten.mul.Tensor" in vendor.ran) == bool(refused)
    assert not tp.reports(vendor).graphs[0].fallback


@pytest.mark.parametrize("refused", [(), ("tp_test.write_row_functional.default",)])
def test_an_operator_that_writes_arrives_in_functional_form(
    with_cache: OpSet, refused: tuple[str, ...]
) -> None:
    def step(cache: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        torch.ops.tp_test.write_row(cache, row, 1)
        return cache.sum()

    vendor = Vendor(with_cache, refused)
    cache, row = torch.zeros(3, 4), torch.randn(4)
    result = torch.compile(step, backend=vendor, fullgraph=True)(cache, row)
    torch.testing.assert_close(result, row.sum())
    assert torch.equal(cache, torch.stack((torch.zeros(4), row, torch.zeros(4))))
    assert ("tp_test.write_row_functional.default" in vendor.ran) == (not refused)
    assert not tp.reports(vendor).graphs[0].fallback


def test_composed_backends_share_the_union(extended: OpSet) -> None:
    base = opset("1.0")
    assert base.union(extended).ops.keys() == extended.union(base).ops.keys() == extended.ops.keys()
    with pytest.raises(ContractError, match="different contract versions"):
        extended.union(opset("1.1"))
    other = base.extend("tp_test", SWIGLU, decomposition=lambda x, gate: F.silu(x) * gate)
    with pytest.raises(ContractError, match="define this operator differently"):
        extended.union(other)


def test_a_region_is_read_with_the_extended_version(extended: OpSet) -> None:
    text = Region("act", call(2, 3), "inference", extended.version).to_json()
    assert Region.from_json(text, to=extended).opset == "1.0+tp_test"
    with pytest.raises(ContractError, match="give the extended OpSet itself"):
        Region.from_json(text)


def test_the_functional_form_of_a_view_is_left_alone(with_cache: OpSet) -> None:
    def step(cache: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        torch.ops.tp_test.write_row(cache[1:], row, 0)
        return cache.sum()

    vendor = Vendor(with_cache)
    cache, row = torch.zeros(3, 4), torch.randn(4)
    torch.testing.assert_close(torch.compile(step, backend=vendor, fullgraph=True)(cache, row), row.sum())
    assert torch.equal(cache[1], row)


@pytest.mark.parametrize("claimed", [True, False])
def test_the_gradient_is_that_of_the_decomposition(extended: OpSet, claimed: bool) -> None:
    contract = extended.extend(
        "tp_test",
        "joined(Tensor[] xs, Tensor w, *, float scale) -> Tensor",
        fake=lambda xs, w, *, scale: torch.empty_like(w),
        decomposition=lambda xs, w, *, scale: torch.cat(xs) * w * scale,
    )

    class Owner(tp.EagerBackend):
        opset: ClassVar[str | OpSet] = contract

        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            if node.op.startswith("tp_test."):
                return tp.yes() if claimed else tp.no(Reason.OP)
            return super().claims(node, target)

    def program(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        gated = torch.ops.tp_test.swiglu(x.sin(), gate)
        return torch.ops.tp_test.joined([gated, gate], gated.repeat(2), scale=0.5).cos()

    def plain(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        gated = swiglu(x.sin(), gate)
        return (torch.cat([gated, gate]) * gated.repeat(2) * 0.5).cos()

    backend, args = Owner(), [torch.linspace(-1, 1, 4).requires_grad_() for _ in range(2)]
    wanted = torch.autograd.grad(plain(*args).sum(), args)
    for function in (program, torch.compile(program, backend=backend)):
        for ours, theirs in zip(torch.autograd.grad(function(*args).sum(), args), wanted, strict=True):
            torch.testing.assert_close(ours, theirs)
    ops = {op for g in tp.reports(backend).graphs for r in g.regions for op in r.ops}
    assert ("tp_test.swiglu.default" in ops) == claimed
