"""The C++ of typical kernels, as golden files, and properties of the plans around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.compile.capabilities import Target
from torchport.compile.reason import Reason
from torchport.compile.region import Region
from torchport.contract.fx_import import import_fx
from torchport_reference.openmp_cpu.backend import OpenMPBackend, plan_region


def softmax(x: torch.Tensor) -> tuple[torch.Tensor]:
    e = (x - x.amax(-1, keepdim=True)).exp()
    return (e / e.sum(-1, keepdim=True),)


def layer_norm_backward(
    dy: torch.Tensor, x: torch.Tensor, g: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    hat, t = (x - mean) * rstd, dy * g
    dx = rstd * (t - t.mean(-1, keepdim=True) - hat * (t * hat).mean(-1, keepdim=True))
    return dx, (dy * hat).sum(0), dy.sum(0)


T = torch.zeros
CASES: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...], str]] = {
    "softmax": (softmax, (T(512, 1024),), "fake"),
    "softmax_symbolic": (softmax, (T(512, 1024),), "symbolic"),
    "layer_norm_backward": (
        layer_norm_backward,
        (T(512, 768), T(512, 768), T(768), T(512, 1), T(512, 1)),
        "fake",
    ),
    "chain": (lambda x, b: ((x + b).tanh() * 2,), (T(64, 4096), T(4096)), "fake"),
    "sum_all": (lambda x: (x.sum(), x.amax()), (T(1000, 1000),), "fake"),
    "sum_columns": (lambda x: (x.sum(0),), (T(5000, 300),), "fake"),
    "arg_max": (lambda x: (x.argmax(-1),), (T(8, 100),), "fake"),
    "embedding": (lambda w, i: (F.embedding(i, w) * 2,), (T(100, 64), T(8, 16, dtype=torch.int64)), "fake"),
    "pad_and_join": (lambda x, y: (torch.cat([F.pad(x, (1, 2)), y], 1),), (T(4, 30), T(4, 7)), "fake"),
    "head_permutation": (
        lambda x: (x.view(2, 16, 4, 8).permute(0, 2, 1, 3).contiguous(),),
        (T(2, 16, 32),),
        "fake",
    ),
    "transposed_operand": (lambda x, y: (x.t() + y,), (T(100, 70), T(70, 100)), "fake"),
    "half_storage": (
        lambda x, y: ((x * y).exp(),),
        (T(33, dtype=torch.bfloat16), T(33, dtype=torch.bfloat16)),
        "fake",
    ),
    "integers_and_masks": (
        lambda i, x: (torch.where((i % 7 == 3) & (x > 0), i, -i),),
        (T(50, dtype=torch.int64), T(50)),
        "fake",
    ),
}


def region_of(fn: Callable[..., Any], args: tuple[torch.Tensor, ...], mode: str = "fake") -> Region:
    return Region("test", import_fx(make_fx(fn, tracing_mode=mode)(*args)).graph, "inference", "1.0")


@pytest.mark.parametrize("name", CASES)
def test_source_is_the_golden_one(name: str, golden: Callable[[str, str], None]) -> None:
    fn, args, mode = CASES[name]
    region = region_of(fn, args, mode)
    source = plan_region(region)["source"]
    for position, symbol in enumerate(region.symbols):  # PyTorch's versions name them differently
        source = re.sub(rf"\b{symbol.name}\b", f"size_{position}", source)
    golden(f"openmp_cpu/{name}.cpp", source)


def test_equal_layers_share_their_kernels() -> None:
    def fn(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor]:
        for _ in range(4):
            x = softmax(x.mm(w))[0]
        return (x,)

    plan = plan_region(region_of(fn, (T(8, 8), T(8, 8))))
    assert [s.get("kernel", s.get("node")) for s in plan["steps"] if "kernel" in s] == ["kernel_0"] * 4


def test_sizes_are_parameters_and_never_recompile() -> None:
    shapes = ((9, 33), (200, 77))
    assert len({plan_region(region_of(softmax, (T(*shape),), "symbolic"))["source"] for shape in shapes}) == 1


@pytest.mark.parametrize(
    ("fn", "args", "reason"),
    [
        (lambda x: (x * 2,), (T(3, dtype=torch.complex64),), Reason.DTYPE),
        (lambda x: (x.cos(),), (torch.empty(3, device="meta"),), Reason.DEVICE),
        (lambda x: (torch.linalg.qr(x)[0],), (T(3, 3),), Reason.OP),
        (
            lambda x, m: (torch.ops.aten.index.Tensor(x, [m]),),
            (T(3), T(3, dtype=torch.bool)),
            Reason.ARGUMENT,
        ),
    ],
)
def test_refusals_are_typed(fn: Callable[..., Any], args: tuple[torch.Tensor, ...], reason: Reason) -> None:
    mode = "symbolic" if reason is Reason.ARGUMENT else "real" if reason is Reason.DEVICE else "fake"
    node = (
        import_fx(make_fx(fn, tracing_mode=mode)(*args)).graph.nodes[-1]
        if mode != "real"
        else _on_meta(fn, args)
    )
    claim = OpenMPBackend().claims(node, Target())
    assert (claim.accepted, claim.reason) == (False, reason)


def _on_meta(fn: Callable[..., Any], args: tuple[torch.Tensor, ...]) -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode() as mode:
        fakes = [mode.from_tensor(a) for a in args]
        return import_fx(make_fx(fn, tracing_mode="real")(*fakes)).graph.nodes[-1]
