"""Transposed convolution as the gradient of a plain one, and the other names that convolution goes by.

With y = conv(x, w), the gradient by x is linear in the gradient by y and is what a transposed convolution
computes: ``conv_transpose(g, w)`` is the gradient by the input of ``conv(·, w)`` at g (Dumoulin and Visin, *A
guide to convolution arithmetic for deep learning*, 2016, §4). Its own gradients are convolutions again.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchport.contract.decompositions.operators import aten, several
from torchport.contract.decompositions.precision import narrow, widen, zeros

_PLAIN = False


def _each(values: Sequence[int], axes: int) -> list[int]:
    """A convolution argument as one value per spatial dimension."""
    return list(values) * axes if len(values) == 1 else list(values)


def _biased(result: Tensor, bias: Tensor | None, axes: int) -> Tensor:
    return result if bias is None else result + widen(bias).view([-1] + [1] * axes)


def _turned(weight: Tensor, groups: int) -> Tensor:
    """[C, D/g, *kernel] as the weight [D, C/g, *kernel] of a plain convolution with the same result."""
    inputs, outputs, *kernel = weight.shape
    split = weight.reshape([groups, inputs // groups, outputs, *kernel])
    swapped = split.permute([0, 2, 1, *range(3, split.dim())]).flip(list(range(3, split.dim())))
    return swapped.reshape([groups * outputs, inputs // groups, *kernel])


def _stuffed(
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    extra: Sequence[int],
) -> Tensor:
    """``x`` with ``stride - 1`` zeros between neighbours, padded so that a full convolution is transposed."""
    for i, step in enumerate(stride):
        at = 2 + i
        if step > 1:
            later = x.dim() - at - 1
            apart = aten.constant_pad_nd.default(x.unsqueeze(at + 1), [0, 0] * later + [0, step - 1], 0)
            shape = [*x.shape[:at], x.shape[at] * step, *x.shape[at + 1 :]]
            x = aten.slice.Tensor(apart.reshape(shape), at, 0, (x.shape[at] - 1) * step + 1)
    reach = [dilation[i] * (weight.shape[2 + i] - 1) - padding[i] for i in range(len(stride))]
    pads = [p for i in reversed(range(len(stride))) for p in (reach[i], reach[i] + extra[i])]
    return aten.constant_pad_nd.default(x, pads, 0)


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """[N, C, *spatial] convolved, or its adjoint where ``transposed``."""
    axes = weight.dim() - 2
    if not transposed:
        none = [0] * axes
        return aten.convolution.default(input, weight, bias, stride, padding, dilation, _PLAIN, none, groups)
    steps, pads, gaps = _each(stride, axes), _each(padding, axes), _each(dilation, axes)
    extra = _each(output_padding, axes)
    if not input.dtype.is_floating_point:
        stuffed = _stuffed(input, weight, steps, pads, gaps, extra)
        turned = _turned(weight, groups)
        one, none = [1] * axes, [0] * axes
        return aten.convolution.default(stuffed, turned, bias, one, none, gaps, _PLAIN, none, groups)
    x, w = (widen(input), widen(weight)) if bias is not None else (input, weight)
    sizes = [
        (input.shape[2 + i] - 1) * steps[i] - 2 * pads[i] + gaps[i] * (weight.shape[2 + i] - 1) + extra[i] + 1
        for i in range(axes)
    ]
    # Where the extra size is a whole step or more, the plain convolution has more outputs than x: zeros.
    grown = [extra[i] // steps[i] for i in range(axes)]
    if any(grown):
        x = aten.constant_pad_nd.default(x, [p for n in reversed(grown) for p in (0, n)], 0)
    shape = zeros((input.shape[0], weight.shape[1] * groups, *sizes), x)
    by_input = several(
        torch.ops.aten.convolution_backward.default,
        x,
        shape,
        w,
        [shape.shape[1]],
        steps,
        pads,
        gaps,
        _PLAIN,
        [0] * axes,
        groups,
        [True, False, False],
    )[0]
    return narrow(_biased(by_input, bias, axes), input.dtype)


def convolution_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Gradients of :func:`convolution` by the input, the weight and the bias; None where not asked for."""
    axes = weight.dim() - 2
    by_input: Tensor | None = None
    by_weight: Tensor | None = None
    by_bias: Tensor | None = None
    if output_mask[2]:
        over = [0, *range(2, 2 + axes)]
        by_bias = narrow(widen(grad_output).sum(over), grad_output.dtype)
    if not (output_mask[0] or output_mask[1]):
        return by_input, by_weight, by_bias
    if not transposed:
        by_input, by_weight, _ = several(
            torch.ops.aten.convolution_backward.default,
            grad_output,
            input,
            weight,
            [weight.shape[0]],
            stride,
            padding,
            dilation,
            _PLAIN,
            [0] * axes,
            groups,
            [output_mask[0], output_mask[1], False],
        )
        return by_input, by_weight, by_bias
    steps, pads, gaps = _each(stride, axes), _each(padding, axes), _each(dilation, axes)
    grown = [extra // step for extra, step in zip(_each(output_padding, axes), steps, strict=True)]
    if output_mask[0]:
        by_input = aten.convolution.default(
            grad_output, weight, None, steps, pads, gaps, _PLAIN, [0] * axes, groups
        )
        for axis in range(axes):
            if grown[axis]:
                by_input = aten.slice.Tensor(by_input, 2 + axis, 0, input.shape[2 + axis])
        if any(type(n) is not int for n in input.shape):
            by_input = by_input.expand(input.shape)  # its symbols, not a formula of those of the gradient
    if output_mask[1]:
        x = input
        if any(grown):
            x = aten.constant_pad_nd.default(x, [p for n in reversed(grown) for p in (0, n)], 0)
        by_weight = several(
            torch.ops.aten.convolution_backward.default,
            x,
            grad_output,
            weight,
            [weight.shape[0]],
            steps,
            pads,
            gaps,
            _PLAIN,
            [0] * axes,
            groups,
            [False, True, False],
        )[1]
    return by_input, by_weight, by_bias


def backend_convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    benchmark: bool,
    deterministic: bool,
    cudnn_enabled: bool,
    allow_tf32: bool,
) -> Tensor:
    """:func:`convolution` with the settings of one library, which change no result."""
    return aten.convolution.default(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )


def dilated_convolution(
    self: Tensor,
    weight: Tensor,
    kernel_size: Sequence[int],
    bias: Tensor | None = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
) -> Tensor:
    """A plain convolution of one group."""
    none = [0] * len(kernel_size)
    return aten.convolution.default(self, weight, bias, stride, padding, dilation, _PLAIN, none, 1)


def dense_convolution(
    self: Tensor,
    weight: Tensor,
    kernel_size: Sequence[int],
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
) -> Tensor:
    """A plain convolution of one group without dilation."""
    return dilated_convolution(self, weight, kernel_size, bias, stride, padding, [1] * len(kernel_size))


def dense_convolution_backward(
    grad_output: Tensor,
    self: Tensor,
    weight: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    """Gradients of :func:`dense_convolution` of [N, C, *spatial]."""
    one = [1] * len(kernel_size)
    none = [0] * len(kernel_size)
    return several(
        torch.ops.aten.convolution_backward.default,
        grad_output,
        self,
        weight,
        [weight.shape[0]],
        stride,
        padding,
        one,
        _PLAIN,
        none,
        1,
        output_mask,
    )


def transposed_convolution(
    self: Tensor,
    weight: Tensor,
    kernel_size: Sequence[int],
    bias: Tensor | None = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    output_padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
) -> Tensor:
    """A transposed convolution of one group."""
    return aten.convolution.default(self, weight, bias, stride, padding, dilation, True, output_padding, 1)


def conv_tbc(self: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """[T, B, C] convolved over T with [k, C, D]: [T', B, D]."""
    x, w = self.permute([1, 2, 0]), weight.permute([2, 1, 0])
    y = aten.convolution.default(x, w, bias, [1], [pad], [1], _PLAIN, [0], 1)
    return y.permute([2, 0, 1])
