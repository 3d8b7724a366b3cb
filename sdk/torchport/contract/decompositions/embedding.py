"""Table look-up, its gradient, and dropout."""

from __future__ import annotations

import torch
from torch import Tensor

from torchport.contract.decompositions.elementwise import float_result
from torchport.contract.decompositions.precision import compute_dtype, constant, narrow, widen, zeros
from torchport.contract.dtype_rules import promote


def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of ``weight`` [V, D] at ``indices`` […]: […, D]. The rest matters to the gradient only."""
    result: Tensor = torch.ops.aten.index.Tensor(weight, [indices])
    return result


def embedding_dense_backward(
    grad_output: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """Gradient of the table [num_weights, D]: rows of ``grad_output`` added up by index.

    ``padding_idx`` (unless -1) gets no gradient; with ``scale_grad_by_freq`` each row is divided by how often
    its index occurs.
    """
    index_put = torch.ops.aten.index_put.default
    g = widen(grad_output)
    if scale_grad_by_freq:
        ones = torch.full(indices.shape, 1, dtype=g.dtype, device=g.device)
        counts = index_put(zeros((num_weights,), g), [indices], ones, True)
        g = g / torch.ops.aten.index.Tensor(counts, [indices]).unsqueeze(-1)
    g = torch.where((indices == padding_idx).unsqueeze(-1), constant(0, g), g)
    table = index_put(zeros((num_weights, grad_output.size(-1)), g), [indices], g, True)
    return narrow(table, grad_output.dtype)


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Each element kept with probability ``1 - p`` and then divided by that; and the mask of what was kept.

    The draw is float32 in [0, 1) and is compared before any rounding, so that ``p = 0`` keeps everything.
    """
    if train is False:
        return input.clone(), torch.full(input.shape, True, dtype=torch.bool, device=input.device)
    keep = torch.rand(input.shape, dtype=torch.float32, device=input.device) < 1 - p
    x = widen(input)
    kept = torch.where(keep, x * (1 / (1 - p) if p < 1 else 0.0), constant(0, x))
    return narrow(kept, input.dtype), keep


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    """``g m scale``, m 1 where the element was kept, else 0; integers give the default float dtype."""
    dtype = float_result(promote([grad_output, mask]))
    work = compute_dtype(dtype)
    kept = narrow(grad_output, work) * narrow(mask, work)
    return narrow(kept * constant(scale, kept), dtype)
