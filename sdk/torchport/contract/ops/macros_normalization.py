"""Macros: normalizations."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from torchport.contract.decompositions import macros_normalization as decompose
from torchport.contract.ops.builders import FLOATS, Rule
from torchport.contract.ops.macros import macro
from torchport.contract.spec import Category, Operand, OpSpec

EPS = Operand(choices=(1e-5, 1e-3))
LAST = Operand(choices=("[size(input, rank(input) - 1)]",))
WEIGHT, BIAS = Operand("[n]", optional=True), Operand("[n]", optional=True)
PARAMETERS_MATCH: Rule = (
    "not given(weight) or dtype(weight) == dtype(input) or dtype(weight) == 'float32'",
    "parameters have the input's dtype, or float32 beside a 16-bit input",
)
TAIL: Rule = (
    "rank(normalized_shape) > 0 and rank(input) >= rank(normalized_shape) and "
    "input[rank(input) - rank(normalized_shape):] == normalized_shape",
    "the input ends in normalized_shape",
)
TAIL_ERROR: Rule = (
    "rank(normalized_shape) == 0 or rank(input) < rank(normalized_shape) or "
    "input[rank(input) - rank(normalized_shape):] != normalized_shape",
    "the input does not end in normalized_shape",
)


def _fits(parameter: str, shape: str) -> Rule:
    return (f"not given({parameter}) or {parameter} == {shape}", f"{parameter} has shape {shape}")


def _widest(input: Tensor, weight: Tensor | None) -> Tensor:
    """The input in the dtype of the parameters: the composites refuse a mixture."""
    return input if weight is None else input.to(torch.promote_types(input.dtype, weight.dtype))


def _rms_norm(input: Tensor, shape: Sequence[int], weight: Tensor | None, eps: float) -> Tensor:
    return F.rms_norm(_widest(input, weight), list(shape), weight, eps).to(input.dtype).contiguous()


def _layer_norm(
    input: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    wide = _widest(input, weight)
    return F.layer_norm(wide, list(shape), weight, bias, eps).to(input.dtype).contiguous()


TAIL_OPERANDS = {"input": Operand("[*B, n]"), "normalized_shape": LAST, "weight": WEIGHT}

LAST_DIMENSIONS = (
    macro(
        "rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, float eps) -> Tensor",
        _rms_norm,
        category=Category.NORMALIZATION,
        accepts={"input": FLOATS, "weight": FLOATS},
        results="same:input",
        shape="input",
        operands={**TAIL_OPERANDS, "eps": EPS},
        constraints=(TAIL, _fits("weight", "normalized_shape"), PARAMETERS_MATCH),
        errors=(TAIL_ERROR,),
        decomposition=decompose.rms_norm,
    ),
    macro(
        "rms_norm_backward(Tensor grad_output, Tensor input, SymInt[] normalized_shape, Tensor? weight, "
        "float eps) -> (Tensor, Tensor)",
        decompose.rms_norm_backward,
        category=Category.NORMALIZATION,
        accepts={"grad_output": FLOATS, "input": ("same:grad_output",), "weight": FLOATS},
        results=("same:input", "same:weight|same:input"),
        shape=("input", "weight if given(weight) else [0]"),
        layout=("contiguous",) * 2,
        operands={"grad_output": Operand("[*B, n]"), **TAIL_OPERANDS, "eps": EPS},
        constraints=(
            TAIL,
            ("grad_output == input", "the gradient has the shape of the input"),
            _fits("weight", "normalized_shape"),
            PARAMETERS_MATCH,
        ),
        decomposition=decompose.rms_norm_backward,
    ),
    macro(
        "layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) "
        "-> Tensor",
        _layer_norm,
        category=Category.NORMALIZATION,
        accepts={"input": FLOATS, "weight": FLOATS, "bias": ("same:weight",)},
        results="same:input",
        shape="input",
        operands={**TAIL_OPERANDS, "bias": BIAS, "eps": EPS},
        constraints=(
            TAIL,
            _fits("weight", "normalized_shape"),
            _fits("bias", "normalized_shape"),
            PARAMETERS_MATCH,
            ("given(weight) or not given(bias)", "a bias comes with a weight"),
        ),
        errors=(TAIL_ERROR,),
        decomposition=decompose.layer_norm,
    ),
    macro(
        "l2_normalize(Tensor input, int dim, float eps) -> Tensor",
        lambda input, dim, eps: F.normalize(input, 2.0, dim, eps).contiguous(),
        category=Category.NORMALIZATION,
        accepts={"input": FLOATS},
        results="same:input",
        shape="input",
        operands={
            "input": Operand("[*B, n]"),
            "dim": Operand(choices=(-1, 0)),
            "eps": Operand(choices=(1e-12,)),
        },
        constraints=(("rank(input) > 0 and in_range(dim, rank(input))", "the dimension exists"),),
        errors=(("not in_range(dim, rank(input))", "the dimension does not exist"),),
        decomposition=decompose.l2_normalize,
    ),
)

IMAGES = Operand("[n, c, *S]")
CHANNEL = Operand("[c]", optional=True)
PER_CHANNEL = "input[1:2]"
PARAMETERS: tuple[Rule, ...] = (
    _fits("weight", PER_CHANNEL),
    _fits("bias", PER_CHANNEL),
    PARAMETERS_MATCH,
    ("given(weight) or not given(bias)", "a bias comes with a weight"),
)
CHANNEL_ACCEPTS = {"input": FLOATS, "weight": FLOATS, "bias": ("same:weight",)}
CHANNEL_OPERANDS = {"input": IMAGES, "weight": CHANNEL, "bias": CHANNEL}


def _group_norm(input: Tensor, groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    wide = _widest(input, weight)
    return F.group_norm(wide, groups, weight, bias, eps).to(input.dtype).contiguous()


def _instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    wide = _widest(input, weight)
    return F.instance_norm(wide, None, None, weight, bias, True, 0.0, eps).to(input.dtype).contiguous()


def _batch_norm_inference(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, var: Tensor, eps: float
) -> Tensor:
    result: Tensor = torch.ops.aten._native_batch_norm_legit_no_training.default(
        input, weight, bias, mean, var, 0.0, eps
    )[0]
    return result.contiguous()


def _batch_norm_training(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    output, _, _, mean, var = torch.ops.aten._native_batch_norm_legit_functional.default(
        input, weight, bias, running_mean, running_var, True, momentum, eps
    )
    return output.contiguous(), mean, var


RUNNING_ACCEPTS = {**CHANNEL_ACCEPTS, "running_mean": ("same:weight",), "running_var": ("same:running_mean",)}
HAS_VALUES: Rule = ("rank(input) >= 2 and numel(input) > 0", "the input is [N, C, …] and has elements")

CHANNELS = (
    macro(
        "group_norm(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps) -> Tensor",
        _group_norm,
        category=Category.NORMALIZATION,
        accepts=CHANNEL_ACCEPTS,
        results="same:input",
        shape="input",
        operands={**CHANNEL_OPERANDS, "num_groups": Operand(choices=(1, "input[1]")), "eps": EPS},
        constraints=(
            HAS_VALUES,
            ("num_groups > 0 and input[1] % num_groups == 0", "the channels divide into the groups"),
            ("numel(input[2:]) * input[1] > num_groups", "a group has more than one element"),
            *PARAMETERS,
        ),
        errors=(
            ("num_groups > 0 and input[1] % num_groups != 0", "the channels do not divide into the groups"),
        ),
        decomposition=decompose.group_norm,
    ),
    macro(
        "instance_norm(Tensor input, Tensor? weight, Tensor? bias, float eps) -> Tensor",
        _instance_norm,
        category=Category.NORMALIZATION,
        accepts=CHANNEL_ACCEPTS,
        results="same:input",
        shape="input",
        operands={**CHANNEL_OPERANDS, "eps": EPS},
        constraints=(
            HAS_VALUES,
            ("rank(input) >= 3 and numel(input[2:]) > 1", "there is more than one element to normalize"),
            *PARAMETERS,
        ),
        errors=(("numel(input[2:]) == 1", "one element has no variance"),),
        decomposition=decompose.instance_norm,
    ),
    macro(
        "batch_norm_inference(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, "
        "float eps) -> Tensor",
        _batch_norm_inference,
        category=Category.NORMALIZATION,
        accepts={**CHANNEL_ACCEPTS, "mean": ("same:weight",), "var": ("same:mean",)},
        results="same:input",
        shape="input",
        operands={**CHANNEL_OPERANDS, "mean": Operand("[c]"), "var": Operand("[c]", "positive"), "eps": EPS},
        constraints=(
            HAS_VALUES,
            (f"mean == {PER_CHANNEL} and var == mean", "one mean and one variance per channel"),
            *PARAMETERS,
        ),
        errors=((f"mean != {PER_CHANNEL}", "the statistics do not fit the channels"),),
        decomposition=decompose.batch_norm_inference,
    ),
    macro(
        "batch_norm_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, "
        "Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
        _batch_norm_training,
        category=Category.NORMALIZATION,
        accepts=RUNNING_ACCEPTS,
        results=("same:input", "same:running_mean", "same:running_var"),
        shape=("input", "running_mean", "running_var"),
        layout=("contiguous",) * 3,
        operands={
            **CHANNEL_OPERANDS,
            "running_mean": Operand("[c]"),
            "running_var": Operand("[c]", "positive"),
            "momentum": Operand(choices=(0.1, 0.5)),
            "eps": EPS,
        },
        constraints=(
            HAS_VALUES,
            ("numel(input) > input[1]", "more than one value per channel"),
            (
                f"running_mean == {PER_CHANNEL} and running_var == running_mean",
                "one running mean and variance per channel",
            ),
            *PARAMETERS,
        ),
        errors=(("numel(input) == input[1]", "one value per channel has no variance"),),
        decomposition=decompose.batch_norm_training,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*LAST_DIMENSIONS, *CHANNELS)
