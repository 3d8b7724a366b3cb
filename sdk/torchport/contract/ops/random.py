"""Random operators. A result follows a law; generators and their streams are not part of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from torchport.contract.decompositions import random as decompose
from torchport.contract.ops.builders import (
    COMPLEX,
    FLAG,
    FLOATS,
    INTS,
    NUMBERS,
    UNSIGNED,
    Decomposition,
    Rule,
    creation,
    entry,
    ulp,
)
from torchport.contract.spec import Category, Numerics, Operand, OpSpec, Tier

SIZE = Operand(choices=("[2, 3]", "[]", "[4]", "[0, 2]"))
INEXACT = (*FLOATS, *COMPLEX)
DRAWN_DTYPE = Operand(choices=(None, torch.float32, torch.bfloat16, torch.complex64))
DRAWN_INTEGERS = Operand(choices=(torch.int64, torch.int32, torch.uint8, torch.float32))
NOT_EMPTY: Rule = ("low < high", "the interval is not empty")
PROBABILITY: Rule = ("p >= 0 and p <= 1", "p is a probability")


def law(name: str) -> Numerics:
    """Numerics of a result that follows the law of that name."""
    return Numerics("law", special=(name,))


def _made(
    name: str,
    numerics: Numerics,
    *,
    result: str,
    operands: Mapping[str, Operand],
    shape: str = "size",
    constraints: Sequence[Rule] = (),
    prim: bool = False,
    decomposition: Decomposition | None = None,
) -> OpSpec:
    """A random tensor made out of sizes and scalars."""
    return creation(
        f"aten.{name}",
        shape=shape,
        result=result,
        operands=operands,
        category=Category.RANDOM,
        numerics=numerics,
        deterministic=False,
        constraints=constraints,
        prim=prim,
        decomposition=decomposition,
    )


def _shaped(
    name: str,
    numerics: Numerics,
    decomposition: Decomposition | None = None,
    *,
    dtypes: Sequence[str] = FLOATS,
    result: str = "same:self",
    values: str = "any",
    operands: Mapping[str, Operand] | None = None,
    accepts: Mapping[str, Sequence[str]] | None = None,
    constraints: Sequence[Rule] = (),
    layout: str = "like:self",
    shape: str = "self",
    pattern: str = "*S",
    prim: bool = False,
) -> OpSpec:
    """A random tensor of the shape of ``self``, which may hold parameters."""
    return entry(
        f"aten.{name}",
        category=Category.RANDOM,
        accepts={"self": dtypes, **(accepts or {})},
        results=result,
        shape=shape,
        layout=layout,
        numerics=numerics,
        operands={"self": Operand(pattern, values), **(operands or {})},
        constraints=constraints,
        prim=prim,
        deterministic=False,
        decomposition=decomposition,
    )


FLOATING_PRIM: Rule = (
    "not given(dtype) or floating(dtype)",
    "as a prim, real numbers",
    Tier.PRIM,
)
LIKE = "arg:dtype|same:self"

NUMBERS_DRAWN = (
    *(
        _made(
            f"{name}.default",
            law(numbers),
            result="arg:dtype|default",
            operands={"size": SIZE, "dtype": DRAWN_DTYPE},
            constraints=(FLOATING_PRIM,),
            prim=True,
            decomposition=complex_parts,
        )
        for name, numbers, complex_parts in (
            ("rand", "uniform", decompose.rand),
            ("randn", "normal", decompose.randn),
        )
    ),
    _shaped("rand_like.default", law("uniform"), decompose.rand_like, dtypes=INEXACT, result=LIKE),
    _shaped("randn_like.default", law("normal"), decompose.randn_like, dtypes=INEXACT, result=LIKE),
    _made(
        "randint.low",
        law("uniform-integer"),
        result="arg:dtype|int64",
        operands={
            "low": Operand(choices=(0, 1)),
            "high": Operand(choices=(5, 100)),
            "size": SIZE,
            "dtype": DRAWN_INTEGERS,
        },
        constraints=(NOT_EMPTY,),
        prim=True,
    ),
    _made(
        "randint.default",
        law("uniform-integer"),
        result="arg:dtype|int64",
        operands={"high": Operand(choices=(5, 100)), "size": SIZE, "dtype": DRAWN_INTEGERS},
        constraints=(("high > 0", "the interval is not empty"),),
        decomposition=decompose.randint,
    ),
    _shaped(
        "randint_like.default",
        law("uniform-integer"),
        decompose.randint_like,
        dtypes=(*NUMBERS, *UNSIGNED),
        result=LIKE,
        operands={"high": Operand(choices=(2, 1))},
        constraints=(("high > 0", "the interval is not empty"),),
    ),
    _shaped(
        "randint_like.low_dtype",
        law("uniform-integer"),
        decompose.randint_like_low,
        dtypes=(*NUMBERS, *UNSIGNED),
        result=LIKE,
        operands={"low": Operand(choices=(0, 1)), "high": Operand(choices=(2,))},
        constraints=(NOT_EMPTY,),
    ),
    _shaped(
        "randint_like.Tensor",
        law("uniform-integer"),
        decompose.randint_like_tensor,
        dtypes=(*FLOATS, *INTS),
        result=LIKE,
        accepts={"high": INTS},
        operands={"high": Operand("[]", "positive")},
        constraints=(("numel(high) == 1", "the bound is one number"),),
    ),
    _made(
        "randperm.default",
        law("permutation"),
        result="arg:dtype|int64",
        shape="[n]",
        operands={
            "n": Operand(choices=(6, 1, 0)),
            "dtype": Operand(choices=(torch.int64, torch.int32, torch.float32)),
        },
        constraints=(("n >= 0", "the number of elements is not negative"),),
        decomposition=decompose.randperm,
    ),
)

PARAMETERS_BROADCAST: Rule = ("expandable(p, self)", "the probabilities broadcast to the result")

BERNOULLI = (
    _shaped(
        "bernoulli.p",
        law("bernoulli"),
        decompose.bernoulli_p,
        dtypes=NUMBERS,
        operands={"p": Operand(choices=(0.5, 0.1))},
        constraints=(PROBABILITY,),
    ),
    _shaped("bernoulli.default", law("bernoulli"), decompose.bernoulli, values="probability"),
    _shaped(
        "bernoulli.Tensor",
        law("bernoulli"),
        decompose.bernoulli_tensor,
        dtypes=NUMBERS,
        accepts={"p": FLOATS},
        operands={"p": Operand("~S", "probability")},
        constraints=(PARAMETERS_BROADCAST,),
    ),
)

LOCATION = Operand(choices=(0.0, -1.5))
SCALE = Operand(choices=(1.0, 0.5))


def _positive(name: str) -> Rule:
    return (f"{name} > 0", f"{name} is positive")


DEVIATION: Rule = ("std >= 0", "the deviation is not negative")

NORMAL = (
    entry(
        "aten.normal.Tensor_Tensor",
        category=Category.RANDOM,
        accepts={"mean": INEXACT, "std": FLOATS},
        results="same:mean",
        shape="broadcast(mean, std)",
        layout="elementwise",
        numerics=law("normal"),
        operands={"mean": Operand("*S"), "std": Operand("~S", "positive")},
        deterministic=False,
        decomposition=decompose.normal_tensors,
    ),
    entry(
        "aten.normal.Tensor_float",
        category=Category.RANDOM,
        accepts={"mean": INEXACT},
        results="same:mean",
        shape="mean",
        layout="like:mean",
        numerics=law("normal"),
        operands={"mean": Operand("*S"), "std": SCALE},
        constraints=(DEVIATION,),
        errors=(("std < 0", "the deviation is negative"),),
        deterministic=False,
        decomposition=decompose.normal_mean,
    ),
    entry(
        "aten.normal.float_Tensor",
        category=Category.RANDOM,
        accepts={"std": FLOATS},
        results="same:std",
        shape="std",
        layout="like:std",
        numerics=law("normal"),
        operands={"mean": LOCATION, "std": Operand("*S", "positive")},
        deterministic=False,
        decomposition=decompose.normal_std,
    ),
    _made(
        "normal.float_float",
        law("normal"),
        result="arg:dtype|default",
        operands={"mean": LOCATION, "std": SCALE, "size": SIZE, "dtype": DRAWN_DTYPE},
        constraints=(DEVIATION,),
        decomposition=decompose.normal,
    ),
    _shaped(
        "normal_functional.default",
        law("normal"),
        decompose.normal_functional,
        dtypes=INEXACT,
        operands={"mean": LOCATION, "std": SCALE},
        constraints=(DEVIATION,),
    ),
    _shaped(
        "log_normal.default",
        law("log-normal"),
        decompose.log_normal,
        operands={"mean": LOCATION, "std": SCALE},
        constraints=(_positive("std"),),
    ),
)

INVERTED = (
    _shaped(
        "uniform.default",
        law("uniform-between"),
        decompose.uniform,
        dtypes=INEXACT,
        operands={"from": Operand(choices=(0.0, -1.5)), "to": Operand(choices=(1.0, 2.5))},
    ),
    _shaped(
        "exponential.default",
        law("exponential"),
        decompose.exponential,
        operands={"lambd": Operand(choices=(1.0, 0.5))},
        constraints=(_positive("lambd"),),
    ),
    _shaped(
        "geometric.default",
        law("geometric"),
        decompose.geometric,
        dtypes=(*FLOATS, *INTS),
        operands={"p": Operand(choices=(0.5, 0.25))},
        constraints=(("p > 0 and p < 1", "p is a probability between 0 and 1"),),
    ),
    _shaped(
        "cauchy.default",
        law("cauchy"),
        decompose.cauchy,
        operands={"median": LOCATION, "sigma": SCALE},
        constraints=(_positive("sigma"),),
    ),
)

INTEGERS = (
    _shaped("random.default", law("uniform-integer"), decompose.random_integers, dtypes=NUMBERS),
    _shaped(
        "random.from",
        law("uniform-integer"),
        decompose.random_from,
        dtypes=(*NUMBERS, *UNSIGNED),
        operands={"from": Operand(choices=(0, 1)), "to": Operand(choices=(2, None))},
        constraints=(
            (
                "given(to) or not integral(dtype(self)) or "
                "itemsize(dtype(self)) > 2 and dtype(self) != 'uint64'",
                "the bound fits the dtype",
            ),
        ),
    ),
    _shaped(
        "random.to",
        law("uniform-integer"),
        decompose.random_to,
        dtypes=(*NUMBERS, *UNSIGNED),
        operands={"to": Operand(choices=(2, 1))},
        constraints=(("to > 0", "the interval is not empty"),),
    ),
)

GAMMA_GRADIENT = ulp(2048.0, half=4.0)
"""The derivative of the inverse distribution function is approximated piecewise."""

BETA_GRADIENT = ulp(2.0**16, float64=2.0**45)
"""The derivative of the inverse beta distribution function is approximated piecewise, to about 3 digits. The
pieces do not meet: operands that round to another side of a border give the value of the other piece.
"""

COUNTS = (
    _shaped("poisson.default", law("poisson"), values="positive", prim=True),
    entry(
        "aten.binomial.default",
        category=Category.RANDOM,
        accepts={"count": FLOATS, "prob": ("same:count",)},
        results="same:count",
        shape="broadcast(count, prob)",
        layout="elementwise",
        numerics=law("binomial"),
        operands={"count": Operand("*S", "index(6)"), "prob": Operand("~S", "probability")},
        deterministic=False,
        prim=True,
    ),
    _shaped(
        "_standard_gamma.default",
        law("gamma"),
        values="positive",
        layout="contiguous",
        prim=True,
    ),
    _shaped(
        "_sample_dirichlet.default",
        law("dirichlet"),
        decompose.sample_dirichlet,
        values="positive",
        pattern="[*B, k]",
        layout="contiguous",
        constraints=(("rank(self) > 0", "the last dimension holds the concentrations"),),
    ),
    entry(
        "aten._standard_gamma_grad.default",
        category=Category.ELEMENTWISE,
        accepts={"self": ("float32", "float64"), "output": ("same:self",)},
        results="same:self",
        shape="broadcast(self, output)",
        layout="elementwise",
        numerics=GAMMA_GRADIENT,
        operands={"self": Operand("*S", "positive"), "output": Operand("*S", "positive")},
        constraints=(("self == output", "operands of a prim have one shape", Tier.PRIM),),
        prim=True,
    ),
    entry(
        "aten._dirichlet_grad.default",
        category=Category.ELEMENTWISE,
        accepts={"x": ("float32", "float64"), "alpha": ("same:x",), "total": ("same:x",)},
        results="same:x",
        shape="x",
        layout="elementwise",
        numerics=BETA_GRADIENT,
        operands={
            "x": Operand("*S", "probability"),
            "alpha": Operand("*S", "positive"),
            "total": Operand("*S", "positive"),
        },
        constraints=(("x == alpha and x == total", "the operands have one shape"),),
        prim=True,
    ),
    entry(
        "aten.multinomial.default",
        category=Category.RANDOM,
        accepts={"self": FLOATS},
        results="int64",
        shape="self[:-1] + [num_samples]",
        layout="contiguous",
        numerics=law("categorical"),
        operands={
            "self": Operand("[*B, k]", "positive"),
            "num_samples": Operand(choices=(1, 2)),
            "replacement": FLAG,
        },
        constraints=(
            ("rank(self) == 1 or rank(self) == 2", "the weights are one row or a matrix of rows"),
            (
                "num_samples > 0 and (replacement or num_samples <= size(self, -1))",
                "there are enough categories",
            ),
        ),
        errors=(
            (
                "not replacement and num_samples > size(self, -1)",
                "more samples than categories without replacement",
            ),
        ),
        deterministic=False,
        decomposition=decompose.multinomial,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (
    *NUMBERS_DRAWN,
    *BERNOULLI,
    *NORMAL,
    *INVERTED,
    *INTEGERS,
    *COUNTS,
)
