"""A claimed composite reaches the backend as one node, forward and backward, with eager's dtypes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import torchport as tp
from torchport.contract.composites import backward_name

from .conftest import Claiming

g = torch.Generator().manual_seed(0)


def t(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=g)


TARGET = torch.randint(0, 8, (6,), generator=g)


def attention(x: Tensor, w: Tensor, o: Tensor) -> Tensor:
    """Multi-head self-attention as PyTorch's module computes it."""
    return F.multi_head_attention_forward(
        x, x, x, 8, 2, w, None, None, None, False, 0.0, o, None, need_weights=False
    )[0]


CASES: dict[str, tuple[Callable[..., Any], Sequence[Tensor], tuple[str, ...]]] = {
    "matmul": (torch.matmul, (t(2, 3, 4), t(4, 5)), ("aten.matmul.default",)),
    "einsum": (
        lambda a, b: torch.einsum("bij,jk->bik", a, b),
        (t(2, 3, 4), t(4, 5)),
        ("aten.einsum.default",),
    ),
    "linear": (F.linear, (t(2, 3, 8), t(5, 8), t(5)), ("aten.linear.default",)),
    "conv": (
        lambda x, w: F.conv2d(x, w, padding="same"),
        (t(2, 3, 6, 6), t(4, 3, 3, 3)),
        ("aten.conv2d.padding",),
    ),
    "group_norm": (
        lambda x, w, b: F.group_norm(x, 4, w, b),
        (t(2, 8, 5), t(8), t(8)),
        ("aten.group_norm.default",),
    ),
    "interpolate": (
        lambda x: F.interpolate(x, scale_factor=2.0, mode="bicubic"),
        (t(1, 2, 4, 4),),
        ("aten.upsample_bicubic2d.vec",),
    ),
    "cross_entropy": (
        lambda x, w: F.cross_entropy(F.linear(x, w), TARGET),
        (t(6, 5), t(8, 5)),
        ("aten.linear.default", "aten.cross_entropy_loss.default"),
    ),
    "attention": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True).sin(),
        (t(2, 4, 6, 8), t(2, 4, 6, 8), t(2, 4, 6, 8)),
        ("aten.scaled_dot_product_attention.default",),
    ),
    "multi_head": (
        attention,
        (t(4, 2, 8), t(24, 8), t(8, 8)),
        ("aten.linear.default", "aten.scaled_dot_product_attention.default"),
    ),
}


@pytest.mark.parametrize(
    ("dtype", "dynamic", "own"),
    [(None, None, False), (None, True, True), (torch.bfloat16, None, False), (torch.bfloat16, None, True)],
    ids=["static", "dynamic, own backward", "autocast", "autocast, own backward"],
)
@pytest.mark.parametrize("case", CASES)
def test_a_claimed_composite_is_one_node(
    run: Any, case: str, dtype: torch.dtype | None, dynamic: bool | None, own: bool
) -> None:
    fn, tensors, names = CASES[case]
    backward = tuple(map(backward_name, names)) if own else ()
    outcome = run(fn, tensors, Claiming(*names, *backward), dtype=dtype, dynamic=dynamic)
    outcome.assert_as_eager()
    forward = outcome.ops("forward")
    assert set(names) <= set(forward)
    assert not {"aten.mm.default", "aten.bmm.default", "aten.convolution.default"} & set(forward)
    assert set(backward) <= set(outcome.ops("backward"))
    assert {m.own_backward for m in outcome.reports.raised} == {own}
    assert not any("twin" in op for phase in ("forward", "backward") for op in outcome.ops(phase))


@pytest.mark.parametrize(
    "dtype", [None, torch.bfloat16, torch.float16], ids=["float32", "bfloat16", "float16"]
)
@pytest.mark.parametrize("case", ["matmul", "linear", "cross_entropy", "attention", "group_norm"])
def test_inference_has_the_dtypes_of_eager(run: Any, case: str, dtype: torch.dtype | None) -> None:
    fn, tensors, names = CASES[case]
    outcome = run(fn, tensors, Claiming(*names), train=False, dtype=dtype)
    outcome.assert_as_eager()
    assert set(names) <= set(outcome.ops("inference"))


MACROS: dict[str, tuple[Callable[..., Any], Sequence[Tensor]]] = {
    "scaled_dot_product_attention": CASES["attention"][:2],
    "linear": CASES["linear"][:2],
    "matmul": CASES["matmul"][:2],
    "group_norm": CASES["group_norm"][:2],
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (8,), w, b), (t(2, 3, 8), t(8), t(8))),
    "rms_norm": (lambda x, w: F.rms_norm(x, (8,), w), (t(2, 3, 8), t(8))),
    "cross_entropy": CASES["cross_entropy"][:2],
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), (t(1, 2, 4, 4),)),
}


@pytest.mark.parametrize("train", [True, False], ids=["training", "inference"])
@pytest.mark.parametrize("macro", MACROS)
def test_a_macro_called_by_name_is_raised_under_autocast(run: Any, macro: str, train: bool) -> None:
    fn, tensors = MACROS[macro]
    outcome = run(fn, tensors, Claiming(macros=True), train=train, dtype=torch.bfloat16)
    outcome.assert_as_eager()
    assert f"torchport.{macro}.default" in outcome.ops("forward" if train else "inference")


def test_the_claim_sees_what_autocast_has_cast(run: Any) -> None:
    fn, tensors, names = CASES["linear"]
    backend = Claiming(*names)
    run(fn, tensors, backend, dtype=torch.bfloat16)
    asked = [n for n in backend.asked if n.op == names[0]]
    assert asked
    for node in asked:
        assert {s.dtype for s in (*node.input_specs, *node.output_specs)} == {torch.bfloat16}
        assert node.arg("bias").tensor.shape == (5,)


@pytest.mark.parametrize("affine", [True, False], ids=["affine", "plain"])
@pytest.mark.parametrize("train", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("kind", [nn.InstanceNorm2d, nn.BatchNorm2d])
def test_statistics_that_the_call_writes_do_not_disturb_its_gradient(
    kind: type[nn.Module], train: bool, affine: bool
) -> None:
    """The macro's own gradient is traced after the running statistics are written."""
    norm = kind(3, affine=affine, track_running_stats=True).train(train)
    twin, x = copy.deepcopy(norm), t(2, 3, 4, 4)
    torch._dynamo.reset()
    compiled = torch.compile(norm, backend=tp.EagerBackend(macros=True), fullgraph=True)
    for _ in range(2):
        given, same = (x.detach().clone().requires_grad_() for _ in range(2))
        compiled(given).sin().sum().backward()
        twin(same).sin().sum().backward()
        torch.testing.assert_close(given.grad, same.grad)
    torch.testing.assert_close(dict(norm.named_buffers()), dict(twin.named_buffers()))
