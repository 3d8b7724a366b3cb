"""LSTM and GRU where the user has set Dynamo's ``allow_rnn``; without it the reason is named."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

import torchport as tp
from torchport.contract.spec import Tier

from .conftest import Claiming, Outcome

OWN = ("aten.lstm.input", "torchport_backward.lstm.input")


def t(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)))


WEIGHTS = (t(20, 3), t(20, 5), t(20), t(20))


def lstm(x: Tensor, *weights: Tensor) -> Any:
    state = x.new_zeros(1, x.shape[0], 5)
    return torch.lstm(x, (state, state), weights, True, 1, 0.0, True, False, True)


def _has_lstm(dtype: torch.dtype) -> bool:
    try:
        with torch.autocast("cpu", dtype):
            lstm(t(2, 4, 3), *(w.clone().requires_grad_() for w in WEIGHTS))
    except RuntimeError as error:
        return "could not create a primitive" not in str(error)
    return True


@pytest.fixture(autouse=True)
def _allowed() -> Any:
    with torch._dynamo.config.patch(allow_rnn=True):
        yield


@pytest.mark.parametrize("dtype", [None, torch.bfloat16], ids=["float32", "autocast"])
@pytest.mark.parametrize(
    ("backend", "op"),
    [
        (Claiming(macros=True), "torchport.lstm.default"),
        (Claiming("aten.lstm.input"), "aten.lstm.input"),
        (Claiming(*OWN), "aten.lstm.input"),
    ],
    ids=["macro", "composite", "own backward"],
)
def test_a_claimed_layer_is_one_node_in_training(run: Any, backend: Any, op: str, dtype: Any) -> None:
    if dtype is not None and not _has_lstm(dtype):
        pytest.skip("PyTorch has no LSTM of this dtype on this processor")
    outcome: Outcome = run(lstm, (t(2, 4, 3), *WEIGHTS), backend, dtype=dtype)
    outcome.assert_as_eager()
    forward = outcome.ops("forward")
    assert forward.count(op) == 1
    assert not {"aten.mm.default", "aten.addmm.default", "aten.sigmoid.default"} & set(forward)
    if OWN[1] in backend.claimed:
        assert outcome.ops("backward").count(OWN[1]) == 1
    tp.reports(backend).clear()


@pytest.mark.parametrize("train", [False, True])
def test_an_unclaimed_layer_lowers_to_primitives(train: bool) -> None:
    """Also where its input needs no gradient, for which PyTorch has a kernel of one library."""
    weights = [w.clone().requires_grad_(train) for w in WEIGHTS]
    lowered = tp.lower(lstm, [t(2, 4, 3), *weights], tier="prim", grad=train)
    assert lowered.reasons == ()
    assert (
        {"forward", "backward"} == lowered.graphs.keys() if train else {"inference"} == lowered.graphs.keys()
    )
    contract = tp.opset("1.0")
    assert {contract.ops[n.op].tier for g in lowered.graphs.values() for n in g.nodes} == {Tier.PRIM}


def test_the_length_of_a_claimed_layer_stays_open() -> None:
    backend = Claiming("aten.lstm.input")
    compiled = torch.compile(lstm, backend=backend)
    with torch.no_grad():
        for length in (3, 4, 6):
            x = t(2, length, 3)
            torch._dynamo.maybe_mark_dynamic(x, 1)
            torch.testing.assert_close(compiled(x, *WEIGHTS)[0], lstm(x, *WEIGHTS)[0])
    assert len(tp.reports(backend).graphs) == 1
    torch._dynamo.reset()


def test_without_the_setting_the_reason_is_named() -> None:
    with torch._dynamo.config.patch(allow_rnn=False):
        found = tp.explain(torch.nn.LSTM(3, 5), (t(4, 2, 3),), Claiming(macros=True))
    assert "allow_rnn" in str(found)
