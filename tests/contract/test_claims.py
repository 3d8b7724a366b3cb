"""Matrix operators by their laws: eager PyTorch's results and the decompositions' obey them, wrong ones do
not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from torchport.contract import numerics
from torchport.contract.adapters import call
from torchport.contract.claims import law_of
from torchport.contract.opset import opset
from torchport.contract.reference import flatten
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import OpSpec, Tier

OPS = opset("1.0").ops
SPECS = [pytest.param(s, id=n) for n, s in OPS.items() if law_of(s) is not None]
DECOMPOSED = [p for p in SPECS if p.values[0].decomposition is not None]
HALVES = ("float16", "bfloat16")


def _is_primitive(spec: OpSpec, arguments: dict[str, Any]) -> bool:
    own = [c for c in spec.constraints if c.tier is Tier.PRIM]
    return spec.tier is Tier.PRIM and all(parse(c.text).holds(bind(arguments)) for c in own)


def _call(spec: OpSpec, arguments: dict[str, Any]) -> tuple[Any, ...]:
    assert spec.decomposition is not None
    schema = spec.signature.arguments
    positional = [arguments[a.name] for a in schema if not a.kwarg_only]
    keywords = {a.name: arguments[a.name] for a in schema if a.kwarg_only}
    return flatten(spec.decomposition(*positional, **keywords))


@pytest.mark.parametrize("spec", SPECS)
def test_eager_obeys(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    for dtype in dtypes(spec):
        for arguments in draw(spec, dtype, limit=12 if dtype == "float32" else 4, seed=5):
            if dtype in HALVES:
                continue  # eager rounds every step to 16 bits
            judged = numerics.judge(spec, arguments, flatten(call(spec, arguments)))
            assert judged.ok, f"{dtype}: {judged.message}, {arguments}"


@pytest.mark.parametrize("spec", DECOMPOSED)
def test_decompositions_obey(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    tried = 0
    for dtype in dtypes(spec):
        for arguments in draw(spec, dtype, limit=24 if dtype == "float32" else 6, seed=6):
            if _is_primitive(spec, arguments):
                continue
            tried += 1
            eager, ours = flatten(call(spec, arguments)), _call(spec, arguments)
            for mine, theirs in zip(ours, eager, strict=True):
                assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype), arguments
            judged = numerics.judge(spec, arguments, ours)
            assert judged.ok, f"{dtype}: {judged.message}, {arguments}"
    assert tried


def _disturbed(x: Tensor) -> Tensor:
    """One element off by a hundredth of the largest."""
    flat = x.contiguous().clone().view(-1)
    flat[flat.numel() // 2] += 0.01 * max(float(x.abs().max()), 1e-3)
    return flat.view(x.shape)


@pytest.mark.parametrize("spec", SPECS)
def test_a_wrong_result_breaks_the_law(spec: OpSpec, draw: Any, dtypes: Any) -> None:
    """Each output that is there, disturbed alone."""
    dtype = "float32" if "float32" in dtypes(spec) else dtypes(spec)[0]
    arguments = next(iter(draw(spec, dtype, seed=7)))
    results = flatten(call(spec, arguments))
    for i, result in enumerate(results):
        if result.numel() and (result.is_floating_point() or result.is_complex()):
            wrong = [_disturbed(r) if j == i else r for j, r in enumerate(results)]
            assert not numerics.judge(spec, arguments, wrong).ok, f"output {i}"


@pytest.mark.parametrize(
    ("name", "order"), [("aten._linalg_eigh.default", 0), ("aten._linalg_svd.default", 1)]
)
def test_values_out_of_order_break_the_law(name: str, order: int) -> None:
    spec = OPS[name]
    A = torch.randn(4, 4, generator=torch.Generator().manual_seed(1))
    arguments = {a.name: a.default_value for a in spec.signature.arguments if a.has_default_value()}
    arguments["A"] = A
    right = call(spec, arguments)
    results = [r.flip(-1) if r.dim() == 2 or i == order else r for i, r in enumerate(right)]
    if order == 1:
        results[2] = right[2].flip(-2)
    assert not numerics.judge(spec, arguments, results).ok


def test_a_singular_matrix_is_judged_by_its_status_alone() -> None:
    spec = OPS["aten.linalg_inv_ex.default"]
    arguments = {"A": torch.zeros(2, 2), "check_errors": False}
    inverse, info = call(spec, arguments)
    assert numerics.judge(spec, arguments, (torch.ones(2, 2), info)).ok
    assert not numerics.judge(spec, arguments, (inverse, torch.zeros_like(info))).ok


@pytest.mark.parametrize(
    ("matrix", "open_"),
    [
        ([[1.0, 3.0], [1.0 / 3, 1.0]], True),  # singular but for the rounding of a third
        ([[1.0, 0.0], [3.0, 0.0]], False),  # a column of zeros
        ([[1.0, 3.0], [1.0, 1.0]], False),
    ],
)
def test_the_status_is_open_where_rounding_decides_about_it(matrix: list[list[float]], open_: bool) -> None:
    spec, given = OPS["aten.linalg_inv_ex.default"], {"A": torch.tensor([matrix]), "check_errors": False}
    inverse, status = flatten(call(spec, given))
    if open_:  # the kernels of one processor find it singular, and those of another do not
        inverse, status = torch.linalg.inv(given["A"].double()).float(), torch.zeros_like(status)
    assert numerics.judge(spec, given, [inverse, status]).ok
    assert numerics.judge(spec, given, [inverse, 2 - status]).ok is open_


@pytest.mark.parametrize("name", ["mm", "bmm", "addmm", "baddbmm"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_products_of_16_bit_numbers_keep_float32(name: str, dtype: torch.dtype, draw: Any) -> None:
    """PyTorch has no CPU kernel for these: against float64 directly."""
    spec = OPS[f"aten.{name}.dtype"]
    for arguments in draw(spec, str(dtype).removeprefix("torch."), limit=6):
        (got,) = _call(spec, arguments)
        wide = {k: v.double() if isinstance(v, Tensor) else v for k, v in arguments.items()}
        wide.pop("out_dtype")
        exact = getattr(torch.ops.aten, name).default(**wide)
        assert got.dtype is torch.float32
        assert float((got.double() - exact).abs().max()) < 1e-5 * max(float(exact.abs().max()), 1.0)
