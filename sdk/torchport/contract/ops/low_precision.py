"""Low-precision products: scaled float8 and float4, int8 and int4 weights, grouped products."""

from __future__ import annotations

import torch

from torchport.contract.decompositions import low_precision as decompose
from torchport.contract.ops.builders import FLAG, NOTHING, Rule, dotted, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
PACKED = ("float4_e2m1fn_x2",)
BLOCK_SCALES = ("float32", "float8_e8m0fnu", "float8_e4m3fn")
BIAS = ("bfloat16", "float16", "float32")
NARROW = ("float32", "bfloat16", "float16")
PRODUCT = dotted("self[1] + 4", special=("by-decomposition",))
MATRICES: tuple[Rule, ...] = (
    ("rank(self) == 2 and rank(mat2) == 2 and self[1] == mat2[0]", "two matrices with one inner size"),
    ("not given(bias) or bias == [mat2[1]]", "one bias for each column"),
)
INNER: Rule = ("rank(self) == 2 and rank(mat2) == 2 and self[1] != mat2[0]", "the inner sizes differ")
OUT = Operand(choices=(torch.float32, torch.bfloat16, torch.float16))
A = Operand("[n, 16*k]", "unit")
B = Operand("[16*k, 16*m]", "unit")

ENTRIES_SCALED = (
    entry(
        "aten._scaled_mm.default",
        category=Category.CONTRACTION,
        accepts={
            "self": FLOAT8,
            "mat2": FLOAT8,
            "scale_a": ("float32",),
            "scale_b": ("float32",),
            "bias": BIAS,
            "scale_result": ("float32",),
        },
        results="arg:out_dtype|same:self",
        shape="[self[0], mat2[1]]",
        numerics=PRODUCT,
        operands={
            "self": A,
            "mat2": B,
            "scale_a": Operand("[]", "positive"),
            "scale_b": Operand("[]", "positive"),
            "bias": Operand("[16*m]", optional=True),
            "out_dtype": OUT,
            "use_fast_accum": FLAG,
        },
        constraints=(
            *MATRICES,
            (
                "numel(scale_a) == 1 and numel(scale_b) == 1 or "
                "scale_a == [self[0], 1] and scale_b == [1, mat2[1]]",
                "one scale for each matrix, or for each row and column; other recipes are _scaled_mm_v2's",
            ),
            ("not given(scale_result)", "PyTorch's devices disagree about what it does"),
        ),
        errors=(INNER,),
        decomposition=decompose.scaled_mm,
    ),
    entry(
        "aten._scaled_mm_v2.default",
        category=Category.CONTRACTION,
        accepts={
            "self": (*FLOAT8, *PACKED),
            "mat2": (*FLOAT8, *PACKED),
            "scale_a": BLOCK_SCALES,
            "scale_b": BLOCK_SCALES,
            "bias": BIAS,
        },
        results="arg:out_dtype|same:self",
        shape="[self[0], mat2[1]]",
        numerics=PRODUCT,
        operands={
            "self": A,
            "mat2": B,
            "scale_a": Operand("=[[self[0], 1]]", "positive"),
            "scale_b": Operand("=[[1, mat2[1]]]", "positive"),
            "recipe_a": Operand(choices=((1,),)),
            "swizzle_a": Operand(choices=((0,),)),
            "recipe_b": Operand(choices=((1,),)),
            "swizzle_b": Operand(choices=((0,),)),
            "bias": NOTHING,
            "out_dtype": OUT,
        },
        constraints=(
            *MATRICES,
            (
                "len(scale_a) > 0 and len(scale_a) <= 2 and len(scale_b) == len(scale_a)",
                "one or two levels of scales",
            ),
            (
                "len(recipe_a) == len(scale_a) and len(recipe_b) == len(scale_b)",
                "a recipe for each level of scales",
            ),
            (
                "min(recipe_a) >= 0 and max(recipe_a) <= 5 and min(recipe_b) >= 0 and max(recipe_b) <= 5",
                "recipes are those of torch.nn.functional.ScalingType",
            ),
            (
                "(min(recipe_a) > 1 or dtype(scale_a) == 'float32') and "
                "(min(recipe_b) > 1 or dtype(scale_b) == 'float32')",
                "scales of tensors and rows are float32",
            ),
            ("len(contraction_dim) == 0", "columns of the first are summed with rows of the second"),
        ),
        errors=(INNER,),
        decomposition=decompose.scaled_mm_v2,
    ),
)

DIVIDED: tuple[Rule, ...] = (
    (
        "(rank(self) == 2 or rank(self) == 3) and (rank(mat2) == 2 or rank(mat2) == 3)",
        "the operands are matrices or batches of them",
    ),
    ("self[-1] == mat2[-2]", "the inner sizes agree"),
    ("given(offs) == (rank(self) == 2 or rank(mat2) == 2)", "ends of groups come with an operand to divide"),
    ("rank(self) == 2 or rank(mat2) == 2 or self[0] == mat2[0]", "batches have one size"),
    ("not given(offs) or rank(offs) == 1", "the ends of the groups are a vector"),
    ("rank(self) == 2 or not given(offs) or offs == [self[0]]", "one end for each matrix"),
    ("rank(mat2) == 2 or not given(offs) or offs == [mat2[0]]", "one end for each matrix"),
    ("not given(bias)", "PyTorch has no bias here yet"),
)
SHAPE = (
    "[self[0], self[1], mat2[2]] if rank(self) == 3 and rank(mat2) == 3 else "
    "[offs[0], self[0], mat2[1]] if rank(self) == 2 and rank(mat2) == 2 else "
    "[self[0], mat2[2]] if rank(self) == 2 else [self[1], mat2[1]]"
)
UNDIVIDED: Rule = (
    "not given(offs) and (rank(self) == 2 or rank(mat2) == 2)",
    "a matrix is to be divided and there are no ends of groups",
)
SCALED_GROUPS: tuple[Rule, ...] = (
    *DIVIDED,
    ("not given(out_dtype) or out_dtype == 'bfloat16'", "the result is bfloat16"),
)
SCALE_SIZES: Rule = (
    "scale_a == ([offs[0] * self[0]] if rank(self) == 2 and rank(mat2) == 2 else self[:-1]) and "
    "scale_b == ([offs[0] * mat2[1]] if rank(self) == 2 and rank(mat2) == 2 else "
    "[mat2[1]] if rank(mat2) == 2 else [mat2[0], mat2[2]])",
    "one scale for each row of the first and each column of the second, in every group",
)

ENTRIES_GROUPED = (
    entry(
        "aten._grouped_mm.default",
        category=Category.CONTRACTION,
        accepts={"self": NARROW, "mat2": ("same:self",), "offs": ("int32",), "bias": ("same:self",)},
        results="arg:out_dtype|same:self",
        shape=SHAPE,
        layout="eager",
        numerics=dotted("self[-1]", special=("by-decomposition",)),
        operands={
            "self": Operand("[8, 16]"),
            "mat2": Operand("[3, 16, 8*m]"),
            "offs": Operand("[3]", "ends(8)"),
            "out_dtype": Operand(choices=(None, "dtype(self)")),
        },
        constraints=(
            *DIVIDED,
            (
                "rank(self) == 2 and rank(mat2) == 3",
                "as a primitive, the rows of the first are divided among the matrices of the second",
                Tier.PRIM,
            ),
            ("not given(out_dtype)", "the result has the dtype of the operands", Tier.PRIM),
        ),
        errors=(UNDIVIDED,),
        prim=True,
        decomposition=decompose.grouped_mm,
    ),
    entry(
        "aten._scaled_grouped_mm.default",
        category=Category.CONTRACTION,
        accepts={
            "self": ("float8_e4m3fn",),
            "mat2": ("float8_e4m3fn",),
            "scale_a": ("float32",),
            "scale_b": ("float32",),
            "offs": ("int32",),
            "bias": BIAS,
            "scale_result": ("float32",),
        },
        results="bfloat16",
        shape=SHAPE,
        layout="eager",
        numerics=dotted("self[-1] + 4", special=("by-decomposition",)),
        operands={
            "self": Operand("[8, 16]", "unit"),
            "mat2": Operand("[3, 16, 16*m]", "unit"),
            "scale_a": Operand("[8]", "positive"),
            "scale_b": Operand("[3, 16*m]", "positive"),
            "offs": Operand("[3]", "ends(8)"),
            "out_dtype": Operand(choices=(None, torch.bfloat16)),
        },
        constraints=(
            *SCALED_GROUPS,
            SCALE_SIZES,
            ("not given(scale_result)", "PyTorch has no scale of the result here yet"),
        ),
        errors=(UNDIVIDED,),
        decomposition=decompose.scaled_grouped_mm,
    ),
    entry(
        "aten._scaled_grouped_mm_v2.default",
        category=Category.CONTRACTION,
        accepts={
            "self": ("float8_e4m3fn",),
            "mat2": ("float8_e4m3fn",),
            "scale_a": ("float32",),
            "scale_b": ("float32",),
            "offs": ("int32",),
            "bias": BIAS,
        },
        results="bfloat16",
        shape=SHAPE,
        layout="eager",
        numerics=dotted("self[-1] + 4", special=("by-decomposition",)),
        operands={
            "self": Operand("[8, 16]", "unit"),
            "mat2": Operand("[3, 16, 16*m]", "unit"),
            "scale_a": Operand("[8]", "positive"),
            "scale_b": Operand("[3, 16*m]", "positive"),
            "recipe_a": Operand(choices=((1,),)),
            "swizzle_a": Operand(choices=((0,),)),
            "recipe_b": Operand(choices=((1,),)),
            "swizzle_b": Operand(choices=((0,),)),
            "offs": Operand("[3]", "ends(8)"),
            "out_dtype": Operand(choices=(None, torch.bfloat16)),
        },
        constraints=(
            *SCALED_GROUPS,
            ("recipe_a == [1] and recipe_b == [1]", "one scale for each row and column"),
            ("len(scale_a) > 0 and len(scale_b) > 0", "there are scales"),
            ("len(contraction_dim) == 0", "columns of the first are summed with rows of the second"),
        ),
        errors=(UNDIVIDED,),
        decomposition=decompose.scaled_grouped_mm_v2,
    ),
)

INTEGERS = (
    entry(
        "aten._int_mm.default",
        category=Category.CONTRACTION,
        accepts={"self": ("int8", "uint8"), "mat2": ("int8",)},
        results="int32",
        shape="[self[0], mat2[1]]",
        numerics=Numerics("exact", special=("wraps",)),
        operands={"self": Operand("[n, k]"), "mat2": Operand("[k, m]")},
        constraints=(
            (
                "rank(self) == 2 and rank(mat2) == 2 and self[1] == mat2[0]",
                "two matrices with one inner size",
            ),
        ),
        errors=(INNER,),
        decomposition=decompose.int_mm,
    ),
    entry(
        "aten._weight_int8pack_mm.default",
        category=Category.CONTRACTION,
        accepts={"self": NARROW, "mat2": ("int8",), "scales": ("same:self",)},
        results="same:self",
        shape="[self[0], mat2[0]]",
        numerics=dotted("self[1] + 2", special=("by-decomposition",)),
        operands={"self": Operand("[n, 16*k]"), "mat2": Operand("[8*m, 16*k]"), "scales": Operand("[8*m]")},
        constraints=(
            ("rank(self) == 2 and rank(mat2) == 2 and self[1] == mat2[1]", "the weight is transposed"),
            ("scales == [mat2[0]]", "one scale for each row of the weight"),
        ),
        errors=(("rank(self) == 2 and rank(mat2) == 2 and self[1] != mat2[1]", "the inner sizes differ"),),
        decomposition=decompose.weight_int8pack_mm,
    ),
    entry(
        "aten._weight_int4pack_mm.default",
        category=Category.CONTRACTION,
        accepts={"self": ("bfloat16",), "mat2": ("int32",), "qScaleAndZeros": ("bfloat16",)},
        results="same:self",
        shape="[self[0], mat2[0] * 8]",
        numerics=dotted("self[1] + 4", special=("by-decomposition",)),
        operands={
            "self": Operand("[n, 64]", "unit"),
            "mat2": Operand("[m, 2, 32, 1]", "index(16)"),
            "qGroupSize": Operand(choices=(32, 64)),
            "qScaleAndZeros": Operand("=[64 // qGroupSize, mat2[0] * 8, 2]", "unit"),
        },
        constraints=(
            ("rank(self) == 2 and rank(mat2) == 4 and mat2[2] == 32", "the weight is in tiles for 32 lanes"),
            ("self[1] == mat2[1] * mat2[3] * 32", "the inner sizes agree"),
            (
                "qGroupSize == 32 or qGroupSize == 64 or qGroupSize == 128 or qGroupSize == 256",
                "sizes of groups that share a scale",
            ),
            (
                "qScaleAndZeros == [self[1] // qGroupSize, mat2[0] * 8, 2]",
                "scale and zero for each group of each row of the weight",
            ),
        ),
        errors=(("rank(mat2) != 4", "the weight is not packed"),),
        decomposition=decompose.weight_int4pack_mm,
    ),
    entry(
        "aten._convert_weight_to_int4pack.default",
        category=Category.LAYOUT,
        accepts={"self": ("uint8",)},
        results="int32",
        shape="[self[0] // 8, self[1] * 2 // (innerKTiles * 16), 32, innerKTiles // 2]",
        numerics=Numerics("exact", special=("by-decomposition",)),
        operands={"self": Operand("[8*n, 64]", "index(256)"), "innerKTiles": Operand(choices=(2, 4, 8))},
        constraints=(
            ("rank(self) == 2 and self[0] % 8 == 0", "rows come in tiles of 8"),
            ("innerKTiles == 2 or innerKTiles == 4 or innerKTiles == 8", "tiles of 16 columns in a lane"),
            ("self[1] * 2 % (innerKTiles * 16) == 0", "columns come in tiles"),
        ),
        errors=(("rank(self) != 2", "the weight is not a matrix"),),
        decomposition=decompose.convert_weight_to_int4pack,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*ENTRIES_SCALED, *ENTRIES_GROUPED, *INTEGERS)
