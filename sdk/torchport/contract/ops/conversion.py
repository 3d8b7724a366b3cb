"""Conversions of dtype, by value and by bits."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import conversion as decompose
from torchport.contract.ops.builders import STORED, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

CONVERTED = Numerics("exact", special=("nan-propagates", "float-to-int-in-range"))
TARGETS = (
    torch.float32,
    torch.bfloat16,
    torch.float16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.bool,
    torch.complex64,
    torch.uint16,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
)
RETYPED = (torch.int32, torch.float32, torch.int16, torch.uint8, torch.float64, torch.bool, torch.complex64)
AS_BITS = Numerics("exact", special=("own-precision",))
WIDTHS = (
    "itemsize(dtype(self)) == itemsize(dtype) or "
    "rank(self) > 0 and size(self, -1) * itemsize(dtype(self)) % itemsize(dtype) == 0",
    "the last dimension divides into elements of the new width",
)
ONE_WIDTH = (
    "self if itemsize(dtype(self)) == itemsize(dtype) else "
    "replace(self, -1, size(self, -1) * itemsize(dtype(self)) // itemsize(dtype))"
)

ENTRIES: tuple[OpSpec, ...] = (
    entry(
        "aten._to_copy.default",
        category=Category.CONVERSION,
        accepts={"self": STORED},
        results="arg:dtype|same:self",
        shape="self",
        layout="like:self",
        numerics=CONVERTED,
        operands={
            "self": Operand("*S", "small"),
            "dtype": Operand(choices=(*TARGETS[:2], None, *TARGETS[2:])),
        },
        constraints=(
            (
                "given(dtype) and not given(layout) and not given(device) and not given(memory_format)",
                "as a prim, a conversion of dtype and nothing else",
                Tier.PRIM,
            ),
        ),
        prim=True,
        decomposition=decompose.to_copy,
    ),
    entry(
        "prims.convert_element_type.default",
        category=Category.CONVERSION,
        accepts={"a": STORED},
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
        accepts={"self": STORED},
        results="arg:dtype",
        shape=ONE_WIDTH,
        layout="view",
        numerics=AS_BITS,
        operands={"self": Operand("*S"), "dtype": Operand(choices=RETYPED)},
        constraints=(
            WIDTHS,
            (
                "itemsize(dtype(self)) == itemsize(dtype)",
                "as a prim, between dtypes of one width",
                Tier.PRIM,
            ),
        ),
        prim=True,
        decomposition=decompose.view_dtype,
    ),
    entry(
        "aten.view_copy.dtype",
        category=Category.CONVERSION,
        accepts={"self": STORED},
        results="arg:dtype",
        shape=ONE_WIDTH,
        layout="contiguous",
        numerics=AS_BITS,
        operands={"self": Operand("*S"), "dtype": Operand(choices=RETYPED)},
        constraints=(WIDTHS,),
        decomposition=decompose.view_copy_dtype,
    ),
)
