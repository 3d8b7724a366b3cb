"""Regions built by the contract's rules are those that PyTorch's shape functions give."""

from __future__ import annotations

import pytest
import torch

from torchport.compile.region import Region
from torchport.contract.opset import opset
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.profiles import PROFILES
from torchport_conformance.regions import build_region, region_by_rules
from torchport_conformance.specs import spec_of
from torchport_conformance.traced import region_by_tracing


def groups(op: str, profile: str = "quick") -> list[list[Case]]:
    found: dict[object, list[Case]] = {}
    for case in cases_for(spec_of(op), PROFILES[profile]):
        found.setdefault(case.group, []).append(case)
    return list(found.values())


@pytest.mark.parametrize("op", ["aten.add.Tensor", "aten.where.self", "aten.sum.dim_IntList"])
def test_rules_agree_with_pytorch_on_every_group(op: str) -> None:
    compared = 0
    for case, *_ in groups(op):
        ruled = region_by_rules(case, spec_of(op), symbolic=False, device="cpu")
        if ruled is None:
            continue
        traced = region_by_tracing(case, symbolic=False, device="cpu")
        for mine, theirs in zip(ruled.region.outputs, traced.region.outputs, strict=True):
            assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype), case.id
            counted = [d for d, size in enumerate(mine.shape) if size != 1 and 0 not in mine.shape]
            assert [mine.stride[d] for d in counted] == [theirs.stride[d] for d in counted], case.id
        compared += 1
    assert compared > 10


@pytest.mark.parametrize("op", ["aten.mul.Tensor", "aten.mm.default", "aten.cat.default"])
def test_regions_keep_the_contract_and_survive_json(op: str) -> None:
    for case, *_ in groups(op):
        built = build_region(case, 0, symbolic=True, device="cpu")
        opset("1.0").verify(built.region.graph)
        again = Region.from_json(built.region.to_json())
        assert again.to_json() == built.region.to_json()


def test_a_size_behind_a_rounded_one_is_read_where_it_can_be() -> None:
    """The incoming gradient of pooling has ``(h + 1) // 2 + 1`` rows; what was pooled has ``h + 3``."""
    case = groups("aten.max_pool2d_with_indices_backward.default")[0][0]
    built = build_region(case, 0, symbolic=True, device="cpu")
    solved = {s.source[1] for s in built.region.symbols if s.source[0] == "solve"}
    assert solved == {("size", "arg1_1", 2), ("size", "arg1_1", 3)}


def test_one_region_serves_every_size_of_a_group() -> None:
    largest = max(groups("aten.mul.Tensor", "inference"), key=lambda cases: len({c.sizes for c in cases}))
    built = build_region(largest[0], 0, symbolic=True, device="cpu")
    sizes = [built.symbols(case) for case in largest]
    assert len({tuple(s.values()) for s in sizes}) >= 2
    for case in largest:
        assert built.serves(case)
        plan = next(plan for _, plan in case.tensors())
        assert list(built.symbols(case).values()) == list(plan.shape)
        assert built.region.outputs[0].dtype is torch.float32
