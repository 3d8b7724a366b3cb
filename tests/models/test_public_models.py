"""Public architectures: a few of each kind and mode, a decoder, and what becomes of results."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch

import torchport as tp
from torchport.errors import OptionError
from torchport_conformance.public_models import public_models
from torchport_conformance.public_models.entry import tensors_of
from torchport_conformance.public_models.generation import generate
from torchport_conformance.public_models.reference import in_float64
from torchport_conformance.public_models.results import (
    MODES,
    Mode,
    ModelReport,
    ModelResult,
    ModeResult,
    Phase,
    Shapes,
    Verdict,
)
from torchport_conformance.public_models.table import selected
from torchport_conformance.public_models.worker import judge_model

INFERENCE, TRAINING = Phase.INFERENCE, Phase.TRAINING
STATIC, DYNAMIC = Shapes.STATIC, Shapes.DYNAMIC


@pytest.mark.parametrize(
    ("name", "phase", "shapes"),
    [
        ("swin", INFERENCE, STATIC),
        ("vit", TRAINING, DYNAMIC),
        ("mamba", INFERENCE, STATIC),
        ("patchtst", TRAINING, DYNAMIC),
        ("visual_bert", TRAINING, STATIC),
        ("bloom", INFERENCE, DYNAMIC),
    ],
)
def test_an_architecture_is_right(name: str, phase: Phase, shapes: Shapes) -> None:
    mode = Mode(phase, shapes)
    (result,) = judge_model(public_models()[name], tp.load_backend("torchport_openmp"), (mode,))
    assert (result.verdict, result.reason) == (Verdict.RIGHT, "")
    assert result.claimed > 0


def test_a_decoder_generates_eagers_tokens_with_a_static_cache() -> None:
    found = generate("gpt2", tp.load_backend("torchport_openmp"), count=50)
    assert (found.equal, found.later, found.cache_copies) == (50, 0, 0)
    assert found.distinct > 5
    assert found.right


def test_the_table_names_sixty_architectures_of_every_family_and_refuses_others() -> None:
    families = {m.family for m in public_models().values()}
    assert len(public_models()) >= 65
    assert len(families) == 6
    with pytest.raises(OptionError, match="known: albert"):
        selected(["no_such_model"])


def test_float32_that_a_program_names_is_float64_in_the_reference() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    with in_float64():
        results = (x.float(), x.to(torch.float32), torch.softmax(x, 0, dtype=torch.float32), torch.ones(2))
    assert {r.dtype for r in results} == {torch.float64}
    assert torch.get_default_dtype() is torch.float32


def test_results_are_written_read_and_counted(tmp_path: Path) -> None:
    right = tuple(ModeResult(mode, Verdict.RIGHT, ratio=0.25, claimed=3) for mode in MODES)
    report = ModelReport({"torch": "2"}, (ModelResult("a", "vision", right),))
    report.write(tmp_path / "r.json")
    assert ModelReport.read(tmp_path / "r.json") == report
    assert report.exit_code == 0
    wrong = dataclasses.replace(right[0], verdict=Verdict.WRONG)
    assert report.with_model(ModelResult("b", "vision", (wrong, *right[1:]))).exit_code == 1
    assert report.with_model(ModelResult("b", "vision", right[:2])).exit_code == 3
    assert dict(tensors_of({"x": (right and torch.ones(1),)})) == {"output x[0]": torch.ones(1)}
