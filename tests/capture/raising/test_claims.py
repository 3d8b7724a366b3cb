"""A macro is raised where a backend claims it, whole, with its gradient; else the program stays as it is."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.utils.checkpoint
from torch import Tensor
from torch.nn import functional as F

import torchport as tp
from torchport.errors import LoweringError

X, W = torch.randn(2, 5, 8), torch.randn(8)
RMS = "torchport.rms_norm.default"


def rms(x: Tensor, w: Tensor) -> Tensor:
    return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Choosy(tp.EagerBackend):
    """Claims macros but those that are refused by name."""

    name = "choosy"

    def __init__(self, *refused: str) -> None:
        super().__init__(macros=True)
        self.refused = refused
        self.asked: list[tp.Node] = []

    def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
        self.asked.append(node)
        if node.op in self.refused:
            return tp.no(tp.Reason.SHAPE, "too small")
        return super().claims(node, target)


def regions(outcome: Any, phase: str) -> set[str]:
    graphs = [g for g in outcome.reports.graphs if g.phase == phase]
    return {op for g in graphs for r in g.regions for op in r.ops}


def test_the_backend_gets_the_operator_whole_in_every_phase(run: Any) -> None:
    inference = run(rms, (X, W), train=False)
    assert regions(inference, "inference") == {RMS}
    training = run(rms, (X, W))
    assert RMS in regions(training, "forward")
    assert regions(training, "backward") == {"torchport.rms_norm_backward.default"}


def test_an_unclaimed_gradient_is_that_of_the_decomposition(run: Any) -> None:
    outcome = run(rms, (X, W), backend=Choosy("torchport.rms_norm_backward.default"))
    assert outcome.raised == {"rms_norm": 1}
    assert not outcome.reports.raised[0].own_backward
    backward = regions(outcome, "backward")
    assert backward
    assert all(op.startswith("aten.") for op in backward)
    outcome.assert_unchanged()


def test_a_refused_macro_leaves_the_program_as_it_is(run: Any) -> None:
    refusing = Choosy(RMS)
    outcome = run(rms, (X, W), train=False, backend=refusing)
    plain = run(rms, (X, W), train=False, backend=tp.EagerBackend())
    assert regions(outcome, "inference") == regions(plain, "inference")
    assert outcome.raised == plain.raised == {}
    assert {m.reason for m in outcome.reports.macros} == {"choosy: shape: too small"}
    asked = next(n for n in refusing.asked if n.op == RMS)
    assert asked.arg("eps") == 1e-6
    assert asked.arg("normalized_shape") == (8,)
    assert asked.input_specs[0].shape == (2, 5, 8)
    assert asked.output_specs[0].shape == (2, 5, 8)


def test_the_parts_of_a_larger_macro_are_offered_when_it_is_refused(run: Any) -> None:
    def program(x: Tensor, a: Tensor) -> Tensor:
        return F.silu(x[..., :4]) * x[..., 4:] + a

    whole = run(program, (X, X[..., :4]), train=False)
    assert whole.raised == {"silu_and_mul": 1}
    parts = run(program, (X, X[..., :4]), train=False, backend=Choosy("torchport.silu_and_mul.default"))
    assert parts.raised == {"swiglu": 1}
    parts.assert_unchanged()


def test_an_override_replaces_the_macro(run: Any) -> None:
    calls = []

    def kernel(x: Tensor, shape: Any, w: Tensor, eps: float) -> Tensor:
        calls.append(eps)
        return torch.full_like(x, 3.0)

    outcome = run(rms, (X, W), train=False, backend=tp.EagerBackend({RMS: kernel}))
    assert calls == [1e-6]
    assert (outcome.compiled[0] == 3.0).all()


def test_the_option_turns_raising_off(run: Any) -> None:
    backend = tp.EagerBackend(macros=True)
    torch.compile(rms, backend=backend, options={"raise_macros": False})(X, W)
    assert tp.reports(backend).macros == []


def test_explain_names_macro_form_and_line(run: Any) -> None:
    found = tp.explain(rms, (X, W), tp.EagerBackend(macros=True))
    assert [m.macro for m in found.raised] == [RMS]
    assert "raised 1 x torchport.rms_norm.default (rms_norm.P1) for torchport_eager" in str(found)
    assert "test_claims.py" in found.raised[0].source
    assert found.to_dict()["macros"][0]["nodes"] == 6


def test_a_failing_claim_names_the_macro(run: Any) -> None:
    class Broken(tp.EagerBackend):
        def claims(self, node: tp.Node, target: tp.Target) -> tp.Claim:
            raise ZeroDivisionError

    with pytest.raises(Exception, match="ZeroDivisionError") as error:
        torch.compile(rms, backend=Broken())(X, W)
    assert isinstance(error.value.__cause__ or error.value, LoweringError) or RMS in str(error.value)


def test_a_form_on_one_backend_is_offered_to_the_next(run: Any) -> None:
    first, second = Choosy(RMS), tp.EagerBackend(macros=True)
    mixed = tp.compose(first, second)
    torch.compile(rms, backend=mixed)(X, W)
    assert [(m.macro, m.backend) for m in mixed.reports.raised] == [(RMS, "torchport_eager")]


def test_training_is_declared(run: Any) -> None:
    class Inference(tp.EagerBackend):
        name = "inference_only"

        def capabilities(self, target: tp.Target) -> tp.Capabilities:
            return tp.Capabilities(training=False)

    assert run(rms, (X, W), train=True, backend=Inference(macros=True)).raised == {}
    torch._dynamo.reset()
    assert run(rms, (X, W), train=False, backend=Inference(macros=True)).raised == {"rms_norm": 1}


def test_strides_are_those_of_the_program(run: Any) -> None:
    """Attention by name returns [B, L, H, D] memory; the macro is row-major."""

    def program(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        out = F.scaled_dot_product_attention(q, k, v)
        return out.transpose(1, 2).view(2, 6, 32)

    q, k, v = (torch.randn(2, 6, 4, 8).transpose(1, 2) for _ in range(3))
    outcome = run(program, (q, k, v))
    assert outcome.raised == {"scaled_dot_product_attention": 1}
    outcome.assert_unchanged()


def test_a_kernel_table_claims_macros_like_any_operator(run: Any) -> None:
    table = tp.KernelTable()
    calls = []

    @table.op(RMS, dtypes=("float32",), when="dim(-1) % 8 == 0")
    def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor, eps: float, *, out: Tensor) -> None:
        calls.append(tuple(input.shape))
        torch.mul(F.rms_norm(input, normalized_shape, None, eps), weight, out=out)

    class Table(tp.KernelBackend):
        name = "table"
        kernels = table

    outcome = run(rms, (X, W), train=False, backend=Table())
    assert calls == [(2, 5, 8)]
    outcome.assert_unchanged()
    torch._dynamo.reset()
    narrow = run(rms, (X[..., :6], W[:6]), train=False, backend=Table())
    assert calls == [(2, 5, 8)]
    assert "table: " in narrow.reports.macros[0].reason


def test_activation_checkpoints_are_raised_inside(run: Any) -> None:
    def program(x: Tensor, w: Tensor) -> Tensor:
        found: Tensor = torch.utils.checkpoint.checkpoint(rms, x, w, use_reentrant=False)
        return found * 2

    outcome = run(program, (X, W))
    assert outcome.raised == {"rms_norm": 1}
    assert "torchport.rms_norm_backward.default" in regions(outcome, "backward")
    outcome.assert_unchanged()


def test_a_region_with_a_macro_is_serialized(run: Any) -> None:
    """A compiler that is not Python gets macros like any operator."""
    texts = []

    class Serializing(tp.EagerBackend):
        name = "serializing"

        def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
            texts.append(region.to_json())
            return super().compile(tp.Region.from_json(texts[-1]), target, options)

    outcome = run(rms, (X, W), train=False, backend=Serializing(macros=True))
    assert f'"{RMS}"' in texts[0]
    outcome.assert_unchanged()
