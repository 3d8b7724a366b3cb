"""The pointwise part of an LSTM step and its gradients. PyTorch has kernels for devices only."""

from __future__ import annotations

from torchport.contract.decompositions import recurrent as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, derived, entry
from torchport.contract.spec import Category, Operand, OpSpec

STATE = Operand("[n, h]")
GATES = Operand("[n, 4 * h]")
BIAS = Operand("[4 * h]")

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten._thnn_fused_lstm_cell.default",
        category=Category.ELEMENTWISE,
        accepts={
            "input_gates": FLOATS,
            **dict.fromkeys(("hidden_gates", "cx", "input_bias", "hidden_bias"), ("same:input_gates",)),
        },
        results=("same:cx",) * 3,
        shape=("cx", "cx", "input_gates"),
        layout=("contiguous",) * 3,
        numerics=derived(special=("by-decomposition",)),
        operands={
            "input_gates": GATES,
            "hidden_gates": GATES,
            "cx": STATE,
            "input_bias": BIAS,
            "hidden_bias": BIAS,
        },
        constraints=(
            (
                "rank(cx) == 2 and input_gates == [cx[0], 4 * cx[1]] and hidden_gates == input_gates",
                "the state is [B, H], the gates [B, 4·H]",
            ),
            (
                "given(input_bias) == given(hidden_bias) and "
                "(not given(input_bias) or (input_bias == [4 * cx[1]] and hidden_bias == [4 * cx[1]]))",
                "both biases are given, or none",
            ),
        ),
        errors=(("given(input_bias) != given(hidden_bias)", "one bias is missing"),),
        decomposition=decompose.fused_lstm_cell,
    ),
    entry(
        "aten._thnn_fused_lstm_cell_backward_impl.default",
        category=Category.ELEMENTWISE,
        accepts={
            "cx": FLOATS,
            **dict.fromkeys(("grad_hy", "grad_cy", "cy", "workspace"), ("same:cx",)),
        },
        results=("same:cx",) * 3,
        shape=(
            "workspace if given(grad_hy) or given(grad_cy) else absent()",
            "cx if given(grad_hy) or given(grad_cy) else absent()",
            "[workspace[1]] if has_bias and (given(grad_hy) or given(grad_cy)) else absent()",
        ),
        layout=("contiguous",) * 3,
        numerics=derived(special=("by-decomposition",)),
        operands={
            "grad_hy": Operand("[n, h]", optional=True),
            "grad_cy": Operand("[n, h]", optional=True),
            "cx": STATE,
            "cy": STATE,
            "workspace": Operand("[n, 4 * h]", "probability"),
            "has_bias": FLAG,
        },
        constraints=(
            (
                "rank(cx) == 2 and cy == cx and workspace == [cx[0], 4 * cx[1]]",
                "the states are [B, H], the activated gates [B, 4·H]",
            ),
            (
                "(not given(grad_hy) or grad_hy == cx) and (not given(grad_cy) or grad_cy == cx)",
                "the gradients have the shape of the states",
            ),
        ),
        errors=(("workspace[1] != 4 * cx[1]", "the gates are not four times the state"),),
        decomposition=decompose.fused_lstm_cell_backward,
    ),
)
