"""Calls that eager PyTorch's CPU kernels do not take, or misread: no reference can be had from them."""

from __future__ import annotations

from dataclasses import dataclass

from torchport.contract.eager_defects import FLASH, HALVES, Operands, some_of, whole


@dataclass(frozen=True, slots=True)
class MissingKernel:
    """Calls that eager PyTorch's CPU kernels of some operators do not take: with an operand of one of these
    ``dtypes`` (and another of one of those ``beside``), or where one of the operands ``strided`` is not
    row-major, which the kernels refuse or misread, up to writing outside of their results, or one of
    ``inner`` has not 1 for its innermost stride, or one of ``units`` an unusual stride along a dimension of
    size 1, or where one is ``empty``, for which they divide by 0, read what is not there or set no result;
    every call where none is named. What ``corrupts`` memory that is not its own may seem to work. The
    contract has such calls, and judges them by decompositions.
    """

    ops: tuple[str, ...]
    dtypes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    strided: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    empty: bool = False
    corrupts: bool = False

    def applies(self, operands: Operands) -> bool:
        """Whether a call is one of these; operands in lists are named like the list."""
        return (
            some_of(self.dtypes, operands.dtypes)
            and some_of(self.beside, operands.dtypes)
            and some_of(self.strided, whole(operands.strided))
            and some_of(self.units, whole(operands.units))
            and some_of(self.inner, whole(operands.inner))
            and (not self.empty or operands.empty)
        )

    def __str__(self) -> str:
        which = (
            f" for {', '.join(self.dtypes)}" if self.dtypes else " for empty operands" if self.empty else ""
        )
        which += f" beside {', '.join(self.beside)}" if self.beside else ""
        strides = self.strided or self.units or self.inner
        return f"PyTorch has no kernel{which}" + (" for such strides" if strides else "")


MISSING: tuple[MissingKernel, ...] = (
    MissingKernel(
        (
            "aten._sample_dirichlet.default",
            "aten._standard_gamma.default",
            "aten.avg_pool3d.default",
            "aten.avg_pool3d_backward.default",
            "aten.binomial.default",
            "aten.glu_jvp.default",
            "aten.multi_margin_loss.default",
            "aten.multi_margin_loss_backward.default",
            "aten.multilabel_margin_loss_backward.default",
            "aten.multilabel_margin_loss_forward.default",
            *(
                f"aten._upsample_{kernel}2d_aa{direction}.default"
                for kernel in ("bilinear", "bicubic", "lanczos")
                for direction in ("", "_backward")
            ),
        ),
        dtypes=HALVES,
    ),
    MissingKernel(("aten.rrelu_with_noise_functional.default",), dtypes=("float16",)),
    MissingKernel(
        (
            "aten.linspace.Scalar_Tensor",
            "aten.linspace.Tensor_Scalar",
            "aten.logspace.Tensor_Tensor",
        ),
        dtypes=("complex64", "complex128"),
    ),
    MissingKernel(
        ("aten.flip.default",),
        dtypes=(
            *("complex32", "uint16", "uint32", "uint64", "float8_e8m0fnu"),
            *(f"float8_{kind}" for kind in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz")),
        ),
    ),
    MissingKernel(("aten._unsafe_index.Tensor",), dtypes=("bool",)),
    MissingKernel(("aten.affine_grid_generator.default",), dtypes=HALVES),
    MissingKernel(("aten._weight_norm_interface.default",), strided=("v", "g")),
    MissingKernel(
        ("aten._weight_norm_interface_backward.default",),
        strided=("grad_w", "saved_v", "saved_g", "saved_norms"),
    ),
    MissingKernel(
        tuple(
            f"aten._fused_{name}.{form}"
            for name in ("adagrad", "adam", "adamw", "sgd")
            for form in ("default", "tensor_lr")
        ),
        strided=(
            "self",
            "grads",
            "exp_avgs",
            "exp_avg_sqs",
            "max_exp_avg_sqs",
            "momentum_buffer_list",
            "state_sums",
        ),
    ),
    MissingKernel(("aten._slow_conv2d_backward.output_mask",), strided=("grad_output", "self", "weight")),
    MissingKernel(
        ("aten.native_group_norm_backward.default",),
        strided=("grad_out", "input", "mean", "rstd", "weight"),
    ),
    MissingKernel(("aten.slow_conv_transpose3d.default",), dtypes=HALVES, corrupts=True),
    MissingKernel(("aten.upsample_nearest3d.default",), strided=("self",)),
    MissingKernel(("aten.adaptive_max_pool3d_backward.default",), strided=("indices",)),
    MissingKernel(
        ("aten.fractional_max_pool2d_backward.default", "aten.fractional_max_pool3d_backward.default"),
        strided=("indices",),
    ),
    MissingKernel(
        ("aten.linalg_matrix_exp.default", "aten._pdist_forward.default", "aten.conv_tbc.default"),
        strided=("self",),
    ),
    MissingKernel(
        (
            "aten._masked_softmax_backward.default",
            "aten._transform_bias_rescale_qkv.default",
            "aten.multi_margin_loss.default",
            "aten.multilabel_margin_loss_forward.default",
            "aten.native_dropout.default",
            "aten.pixel_unshuffle.default",
            "torchport.embedding_bag.default",
            *(
                f"aten._fake_quantize_learnable_per_{unit}_affine{direction}.default"
                for unit in ("tensor", "channel")
                for direction in ("", "_backward")
            ),
        ),
        empty=True,
    ),
    MissingKernel(("torchport.lstm.default",), dtypes=("bfloat16", "float32"), empty=True),
    MissingKernel(
        ("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default"),
        dtypes=HALVES,
        empty=True,
    ),
    MissingKernel(("aten._scaled_mm.default",), empty=True),
    MissingKernel(
        ("torchport.scaled_dot_product_attention_backward.default",),
        dtypes=("float64",),
        beside=(*HALVES, "float32"),
    ),
    MissingKernel(
        (f"{FLASH}.default", f"{FLASH}_backward.default"),
        inner=("grad_out", "query", "key", "value", "out", "attn_mask"),
    ),
    MissingKernel(("aten._scaled_mm.default",), dtypes=("float8_e4m3fnuz", "float8_e5m2fnuz")),
    MissingKernel(("aten._scaled_mm_v2.default",), dtypes=("float4_e2m1fn_x2",)),
    MissingKernel(
        ("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default"),
        units=("weight", "indices", "offsets", "per_sample_weights"),
    ),
    MissingKernel(("aten._stack.default",), units=("tensors",)),
    MissingKernel(
        ("aten.linalg_ldl_solve.default", "torchport.ldl_solve_hermitian.default"),
        units=("LD", "pivots", "B"),
    ),
    MissingKernel(("aten.linalg_lu_solve.default",), units=("LU", "pivots", "B")),
    MissingKernel(("aten._pdist_backward.default",), strided=("grad", "self", "pdist")),
    MissingKernel(("aten._masked_softmax.default",), strided=("self", "mask")),
    MissingKernel(
        ("aten._embedding_bag_backward.default",),
        strided=("indices", "offsets", "offset2bag", "bag_size", "maximum_indices"),
    ),
    MissingKernel(("aten._embedding_bag_dense_backward.default",), strided=("bag_size",)),
    MissingKernel(("aten._foreach_addcdiv.Tensor", "aten._foreach_addcmul.Tensor"), strided=("scalars",)),
    MissingKernel(("aten._scaled_mm.default",), strided=("scale_a", "scale_b", "bias")),
    MissingKernel(("aten._grouped_mm.default", "aten._int_mm.default"), strided=("self", "mat2", "offs")),
    MissingKernel(("aten._weight_int8pack_mm.default",), strided=("self", "mat2", "scales")),
    MissingKernel(
        ("aten._embedding_bag_per_sample_weights_backward.default",), strided=("indices", "offsets")
    ),
    MissingKernel(
        ("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default"),
        strided=("weight", "indices", "offsets", "per_sample_weights"),
    ),
    MissingKernel(
        tuple(
            f"aten._scaled_dot_product_fused_attention_overrideable{direction}.default"
            for direction in ("", "_backward")
        )
    ),
)


def missing_kernel(op: str, operands: Operands) -> MissingKernel | None:
    """The declaration by which eager PyTorch has no CPU kernel for such operands; None where it has one."""
    return next((m for m in MISSING if op in m.ops and m.applies(operands)), None)
