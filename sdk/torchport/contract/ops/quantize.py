"""Quantization to integers and back on plain tensors, its parameters, and fake quantization.

``quantized_decomposed`` is PyTorch's namespace of the graph-mode quantizers (PT2E); its integers are stated
bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
import torch.ao.quantization.fx._decomposed

from torchport.contract.decompositions import fake_quantize, quantize as decompose
from torchport.contract.ops.builders import (
    ANY,
    FLAG,
    FLOATS,
    Decomposition,
    Rule,
    derived,
    entry,
    ulp,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

NARROW = ("float16", "bfloat16", "float32")
QUANTIZED = ("int8", "uint8", "int16", "int32")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
ZEROS = ("int32", "int64", "float32")
SCALES = ("float32", "float64")
BITWISE = Numerics("exact", special=("own-precision",))
"""The result of the formula in the operand's own precision, bit for bit."""
DEQUANTIZED = ulp(2, half=2, special=("by-decomposition",))
FAKE = ulp(1, half=1, special=("own-precision",))
ONE = Operand("[1]", "positive")
LIMITS = {"quant_min": Operand(choices=(-128, -7)), "quant_max": Operand(choices=(127, 9))}
SIGNED = {"quant_min": Operand(choices=(0, 3)), "quant_max": Operand(choices=(127, 99))}
TARGETS = Operand(choices=(torch.int8, torch.uint8, torch.int16, torch.int32, torch.float8_e4m3fn))
OWN = Operand(choices=("dtype(input)",))
OUT = Operand(choices=(None, torch.float32, torch.float16, torch.bfloat16, torch.float64))
ORDERED: Rule = ("quant_min < quant_max", "the range is not empty")
NAMED: Rule = ("dtype(input) == dtype", "dtype names the dtype of the quantized values")
BACKWARDS: Rule = ("quant_min >= quant_max", "the range is empty")


def _quantizer(
    name: str,
    decomposition: Decomposition,
    *,
    accepts: Mapping[str, Sequence[str]],
    operands: Mapping[str, Operand],
    pattern: str = "*S",
    inputs: Sequence[str] = NARROW,
    constraints: Sequence[Rule] = (),
    errors: Sequence[Rule] = (BACKWARDS,),
) -> OpSpec:
    """To quantized values of the dtype argument."""
    bounds: Sequence[Rule] = () if "quant_min" in accepts else (ORDERED,)
    return entry(
        f"quantized_decomposed.{name}",
        category=Category.CONVERSION,
        accepts={"input": inputs, **accepts},
        results="arg:dtype",
        shape="input",
        layout="eager",
        numerics=BITWISE,
        operands={"input": Operand(pattern), "dtype": TARGETS, **operands},
        constraints=(*bounds, *constraints),
        errors=errors if bounds else (),
        decomposition=decomposition,
    )


def _dequantizer(
    name: str,
    decomposition: Decomposition,
    *,
    accepts: Mapping[str, Sequence[str]],
    operands: Mapping[str, Operand],
    pattern: str = "*S",
    inputs: Sequence[str] = QUANTIZED,
    result: str = "arg:out_dtype|float32",
    constraints: Sequence[Rule] = (),
) -> OpSpec:
    """From quantized values, whose dtype and range the arguments repeat."""
    target = (
        {"out_dtype": OUT} if "out_dtype" in result else {"output_dtype": Operand(choices=OUT.choices[1:])}
    )
    return entry(
        f"quantized_decomposed.{name}",
        category=Category.CONVERSION,
        accepts={"input": inputs, **accepts},
        results=result,
        shape="input",
        layout="eager",
        numerics=DEQUANTIZED,
        operands={"input": Operand(pattern), "dtype": OWN, **target, **operands},
        constraints=(NAMED, *constraints),
        errors=(("dtype(input) != dtype", "dtype is not that of the quantized values"),),
        decomposition=decomposition,
    )


NUMBERS = {"scale": Operand(choices=(0.07, 1.3)), "zero_point": Operand(choices=(0, 5))}
SINGLE = {"scale": ONE, "zero_point": Operand("[1]", "small")}
LIMIT_TENSORS = {"quant_min": Operand("[1]", "index(3)"), "quant_max": Operand("[1]", "index(120)")}
SINGLES: tuple[Rule, ...] = (("numel(scale) == 1 and numel(zero_point) == 1", "one scale and zero point"),)
PARAMETERS = {"scale": SCALES, "zero_point": ZEROS}
LIMIT_DTYPES = {"quant_min": ("int64", "int32"), "quant_max": ("int64", "int32")}
ROWS = {
    "scales": Operand("=input[:-1] + [1]", "positive"),
    "zero_points": Operand("=input[:-1] + [1]", "small"),
}
PER_ROW: tuple[Rule, ...] = (
    ("rank(input) > 0", "the input has rows"),
    ("scales == input[:-1] + [1] and zero_points == scales", "one scale and zero point for each row"),
)
AXIS = Operand(choices=(0, "max(rank(input), 1) - 1"))
CHANNELS = {
    "scales": Operand("=[size(input, axis)]", "positive"),
    "zero_points": Operand("=[size(input, axis)]", "small"),
}
ON_AXIS: tuple[Rule, ...] = (
    (
        "rank(input) > 0 and axis >= 0 and axis < rank(input)",
        "the channel axis exists, counted from the front",
    ),
    ("scales == [size(input, axis)]", "one scale for each channel"),
    ("not given(zero_points) or zero_points == scales", "one zero point for each channel"),
)
GROUPS = {"scales": Operand("[n, m]", "positive"), "zero_points": Operand("[n, m]", "small")}
GROUPED: tuple[Rule, ...] = (
    ("rank(input) == 2 and rank(scales) == 2 and input[0] == scales[0]", "parameters go by rows"),
    ("group_size > 1 and input[1] % group_size == 0", "groups are of more than one element and divide a row"),
    ("scales[1] * group_size == input[1]", "one scale for each group"),
    ("not given(zero_points) or zero_points == scales", "one zero point for each group"),
)
BAD_GROUP: Rule = ("group_size <= 1", "a group has more than one element")

QUANTIZERS = (
    _quantizer(
        "quantize_per_tensor.default",
        decompose.quantize_per_tensor,
        accepts={},
        operands={**NUMBERS, **SIGNED},
    ),
    _quantizer(
        "quantize_per_tensor.tensor",
        decompose.quantize_per_tensor_tensor,
        accepts=PARAMETERS,
        operands={**SINGLE, **SIGNED},
        constraints=SINGLES,
    ),
    _quantizer(
        "quantize_per_tensor.tensor2",
        decompose.quantize_per_tensor_tensor2,
        accepts={**PARAMETERS, **LIMIT_DTYPES},
        operands={
            **SINGLE,
            **LIMIT_TENSORS,
            "dtype": Operand(choices=(torch.int8, torch.uint8, torch.int32)),
        },
        constraints=SINGLES,
    ),
    _quantizer(
        "quantize_per_channel.default",
        decompose.quantize_per_channel,
        accepts={"scales": SCALES, "zero_points": ZEROS},
        operands={"axis": AXIS, **CHANNELS, **SIGNED},
        constraints=ON_AXIS,
    ),
    _quantizer(
        "quantize_per_token.default",
        decompose.quantize_per_token,
        inputs=FLOATS,
        accepts={"scales": SCALES, "zero_points": ZEROS},
        operands={**ROWS, **SIGNED},
        constraints=PER_ROW,
    ),
    _quantizer(
        "quantize_per_channel_group.default",
        decompose.quantize_per_channel_group,
        pattern="[n, 2*m]",
        inputs=FLOATS,
        accepts={"scales": SCALES, "zero_points": ZEROS},
        operands={**GROUPS, **SIGNED, "group_size": Operand(choices=(2,))},
        constraints=GROUPED,
        errors=(BAD_GROUP,),
    ),
)

DEQUANTIZERS = (
    _dequantizer(
        "dequantize_per_tensor.default",
        decompose.dequantize_per_tensor,
        inputs=(*QUANTIZED, "uint16", *FLOAT8),
        accepts={},
        operands={**NUMBERS, **LIMITS},
    ),
    _dequantizer(
        "dequantize_per_tensor.tensor",
        decompose.dequantize_per_tensor_tensor,
        inputs=(*QUANTIZED, "uint16", *FLOAT8),
        accepts=PARAMETERS,
        operands={**SINGLE, **LIMITS},
        constraints=SINGLES,
    ),
    _dequantizer(
        "dequantize_per_tensor.tensor2",
        decompose.dequantize_per_tensor_tensor2,
        inputs=(*QUANTIZED, "uint16", *FLOAT8),
        accepts={**PARAMETERS, **LIMIT_DTYPES},
        operands={**SINGLE, **LIMIT_TENSORS},
        constraints=SINGLES,
    ),
    _dequantizer(
        "dequantize_per_channel.default",
        decompose.dequantize_per_channel,
        accepts={"scales": SCALES, "zero_points": ZEROS},
        operands={
            "axis": AXIS,
            "scales": CHANNELS["scales"],
            "zero_points": Operand("=[size(input, axis)]", "small", optional=True),
            "quant_min": Operand(choices=(0,)),
            "quant_max": Operand(choices=(127,)),
        },
        constraints=ON_AXIS,
    ),
    _dequantizer(
        "dequantize_per_token.default",
        decompose.dequantize_per_token,
        accepts={"scales": SCALES, "zero_points": ZEROS},
        operands={**ROWS, **LIMITS},
        result="arg:output_dtype",
        constraints=PER_ROW,
    ),
    _dequantizer(
        "dequantize_per_channel_group.default",
        decompose.dequantize_per_channel_group,
        pattern="[n, 2*m]",
        accepts={"scales": SCALES, "zero_points": ZEROS},
        operands={
            "scales": GROUPS["scales"],
            "zero_points": Operand("[n, m]", "small", optional=True),
            **LIMITS,
            "group_size": Operand(choices=(2,)),
        },
        result="arg:output_dtype",
        constraints=GROUPED,
    ),
)


def _chooser(
    name: str,
    decomposition: Decomposition,
    *,
    rows: bool,
    results: Sequence[str] = ("float64", "int64"),
    inputs: Sequence[str] = NARROW,
    targets: Sequence[torch.dtype] = (torch.int8, torch.uint8),
) -> OpSpec:
    """Scale and zero point from the data, of everything or of each row."""
    shape = "input[:-1] + [1]" if rows else "[1]"
    ranges = {} if rows else {**LIMITS, "eps": Operand(choices=(1e-6, 0.25))}
    held = "rank(input) > 0 and numel(sizes(input, [-1])) > 0" if rows else "numel(input) > 0"
    return entry(
        f"quantized_decomposed.{name}",
        category=Category.REDUCTION,
        accepts={"input": inputs},
        results=results,
        shape=(shape, shape),
        layout=("contiguous", "contiguous"),
        numerics=BITWISE,
        operands={"input": Operand("*S"), "dtype": Operand(choices=tuple(targets)), **ranges},
        constraints=((held, "something is there to be measured"), *(() if rows else (ORDERED,))),
        errors=() if rows else (BACKWARDS,),
        decomposition=decomposition,
    )


CHOOSERS = (
    _chooser("choose_qparams.tensor", decompose.choose_qparams, rows=False),
    _chooser("choose_qparams_symmetric.tensor", decompose.choose_qparams_symmetric, rows=False),
    _chooser(
        "choose_qparams_per_token.default",
        decompose.choose_qparams_per_token,
        rows=True,
        inputs=("bfloat16", "float32", "float64"),
        results=("same:input", "same:input"),
        targets=(torch.int8,),
    ),
    _chooser(
        "choose_qparams_per_token_asymmetric.default",
        decompose.choose_qparams_per_token_asymmetric,
        rows=True,
        inputs=FLOATS,
    ),
    _chooser(
        "_choose_qparams_per_token_asymmetric_impl.default",
        decompose.choose_qparams_per_token_asymmetric,
        rows=True,
        inputs=FLOATS,
    ),
)

SELF_AXIS = Operand(choices=(0, "max(rank(self), 1) - 1"))
SELF_ON_AXIS: tuple[Rule, ...] = (
    ("rank(self) > 0 and axis >= 0 and axis < rank(self)", "the channel axis exists, counted from the front"),
    ("scale == [size(self, axis)] and zero_point == scale", "one scale and zero point for each channel"),
)
SELF_CHANNELS = {
    "scale": Operand("=[size(self, axis)]", "positive"),
    "zero_point": Operand("=[size(self, axis)]", "small"),
}
PER_TENSOR: tuple[Rule, ...] = (("scale == [1] and zero_point == [1]", "one scale and zero point"),)
GRAD_FACTOR = {"grad_factor": Operand(choices=(1.0, 0.5))}


def _fake(
    name: str,
    decomposition: Decomposition,
    *,
    operands: Mapping[str, Operand],
    accepts: Mapping[str, Sequence[str]],
    constraints: Sequence[Rule] = (),
    mask: bool = True,
) -> OpSpec:
    """Quantize and dequantize: the result, and for training the mask of what was inside of the range."""
    return entry(
        name,
        category=Category.CONVERSION,
        accepts=accepts,
        results=("same:self", "bool")[: 1 + mask],
        shape=("self", "self")[: 1 + mask],
        layout=("eager", "eager")[: 1 + mask],
        numerics=FAKE,
        operands={"self": Operand("*S"), **LIMITS, **operands},
        constraints=(("quant_min <= quant_max", "the range is not empty"), *constraints),
        errors=(("quant_min > quant_max", "the range is empty"),),
        decomposition=decomposition,
    )


def _fake_backward(
    name: str,
    decomposition: Decomposition,
    *,
    operands: Mapping[str, Operand],
    constraints: Sequence[Rule],
    parameter: str,
) -> OpSpec:
    """Gradients of input, scale and zero point of a fake quantization whose parameters are trained."""
    accepts = {"grad": ("float32",), "self": ("float32",), "scale": ("float32",), "zero_point": ("float32",)}
    return entry(
        name,
        category=Category.REDUCTION,
        accepts=accepts,
        results=("float32",) * 3,
        shape=("self", parameter, parameter),
        layout=("eager",) * 3,
        numerics=derived(4, special=("own-precision",)),
        operands={
            "grad": Operand("*S"),
            "self": Operand("*S"),
            **LIMITS,
            **GRAD_FACTOR,
            **operands,
        },
        constraints=(("grad == self", "the gradient has the shape of the input"), ORDERED, *constraints),
        errors=(("grad != self", "the gradient has another shape"),),
        decomposition=decomposition,
    )


TRAINED_SINGLE = {"scale": ONE, "zero_point": Operand("[1]", "any")}
TRAINED = {"self": FLOATS, "scale": ("float32",), "zero_point": ("float32",)}
SWITCHES = {"observer_on": Operand("[1]", "bool"), "fake_quant_on": Operand("[1]", "bool")}
OBSERVED = "=[size(self, ch_axis)] if per_row_fake_quant else [1]"

FAKES = (
    _fake(
        "aten.fake_quantize_per_tensor_affine_cachemask.default",
        fake_quantize.per_tensor,
        accepts={"self": FLOATS},
        operands=NUMBERS,
        constraints=(
            ("zero_point >= quant_min and zero_point <= quant_max", "the zero point is in the range"),
        ),
    ),
    _fake(
        "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default",
        fake_quantize.per_tensor_tensor_qparams,
        accepts={
            "self": FLOATS,
            "scale": FLOATS,
            "zero_point": ("int32", "int64"),
            "fake_quant_enabled": ("int64", "int32", "uint8"),
        },
        operands={
            "scale": ONE,
            "zero_point": Operand("[1]", "small"),
            "fake_quant_enabled": Operand("[1]", "bool"),
        },
        constraints=(*PER_TENSOR, ("numel(fake_quant_enabled) == 1", "one switch")),
    ),
    _fake(
        "aten.fake_quantize_per_channel_affine_cachemask.default",
        fake_quantize.per_channel,
        accepts={"self": FLOATS, "scale": ("float32",), "zero_point": ("int32", "float32", "float16")},
        operands={"axis": SELF_AXIS, **SELF_CHANNELS},
        constraints=SELF_ON_AXIS,
    ),
    _fake(
        "aten._fake_quantize_learnable_per_tensor_affine.default",
        fake_quantize.learnable_per_tensor,
        accepts=TRAINED,
        operands={**TRAINED_SINGLE, **GRAD_FACTOR},
        constraints=PER_TENSOR,
        mask=False,
    ),
    _fake(
        "aten._fake_quantize_learnable_per_channel_affine.default",
        fake_quantize.learnable_per_channel,
        accepts=TRAINED,
        operands={"axis": SELF_AXIS, **SELF_CHANNELS, **GRAD_FACTOR},
        constraints=SELF_ON_AXIS,
        mask=False,
    ),
    _fake_backward(
        "aten._fake_quantize_learnable_per_tensor_affine_backward.default",
        fake_quantize.learnable_per_tensor_backward,
        operands=TRAINED_SINGLE,
        constraints=PER_TENSOR,
        parameter="[1]",
    ),
    _fake_backward(
        "aten._fake_quantize_learnable_per_channel_affine_backward.default",
        fake_quantize.learnable_per_channel_backward,
        operands={"axis": SELF_AXIS, **SELF_CHANNELS},
        constraints=(*SELF_ON_AXIS, ("rank(self) > 1", "there is something to be summed")),
        parameter="scale",
    ),
    entry(
        "quantized_decomposed.fake_quant_per_channel.default",
        category=Category.CONVERSION,
        accepts={"input": ("float32",), "scales": ("float32", "float64"), "zero_points": ("int32", "int64")},
        results="same:input",
        shape="input",
        layout="eager",
        numerics=FAKE,
        operands={"input": Operand("*S"), "axis": AXIS, **CHANNELS, **LIMITS},
        constraints=(ORDERED, *ON_AXIS),
        errors=(("axis >= rank(input)", "the channel axis does not exist"),),
        decomposition=fake_quantize.fake_quant_per_channel,
    ),
    entry(
        "aten._fused_moving_avg_obs_fq_helper_functional.default",
        category=Category.REDUCTION,
        accepts={
            "self": ("float32",),
            "observer_on": ("int64", "uint8"),
            "fake_quant_on": ("int64", "uint8"),
            "running_min": ("float32",),
            "running_max": ("float32",),
            "scale": ("float32",),
            "zero_point": ("int32",),
        },
        results=("same:self", "bool", "float32", "float32", "float32", "int32"),
        shape=("self", "self", "running_min", "running_max", "scale", "zero_point"),
        layout=("eager",) * 6,
        numerics=FAKE,
        operands={
            "self": Operand("*S"),
            **SWITCHES,
            "averaging_const": Operand(choices=(0.01, 0.5)),
            "quant_min": Operand(choices=(-128, 0)),
            "quant_max": Operand(choices=(127, 255)),
            "ch_axis": Operand(choices=(0,)),
            "per_row_fake_quant": FLAG,
            "symmetric_quant": FLAG,
            "running_min": Operand(OBSERVED, "any"),
            "running_max": Operand(OBSERVED, "positive"),
            "scale": Operand(OBSERVED, "positive"),
            "zero_point": Operand(OBSERVED, "small"),
        },
        constraints=(
            ("rank(self) > 0 and numel(self) > 0", "something is there to be observed"),
            ("in_range(ch_axis, rank(self))", "the channel axis exists"),
            ("not per_row_fake_quant or rank(self) > 1", "a channel has a dimension of its own"),
            (
                "running_min == ([size(self, ch_axis)] if per_row_fake_quant else [1]) and "
                "running_max == running_min and scale == running_min and zero_point == running_min",
                "one minimum, maximum, scale and zero point, or one for each channel",
            ),
            ("quant_min < quant_max", "the range is not empty"),
        ),
        errors=(("ch_axis >= rank(self)", "the channel axis does not exist"),),
        decomposition=fake_quantize.moving_average,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (
    *QUANTIZERS,
    *DEQUANTIZERS,
    *CHOOSERS,
    *FAKES,
    entry(
        "quantized_decomposed.convert_element_type.no_fuse",
        category=Category.CONVERSION,
        accepts={"input": ANY},
        results="arg:dtype",
        shape="input",
        layout="eager",
        operands={
            "input": Operand("*S"),
            "dtype": Operand(choices=(torch.float32, torch.int8, torch.bfloat16)),
        },
        decomposition=decompose.convert_element_type,
    ),
)
