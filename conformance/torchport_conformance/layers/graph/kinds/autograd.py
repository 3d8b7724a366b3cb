"""Gradients of programs: frozen operands, saved tensors that are written, detached parts, own functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchport_conformance.layers.graph.program import Call, Choices, Draws, Kind, Program, one

KIND = Kind("autograd")

_NORMS: dict[str, Callable[[Tensor, Tensor, Tensor], Any]] = {
    "layer-norm": lambda x, w, b: F.layer_norm(x, (4,), w, b).pow(2).sum(),
    "rms-norm": lambda x, w, b: (F.rms_norm(x, (4,), w) + b).pow(2).sum(),
    "linear": lambda x, w, b: F.linear(x, w[None].expand(4, 4) * 1.5, b).sin(),
    "product": lambda x, w, b: (x * w + b).tanh(),
    "softmax": lambda x, w, b: (x * w).softmax(-1) * b,
    "quotient": lambda x, w, b: x / (w.abs() + 1) - b,
    "matmul": lambda x, w, b: (x @ (w[:, None] * b)).relu(),
    "index": lambda x, w, b: x[:, [0, 0, 2]] * w[:3] + b[:3],
    "cat": lambda x, w, b: torch.cat([x, (w * b)[None]]).cumsum(0),
    "attention": lambda x, w, b: ((x * w) @ (x + b).t() / 2).softmax(-1) @ x,
}


@KIND.family(
    axes={
        "form": tuple(_NORMS),
        "trained": ("xwb", "xw", "x", "wb", "b", "none"),
        "layout": ("contiguous", "transposed", "step2"),
    },
    quick=3,
    trains=True,
)
def frozen(choices: Choices) -> Program:
    """Some of the operands require no gradient; the next call trains others."""
    trained = choices["trained"]

    def given(which: str) -> Call:
        def make(draws: Draws) -> tuple[Tensor, ...]:
            x = draws.laid_out(draws.normal(torch.float32, 5, 4), choices["layout"])
            tensors = {"x": x, "w": draws.normal(torch.float32, 4), "b": draws.normal(torch.float32, 4)}
            return tuple(t.requires_grad_(n in which) for n, t in tensors.items())

        return Call(make, f"trained: {which}")

    return Program(lambda: _NORMS[choices["form"]], [given(trained), given("xwb"), given(trained)])


def _saved_then_written(x: Tensor, w: Tensor) -> Any:
    y = x * w
    z = y.sin()
    y.mul_(2)
    return z, y


def _non_leaf_written(x: Tensor, w: Tensor) -> Any:
    y = x * 1
    y.mul_(w)
    y[1:].add_(x[:-1])
    return y * y


def _view_written(x: Tensor, w: Tensor) -> Any:
    y = x + w
    y.t()[0].mul_(3)
    return y.sum(0), y


def _detached_written(x: Tensor, w: Tensor) -> Any:
    y = x * w
    y.detach().zero_()
    return y + x


def _exp_written(x: Tensor, w: Tensor) -> Any:
    y = x.exp()
    out = y * w
    y.add_(1)
    return out


def _no_grad_write(x: Tensor, w: Tensor) -> Any:
    with torch.no_grad():
        w.mul_(2)
    return x * w


def _slices(x: Tensor, w: Tensor) -> Any:
    return torch.slice_scatter(x, w[:2], 0, 1, 3).sum(0), torch.select_scatter(x, w[0], 0, 3).sum(1)


def _detach_in_place(x: Tensor, w: Tensor) -> Any:
    y = x * 2
    y.detach_()
    return y + w, y.requires_grad


def _checkpointed(x: Tensor, w: Tensor) -> Any:
    return torch.utils.checkpoint.checkpoint(lambda a, b: (a * b).sin().tanh(), x, w, use_reentrant=False)


def _twice(x: Tensor, w: Tensor) -> Any:
    y = x.sin()
    return y, y * w, (y * w).detach(), y.mean(), y.mean().detach()


def _clipped(x: Tensor, w: Tensor) -> Any:
    y = (x * w).clamp(-1, 1)
    return torch.where(y > 0, y, y * 0.1).sum(), y.abs().max()


def _padding(x: Tensor, w: Tensor) -> Any:
    index = torch.tensor([[0, 1, 1], [3, 0, 2]], device=x.device)
    return F.embedding(index, x, padding_idx=0), F.embedding(index, w, padding_idx=-1)


def _losses(x: Tensor, w: Tensor) -> Any:
    target = torch.tensor([1, -100, 3, 0], device=x.device)
    return F.cross_entropy(x, target), F.nll_loss(w.log_softmax(-1), target, reduction="none")


class _Scale(torch.autograd.Function):
    """Its backward is not that of its forward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        x, w = ctx.saved_tensors
        return grads[0] * w + x, grads[0] * x * 3


class _Straight(torch.autograd.Function):
    """Rounds, and passes gradients on; saves nothing."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.sign()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        return grads[0]


class _Writes(torch.autograd.Function):
    """Its backward writes to what was saved for it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, kept: Tensor) -> Tensor:
        ctx.save_for_backward(kept)
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        (kept,) = ctx.saved_tensors
        kept.add_(grads[0])
        return grads[0] * kept, None


def _function(x: Tensor, w: Tensor) -> Any:
    return _Scale.apply(x * 2, w), w + 1  # type: ignore[no-untyped-call]


def _straight(x: Tensor, w: Tensor) -> Any:
    return _Straight.apply(x * w) * x  # type: ignore[no-untyped-call]


def _writing_backward(x: Tensor, w: Tensor) -> Any:
    kept = w.detach().clone()
    return _Writes.apply(x, kept), kept * 1  # type: ignore[no-untyped-call]


_FORMS = {
    "saved-then-written": _saved_then_written,
    "non-leaf-written": _non_leaf_written,
    "view-written": _view_written,
    "detached-written": _detached_written,
    "result-of-exp-written": _exp_written,
    "parameter-written": _no_grad_write,
    "slices": _slices,
    "detach-in-place": _detach_in_place,
    "checkpointed": _checkpointed,
    "value-and-detached": _twice,
    "clipped": _clipped,
    "padding": _padding,
    "losses": _losses,
    "function": _function,
    "straight-through": _straight,
    "backward-writes-saved": _writing_backward,
}


@KIND.family(
    axes={
        "form": tuple(_FORMS),
        "layout": ("contiguous", "transposed", "step2", "offset7"),
        "dtype": ("float32", "bfloat16"),
    },
    quick=4,
    trains=True,
)
def forms(choices: Choices) -> Program:
    """Programs around what autograd saves, cuts or is told."""
    dtype = getattr(torch, choices["dtype"])

    def arguments(draws: Draws) -> tuple[Tensor, ...]:
        made = (draws.laid_out(draws.normal(dtype, 4, 4), choices["layout"]) for _ in range(2))
        return tuple(t.requires_grad_() for t in made)

    return one(_FORMS[choices["form"]], arguments)
