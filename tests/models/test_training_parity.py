"""GPT-2, BERT and ResNet: inference, and single steps of a 20-step training, against eager and float64."""

from __future__ import annotations

from functools import partial

import pytest
import torch

import torchport as tp
from torchport_conformance.models import architecture
from torchport_conformance.parity import CHECKED_STEPS, inference_parity, training_parity

MODELS = ("bert", "gpt2", "resnet")


@pytest.fixture(params=["scaffolded", "torchport_openmp"])
def backend(request: pytest.FixtureRequest) -> tp.DynamoBackend:
    """A fresh Dynamo entry, so that its reports are this test's."""
    if request.param == "scaffolded":
        return tp.DynamoBackend((request.getfixturevalue("scaffolded")(),))
    return tp.DynamoBackend((tp.load_backend(request.param),))


def assert_something_ran(reports: tp.Reports, phases: set[str]) -> None:
    assert {graph.phase for graph in reports.graphs} == phases
    for graph in reports.graphs:
        assert graph.claimed > 0, f"the {graph.phase} graph ran entirely in fallback: {graph.rejections}"


@pytest.mark.parametrize("name", MODELS)
def test_inference(name: str, backend: tp.DynamoBackend) -> None:
    chosen = architecture(name)
    compile = partial(torch.compile, backend=backend, fullgraph=True)
    step = inference_parity(chosen, compile, batch=chosen.batches(1)[0])
    assert step.wrong == ()
    assert_something_ran(backend.reports, {"inference"})


@pytest.mark.parametrize("name", MODELS)
def test_twenty_steps_of_training(name: str, backend: tp.DynamoBackend) -> None:
    compile = partial(torch.compile, backend=backend, fullgraph=True)
    result = training_parity(architecture(name), compile)
    assert result.wrong == ()
    assert tuple(step.step for step in result.steps) == CHECKED_STEPS
    assert_something_ran(backend.reports, {"forward", "backward"})
    assert len(backend.reports.graphs) == 2, "one forward and one backward graph serve every step"


def test_the_reference_backend_claims_almost_everything() -> None:
    backend = tp.DynamoBackend((tp.load_backend("torchport_openmp"),))
    training_parity(
        architecture("gpt2"), partial(torch.compile, backend=backend, fullgraph=True), check_at=(1,)
    )
    assert backend.reports.claimed_share > 0.95, backend.reports.fallback_ops
