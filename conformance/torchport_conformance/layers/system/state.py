"""Settings of the process that compiling and running must leave as they were."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Any

import torch

from torchport_conformance.layers.system.workload import Finding, Trial


def settings() -> dict[str, Any]:
    """Every watched setting by name, as something that can be compared."""
    return {
        "number of threads": torch.get_num_threads(),
        "default dtype": torch.get_default_dtype(),
        "grad mode": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "precision of float32 products": torch.get_float32_matmul_precision(),
        "state of the random generator": torch.get_rng_state().numpy().tobytes(),
        "flush of denormals": float(torch.tensor(1e-40) * 1.0) == 0.0,
        "autocast": torch.is_autocast_enabled("cpu"),
        "oneDNN": torch.backends.mkldnn.enabled,
        "working directory": os.getcwd(),
        "environment": {k: v for k, v in os.environ.items() if k not in _OF_A_COMPILER},
        "handler of SIGINT": signal.getsignal(signal.SIGINT),
    }


_OF_A_COMPILER = frozenset({"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"})
"""Variables that PyTorch's own compiler sets for its worker processes."""


def restored(trial: Trial) -> Finding:
    """Every setting before, after compiling and after running."""
    torch.compile(lambda x: x + 1, backend="aot_eager")(torch.ones(2))  # what PyTorch itself sets once
    before = settings()
    compiled, given = trial.compile(), trial.inputs()
    with torch.no_grad():
        compiled(*given)
    if found := _changed(before, settings(), "compiling"):
        return found
    compiled(*given)
    return _changed(before, settings(), "running") or Finding()


def _changed(before: Mapping[str, Any], after: Mapping[str, Any], what: str) -> Finding | None:
    for name, value in before.items():
        if after[name] == value:
            continue
        text = f"{what} changed the {name}"
        if not isinstance(value, bytes | dict):
            text += f" from {value} to {after[name]}"
        elif isinstance(value, dict):
            changed = {k for k in value.keys() | after[name].keys() if value.get(k) != after[name].get(k)}
            text += f": {', '.join(sorted(changed))}"
        return Finding("global state changed", text)
    return None


def inputs_kept(trial: Trial) -> Finding:
    """Inputs keep their values, and results do not share their memory."""
    compiled, given = trial.compile(), trial.inputs()
    copies = [t.clone() for t in given]
    result = compiled(*given)
    for name, kept, now in zip("xwb", copies, given, strict=True):
        if not torch.equal(kept, now):
            return Finding("input modified", f"input {name!r} has other values after the call")
        if now.untyped_storage().data_ptr() == result.untyped_storage().data_ptr():
            return Finding("result shares an input's memory", f"the result lies in the memory of {name!r}")
    first = result.clone()
    compiled(*trial.inputs(1))
    if not torch.equal(first, result):
        return Finding("result overwritten", "a later call overwrote the result of an earlier one")
    return Finding()
