"""Transformers and a convolutional network through torchport_openmp, run in a process of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import torchport as tp

BATCH = torch.export.Dim("batch", min=2, max=32)


def residual_network() -> tuple[torch.nn.Module, dict[str, Any], dict[str, Any]]:
    from torch import nn

    class Block(nn.Module):
        def __init__(self, channels: int) -> None:
            super().__init__()
            self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.norms = nn.ModuleList([nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            hidden = torch.relu(self.norms[0](self.first(x)))
            return torch.relu(x + self.norms[1](self.second(hidden)))

    stem = [nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10)]
    model = nn.Sequential(*stem, Block(8), *head)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.uniform_(-1, 1)
            module.running_var.uniform_(0.5, 2)
    return model, {"input": torch.randn(4, 3, 32, 32)}, {"input": {0: BATCH}}


def bert() -> tuple[torch.nn.Module, dict[str, Any], dict[str, Any]]:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=99,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=37,
        max_position_embeddings=64,
    )
    mask = torch.ones(4, 7, dtype=torch.int64)
    mask[1, 5:] = 0
    inputs = {"input_ids": torch.randint(0, 99, (4, 7)), "attention_mask": mask}
    return BertModel(config), inputs, {"input_ids": {0: BATCH}, "attention_mask": {0: BATCH}}


def gpt2() -> tuple[torch.nn.Module, dict[str, Any], dict[str, Any]]:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=99,
        n_embd=32,
        n_layer=1,
        n_head=4,
        n_positions=64,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    return GPT2LMHeadModel(config), {"input_ids": torch.randint(0, 99, (4, 7))}, {"input_ids": {0: BATCH}}


RUNNER = """
import json, sys, torch
import torchport as tp
from torchport_reference.openmp_cpu import OpenMPBackend
from torchport_reference.openmp_cpu.toolchain import Toolchain

calls, fallback = [], {}
for owner, name in ((OpenMPBackend, "claims"), (OpenMPBackend, "compile"), (Toolchain, "compile")):
    setattr(owner, name, lambda *a, _name=name, **k: calls.append(_name))
for path in sys.argv[1:]:
    program = tp.load(path + ".tp")
    results = [program(**inputs) for inputs in torch.load(path + ".inputs", weights_only=True)]
    torch.save([r if isinstance(r, torch.Tensor) else r[0] for r in results], path + ".results")
    fallback.update(program.manifest.fallback)
forbidden = [m for m in ("torch._dynamo", "transformers", "torchport.pipeline") if m in sys.modules]
print(json.dumps({"calls": calls, "imported": forbidden, "fallback": fallback}))
"""
MODELS = {"residual": residual_network, "bert": bert, "gpt2": gpt2}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """The models exported here and run in a process that cannot compile: its kernel store is empty, and its
    compiler does not work. What that process says, and the models with the batches that it was given.
    """
    folder, models = tmp_path_factory.mktemp("models"), {}
    for name, make in MODELS.items():
        torch.manual_seed(0)
        model, inputs, shapes = make()
        tp.export(
            model.eval(),
            kwargs={k: v[:3] for k, v in inputs.items()},
            dynamic_shapes=shapes,
            backend="torchport_openmp",
            path=folder / f"{name}.tp",
        )
        batches = [{k: v[:n] for k, v in inputs.items()} for n in (2, 4)]
        torch.save(batches, folder / f"{name}.inputs")
        models[name] = model, batches
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUNNER, *(str(folder / name) for name in MODELS)],
        capture_output=True,
        text=True,
        env={**os.environ, "TORCHPORT_CACHE_DIR": str(folder / "cache"), "CXX": "/bin/false"},
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout), models


def test_models_run_elsewhere_without_their_compiler(elsewhere: Any) -> None:
    assert elsewhere[1] == {"calls": [], "imported": [], "fallback": {}}


@pytest.mark.parametrize("name", MODELS)
def test_their_results_are_as_good_as_those_of_eager(elsewhere: Any, name: str) -> None:
    folder, _, models = elsewhere
    model, batches = models[name]
    results = torch.load(folder / f"{name}.results", weights_only=True)
    with torch.no_grad():
        eager = [_first(model(**batch)) for batch in batches]
        double = model.double()
        exact = [_first(double(**_doubled(batch))) for batch in batches]
    for result, near, truth in zip(results, eager, exact, strict=True):
        ours, theirs = (result.double() - truth).abs().max(), (near.double() - truth).abs().max()
        assert ours <= 2 * theirs + 1e-7 * truth.abs().max()


def _first(result: Any) -> torch.Tensor:
    return result if isinstance(result, torch.Tensor) else result[0]


def _doubled(batch: dict[str, Any]) -> dict[str, Any]:
    return {k: v.double() if v.is_floating_point() else v for k, v in batch.items()}


def test_the_manual_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "export.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {}
    for block in blocks:
        exec(block, scope)
    assert scope["manifest"].fallback == {} and (tmp_path / "model.tp").exists()
