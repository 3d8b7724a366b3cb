"""Conversions of dtype, by value and by bits."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import creation as decompose
from torchport.contract.ops.builders import ANY, NUMBERS, REALS, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

CONVERTED = Numerics("exact", special=("nan-propagates", "float-to-int-in-range"))
TARGETS = (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int32, torch.bool)

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten._to_copy.default",
        category=Category.CONVERSION,
        accepts={"self": ANY},
        results="arg:dtype|same:self",
        shape="self",
        layout="like:self",
        numerics=CONVERTED,
        operands={"self": Operand("*S", "small"), "dtype": Operand(choices=TARGETS)},
        constraints=(
            (
                "given(dtype) and not given(layout) and not given(device) and not given(memory_format)",
                "as a prim, a conversion of dtype and nothing else",
                Tier.PRIM,
            ),
        ),
        prim=True,
    ),
    entry(
        "prims.convert_element_type.default",
        category=Category.CONVERSION,
        accepts={"a": NUMBERS},
        results="arg:dtype",
        shape="a",
        layout="elementwise",
        numerics=CONVERTED,
        operands={"a": Operand("*S", "small"), "dtype": Operand(choices=TARGETS)},
        decomposition=decompose.convert_element_type,
    ),
    entry(
        "aten.view.dtype",
        category=Category.CONVERSION,
        accepts={"self": REALS},
        results="arg:dtype",
        shape="self",
        layout="view",
        numerics=Numerics("exact", special=("own-precision",)),
        operands={"self": Operand("*S"), "dtype": Operand(choices=(torch.int32, torch.float32, torch.int16))},
        constraints=(("itemsize(dtype(self)) == itemsize(dtype)", "both dtypes have one width"),),
        prim=True,
    ),
)
