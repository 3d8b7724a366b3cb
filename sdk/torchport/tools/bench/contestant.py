"""One case on one backend: compiled, called, and compared with float64."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from torchport.tools.bench.cases import Case, Program

SEED = 20240
Call = Callable[[], tuple[Tensor, ...]]


def contestant(case: Case, backend: str | Callable[..., Any] | None) -> Call:
    """A function of no arguments that runs the case once and returns its outputs, then its gradients.

    ``backend`` is what torch.compile takes; ``None`` runs PyTorch without torch.compile.
    """
    program, inputs = _build(case)
    run = program if backend is None else torch.compile(_own_code(program), backend=backend)
    return _call(run, program, inputs, case)


def exact(case: Case) -> tuple[Tensor, ...]:
    """The results of the case computed in float64."""
    program, inputs = _build(case)
    wide = tuple(_widen(t) for t in inputs)
    program = copy.deepcopy(program).double() if isinstance(program, nn.Module) else program
    return _call(program, program, wide, case)()


def largest_error(got: tuple[Tensor, ...], want: tuple[Tensor, ...]) -> float:
    """Largest |got - want| over all results; infinite where NaN or infinity differs."""
    worst = 0.0
    for a, b in zip(got, want, strict=True):
        alike = (a == b) | (a.isnan() & b.isnan())
        difference = torch.where(alike, 0.0, (a.double() - b.double()).abs())
        worst = max(
            worst,
            difference.nan_to_num(nan=math.inf, posinf=math.inf).max().item() if difference.numel() else 0.0,
        )
    return worst


def _build(case: Case) -> tuple[Program, tuple[Tensor, ...]]:
    with torch.random.fork_rng():
        torch.manual_seed(SEED)
        return case.build()


def _own_code(program: Program) -> Program:
    """A function with its own code object, by which Dynamo keeps compiled code: rivals share none."""
    scope: dict[str, Any] = {"program": program}
    exec(compile("def call(*inputs):\n    return program(*inputs)\n", "<torchport bench>", "exec"), scope)
    own: Program = scope["call"]
    return own


def _widen(tensor: Tensor) -> Tensor:
    wide = tensor.detach().double() if tensor.is_floating_point() else tensor
    return wide.requires_grad_(tensor.requires_grad)


def _call(run: Program, program: Program, inputs: tuple[Tensor, ...], case: Case) -> Call:
    if not case.training:

        def inference() -> tuple[Tensor, ...]:
            with torch.no_grad():
                return _tuple(run(*inputs))

        return inference

    parameters = (
        [p for p in program.parameters() if p.requires_grad] if isinstance(program, nn.Module) else []
    )
    wanted = [t for t in (*inputs, *parameters) if t.requires_grad]
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(SEED + 1)
        shapes = [(o.shape, o.dtype) for o in _tuple(program(*inputs))]
        tangents = tuple(torch.randn(shape).to(dtype) for shape, dtype in shapes)

    def training() -> tuple[Tensor, ...]:
        outputs = _tuple(run(*inputs))
        gradients = torch.autograd.grad(outputs, wanted, tangents, allow_unused=True)
        return (*(o.detach() for o in outputs), *(g for g in gradients if g is not None))

    return training


def _tuple(result: Any) -> tuple[Tensor, ...]:
    return (result,) if isinstance(result, Tensor) else tuple(result)
