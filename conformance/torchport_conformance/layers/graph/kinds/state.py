"""State that programs keep and write: caches, counters, running statistics, moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from torchport_conformance.layers.graph.program import Call, Choices, Draws, Kind, Program

KIND = Kind("state")


class _Kept(nn.Module):
    """Buffers, and one way to write to them. ``x`` is (rows, 4), ``at`` says where."""

    def __init__(self, dtype: torch.dtype, step: Callable[[Any, Tensor, Tensor], Any]) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(8, 4, dtype=dtype))
        self.register_buffer("total", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(4, dtype=torch.float32))
        self.step = step

    def forward(self, x: Tensor, at: Tensor) -> Any:
        """One step."""
        return self.step(self, x, at)


def _slice(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache[2:4] = x[:2]
    m.total += 1
    return m.cache.sum(0), m.total


def _index_copy(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache.index_copy_(0, at, x)
    return m.cache @ x.t()


def _index_put(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache[at] = x
    return m.cache * 2


def _accumulate(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache.index_put_((at.clamp(max=1),), x, accumulate=True)
    return m.cache.clone()


def _shift(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache.copy_(torch.cat([m.cache[1:], x[:1]]))
    return m.cache[-1] + m.cache[0]


def _roll(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache[:-1] = m.cache[1:].clone()
    m.cache[-1] = x[0]
    return m.cache.mean(0)


def _counter(m: Any, x: Tensor, at: Tensor) -> Any:
    m.total.add_(x.shape[0])
    return x * m.total


def _running_mean(m: Any, x: Tensor, at: Tensor) -> Any:
    m.mean.mul_(0.9).add_(x.detach().float().mean(0), alpha=0.1)
    return x - m.mean


def _lerp(m: Any, x: Tensor, at: Tensor) -> Any:
    m.mean.lerp_(x.detach().float().mean(0), 0.1)
    return (x - m.mean).relu()


def _returned(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache.add_(1)
    return m.cache, m.cache[1:], m.cache.t()


def _read_then_write(m: Any, x: Tensor, at: Tensor) -> Any:
    before = m.cache * 1
    m.cache.add_(x.sum(0))
    return before, m.cache - before


def _replaced(m: Any, x: Tensor, at: Tensor) -> Any:
    m.mean = m.mean * 0.5 + x.float().mean(0)
    return m.mean * 2


def _masked(m: Any, x: Tensor, at: Tensor) -> Any:
    m.cache.masked_fill_(m.cache > 1, 0)
    m.cache[: x.shape[0]].add_(x)
    return m.cache.sum()


_STEPS = {
    "slice": _slice,
    "index-copy": _index_copy,
    "index-put": _index_put,
    "accumulate": _accumulate,
    "shift": _shift,
    "roll": _roll,
    "counter": _counter,
    "running-mean": _running_mean,
    "lerp": _lerp,
    "returned": _returned,
    "read-then-write": _read_then_write,
    "replaced": _replaced,
    "masked": _masked,
}


@KIND.family(
    axes={
        "step": tuple(_STEPS),
        "dtype": ("float32", "bfloat16"),
        "grad": ("no", "yes"),
        "calls": ("3", "6"),
    },
    quick=3,
    applies=lambda c: c["grad"] == "no" or c["step"] in ("slice", "counter", "running-mean", "lerp"),
)
def buffers(choices: Choices) -> Program:
    """A module writes to its buffers in each call."""
    step, dtype = _STEPS[choices["step"]], getattr(torch, choices["dtype"])
    grad = choices["grad"] == "yes"

    def given(draws: Draws) -> tuple[Tensor, ...]:
        x = draws.normal(dtype, 3, 4)
        order = torch.argsort(draws.normal(torch.float32, 8))[:3]
        return (x.requires_grad_(grad) if choices["step"] != "slice" else x, order)

    calls = [Call(given, f"step {i + 1}") for i in range(int(choices["calls"]))]
    return Program(lambda: _Kept(dtype, step), calls)


@KIND.family(
    axes={
        "norm": ("batch-1d", "batch-2d", "instance"),
        "mode": ("train", "eval", "alternating"),
        "momentum": ("0.1", "none", "1.0"),
        "affine": ("yes", "no"),
        "layout": ("contiguous", "channels_last"),
    },
    quick=1,
    applies=lambda c: not (c["norm"] == "batch-1d" and c["layout"] == "channels_last"),
)
def statistics(choices: Choices) -> Program:
    """Running statistics of normalization modules, over several calls."""
    momentum = None if choices["momentum"] == "none" else float(choices["momentum"])
    affine = choices["affine"] == "yes"

    def make() -> nn.Module:
        cls: dict[str, Any] = {
            "batch-1d": nn.BatchNorm1d,
            "batch-2d": nn.BatchNorm2d,
            "instance": nn.InstanceNorm2d,
        }
        made: nn.Module = cls[choices["norm"]](3, momentum=momentum, affine=affine, track_running_stats=True)
        return made

    def given(draws: Draws) -> tuple[Tensor, ...]:
        shape = (5, 3) if choices["norm"] == "batch-1d" else (4, 3, 5, 5)
        return (draws.laid_out(draws.normal(torch.float32, *shape), choices["layout"]).requires_grad_(),)

    modes = {"train": ("train",) * 3, "eval": ("train", "eval"), "alternating": ("eval", "train", "eval")}
    calls = [
        Call(given, mode, (lambda m: m.train()) if mode == "train" else (lambda m: m.eval()))
        for mode in modes[choices["mode"]]
    ]
    return Program(make, calls)


def _cache_step(k: Tensor, v: Tensor, new: Tensor, at: Tensor) -> Any:
    k[:, :, at] = new
    v.index_copy_(2, at, new * 2)
    scores = (new @ k.transpose(-1, -2)).softmax(-1)
    return scores @ v


def _cache_slices(k: Tensor, v: Tensor, new: Tensor, at: Tensor) -> Any:
    k[:, :, 2:3].copy_(new)
    v[:, :, 2:3] = new
    return k.sum(2) + v.mean(2)


def _cache_scatter(k: Tensor, v: Tensor, new: Tensor, at: Tensor) -> Any:
    index = at.view(1, 1, -1, 1).expand_as(new)
    k.scatter_(2, index, new)
    v.scatter_add_(2, index, new)
    return k + v


_CACHES = {"index": _cache_step, "slice": _cache_slices, "scatter": _cache_scatter}


@KIND.family(
    axes={
        "form": tuple(_CACHES),
        "layout": ("contiguous", "transposed", "offset7", "reversed"),
        "dtype": ("float32", "bfloat16", "float16"),
        "shared": ("no", "yes"),
    },
    quick=2,
)
def cache(choices: Choices) -> Program:
    """Caches of keys and values that are arguments, apart or halves of one buffer."""
    dtype = getattr(torch, choices["dtype"])

    def given(position: int) -> Callable[[Draws], tuple[Tensor, ...]]:
        def make(draws: Draws) -> tuple[Tensor, ...]:
            whole = draws.normal(dtype, 2, 2, 2, 5, 4)
            k, v = (
                (whole[0], whole[1]) if choices["shared"] == "yes" else (whole[0].clone(), whole[1].clone())
            )
            if choices["shared"] == "no":
                k, v = (draws.laid_out(t, choices["layout"]) for t in (k, v))
            at = torch.tensor([position], device=draws.device)
            return k, v, draws.normal(dtype, 2, 2, 1, 4), at

        return make

    return Program(lambda: _CACHES[choices["form"]], [Call(given(p), f"position {p}") for p in (0, 3, 4)])
