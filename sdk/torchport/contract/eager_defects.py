"""Where eager PyTorch's CPU kernels break the contract: declared, so that a suite can count such cases apart.

A declaration excuses nothing by itself. A suite counts a case as an eager defect only after it has run eager
PyTorch on the very same operands, seen it fail there, and found the backend's result to be wrong in no other
elements, and to be the same in those, where that can be asked.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import torch

from torchport.contract.adapters import minor_of


@dataclass(frozen=True, slots=True)
class Operands:
    """What a declaration may depend on, of one call.

    ``dtypes`` are those of the tensor operands, ``named`` those that arguments name; ``strided`` the operands
    that are not row-major, ``units`` those that have another stride than row-major ones along a dimension of
    size 1, ``inner`` those whose innermost stride is not 1; ``special`` the kinds of unusual value that an
    operand holds: ``nan``, ``inf``, ``-inf``, ``extreme``, ``wide``; ``empty`` is true when some operand
    has no elements; ``elements`` is how many the largest has.
    """

    dtypes: Set[str] = frozenset()
    strided: Set[str] = frozenset()
    units: Set[str] = frozenset()
    inner: Set[str] = frozenset()
    special: Set[str] = frozenset()
    empty: bool = False
    elements: int = 0
    named: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class EagerDefect:
    """One defect of some operators. Every condition that is given has to hold.

    ``text`` says what eager does, ``link`` where PyTorch's source or an issue of it shows that. ``dtypes``:
    one operand has, or an argument names, one of them; ``beside``: another one has one of these.
    ``strided``: one of these operands is not row-major. ``special``: an operand holds one of these kinds of
    value. ``empty``: an operand has no elements. ``elements``: an operand has as many. Where the result is
    ``unstable`` what is wrong differs from run to run, and cannot be compared; where it is ``unsteady`` a
    right result has other bits from run to run, such as where memory is read that lies behind the operand
    ``behind``, or behind what is made of it. ``first`` is the first minor version of PyTorch that has
    the defect, where older ones do not; ``vectors`` the vector instructions with which it shows, as
    ``torch.backends.cpu.get_cpu_capability()`` names them, where others go another way.
    """

    ops: tuple[str, ...]
    text: str
    link: str
    dtypes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    strided: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    empty: bool = False
    elements: int = 0
    unstable: bool = False
    unsteady: bool = False
    behind: str = ""
    first: str = ""
    vectors: str = ""

    def expected(self, version: str, vectors: str) -> bool:
        """Whether PyTorch ``version`` has the defect on a processor with these vector instructions."""
        return (not self.first or minor_of(self.first) <= minor_of(version)) and (
            self.vectors in ("", vectors)
        )

    def applies(self, operands: Operands) -> bool:
        """Whether the conditions hold; operands in lists are named like the list."""
        return (
            some_of(self.dtypes, operands.dtypes | operands.named)
            and (not self.beside or _are_beside(self.dtypes, self.beside, operands.dtypes))
            and some_of(self.strided, whole(operands.strided))
            and some_of(self.special, operands.special)
            and (not self.empty or operands.empty)
            and operands.elements >= self.elements
        )


def some_of(wanted: tuple[str, ...], there: Set[str]) -> bool:
    """Whether one of the wanted is there; true where none is wanted."""
    return not wanted or not there.isdisjoint(wanted)


def _are_beside(some: tuple[str, ...], others: tuple[str, ...], there: Set[str]) -> bool:
    """Whether two dtypes of operands differ, the one among ``some`` and the other among ``others``."""
    return any(a in some and b in others for a in there for b in there if a != b)


def whole(operands: Set[str]) -> set[str]:
    """Names of operands; those in lists are named like the list."""
    return {name.partition("[")[0] for name in operands}


HALVES = ("float16", "bfloat16")
FLASH = "aten._scaled_dot_product_flash_attention_for_cpu"

INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
MODIFIED = tuple(f"aten.special_modified_bessel_i{order}.default" for order in (0, 1))
INCOMPLETE_GAMMA = ("aten.igamma.default", "aten.igammac.default")
POLYNOMIALS = tuple(
    f"aten.special_{family}.{form}"
    for family in (
        *(f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"),
        "hermite_polynomial_h",
        "hermite_polynomial_he",
        "laguerre_polynomial_l",
        "legendre_polynomial_p",
    )
    for form in ("default", "n_scalar", "x_scalar")
)

_SOURCE = "https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native"
_FUSED_ADAM = tuple(
    f"aten._fused_{name}.{form}" for name in ("adam", "adamw") for form in ("default", "tensor_lr")
)
_RECURRENT_CLOSED = tuple(op for op in POLYNOMIALS if op.split(".")[1][-1] in "uvw" or "laguerre" in op)

DEFECTS: tuple[EagerDefect, ...] = (
    EagerDefect(
        ("aten.fmod.Tensor", "aten.fmod.Scalar", "aten.remainder.Tensor", "aten.remainder.Scalar"),
        "the vectorised fmod is NaN where the quotient is very large",
        "https://github.com/pytorch/pytorch/pull/129536",
        special=("extreme",),
    ),
    EagerDefect(
        ("aten.fmod.Tensor", "aten.remainder.Tensor", "aten.mul.Tensor", "aten.xlogy.Tensor"),
        "a 0-dimensional operand beside others of fewer digits is rounded to their dtype first",
        f"{_SOURCE}/cpu/BinaryOpsKernel.cpp",
        dtypes=(*HALVES, "float32"),
        beside=(*HALVES, "float32", "float64"),
    ),
    EagerDefect(
        ("aten.div.Tensor_mode", "aten.div.Scalar_mode", "aten.floor_divide.default"),
        "a quotient past the digits of its dtype is rounded before it is floored or truncated",
        f"{_SOURCE}/cpu/BinaryOpsKernel.cpp",
        dtypes=("float32",),
        special=("wide", "extreme", "mixed", "tiny", "huge"),
    ),
    EagerDefect(
        ("aten._fused_sgd.default", "aten._fused_sgd.tensor_lr"),
        "without momentum, the vectorised 16-bit step does not descend along the gradient",
        f"{_SOURCE}/cpu/FusedSGDKernel.cpp",
        dtypes=HALVES,
        unstable=True,
    ),
    EagerDefect(
        _FUSED_ADAM,
        "1 - β^t is a difference that loses digits",
        f"{_SOURCE}/cpu/FusedAdamKernel.cpp",
        dtypes=("float64",),
    ),
    EagerDefect(
        ("aten.gelu.default", "aten._addmm_activation.default", "torchport.geglu.default"),
        "NaN instead of inf at inf, for large enough operands",
        f"{_SOURCE}/cpu/Gelu.h#L66",
        special=("inf", "-inf"),
    ),
    EagerDefect(
        (
            "aten.elu_backward.default",
            "aten.hardswish_backward.default",
            "aten.hardshrink_backward.default",
            "aten.hardtanh_backward.default",
            "aten.softshrink_backward.default",
            "aten._add_relu.Scalar",
            "aten._add_relu.Tensor",
        ),
        "NaN is dropped by a vectorised comparison, and not by the loop for strided operands",
        f"{_SOURCE}/cpu/Activation.cpp",
        special=("nan",),
    ),
    EagerDefect(
        ("aten.softshrink.default",),
        "lambd is rounded to 16 bits",
        f"{_SOURCE}/cpu/Activation.cpp",
        dtypes=HALVES,
        first="2.14",
    ),
    EagerDefect(
        (
            "aten._euclidean_dist.default",
            "aten.soft_margin_loss.default",
            "aten.soft_margin_loss_backward.default",
            "aten.linalg_matrix_exp.default",
        ),
        "exponentials and powers overflow in 16 bits",
        f"{_SOURCE}/Loss.cpp",
        dtypes=HALVES,
    ),
    EagerDefect(
        tuple(
            f"aten.{kernel}.default"
            for kernel in ("upsample_bicubic2d", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa")
        ),
        "bytes are rounded and clamped after each of two passes, so that negative weights lose their effect",
        f"{_SOURCE}/cpu/UpSampleKernelAVXAntialias.h",
        dtypes=("uint8",),
    ),
    EagerDefect(
        ("aten.native_layer_norm_backward.default",),
        "strides of mean and rstd are ignored",
        f"{_SOURCE}/cpu/layer_norm_kernel.cpp",
        strided=("mean", "rstd"),
    ),
    EagerDefect(
        ("aten.native_group_norm.default", "torchport.group_norm.default"),
        "only row-major operands are read right; others raise, are misread, or lose digits in E[x²] - mean²",
        f"{_SOURCE}/cpu/group_norm_kernel.cpp",
        strided=("input", "weight", "bias"),
        unsteady=True,
    ),
    EagerDefect(
        ("aten._lazy_clone.default",),
        "raises for memory that PyTorch did not allocate as a storage of its own",
        "https://github.com/pytorch/pytorch/blob/v2.13.0/c10/core/impl/COW.cpp",
    ),
    EagerDefect(
        (
            "aten._adaptive_avg_pool3d.default",
            "aten._embedding_bag.default",
            "aten._embedding_bag_forward_only.default",
            "aten._masked_softmax.default",
            "aten._slow_conv2d_backward.output_mask",
            "aten.addmv.default",
            "aten.binary_cross_entropy_backward.default",
            "aten.conv_tbc.default",
            # Where the processor has no 16-bit instructions that oneDNN knows, the loops of PyTorch are used.
            *(f"aten.{name}.default" for name in ("convolution", "convolution_backward", "_convolution")),
            "aten.slow_conv_transpose2d.default",
            "aten.div.Scalar_mode",
            "aten.div.Tensor_mode",
            "aten.erf.default",
            "aten._foreach_erf.default",
            "aten.floor_divide.default",
            "aten.glu_backward_jvp.default",
            "aten.grid_sampler_2d.default",
            "aten.grid_sampler_2d_backward.default",
            "aten.grid_sampler_3d.default",
            "aten.grid_sampler_3d_backward.default",
            "aten.histc.default",
            "aten.hardshrink.default",
            "aten.hardshrink_backward.default",
            "aten.ldexp.Tensor",
            "aten.nansum.default",
            "aten.nll_loss_forward.default",
            "aten.nll_loss2d_forward.default",
            "aten.softshrink_backward.default",
            "aten.special_i0e.default",
            "quantized_decomposed.dequantize_per_tensor.tensor",
            "quantized_decomposed.dequantize_per_tensor.tensor2",
            "torchport.cross_entropy.default",
        ),
        "an intermediate is rounded to 16 bits: a sum, a quotient, a coordinate, a power, a threshold",
        "https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/native/GridSampler.cpp",
        dtypes=HALVES,
    ),
    EagerDefect(
        ("aten._weight_int8pack_mm.default", "aten._scaled_mm.default"),
        "NaN where a scale is infinite",
        f"{_SOURCE}/cpu/int8mm_kernel.cpp",
        special=("inf", "-inf"),
    ),
    EagerDefect(
        ("aten.histogram.bin_ct", "aten._histogramdd_from_bin_cts.default"),
        "an element on the edge of two bins is counted in the other one",
        f"{_SOURCE}/cpu/HistogramKernel.cpp",
        dtypes=("float32",),
    ),
    EagerDefect(
        (
            "aten.gelu_backward.default",
            "aten.nll_loss2d_backward.default",
            "aten.pixel_shuffle.default",
            "aten.pixel_unshuffle.default",
        ),
        "raises unless the operands are row-major, or four-dimensional ones channels last",
        f"{_SOURCE}/NLLLoss2d.cpp",
        strided=("self", "grad_output"),
    ),
    EagerDefect(
        (
            "aten.convolution.default",
            "aten.convolution_backward.default",
            "aten._convolution.default",
            "torchport.matmul.default",
        ),
        "NaN spreads to elements that do not depend on it",
        f"{_SOURCE}/mkldnn/Conv.cpp",
        dtypes=HALVES,
        special=("nan", "inf", "-inf"),
        vectors="AVX512",
    ),
    EagerDefect(
        (f"{FLASH}.default", f"{FLASH}_backward.default"),
        "NaN is dropped by the largest score, for some numbers of keys",
        f"{_SOURCE}/cpu/FlashAttentionKernel.cpp",
        special=("nan", "inf", "-inf"),
    ),
    EagerDefect(
        (
            "aten.special_bessel_j0.default",
            "aten.special_bessel_j1.default",
            "aten.special_bessel_y0.default",
            "aten.special_bessel_y1.default",
            "aten.special_airy_ai.default",
        ),
        "errors of up to 1e-5 where amplitude and phase are used, beyond 5 and below -2",
        f"{_SOURCE}/Math.h#L2388",
        dtypes=("float64",),
    ),
    EagerDefect(
        ("aten.i0.default", "aten.special_i1.default", *MODIFIED),
        "exp(x) overflows in float32 where the result does not",
        f"{_SOURCE}/Math.h#L1476",
        dtypes=("float32", "bfloat16", *INTEGERS),
    ),
    EagerDefect(
        (
            "aten._dirichlet_grad.default",
            "aten._foreach_cosh.default",
            "aten._foreach_sinh.default",
            "aten._fused_adagrad.tensor_lr",
            *_FUSED_ADAM,
            "aten.cosh.default",
            "aten.elu_backward.default",
            "aten.glu.default",
            "aten.glu_backward.default",
            "aten.glu_backward_jvp.default",
            "aten.silu.default",
            "aten.sinc.default",
            "aten.sinh.default",
            "aten.soft_margin_loss.default",
            "aten.softplus_backward.default",
            "aten.special_airy_ai.default",
            "aten.special_bessel_j1.default",
            "torchport.geglu.default",
            "torchport.silu_and_mul.default",
            "torchport.swiglu.default",
            *INCOMPLETE_GAMMA,
        ),
        "intermediates overflow or underflow where the result does not",
        f"{_SOURCE}/Math.h#L1145",
        special=("extreme", "inf", "-inf", "wide"),
    ),
    EagerDefect(
        (
            "torchport.scatter_prod.default",
            "aten.index_reduce.default",
            "aten.prod.default",
            "aten.prod.dim_int",
            "aten.scatter.reduce",
            "aten.scatter_reduce.two",
        ),
        "partial products overflow or underflow where the product does not",
        f"{_SOURCE}/cpu/ReduceOpsKernel.cpp",
        dtypes=(*HALVES, "float32", "float64", "complex64", "complex128"),
        elements=128,
    ),
    EagerDefect(
        (
            "aten.multi_margin_loss_backward.default",
            "aten._index_put_impl.default",
            "aten._unsafe_index_put.default",
            "aten.embedding_renorm.default",
            "aten.index_put.default",
            "aten.linalg__powsum.default",
            "aten.linalg_vector_norm.default",
            "aten.norm.ScalarOpt_dim",
            "aten.scatter_reduce.two",
            "torchport.embedding_bag.default",
        ),
        "many terms are added one after the other, in the dtype of the result",
        f"{_SOURCE}/cpu/ScatterGatherKernel.cpp",
        dtypes=("float32", "complex64"),
        elements=65_536,
    ),
    EagerDefect(
        (
            "aten._foreach_atan.default",
            "aten.atan.default",
            "aten.div.Tensor",
            *(f"aten.pow.{form}" for form in ("Scalar", "Tensor_Scalar", "Tensor_Tensor")),
            "aten.true_divide.Tensor",
            *(f"aten._foreach_div.{form}" for form in ("List", "Scalar", "ScalarList", "Tensor")),
            *(f"aten._foreach_pow.{form}" for form in ("List", "Scalar", "ScalarAndTensor", "ScalarList")),
        ),
        "the parts of a complex quotient or power, or of what is made of one, are rounded more than once",
        "https://github.com/pytorch/pytorch/blob/v2.13.0/aten/src/ATen/cpu/vec/vec256/vec256_complex_float.h",
        dtypes=("complex64",),
    ),
    EagerDefect(
        POLYNOMIALS,
        "the recurrence takes NaN for its end and subtracts infinities",
        f"{_SOURCE}/Math.h#L3154",
        special=("nan", "inf", "-inf", "extreme", "wide"),
        unstable=True,
    ),
    EagerDefect(
        ("aten.normal_functional.default", "aten.normal.float_float"),
        "the mean is that of the imaginary part as well",
        f"{_SOURCE}/DistributionTemplates.h",
        dtypes=("complex64", "complex128"),
        unstable=True,
    ),
    EagerDefect(
        (
            "aten.gelu.default",
            "aten.gelu_backward.default",
            "aten._ctc_loss.default",
            "aten._dirichlet_grad.default",
            "aten.special_erfcx.default",
            "aten.special_scaled_modified_bessel_k0.default",
            "torchport.geglu.default",
        ),
        "digits are lost: in 1 + erf(x), in sums of logarithms, in series, in exp(x²)",
        f"{_SOURCE}/Math.h#L2183",
        dtypes=("float32",),
    ),
    EagerDefect(
        _RECURRENT_CLOSED,
        "digits are lost: in sin((n + 1) θ) / sin(θ) near θ = π, and where terms of the recurrence cancel",
        f"{_SOURCE}/Math.h#L2896",
        dtypes=("float32", "float64", *INTEGERS),
    ),
    EagerDefect(
        (
            "aten.native_layer_norm.default",
            "aten.native_batch_norm.default",
            "aten._native_batch_norm_legit.no_stats",
            "aten._native_batch_norm_legit_functional.default",
            "aten._native_batch_norm_legit_no_training.default",
            "aten._batch_norm_no_update.default",
            "aten._batch_norm_with_update_functional.default",
            "aten.native_batch_norm_backward.default",
            f"{FLASH}.default",
            f"{FLASH}_backward.default",
            "aten.native_group_norm.default",
            "torchport.batch_norm_inference.default",
            "torchport.batch_norm_training.default",
            "torchport.group_norm.default",
        ),
        "raises for parameters that are neither float32 nor of the input's dtype",
        f"{_SOURCE}/cpu/mixed_data_type.h",
        dtypes=(*HALVES, "float64"),
        beside=("float32", "float64", *HALVES),
    ),
    EagerDefect(
        (
            "aten._foreach_mm.default",
            "aten.median.dim",
            "aten.mm.default",
            "aten.nanmedian.dim",
            "torchport.gru.default",
            "torchport.matmul.default",
        ),
        "memory behind an expanded dimension is read, and between rows by 16-bit products",
        f"{_SOURCE}/Sorting.cpp",
        strided=("self", "input", "h", "weight_ih", "weight_hh"),
        unstable=True,
    ),
    EagerDefect(
        (
            "aten._adaptive_avg_pool2d_backward.default",
            "aten._adaptive_avg_pool3d.default",
            "aten._adaptive_avg_pool3d_backward.default",
            "aten._chunk_cat.default",
            "aten.bincount.default",
        ),
        "empty tensors are refused, or give a result of another dtype",
        f"{_SOURCE}/AdaptiveAveragePooling3d.cpp",
        empty=True,
    ),
    EagerDefect(
        (
            "aten._fused_moving_avg_obs_fq_helper_functional.default",
            *(
                f"aten._fake_quantize_learnable_per_{unit}_affine_backward.default"
                for unit in ("tensor", "channel")
            ),
        ),
        "raises for a zero point that is no number",
        f"{_SOURCE}/quantized/FakeQuantPerTensorAffine.cpp",
        special=("nan", "inf", "-inf"),
    ),
    EagerDefect(
        ("aten._scaled_mm_v2.default",),
        "raises unless the inner stride of scales is 1, of dimensions of size one as well",
        f"{_SOURCE}/ScaledBlas.cpp",
        strided=("scale_a", "scale_b"),
    ),
    EagerDefect(
        (
            "aten.hardsigmoid_backward.default",
            "aten.fake_quantize_per_tensor_affine_cachemask.default",
            "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default",
            "aten._fake_quantize_learnable_per_tensor_affine.default",
            *(
                f"quantized_decomposed.dequantize_per_{unit}.default"
                for unit in ("channel", "channel_group", "token")
            ),
        ),
        "1/6, or a whole float64 result, is that of float32",
        "https://github.com/pytorch/pytorch/blob/v2.13.0/torch/ao/quantization/fx/_decomposed.py",
        dtypes=("float64",),
    ),
    EagerDefect(
        (
            "aten.linspace.Tensor_Tensor",
            "aten.logspace.Scalar_Tensor",
            "aten.logspace.Tensor_Scalar",
        ),
        "raises for complex ends beside a real dtype",
        f"{_SOURCE}/TensorFactories.cpp",
        dtypes=("complex64", "complex128"),
    ),
    EagerDefect(
        ("aten.max_pool3d_with_indices.default",),
        "raises where an image has more elements than its dtype can count",
        f"{_SOURCE}/cpu/MaxPoolKernel.cpp",
        dtypes=("int8", "uint8", "int16"),
        elements=128,
    ),
    EagerDefect(
        ("aten.arange.start_step",),
        "a step is rounded to an integer before it is compared with 0",
        f"{_SOURCE}/RangeFactories.cpp",
    ),
    EagerDefect(
        ("aten.linalg_lstsq.default",),
        "memory that is not set is read: pivots that gelsy is given",
        f"{_SOURCE}/BatchLinearAlgebraKernel.cpp",
        unstable=True,
        unsteady=True,
    ),
    EagerDefect(
        tuple(f"aten._upsample_{kernel}2d_aa.default" for kernel in ("bilinear", "bicubic", "lanczos")),
        "what lies behind an image is multiplied by 0 and added, where scales lead outside of it",
        f"{_SOURCE}/cpu/UpSampleKernel.cpp",
        dtypes=("float32", "float64"),
        behind="self",
        unstable=True,
        unsteady=True,
    ),
)


def defects_of(op: str, operands: Operands) -> tuple[EagerDefect, ...]:
    """Declared defects of an operator that such operands may show."""
    here = torch.__version__, torch.backends.cpu.get_cpu_capability()
    return tuple(d for d in DEFECTS if op in d.ops and d.expected(*here) and d.applies(operands))
