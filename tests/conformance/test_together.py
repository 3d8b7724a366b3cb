"""What a thorough profile has for each dtype: values, sizes, layouts and other arguments together."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import pytest
import torch

from torchport_conformance.cases.axes import Axes
from torchport_conformance.cases.case import Case
from torchport_conformance.cases.generate import cases_for
from torchport_conformance.cases.profiles import profile_named
from torchport_conformance.cases.signature import signature
from torchport_conformance.cases.together import allowed
from torchport_conformance.specs import spec_of

FULL = profile_named("full")


@lru_cache
def of(op: str) -> tuple[Case, ...]:
    return cases_for(spec_of(op), FULL)


def is_row_major(case: Case) -> bool:
    return all(plan.layout == "contiguous" for _, plan in case.tensors())


def argument(case: Case, name: str) -> object:
    return dict(case.arguments)[name]


def _embedding_without_weights(case: Case) -> bool:
    return argument(case, "per_sample_weights") is None and is_row_major(case)


def _unit_corners(case: Case) -> bool:
    return bool(argument(case, "align_corners")) and dict(case.tensors())["grad_output"].shape == (1,) * 5


def _far(case: Case) -> bool:
    plan = next(plan for name, plan in case.tensors() if name.startswith("indices"))
    return int(plan.values.partition(":")[2] or 0) > 128 < 2 * plan.shape[0]


@pytest.mark.parametrize(
    ("op", "dtypes", "wanted"),
    [
        ("aten.argmin.default", ("float32", "float16", "int64", "uint8"),
         lambda c: c.layout == "transposed" and argument(c, "dim") is None),
        ("aten.upsample_trilinear3d_backward.default", ("float32", "bfloat16", "float64"), _unit_corners),
        ("aten._embedding_bag_backward.default", ("float32", "float16"), _embedding_without_weights),
        ("aten._unsafe_index_put.default", ("float32", "complex64", "int8"), _far),
        ("aten.special_legendre_polynomial_p.default", ("float32", "int64"),
         lambda c: all(p.shape == (7, 5) for _, p in c.tensors()) and _has(c, "n", torch.int32)),
        ("aten.pow.Tensor_Tensor", ("uint16", "uint64"),
         lambda c: dict(c.tensors())["exponent"].shape[-1] == 1 < dict(c.tensors())["self"].shape[-1]),
        ("aten.native_batch_norm.default", ("float32",), lambda c: "-inf@last(bias)-" in c.id),
        ("aten._scaled_dot_product_flash_attention_for_cpu.default", ("float32",),
         lambda c: _has(c, "attn_mask", torch.float32) and "--inf@row(attn_mask)" in c.id),
        ("aten.scatter.reduce", ("int64",), lambda c: "extreme(src)" in c.id and is_row_major(c)),
    ],
)  # fmt: skip
def test_each_dtype_has_what_a_fault_of_it_shows_in(
    op: str, dtypes: tuple[str, ...], wanted: Callable[[Case], bool]
) -> None:
    lacking = [dtype for dtype in dtypes if not any(c.dtype == dtype and wanted(c) for c in of(op))]
    assert not lacking


def _has(case: Case, name: str, dtype: torch.dtype) -> bool:
    return any(n == name and plan.dtype is dtype for n, plan in case.tensors())


def test_the_plainest_call_that_the_contract_allows() -> None:
    norm = Axes(signature(spec_of("aten.native_batch_norm.default")), FULL)
    found = allowed(norm, "float32")
    assert found.absent == {"running_mean", "running_var"}, "training has no running statistics"
    relu = Axes(signature(spec_of("aten.relu.default")), FULL)
    assert allowed(relu, "float16") == relu.recipe(dtype="float16")


def test_no_case_is_there_twice_and_none_without_being_asked_for() -> None:
    cases = of("aten.argmin.default")
    assert len({c.id for c in cases}) == len(cases) == len({(c.arguments, c.sizes) for c in cases})
