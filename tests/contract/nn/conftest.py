"""What every test of a neural-network decomposition checks, as fixtures; the tests hold the cases.

A case is a list of float64 (or integer) tensors and a call that takes the operator, or its decomposition, and
them. The call reads every size from the tensors, so that it can be traced at some sizes and run at others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.contract.dtype_rules import accepted, result_dtypes
from torchport.contract.eager_defects import Operands, defects_of
from torchport.contract.graph import dtype_name
from torchport.contract.numerics import judge
from torchport.contract.opset import opset
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import Tier, resolve

Call = Callable[..., Any]
LOW = (torch.float32, torch.bfloat16, torch.float16)


def cast(tensors: Sequence[Tensor | None], dtype: torch.dtype) -> list[Tensor | None]:
    """Floating tensors in ``dtype``, with their strides; others as they are."""
    return [t.to(dtype) if t is not None and t.is_floating_point() else t for t in tensors]


def flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def assert_as_good_as_eager(ours: Tensor, eager: Tensor, exact: Tensor, what: str) -> None:
    """Same shape and dtype, same NaN and infinities, and ``|ours - f64| <= 2 |eager - f64| + bound``.

    The bound is one rounding of the result plus a few of the largest value in the compute dtype.
    """
    assert ours.shape == eager.shape, f"{what}: shape {tuple(ours.shape)}, eager {tuple(eager.shape)}"
    assert ours.dtype == eager.dtype, f"{what}: dtype {ours.dtype}, eager {eager.dtype}"
    if not ours.is_floating_point():
        assert torch.equal(ours, eager), what
        return
    finite = exact.isfinite() & eager.isfinite()
    assert torch.equal(
        torch.where(finite, 0, ours.double()).nan_to_num(7e7),
        torch.where(finite, 0, eager.double()).nan_to_num(7e7),
    ), f"{what}: NaN or infinity differs"
    ours64, eager64, exact = (torch.where(finite, t.double(), 0) for t in (ours, eager, exact))
    scale = exact.abs().max() if exact.numel() else exact.sum()
    compute = torch.float64 if ours.dtype == torch.float64 else torch.float32
    bound = torch.finfo(ours.dtype).eps * exact.abs() + 4 * torch.finfo(compute).eps * scale
    bound = bound + torch.finfo(ours.dtype).smallest_normal * torch.finfo(ours.dtype).eps
    allowed = 2 * (eager64 - exact).abs() + bound
    excess = (ours64 - exact).abs() - allowed
    assert not (excess > 0).any(), (
        f"{what}: exceeds by {excess.max():.3g}, error {(ours64 - exact).abs().max():.3g}"
    )


class Recorder:
    """Stands for an operator in a case's call and keeps its arguments by schema name, defaults filled in."""

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self.op = op
        self.arguments: dict[str, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        schema = self.op._schema.arguments
        given = dict(zip((a.name for a in schema), args, strict=False)) | kwargs
        self.arguments = {a.name: given.get(a.name, a.default_value) for a in schema}
        return self.op(*args, **kwargs)


def assert_rules_hold(name: str, arguments: dict[str, Any], eager: Sequence[Any]) -> None:
    """The entry's shape and dtype rules give what eager gave, and its constraints hold for that."""
    spec = opset().ops[name]
    bindings = bind(arguments)
    shapes = [shape for text in spec.shape for shape in parse(text).evaluate(bindings)]
    expected = [None if t is None else tuple(t.shape) for t in eager]
    assert [None if s is None else tuple(s) for s in shapes] == expected
    dtypes = result_dtypes(spec.dtypes, arguments)
    assert all(t is None or t.dtype == d for t, d in zip(eager, dtypes, strict=True)), f"{name}: {dtypes}"
    for constraint in (c for c in spec.constraints if c.tier is not Tier.PRIM):
        assert parse(constraint.text).value(bindings) is True, f"{constraint.label}: {constraint.prose}"
    for argument, value in arguments.items():
        if isinstance(value, Tensor):
            assert accepted(spec.dtypes, argument, value.dtype, arguments), (
                f"{name}: {argument} {value.dtype}"
            )


@pytest.fixture
def accurate() -> Callable[..., None]:
    """Checks a decomposition against eager and float64 in every low precision."""

    def check(
        name: str,
        decomposition: Call,
        tensors: Sequence[Tensor | None],
        call: Call,
        dtypes: Sequence[torch.dtype] = LOW,
    ) -> None:
        op = resolve(name)
        for dtype in dtypes:
            rounded = cast(tensors, dtype)
            recorder = Recorder(op)
            eager = flat(call(recorder, *rounded))
            assert_rules_hold(name, recorder.arguments, eager)
            ours = flat(call(decomposition, *rounded))
            exact = flat(call(op, *cast(rounded, torch.float64)))
            assert len(ours) == len(eager), f"{name}: {len(ours)} results, eager {len(eager)}"
            for who, results in (("decomposition", ours), ("eager", eager)):
                verdict = judge(opset().ops[name], recorder.arguments, results)
                known = who == "eager" and defects_of(name, Operands(dtypes={dtype_name(dtype)}))
                assert verdict.ok or known, (
                    f"{who} of {name} in {dtype} is outside of the contract: {verdict.message}"
                )
            for i, (mine, theirs, reference) in enumerate(zip(ours, eager, exact, strict=True)):
                if theirs is None or mine is None:
                    assert mine is None and theirs is None, f"{name} output {i}: only one of the two is None"
                    continue
                assert_as_good_as_eager(mine, theirs, reference, f"{name} output {i} {dtype}")

    return check


@pytest.fixture
def symbolic() -> Callable[..., set[str]]:
    """Traces a decomposition with symbolic sizes and runs the graph at other sizes.

    Checks that it uses contract operators only, and returns their names.
    """

    def check(
        name: str,
        decomposition: Call,
        traced: Sequence[Tensor | None],
        other: Sequence[Tensor | None],
        call: Call,
    ) -> set[str]:
        present = [i for i, t in enumerate(traced) if t is not None]

        def of_present(*tensors: Tensor) -> list[Any]:
            full: list[Tensor | None] = [None] * len(traced)
            for i, t in zip(present, tensors, strict=True):
                full[i] = t
            return [r for r in flat(call(decomposition, *full)) if r is not None]

        def only(tensors: Sequence[Tensor | None]) -> list[Any]:
            return [tensors[i] for i in present]

        graph = make_fx(of_present, tracing_mode="symbolic")(*only(cast(traced, torch.float32)))
        inputs = only(cast(other, torch.float32))
        expected = [r for r in flat(call(decomposition, *cast(other, torch.float32))) if r is not None]
        for got, want in zip(graph(*inputs), expected, strict=True):
            torch.testing.assert_close(got, want, msg=lambda m: f"{name} at other sizes: {m}")
        targets = {n.target for n in graph.graph.nodes if n.op == "call_function"}
        used = {t.name().replace("::", ".") for t in targets if isinstance(t, torch._ops.OpOverload)}
        kernels = {u for u in used if not u.startswith("aten.sym_")}
        unknown = {u for u in kernels if u not in opset().ops and f"{u}.default" not in opset().ops}
        assert not unknown, f"{name} decomposes to what is not in the contract: {unknown}"
        return kernels

    return check


@pytest.fixture
def differentiable() -> Callable[..., None]:
    """Compares gradients given by a backward decomposition with float64 autograd of a plain formula."""

    def check(ours: Sequence[Tensor | None], formula: Call, inputs: Sequence[Tensor], grad: Tensor) -> None:
        leaves = [t.detach().double().requires_grad_() for t in inputs]
        exact = torch.autograd.grad(formula(*leaves), leaves, grad.double())
        for i, (got, want) in enumerate(zip(ours, exact, strict=True)):
            assert got is not None and got.shape == want.shape, f"gradient {i}"
            scale = want.abs().max()
            error = (got.double() - want).abs().max()
            assert error <= 64 * torch.finfo(got.dtype).eps * scale, (
                f"gradient {i}: error {error:.3g} of {scale:.3g}"
            )

    return check
