"""Activation functions and their derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torchport.contract.decompositions import activation as decompose
from torchport.contract.ops.builders import (
    ANY,
    COMPLEX,
    EXACT,
    FLAG,
    FLOATS,
    REALS,
    UNSIGNED,
    Decomposition,
    derived,
    elementwise_unary,
    entry,
    ulp,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

APPROXIMATE = {"approximate": Operand(choices=("'none'", "'tanh'"))}
LAMBDA = {"lambd": Operand(choices=(0.5, 1.25, 0.4))}
SLOPE = Operand(choices=(0.01, 0.5))
INEXACT = (*FLOATS, *COMPLEX)
HALF_DIM = Operand(choices=("rank(self) - 1",))


def _gradient(
    name: str,
    decomposition: Decomposition,
    *,
    point: str = "self",
    grad: str = "grad_output",
    values: str = "small",
    numerics: Numerics,
    dtypes: Sequence[str] = FLOATS,
    extra: Mapping[str, Operand] | None = None,
) -> OpSpec:
    """``grad · f'(point)``: both tensors have one shape and one dtype."""
    schema_order = (grad, point) if name != "aten.elu_backward.default" else (point, grad)
    return entry(
        name,
        category=Category.ELEMENTWISE,
        accepts={grad: dtypes, point: (f"same:{grad}",)},
        results=f"same:{grad}",
        shape=grad,
        layout="elementwise",
        numerics=numerics,
        operands={
            schema_order[0]: Operand("*S"),
            schema_order[1]: Operand("*S"),
            point: Operand("*S", values),
            **(extra or {}),
        },
        constraints=((f"{grad} == {point}", "the gradient has the shape of the point it is taken at"),),
        decomposition=decomposition,
    )


def _pair(*values: Sequence[float]) -> dict[str, Operand]:
    return dict(zip(("min_val", "max_val"), (Operand(choices=tuple(v)) for v in values), strict=True))


FORWARD = (
    elementwise_unary("aten.relu.default", dtypes=REALS, numerics=EXACT, decomposition=decompose.relu),
    elementwise_unary(
        "aten.sigmoid.default",
        dtypes=(*ANY, *UNSIGNED),
        result="promote_float:self",
        values="small",
        numerics=derived(),
        decomposition=decompose.sigmoid,
    ),
    elementwise_unary(
        "aten.gelu.default",
        values="small",
        numerics=derived(),
        extra=APPROXIMATE,
        decomposition=decompose.gelu,
    ),
    elementwise_unary(
        "aten.silu.default",
        dtypes=INEXACT,
        values="small",
        numerics=derived(),
        decomposition=decompose.silu,
    ),
    elementwise_unary("aten.mish.default", values="small", numerics=derived(), decomposition=decompose.mish),
    elementwise_unary(
        "aten.threshold.default",
        dtypes=REALS,
        extra={"threshold": Operand(choices=(0, 1)), "value": Operand(choices=(0, -2))},
        decomposition=decompose.threshold,
    ),
    elementwise_unary(
        "aten.leaky_relu.default",
        numerics=ulp(1),
        extra={"negative_slope": SLOPE},
        decomposition=decompose.leaky_relu,
    ),
    elementwise_unary(
        "aten.elu.default",
        values="small",
        numerics=derived(),
        extra={
            "alpha": Operand(choices=(1, 1.5)),
            "scale": Operand(choices=(1, 0.75)),
            "input_scale": Operand(choices=(1, 2)),
        },
        decomposition=decompose.elu,
    ),
    elementwise_unary(
        "aten.celu.default",
        values="small",
        numerics=derived(),
        extra={"alpha": Operand(choices=(1.0, 1.5))},
        decomposition=decompose.celu,
    ),
    elementwise_unary(
        "aten.hardtanh.default",
        dtypes=(*FLOATS, "int8", "int16", "int32", "int64"),
        numerics=EXACT,
        extra=_pair((-1, -0.5), (1, 1.5)),
        decomposition=decompose.hardtanh,
    ),
    elementwise_unary("aten.hardswish.default", numerics=derived(), decomposition=decompose.hardswish),
    elementwise_unary("aten.hardsigmoid.default", numerics=derived(), decomposition=decompose.hardsigmoid),
    elementwise_unary(
        "aten.softplus.default",
        values="small",
        numerics=derived(),
        extra={"beta": Operand(choices=(1, 2)), "threshold": Operand(choices=(20, 3))},
        decomposition=decompose.softplus,
    ),
    elementwise_unary(
        "aten.softshrink.default",
        numerics=derived(),
        extra=LAMBDA,
        decomposition=decompose.softshrink,
    ),
    elementwise_unary(
        "aten.hardshrink.default", numerics=EXACT, extra=LAMBDA, decomposition=decompose.hardshrink
    ),
    entry(
        "aten.log_sigmoid_forward.default",
        category=Category.ELEMENTWISE,
        accepts={"self": FLOATS},
        results=("same:self", "same:self"),
        shape=("self", "self"),
        layout=("elementwise", "elementwise"),
        numerics=derived(),
        operands={"self": Operand("*S", "small")},
        decomposition=decompose.log_sigmoid_forward,
    ),
    entry(
        "aten._prelu_kernel.default",
        category=Category.ELEMENTWISE,
        accepts={"self": FLOATS, "weight": ("same:self",)},
        results="same:self",
        shape="self",
        layout="elementwise",
        numerics=ulp(1),
        operands={"self": Operand("*S"), "weight": Operand("~S")},
        constraints=(("expandable(weight, self)", "weight broadcasts to self"),),
        decomposition=decompose.prelu_kernel,
    ),
    entry(
        "aten.glu.default",
        category=Category.ELEMENTWISE,
        accepts={"self": FLOATS},
        results="same:self",
        shape="replace(self, dim, size(self, dim) // 2)",
        layout="contiguous",
        numerics=derived(),
        operands={"self": Operand("[*B, 2*n]", "small"), "dim": HALF_DIM},
        constraints=(
            ("rank(self) > 0 and in_range(dim, rank(self))", "the halved dimension exists"),
            ("size(self, dim) % 2 == 0", "the halved dimension is even"),
        ),
        errors=(
            ("rank(self) == 0", "a zero-dimensional tensor has no halves"),
            ("rank(self) > 0 and size(self, dim) % 2 == 1", "an odd dimension has no halves"),
        ),
        decomposition=decompose.glu,
    ),
)

PRODUCT = derived()

BACKWARD = (
    _gradient(
        "aten.gelu_backward.default",
        decompose.gelu_backward,
        numerics=derived(),
        extra=APPROXIMATE,
    ),
    _gradient("aten.silu_backward.default", decompose.silu_backward, dtypes=INEXACT, numerics=derived()),
    _gradient("aten.mish_backward.default", decompose.mish_backward, numerics=derived()),
    _gradient(
        "aten.sigmoid_backward.default",
        decompose.sigmoid_backward,
        dtypes=INEXACT,
        point="output",
        values="probability",
        numerics=PRODUCT,
    ),
    _gradient(
        "aten.tanh_backward.default",
        decompose.tanh_backward,
        dtypes=INEXACT,
        point="output",
        values="unit",
        numerics=PRODUCT,
    ),
    _gradient(
        "aten.threshold_backward.default",
        decompose.threshold_backward,
        dtypes=REALS,
        numerics=EXACT,
        extra={"threshold": Operand(choices=(0, 1))},
    ),
    _gradient(
        "aten.leaky_relu_backward.default",
        decompose.leaky_relu_backward,
        numerics=ulp(1),
        extra={"negative_slope": SLOPE, "self_is_result": FLAG},
    ),
    _gradient(
        "aten.elu_backward.default",
        decompose.elu_backward,
        point="self_or_result",
        values="unit",
        numerics=PRODUCT,
        extra={
            "alpha": Operand(choices=(1, 1.5)),
            "scale": Operand(choices=(1, 0.75)),
            "input_scale": Operand(choices=(1, 2)),
            "is_result": FLAG,
        },
    ),
    _gradient(
        "aten.hardtanh_backward.default",
        decompose.hardtanh_backward,
        numerics=EXACT,
        extra=_pair((-1, -0.5), (1, 1.5)),
    ),
    _gradient(
        "aten.logit_backward.default",
        decompose.logit_backward,
        values="probability",
        numerics=derived(),
        extra={"eps": Operand(choices=(None, 0.125))},
    ),
    _gradient("aten.hardswish_backward.default", decompose.hardswish_backward, numerics=PRODUCT),
    _gradient(
        "aten.hardsigmoid_backward.default",
        decompose.hardsigmoid_backward,
        numerics=ulp(1, special=("by-decomposition",)),
    ),
    _gradient(
        "aten.softplus_backward.default",
        decompose.softplus_backward,
        numerics=derived(),
        extra={"beta": Operand(choices=(1, 2)), "threshold": Operand(choices=(20, 3))},
    ),
    _gradient(
        "aten.softshrink_backward.default", decompose.softshrink_backward, numerics=EXACT, extra=LAMBDA
    ),
    _gradient(
        "aten.hardshrink_backward.default",
        decompose.hardshrink_backward,
        grad="grad_out",
        numerics=EXACT,
        extra=LAMBDA,
    ),
    entry(
        "aten.log_sigmoid_backward.default",
        category=Category.ELEMENTWISE,
        accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "buffer": ("same:grad_output",)},
        results="same:grad_output",
        shape="self",
        layout="elementwise",
        numerics=derived(),
        operands={
            "grad_output": Operand("*S"),
            "self": Operand("*S", "small"),
            "buffer": Operand("*S", "result(aten.log_sigmoid_forward.default, 1)"),
        },
        constraints=(("grad_output == self", "the gradient has the shape of the input"),),
        decomposition=decompose.log_sigmoid_backward,
    ),
    entry(
        "aten._prelu_kernel_backward.default",
        category=Category.ELEMENTWISE,
        accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "weight": ("same:grad_output",)},
        results=("same:self", "same:self"),
        shape=("self", "self"),
        layout=("elementwise", "elementwise"),
        numerics=ulp(1),
        operands={"grad_output": Operand("*S"), "self": Operand("*S"), "weight": Operand("~S")},
        constraints=(
            ("grad_output == self", "the gradient has the shape of the input"),
            ("expandable(weight, self)", "weight broadcasts to self"),
        ),
        decomposition=decompose.prelu_kernel_backward,
    ),
    entry(
        "aten.glu_backward.default",
        category=Category.ELEMENTWISE,
        accepts={"grad_output": FLOATS, "self": ("same:grad_output",)},
        results="same:self",
        shape="self",
        layout="contiguous",
        numerics=derived(),
        operands={
            "grad_output": Operand("[*B, n]"),
            "self": Operand("[*B, 2*n]", "small"),
            "dim": HALF_DIM,
        },
        constraints=(
            ("rank(self) > 0 and in_range(dim, rank(self))", "the halved dimension exists"),
            (
                "grad_output == replace(self, dim, size(self, dim) // 2)",
                "the gradient has the shape of the forward result",
            ),
        ),
        decomposition=decompose.glu_backward,
    ),
)

EVEN = "size(x, dim) % 2 == 0"
HALVED = "replace(x, dim, size(x, dim) // 2)"
X_DIM = Operand(choices=("rank(x) - 1",))

TANGENTS = (
    entry(
        "aten.glu_jvp.default",
        category=Category.ELEMENTWISE,
        accepts={"glu": FLOATS, "x": ("same:glu",), "dx": ("same:glu",)},
        results="same:glu",
        shape="glu",
        layout="contiguous",
        numerics=derived(),
        operands={
            "glu": Operand("[*B, n]", "unit"),
            "x": Operand("[*B, 2*n]", "small"),
            "dx": Operand("[*B, 2*n]"),
            "dim": X_DIM,
        },
        constraints=(
            ("rank(x) > 0 and in_range(dim, rank(x))", "the halved dimension exists"),
            (EVEN, "the halved dimension is even"),
            (f"x == dx and glu == {HALVED}", "the tangent and the forward result have their shapes"),
        ),
        errors=((f"not ({EVEN})", "an odd dimension has no halves"),),
        decomposition=decompose.glu_jvp,
    ),
    entry(
        "aten.glu_backward_jvp.default",
        category=Category.ELEMENTWISE,
        accepts={
            "grad_x": FLOATS,
            **dict.fromkeys(("grad_glu", "x", "dgrad_glu", "dx"), ("same:grad_x",)),
        },
        results="same:grad_x",
        shape="x",
        layout="contiguous",
        numerics=derived(),
        operands={
            "grad_x": Operand("[*B, 2*n]"),
            "grad_glu": Operand("[*B, n]"),
            "x": Operand("[*B, 2*n]", "small"),
            "dgrad_glu": Operand("[*B, n]"),
            "dx": Operand("[*B, 2*n]"),
            "dim": X_DIM,
        },
        constraints=(
            ("rank(x) > 0 and in_range(dim, rank(x))", "the halved dimension exists"),
            (EVEN, "the halved dimension is even"),
            (f"x == dx and x == grad_x and grad_glu == {HALVED}", "gradients and tangents have their shapes"),
            ("grad_glu == dgrad_glu", "the gradient and its tangent have one shape"),
        ),
        errors=((f"not ({EVEN})", "an odd dimension has no halves"),),
        decomposition=decompose.glu_backward_jvp,
    ),
)

SLOPES = {"lower": Operand(choices=(0.125, 0.25)), "upper": Operand(choices=(0.5, 0.75)), "training": FLAG}
RANDOM_SLOPES = (
    entry(
        "aten.rrelu_with_noise_functional.default",
        category=Category.RANDOM,
        accepts={"self": FLOATS, "noise": ("same:self",)},
        results=("same:self", "same:self"),
        shape=("self", "noise"),
        layout=("elementwise", "elementwise"),
        numerics=Numerics("law", special=("unspecified-values",)),
        operands={"self": Operand("*S"), "noise": Operand("*S"), **SLOPES},
        constraints=(
            ("self == noise", "the slopes have the shape of the operand"),
            ("lower <= upper", "the range of slopes is not empty"),
        ),
        errors=(("lower > upper", "the range of slopes is empty"),),
        deterministic=False,
        decomposition=decompose.rrelu_with_noise_functional,
    ),
    entry(
        "aten.rrelu_with_noise_backward.default",
        category=Category.ELEMENTWISE,
        accepts={"grad_output": FLOATS, "self": ("same:grad_output",), "noise": ("same:grad_output",)},
        results="same:grad_output",
        shape="grad_output",
        layout="elementwise",
        numerics=ulp(1),
        operands={
            "grad_output": Operand("*S"),
            "self": Operand("*S"),
            "noise": Operand("*S", "probability"),
            **SLOPES,
            "self_is_result": FLAG,
        },
        constraints=(("grad_output == self and self == noise", "gradient, point and slopes have one shape"),),
        decomposition=decompose.rrelu_with_noise_backward,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*FORWARD, *BACKWARD, *TANGENTS, *RANDOM_SLOPES)
