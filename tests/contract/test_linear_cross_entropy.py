"""The chunked cross entropy of a linear layer against autograd in float64, and what eager refuses."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from torch.nn.functional import cross_entropy, linear

from torchport.contract.adapters import is_present
from torchport.contract.decompositions.linear_cross_entropy import (
    linear_cross_entropy,
    linear_cross_entropy_no_reduction,
)
from torchport.contract.opset import opset
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import resolve

SCALAR = "torch_nn._linear_cross_entropy_batch_chunked.default"
ROWS = "torch_nn._linear_cross_entropy_batch_chunked_no_reduction.default"
OPS = opset("1.0").ops
present = pytest.mark.skipif(not is_present(SCALAR), reason="this PyTorch has no such operators")


def arguments(name: str, **changed: Any) -> dict[str, Any]:
    """Five rows, three features, four classes; float64 unless ``changed``."""
    g = torch.Generator().manual_seed(0)
    given: dict[str, Any] = {
        "input": torch.randn(5, 3, generator=g, dtype=torch.float64),
        "linear_weight": torch.randn(4, 3, generator=g, dtype=torch.float64),
        "target": torch.tensor([3, 1, 0, 1, 2]),
        "linear_bias": torch.randn(4, generator=g, dtype=torch.float64),
        "weight": torch.tensor([0.5, 2.0, 0.0, 1.25], dtype=torch.float64),
        "ignore_index": -100,
        "batch_chunk_size": 2,
        "acc_policy": "compact",
        "acc_dtype": torch.float64,
    }
    if name == SCALAR:
        given |= {"reduction": "mean", "label_smoothing": 0.0, "allow_retain_graph": True}
        given |= dict.fromkeys(
            ("compute_input_grad", "compute_linear_weight_grad", "compute_linear_bias_grad"), True
        )
    return {a.name: (given | changed)[a.name] for a in OPS[name].signature.arguments}


def expected(given: dict[str, Any], reduction: str) -> tuple[torch.Tensor, ...]:
    """The loss and the gradients of input, weight and bias by autograd of the composed functions."""
    leaves = [given[n].clone().requires_grad_() for n in ("input", "linear_weight", "linear_bias")]
    loss = cross_entropy(
        linear(*leaves),
        given["target"],
        weight=given["weight"],
        ignore_index=given["ignore_index"],
        reduction=reduction,
    )
    return (loss.detach(), *torch.autograd.grad(loss.sum(), leaves))


CASES = [
    pytest.param(ignored, weighted, targets, id=f"ignore{ignored}-{'weighted' if weighted else 'plain'}-{i}")
    for (ignored, targets), weighted in itertools.product(
        [(-100, [3, 1, 0, 1, 2]), (-100, [3, -100, 0, -100, 2]), (1, [3, 1, 0, 1, 2]), (9, [9, 0, 9, 3, 3])],
        (False, True),
    )
    for i in [len({*targets})]
]


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize(("ignored", "weighted", "targets"), CASES)
def test_loss_and_gradients_are_those_of_the_composition(
    reduction: str, ignored: int, weighted: bool, targets: list[int]
) -> None:
    changed: dict[str, Any] = {"target": torch.tensor(targets), "ignore_index": ignored}
    if not weighted:
        changed["weight"] = None
    given = arguments(SCALAR, reduction=reduction, **changed)
    for ours, exact in zip(linear_cross_entropy(**given), expected(given, reduction), strict=True):
        torch.testing.assert_close(ours, exact, rtol=1e-12, atol=1e-13)
    rows = linear_cross_entropy_no_reduction(**arguments(ROWS, **changed))
    torch.testing.assert_close(rows, expected(given, "none")[0], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sixteen_bits_are_rounded_once(dtype: torch.dtype) -> None:
    """Every output is the float64 result on the same operands, rounded, but for float32's own error."""
    names = ("input", "linear_weight", "linear_bias", "weight")
    narrow: dict[str, Any] = {n: arguments(SCALAR)[n].to(dtype) for n in names}
    wide = arguments(SCALAR, **{n: t.to(torch.float64) for n, t in narrow.items()})
    found = linear_cross_entropy(**arguments(SCALAR, **narrow, acc_dtype=torch.float32))
    for ours, exact in zip(found, expected(wide, "mean"), strict=True):
        assert ours.dtype is dtype
        spacing = torch.finfo(dtype).eps * exact.abs()
        assert bool(((ours.to(torch.float64) - exact).abs() <= 0.51 * spacing + 1e-6).all())


@pytest.mark.parametrize("asked", list(itertools.product((False, True), repeat=3)))
def test_gradients_that_are_not_asked_for_have_no_elements(asked: tuple[bool, bool, bool]) -> None:
    names = ("compute_input_grad", "compute_linear_weight_grad", "compute_linear_bias_grad")
    given = arguments(SCALAR, linear_bias=None, **dict(zip(names, asked, strict=True)))
    loss, *gradients = linear_cross_entropy(**given)
    full, without = [(5, 3), (4, 3), (4,)], [(0, 0), (0, 0), (0,)]
    shapes = [f if a else w for f, w, a in zip(full, without, asked, strict=True)]
    assert [tuple(g.shape) for g in gradients] == shapes
    assert [tuple(parse(s).value(bind(given))) for s in OPS[SCALAR].shape] == [(), *shapes]
    assert loss.shape == ()


@present
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("targets", [[2, 2, 2, 2, 2], [-100] * 5, []], ids=["weight-0", "ignored", "empty"])
def test_where_no_row_counts(reduction: str, targets: list[int]) -> None:
    """A mean over nothing is NaN, and so is every gradient that a row flows into; a sum is 0."""
    x = arguments(SCALAR)["input"][: len(targets)]
    target = torch.tensor(targets, dtype=torch.int64)
    given = arguments(SCALAR, input=x, target=target, reduction=reduction)
    with torch.no_grad():
        eager = resolve(SCALAR)(**given)
    assert bool(eager[0].isnan()) == (reduction == "mean")
    for ours, theirs in zip(linear_cross_entropy(**given), eager, strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True)


REFUSED: list[Any] = [
    {"input": torch.zeros(5, dtype=torch.float64)},
    {"linear_weight": torch.zeros(4, 7, dtype=torch.float64)},
    {"linear_bias": torch.zeros(3, dtype=torch.float64)},
    {"batch_chunk_size": 0},
    {"acc_policy": "auto"},
    {"acc_dtype": torch.float32},
    {"label_smoothing": 0.1},
]


@present
@pytest.mark.parametrize("name", [SCALAR, ROWS])
@pytest.mark.parametrize("changed", REFUSED, ids=lambda changed: next(iter(changed)))
def test_what_eager_refuses_meets_an_error_condition(name: str, changed: dict[str, Any]) -> None:
    if not changed.keys() <= {a.name for a in OPS[name].signature.arguments}:
        changed = {"acc_policy": "auto"}
    given = arguments(name, **changed)
    assert any(parse(e.text).holds(bind(given)) for e in OPS[name].errors)
    assert not all(parse(c.text).holds(bind(given)) for c in OPS[name].constraints)
    with torch.no_grad(), pytest.raises((RuntimeError, ValueError, NotImplementedError)):
        resolve(name)(**given)


def test_a_legal_call_meets_no_error_condition() -> None:
    for name in (SCALAR, ROWS):
        bound = bind(arguments(name))
        assert not any(parse(e.text).holds(bound) for e in OPS[name].errors)
        assert all(parse(c.text).holds(bound) for c in OPS[name].constraints)


@present
def test_the_namespace_is_there_before_anybody_imports_its_module() -> None:
    """``torch_nn`` is registered by a module that PyTorch imports when the function is first called."""
    import subprocess
    import sys

    code = f"from torchport.contract.spec import resolve; print(resolve({ROWS!r}).namespace)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "torch_nn"
