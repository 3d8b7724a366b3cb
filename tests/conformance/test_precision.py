"""Float32 that is computed in fewer bits is outside of the bounds of quick, for every product of sums."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from torchport.contract import numerics
from torchport.contract.reference import reference
from torchport_conformance import oracle
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.profiles import PROFILES
from torchport_conformance.imitations import rounded_to
from torchport_conformance.precision_switches import VARIABLES, switches
from torchport_conformance.specs import all_specs, spec_of

PRODUCTS = sorted(
    spec.name
    for spec in all_specs().values()
    if spec.numerics.kind == "dot" and any("float32" in names for names in spec.dtypes.accepts.values())
)


def float32_cases(op: str) -> Iterator[Case]:
    for case in cases_for(spec_of(op), PROFILES["quick"]):
        floats = [plan for _, plan in case.tensors() if plan.dtype.is_floating_point]
        plain = all(p.fill == "random" and 0 not in p.shape for p in floats)
        if plain and {p.dtype for p in floats} == {torch.float32}:
            yield case


def is_caught(case: Case, narrow: str) -> bool:
    """Whether float32 operands that are rounded to a narrower dtype give a result outside of the bound."""
    spec, values = spec_of(case.op), oracle.operands(case, 0)
    exact = oracle.reference(case, values)
    coarse = {n: rounded_to(narrow, v) if v.dtype is torch.float32 else v for n, v in values.items()}
    arguments = oracle.arguments_of(case, coarse)
    results = oracle.written(spec, arguments, reference(spec, arguments))
    got = [None if r is None else r.to(torch.float32) for r in results]
    return not numerics.judge(spec, exact.arguments, got, reference=exact.results).ok


@pytest.mark.parametrize("narrow", ["bfloat16", "tf32", "float16"])
def test_operands_rounded_to_fewer_bits_are_outside_of_every_products_bound(narrow: str) -> None:
    cases = {op: found for op in PRODUCTS if (found := list(float32_cases(op)))}
    assert len(cases) >= 28
    # The others multiply float8 values by float32 scales.
    assert all("_scaled_" in op for op in PRODUCTS if op not in cases)
    missed = [op for op, found in cases.items() if not any(is_caught(case, narrow) for case in found)]
    assert missed == []


def test_tf32_keeps_eleven_significant_bits() -> None:
    x = torch.tensor([2049.0, 2048.0, 1.0 + 2.0**-11, -3.0e38, float("inf")])
    assert rounded_to("tf32", x).tolist()[:3] == [2050.0, 2048.0, 1.0 + 2.0**-10]
    assert rounded_to("tf32", x)[4].isinf()


def test_switches_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEDNN_DEFAULT_FPMATH_MODE", "BF16")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = dict(switches("cpu"))
    assert found["autocast"] == "bfloat16" and found["ONEDNN_DEFAULT_FPMATH_MODE"] == "BF16"
    assert found["float32 matmul precision"] == torch.get_float32_matmul_precision()
    assert dict(switches("cpu"))["autocast"] == "off" and "ONEDNN_DEFAULT_FPMATH_MODE" in VARIABLES
