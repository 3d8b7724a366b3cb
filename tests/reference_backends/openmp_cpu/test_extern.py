"""Operators run by ATen and oneDNN: results land in the given buffers, whatever their strides."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from torchport.contract.graph import Node, TensorSpec, Value, contiguous_strides
from torchport.errors import CompileError
from torchport_reference.openmp_cpu import extern
from torchport_reference.openmp_cpu.extern import EXTERN_OPS, extern_call


def node_of(op: str, *arguments: Any) -> Node:
    """A node with specs of real tensors."""
    names = [a.name for a in extern._resolve(op)._schema.arguments]
    defaults = {a.name: a.default_value for a in extern._resolve(op)._schema.arguments}

    def value(name: str, a: Any) -> Any:
        return (
            Value(name, TensorSpec(tuple(a.shape), a.stride(), a.dtype)) if isinstance(a, torch.Tensor) else a
        )

    given = dict(zip(names, arguments, strict=False))
    return Node("n", op, tuple((n, value(n, given.get(n, defaults[n]))) for n in names), ())


def example(op: str) -> tuple[Any, ...]:
    """Positional arguments for each operator of the table."""
    g = torch.Generator().manual_seed(3)

    def r(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=g)

    image, weight = r(2, 3, 9, 9), r(4, 3, 3, 3)
    conv = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
    pool, index = torch.ops.aten.max_pool2d_with_indices(image, [2, 2])
    q = [r(2, 2, 5, 8) for _ in range(3)]
    attended, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*q)
    at = torch.tensor([[0, 2, 1], [1, 1, 0]])
    return {
        "aten.mm.default": (r(5, 7), r(7, 6)),
        "aten.addmm.default": (r(6), r(5, 7), r(7, 6)),
        "aten.bmm.default": (r(2, 5, 7), r(2, 7, 6)),
        "aten.baddbmm.default": (r(2, 5, 6), r(2, 5, 7), r(2, 7, 6)),
        "aten.convolution.default": (image, weight, r(4), *conv),
        "aten.convolution_backward.default": (r(2, 4, 9, 9), image, weight, [4], *conv, [True, True, True]),
        "aten._scaled_dot_product_flash_attention_for_cpu.default": tuple(q),
        "aten._scaled_dot_product_flash_attention_for_cpu_backward.default":
            (r(2, 2, 5, 8), *q, attended, lse, 0.0, False),
        "aten.max_pool2d_with_indices.default": (image, [2, 2]),
        "aten.max_pool2d_with_indices_backward.default":
            (torch.ones_like(pool), image, [2, 2], [2, 2], [0, 0], [1, 1], False, index),
        "aten.avg_pool2d.default": (image, [2, 2]),
        "aten.avg_pool2d_backward.default":
            (torch.ones_like(pool), image, [2, 2], [2, 2], [0, 0], False, True, None),
        "aten._adaptive_avg_pool2d.default": (image, [3, 3]),
        "aten._adaptive_avg_pool2d_backward.default": (r(2, 3, 3, 3), image),
        "aten.embedding_dense_backward.default": (r(2, 3, 4), at, 5, -1, False),
        "aten.index_put.default": (r(4, 5), [torch.tensor([0, 2, 2])], r(3, 5), True),
        "aten.index_add.default": (r(4, 5), 0, torch.tensor([0, 2, 2]), r(3, 5)),
        "aten.scatter.src": (r(4, 5), 1, at, r(2, 3)),
        "aten.scatter.value": (r(4, 5), 1, at, 7.0),
        "aten.scatter_add.default": (r(4, 5), 1, at, r(2, 3)),
        "aten.scatter_reduce.two": (r(4, 5), 1, at, r(2, 3), "amax"),
        "aten.sort.default": (r(4, 5), 1, True),
        "aten.topk.default": (r(4, 5), 2),
        "aten.cumsum.default": (r(4, 5), 1),
        "aten.cumprod.default": (r(4, 5), 1),
    }[op]  # fmt: skip


STABLE_SORT = "aten.sort.stable"


@pytest.mark.parametrize("op", sorted(EXTERN_OPS - {STABLE_SORT}))
@pytest.mark.parametrize("transposed", [False, True])
def test_results_land_in_the_given_buffers(op: str, transposed: bool) -> None:
    arguments = example(op)
    want = extern._resolve(op)(*arguments)
    want = (want,) if isinstance(want, torch.Tensor) else want
    call = extern_call(node_of(op, *arguments))
    outs = []
    for t in want:
        like = t.transpose(0, -1).contiguous().transpose(0, -1) if transposed else t
        outs.append(torch.empty_strided(t.shape, like.stride(), dtype=t.dtype).fill_(1))
    pointers = [o.data_ptr() for o in outs]
    strides = [o.stride() for o in outs]
    call.into(arguments, {}, outs)
    assert [o.data_ptr() for o in outs] == pointers
    assert [o.stride() for o in outs] == strides
    for got, expected, fresh in zip(outs, want, call.fresh(arguments, {}), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(fresh, expected, rtol=1e-5, atol=1e-5)


def test_keyword_arguments_and_stable_sort() -> None:
    x = torch.tensor([[2.0, 1.0, 2.0, 1.0]])
    outs = (torch.empty(1, 4), torch.empty(1, 4, dtype=torch.int64))
    node = Node("n", STABLE_SORT, (("self", None), ("stable", True), ("dim", 1), ("descending", False)), ())
    extern_call(node).into((x,), {"stable": True, "dim": 1}, outs)
    assert outs[0].tolist() == [[1, 1, 2, 2]]
    assert outs[1].tolist() == [[1, 3, 0, 2]]


def test_absent_outputs_are_skipped() -> None:
    arguments = list(example("aten.convolution_backward.default"))
    arguments[-1] = [False, True, False]
    grad = torch.zeros(4, 3, 3, 3)
    extern_call(node_of("aten.convolution_backward.default", *arguments)).into(
        arguments, {}, (None, grad, None)
    )
    want = torch.ops.aten.convolution_backward(*arguments)[1]
    torch.testing.assert_close(grad, want)
    values = torch.empty(4, 2)
    topk = example("aten.topk.default")
    extern_call(node_of("aten.topk.default", *topk)).into(topk, {}, (values, None))
    torch.testing.assert_close(values, torch.topk(*topk).values)


def test_native_out_variants_are_found_and_generated_ones_are_not_used() -> None:
    assert extern._registered("aten.mm.default").direct
    assert extern._registered("aten.topk.default").direct
    assert not extern._registered("aten.convolution.default").direct


def test_an_unknown_operator_is_a_typed_error() -> None:
    with pytest.raises(CompileError, match=r"aten\.no_such_op\.default"):
        extern_call(Node("n", "aten.no_such_op.default", (), ()))


def product_node(
    op: str, m: int, k: int, n: int, *, bias: torch.Tensor | None = None, **scales: float
) -> Node:
    def value(name: str, *shape: int) -> Value:
        return Value(name, TensorSpec(shape, contiguous_strides(shape), torch.float32))

    if op == "aten.mm.default":
        return Node("n", op, (("self", value("a", m, k)), ("mat2", value("b", k, n))), ())
    assert bias is not None
    arguments = (
        ("self", value("bias", *bias.shape)), ("mat1", value("a", m, k)), ("mat2", value("b", k, n)),
        ("beta", scales.get("beta", 1)), ("alpha", scales.get("alpha", 1)),
    )  # fmt: skip
    return Node("n", op, arguments, ())


@pytest.fixture
def on_amd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extern, "onednn_products_preferred", lambda: True)


@pytest.mark.usefixtures("on_amd")
@pytest.mark.parametrize(("m", "k", "n"), [(64, 96, 80), (1, 300, 256), (129, 77, 65)])
@pytest.mark.parametrize("transposed", [False, True])
def test_onednn_products_keep_the_float64_rule(m: int, k: int, n: int, transposed: bool) -> None:
    generator = torch.Generator().manual_seed(4)
    a, b = torch.randn(m, k, generator=generator), torch.randn(k, n, generator=generator)
    if transposed:
        a, b = a.t().contiguous().t(), b.t().contiguous().t()
    bias = torch.randn(n, generator=generator)
    exact = a.double() @ b.double()
    bound = k * 2.0**-24 * (a.abs().double() @ b.abs().double())
    out = torch.empty(m, n)
    extern_call(product_node("aten.mm.default", m, k, n)).into((a, b), {}, (out,))
    assert ((out - exact).abs() <= bound).all()
    extern_call(product_node("aten.addmm.default", m, k, n, bias=bias)).into((bias, a, b), {}, (out,))
    assert ((out - exact - bias.double()).abs() <= bound + 2.0**-23 * bias.abs().max()).all()


@pytest.mark.usefixtures("on_amd")
def test_weights_are_read_on_every_call() -> None:
    a, b, out = torch.randn(64, 64), torch.randn(64, 64), torch.empty(64, 64)
    call = extern_call(product_node("aten.mm.default", 64, 64, 64))
    call.into((a, b), {}, (out,))
    b.data.mul_(2)
    call.into((a, b), {}, (out,))
    torch.testing.assert_close(out, a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("on_amd")
def test_the_onednn_route_is_taken_where_it_is_exact_and_pays() -> None:
    suits = extern._suits_onednn
    row, matrix = torch.empty(64), torch.empty(64, 64)
    assert suits(product_node("aten.mm.default", 64, 64, 64))
    assert not suits(product_node("aten.mm.default", 4, 4, 4))
    assert suits(product_node("aten.addmm.default", 64, 64, 64, bias=row))
    assert not suits(product_node("aten.addmm.default", 64, 64, 64, bias=row, beta=2))
    assert not suits(product_node("aten.addmm.default", 64, 64, 64, bias=row, alpha=0.5))
    assert not suits(product_node("aten.addmm.default", 64, 64, 64, bias=matrix))
    a = torch.empty(64, 64, dtype=torch.float64)
    assert not suits(node_of("aten.mm.default", a, a))
