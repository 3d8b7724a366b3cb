"""Laws of random operators: decompositions follow them, and what is off is noticed."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from torchport.contract.adapters import call
from torchport.contract.laws import LAWS, verdict
from torchport.contract.numerics import judge
from torchport.contract.opset import opset
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import Category, OpSpec, Tier

OPS = opset("1.0").ops
MANY = 3000
DRAWN = [
    pytest.param(s, id=n)
    for n, s in OPS.items()
    if s.category is Category.RANDOM and s.decomposition is not None and s.numerics.special[0] in LAWS
]


def _large(spec: OpSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    """The same call with enough elements for its moments to be tested."""
    found = dict(arguments)
    for name, value in arguments.items():
        if name == "size":
            found[name] = [MANY]
        if isinstance(value, Tensor) and value.dim() > 0:
            keeps_rows = str(spec.operands[name].pattern).endswith("k]")
            row = value.reshape(-1, value.shape[-1])[:1] if keeps_rows else value.reshape(-1)[:1]
            found[name] = row.expand(MANY, *row.shape[1:]).clone()
    return found


@pytest.mark.parametrize("spec", DRAWN)
def test_eager_and_the_decomposition_follow_the_law(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    """Both follow it, in small results and in large ones, and agree in shape and dtype."""
    assert spec.decomposition is not None
    schema = spec.signature.arguments
    for dtype in set(dtypes(spec)) & {"float32", "bfloat16", "complex64", "int64", ""}:
        for small in draw(spec, dtype, limit=4, seed=5):
            for arguments in (small, _large(spec, small)):
                own = [c for c in spec.constraints if c.tier is Tier.PRIM]
                if own and all(parse(c.text).holds(bind(arguments)) for c in own):
                    continue
                torch.manual_seed(0)
                try:
                    eager = call(spec, arguments)
                except NotImplementedError:
                    assert dtype == "bfloat16"
                    break
                positional = [arguments[a.name] for a in schema if not a.kwarg_only]
                keywords = {a.name: arguments[a.name] for a in schema if a.kwarg_only}
                ours = spec.decomposition(*positional, **keywords)
                assert (ours.shape, ours.dtype) == (eager.shape, eager.dtype), arguments
                for result in (ours, eager):
                    found = judge(spec, arguments, [result])
                    assert found.ok, (dtype, found.message, arguments)


GENERATOR = torch.Generator().manual_seed(0)
UNIFORM = torch.rand(MANY, generator=GENERATOR, dtype=torch.float64)
WEIGHTS = torch.tensor([1.0, 0.0, 3.0]).expand(MANY, 3)


@pytest.mark.parametrize(
    ("law", "arguments", "right", "wrong"),
    [
        ("uniform-between", {"from": 1.0, "to": 3.0}, 1 + 2 * UNIFORM, 1 + 1.8 * UNIFORM),
        ("exponential", {"lambd": 2.0}, -torch.log1p(-UNIFORM) / 2, -torch.log1p(-UNIFORM)),
        ("cauchy", {"sigma": 2.0}, 2 * torch.tan((UNIFORM - 0.5) * torch.pi), UNIFORM - 0.5),
        ("log-normal", {"mean": 0.0, "std": 1.0}, torch.randn(MANY, generator=GENERATOR).exp(), UNIFORM),
        ("bernoulli", {"p": 0.25}, (UNIFORM < 0.25).double(), (UNIFORM < 0.4).double()),
        ("geometric", {"p": 0.5}, (-torch.log2(1 - UNIFORM)).ceil().clamp(min=1), torch.ones(MANY)),
        ("uniform-integer", {"low": -2, "high": 3}, (UNIFORM * 5).floor() - 2, (UNIFORM * 4).floor() - 2),
        ("permutation", {}, UNIFORM.argsort(), torch.zeros(MANY)),
        ("poisson", {"self": torch.tensor(4.0)}, torch.poisson(torch.full((MANY,), 4.0)), UNIFORM.round()),
        (
            "categorical",
            {"self": WEIGHTS, "replacement": True},
            torch.where(UNIFORM < 0.25, 0, 2).unsqueeze(1),
            torch.ones(MANY, 1),
        ),
        (
            "categorical",
            {"self": torch.ones(MANY, 3), "replacement": False},
            torch.tensor([[2, 0]]).expand(MANY, 2),
            torch.tensor([[2, 2]]).expand(MANY, 2),
        ),
    ],
)
def test_planted_errors(law: str, arguments: dict[str, Any], right: Tensor, wrong: Tensor) -> None:
    assert verdict(law, arguments, right)[1] == ""
    assert verdict(law, arguments, wrong)[1] != ""


def test_both_parts_of_a_complex_number_are_judged() -> None:
    parts = torch.randn(MANY, 2, generator=GENERATOR, dtype=torch.float64) * 0.5**0.5
    good = torch.view_as_complex(parts)
    assert verdict("normal", {}, good)[1] == ""
    assert verdict("normal", {}, torch.complex(good.real, good.imag + 0.3))[1] != ""
    assert verdict("normal", {"mean": torch.tensor(2 + 1j)}, good + (2 + 1j))[1] == ""
