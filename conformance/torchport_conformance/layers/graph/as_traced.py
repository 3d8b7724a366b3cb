"""``torch.compile`` without a backend, whose results lie in memory as PyTorch's shape functions say.

A compiler is told the strides of every value. Where a kernel of eager PyTorch gives other ones, a compiler
that keeps to what it was told differs from eager PyTorch; ``aot_eager``, which runs that kernel, does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from functorch.compile import make_boxed_func
from torch import Tensor, fx
from torch._dynamo.backends.common import aot_autograd


def compiled_as_traced(fn: Callable[..., Any], *, dynamic: bool | None = None) -> Callable[..., Any]:
    """``fn`` compiled so; for the sizes that it is called with, whatever ``dynamic`` asks for."""
    compiled: Callable[..., Any] = torch.compile(
        fn, backend=aot_autograd(fw_compiler=_keeping_strides), dynamic=False
    )
    return compiled


def _keeping_strides(graph: fx.GraphModule, examples: Sequence[Any]) -> Callable[..., Any]:
    boxed: Callable[..., Any] = make_boxed_func(_Interpreter(graph).run)
    return boxed


class _Interpreter(fx.Interpreter):
    """Runs a graph by PyTorch's kernels and gives their results the strides that were traced."""

    def run_node(self, n: fx.Node) -> Any:
        """The result of a node."""
        result, traced = super().run_node(n), n.meta.get("val")
        if n.op != "call_function" or not isinstance(result, Tensor) or not isinstance(traced, Tensor):
            return result
        if getattr(n.target, "is_view", False) or result.stride() == traced.stride():
            return result
        laid_out = torch.empty_strided(
            result.shape, traced.stride(), dtype=result.dtype, device=result.device
        )
        return laid_out.copy_(result)
