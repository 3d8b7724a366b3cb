"""Graphs between contract versions: values stay, operators become the version's, or an error says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.compile.region import Region
from torchport.contract.adapters import minor_of
from torchport.contract.fx_export import export_fx
from torchport.contract.fx_import import import_fx
from torchport.contract.graph import Graph, Node, Symbol, TensorSpec, Value, contiguous_strides
from torchport.contract.migration import downgrade, upgrade
from torchport.contract.opset import OpSet, opset
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError


def value(name: str, *shape: Any, dtype: torch.dtype = torch.float64) -> Value:
    strides = contiguous_strides(shape)
    return Value(name, TensorSpec(shape, strides, dtype))


def graph_of(fn: Callable[..., Any], *args: torch.Tensor) -> Graph:
    return import_fx(make_fx(fn, tracing_mode="fake")(*args)).graph


def run(graph: Graph, *args: torch.Tensor) -> Any:
    return export_fx(graph, graph.inputs, {})(*args)


def polar(rows: Any, symbols: tuple[Symbol, ...] = ()) -> Graph:
    """The factors of a batch of matrices, the second one twice as large."""
    A, U, H, twice = (value(n, rows, s, 4) for n, s in (("A", 5), ("U", 5), ("H", 4), ("twice", 4)))
    call = Node("factors", "aten.linalg_polar.default", (("A", A),), (U, H), returns_sequence=True)
    double = Node("double", "aten.add.Tensor", (("self", H), ("other", H), ("alpha", 1)), (twice,))
    return Graph((A,), (call, double), (U, twice), symbols)


def definite() -> torch.Tensor:
    a = torch.randn(2, 4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    return a @ a.mT + torch.eye(4)


@pytest.mark.parametrize("symbolic", [False, True])
def test_what_is_new_goes_down_as_its_decomposition(symbolic: bool) -> None:
    if symbolic and minor_of(torch.__version__) < (2, 12):
        pytest.skip("PyTorch 2.11's meta function of the singular value decomposition fixes sizes")
    rows: Any = SymExpr("s0") if symbolic else 3
    symbols = (Symbol("s0", 2, None, 3, ("size", "A", 0)),) if symbolic else ()
    graph = polar(rows, symbols)
    opset("1.1").verify(graph)
    down = downgrade(graph, "1.0")
    opset("1.0").verify(down)
    assert {n.op for n in down.nodes} <= opset("1.0").ops.keys()
    A = torch.randn(3, 5, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    U, twice = run(down, A)
    torch.testing.assert_close(U @ (twice / 2), A, rtol=0, atol=1e-13)
    torch.testing.assert_close(U.mT @ U, torch.eye(4, dtype=A.dtype).expand(3, 4, 4), rtol=0, atol=1e-13)
    assert bool((torch.linalg.eigvalsh(twice) >= 0).all())
    if symbolic:
        assert down.output_values[0].tensor.shape == (SymExpr("s0"), 5, 4)


def test_the_square_root_of_a_matrix_goes_down() -> None:
    A, X = value("A", 2, 4, 4), value("X", 2, 4, 4)
    graph = Graph((A,), (Node("root", "aten.linalg_matrix_sqrth.default", (("self", A),), (X,)),), (X,))
    a = definite()
    (x,) = run(downgrade(graph, "1.0", since="1.1"), a)
    torch.testing.assert_close(x @ x, a, rtol=1e-13, atol=1e-13)


def test_what_is_retired_goes_up_as_what_replaces_it() -> None:
    graph = graph_of(lambda a: (torch.ops.aten.cholesky.default(a).exp(),), definite())
    up = upgrade(graph, "1.1")
    assert [n.op for n in up.nodes] == ["aten.linalg_cholesky_ex.default", "aten.exp.default"]
    assert up.nodes[0].provenance.origins == ("aten.cholesky.default",)
    opset("1.1").verify(up)
    assert torch.equal(run(up, definite())[0], run(graph, definite())[0])
    assert downgrade(up, "1.0") is up
    assert upgrade(up, "1.1", since="1.1") is up


def test_an_impossible_downgrade_names_operator_node_and_versions() -> None:
    key, data, out = (
        value(n, *s, dtype=torch.uint64) for n, s in (("key", (2,)), ("data", ()), ("out", (2,)))
    )
    call = Node("folded", "aten._philox_key_fold_in.Tensor", (("key", key), ("data", data)), (out,))
    with pytest.raises(
        ContractError, match=r"(?s)_fold_in\.Tensor: node 'folded'.*contract 1\.0.*contract 1\.1"
    ):
        downgrade(Graph((key, data), (call,), (out,)), "1.0")


def test_a_decomposition_that_needs_something_newer_is_no_way_down() -> None:
    """The error names what is missing underneath, not only what was asked for."""
    new = opset("1.1")
    old = OpSet("1.0", {n: s for n, s in opset("1.0").ops.items() if n != "aten._linalg_svd.default"})
    without = {n: s for n, s in new.ops.items() if n != "aten._linalg_svd.default"}
    with pytest.raises(ContractError, match=r"linalg_polar.*its decomposition needs aten\._linalg_svd"):
        downgrade(polar(3), old, since=OpSet("1.1", without))


def test_versions_in_the_wrong_order_are_refused() -> None:
    graph = polar(3)
    with pytest.raises(ContractError, match=r"(?s)upgrade\(\) goes to a newer.*1\.1 to 1\.0"):
        upgrade(graph, "1.0", since="1.1")
    with pytest.raises(ContractError, match=r"(?s)downgrade\(\) goes to an older.*1\.0 to 1\.1"):
        downgrade(graph, "1.1", since="1.0")


def test_a_serialized_region_is_read_in_the_version_that_is_wanted() -> None:
    graph = graph_of(lambda a: (torch.ops.aten.cholesky.default(a),), definite())
    text = Region("factor", graph, "inference", "1.0").to_json()
    assert (Region.from_json(text).opset, Region.from_json(text).nodes[0].op) == (
        "1.0",
        "aten.cholesky.default",
    )
    newer = Region.from_json(text, to="1.1")
    assert (newer.opset, newer.nodes[0].op) == ("1.1", "aten.linalg_cholesky_ex.default")
    back = Region.from_json(Region("polar", polar(3), "inference", "1.1").to_json(), to="1.0")
    assert back.opset == "1.0" and all(n.op in opset("1.0").ops for n in back.nodes)


def test_a_retired_operator_that_is_captured_is_expressed_by_the_version() -> None:
    assert "aten.cholesky.default" in opset("1.1").retired
    assert "aten.cholesky.default" not in opset("1.1").ops
    assert opset("1.0").retired == {}
