"""Whether a compiled model computes what eager computes, judged against the same model in float64.

The rule, for every tensor that one run produces (output, loss, each gradient, each updated buffer)::

max|ours - f64|  <=  2 * max|eager - f64|  +  bound

Both runs start from the same state, which is eager's own, so that errors never accumulate over steps.
``bound`` keeps the rule meaningful where eager happens to be exact or accumulates in a wider type. It is the
contract's bound on a sum (class ``reduction``, :func:`torchport.contract.roundoff.gamma`) at the tensor's
scale::

bound  =  gamma(terms + depth, u)  *  scale

``u`` is the unit roundoff of the dtype's accumulator. ``terms`` is how many values the last reduction sums:
the positions that a module was applied to (tokens, pixels) for its gradients and its running statistics, the
labels for the loss, 1 for an output. ``depth`` is the number of modules with parameters: each adds a rounding
to what flows through it.

``scale`` is the largest magnitude in the float64 reference among the terms that make the tensor. For a
gradient these are all gradients of its module: the gradient of an attention key's bias is zero in exact
arithmetic, but its terms are as large as those of the weight beside it, and no order of summation makes them
vanish. For the loss it includes the output, since a loss near zero is a difference of logits.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from torchport.contract.roundoff import accumulator_of, gamma, unit_roundoff
from torchport_conformance.models.architecture import (
    Architecture,
    Batch,
    ModelError,
    ModelWithLoss,
    inputs_of,
)

Compile = Callable[[nn.Module], Callable[..., torch.Tensor]]
"""Makes a callable with the module's signature, such as ``partial(torch.compile, backend="myaccel")``."""

CHECKED_STEPS = (1, 5, 10, 20)
EAGER_FACTOR = 2.0
LOSS, OUTPUT = "loss", "output"


@dataclass(frozen=True, slots=True)
class TensorParity:
    """One tensor under the rule; errors are maxima of absolute differences from float64."""

    name: str
    ours: float
    eager: float
    bound: float

    @property
    def limit(self) -> float:
        """The largest error allowed."""
        return EAGER_FACTOR * self.eager + self.bound

    @property
    def right(self) -> bool:
        """Whether the rule holds; an error that is not a number never does."""
        return self.ours <= self.limit

    @property
    def ratio(self) -> float:
        """Error over the allowed error: 0 is exact, above 1 is wrong."""
        if self.ours == 0.0:
            return 0.0
        return self.ours / self.limit if self.limit > 0.0 else math.inf

    def __str__(self) -> str:
        return f"{self.name}: error {self.ours:.2e}, allowed {self.limit:.2e} (eager {self.eager:.2e})"


@dataclass(frozen=True, slots=True)
class StepParity:
    """Every tensor of one training step (or of one inference, with ``step`` 0) under the rule."""

    step: int
    tensors: tuple[TensorParity, ...]

    @property
    def wrong(self) -> tuple[TensorParity, ...]:
        """Tensors that break the rule."""
        return tuple(t for t in self.tensors if not t.right)

    @property
    def worst(self) -> TensorParity:
        """The tensor nearest to its limit, or furthest beyond it."""
        return max(self.tensors, key=_severity)


def _severity(tensor: TensorParity) -> float:
    return math.inf if math.isnan(tensor.ratio) else tensor.ratio


@dataclass(frozen=True, slots=True)
class TrainingParity:
    """A training run: the judged steps, and the losses of both free-running trajectories."""

    architecture: str
    steps: tuple[StepParity, ...]
    losses: tuple[float, ...]
    eager_losses: tuple[float, ...]

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is wrong, one line each; empty when everything is right."""
        found = [f"step {s.step}: {tensor}" for s in self.steps for tensor in s.wrong]
        if not self.losses[-1] < self.losses[0]:
            found.append(f"the loss did not fall: {self.losses[0]:.4f} to {self.losses[-1]:.4f}")
        return tuple(found)

    @property
    def worst(self) -> TensorParity:
        """The tensor of any step that is nearest to its limit."""
        return max((s.worst for s in self.steps), key=_severity)


def inference_parity(
    architecture: Architecture, compile: Compile, *, batch: Batch, seed: int = 0
) -> StepParity:
    """Judges one inference in eval mode.

    Raises:
        ModelError: the model's float64 run is not float64 throughout its result.
    """
    model = architecture.model(seed).eval()
    reference = copy.deepcopy(model).double()
    compiled = compile(copy.deepcopy(model))
    with torch.no_grad():
        outputs = [run(**inputs) for run, inputs in _three_ways(compiled, model, reference, inputs_of(batch))]
    return judge(0, tuple({OUTPUT: output} for output in outputs), _allowance(model, batch))


def training_parity(
    architecture: Architecture,
    compile: Compile,
    *,
    check_at: Sequence[int] = CHECKED_STEPS,
    seed: int = 0,
    batches: int = 4,
) -> TrainingParity:
    """Trains in eager and compiled for ``max(check_at)`` steps; judges single steps from eager's own states.

    Step ``k`` is judged from the parameters, buffers and batch with which eager begins its ``k``-th step
    (from 1). The gradients, the loss and the buffers after the step are compared.

    Raises:
        ModelError: the model's float64 run is not float64 throughout its result.
    """
    data = architecture.batches(batches, seed)
    eager = architecture.model(seed).train()
    ours, reference = copy.deepcopy(eager), copy.deepcopy(eager).double()
    compiled = compile(ours)
    count = max(check_at)
    states: dict[int, Mapping[str, torch.Tensor]] = {}
    allowance = _allowance(eager, data[0])

    def record(step: int) -> None:
        if step in check_at:
            states[step] = copy.deepcopy(eager.state_dict())

    eager_losses = _train(architecture, eager, eager, data, count, before=record)
    losses = _train(architecture, ours, compiled, data, count)
    judged = []
    for step, state in states.items():
        results = []
        runs = _three_ways(compiled, eager, reference, data[(step - 1) % len(data)])
        for model, (run, inputs) in zip((ours, eager, reference), runs, strict=True):
            model.load_state_dict(state)
            results.append(_one_step(model, run, inputs))
        judged.append(judge(step, tuple(results), allowance))
    return TrainingParity(architecture.name, tuple(judged), losses, eager_losses)


def _train(
    architecture: Architecture,
    model: ModelWithLoss,
    run: Callable[..., torch.Tensor],
    data: Sequence[Batch],
    count: int,
    before: Callable[[int], None] = lambda step: None,
) -> tuple[float, ...]:
    optimizer = architecture.optimizer(model.parameters())
    losses = []
    for step in range(1, count + 1):
        before(step)
        optimizer.zero_grad()
        loss = run(**data[(step - 1) % len(data)])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return tuple(losses)


def _three_ways(
    compiled: Callable[..., torch.Tensor],
    eager: Callable[..., torch.Tensor],
    reference: Callable[..., torch.Tensor],
    batch: Batch,
) -> list[tuple[Callable[..., torch.Tensor], Batch]]:
    wide = {name: t.double() if t.is_floating_point() else t for name, t in batch.items()}
    return [(compiled, batch), (eager, batch), (reference, wide)]


def _one_step(
    model: ModelWithLoss, run: Callable[..., torch.Tensor], batch: Batch
) -> dict[str, torch.Tensor]:
    """Loss, gradients and buffers of one forward and backward; parameters stay as they are."""
    model.zero_grad(set_to_none=True)
    loss = run(**batch)
    loss.backward()
    found = {LOSS: loss.detach()}
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            found[f"grad of {name}"] = parameter.grad.detach().clone()
    return found | {f"buffer {name}": buffer.detach().clone() for name, buffer in model.named_buffers()}


def _allowance(model: ModelWithLoss, batch: Batch) -> Allowance:
    return Allowance.of(model, lambda: (model(**inputs_of(batch)),), batch["labels"].numel())


@dataclass(frozen=True, slots=True)
class Allowance:
    """The numbers of the bound that depend on the model: see the module's docstring.

    ``terms`` counts, by module name, the positions a module is applied to; ``""`` stands for the loss.
    ``output`` is the largest magnitude of the model's outputs.
    """

    terms: Mapping[str, int]
    depth: int
    output: float

    @classmethod
    def of(
        cls, model: nn.Module, forward: Callable[[], Iterable[torch.Tensor]], loss_terms: int
    ) -> Allowance:
        """Watches ``forward``, one run of the model that gives its outputs; the model's buffers are left as
        they were. The loss sums ``loss_terms`` values.

        The feature dimension of a module's output is the second of images (rank 4), else the last.
        """
        terms = {"": loss_terms}

        def watch(name: str) -> Callable[[nn.Module, object, object], None]:
            def record(module: nn.Module, inputs: object, output: object) -> None:
                if isinstance(output, torch.Tensor) and output.dim():
                    terms[name] = output.numel() // output.shape[1 if output.dim() == 4 else -1]

            return record

        handles = [m.register_forward_hook(watch(name)) for name, m in model.named_modules() if name]
        state = copy.deepcopy(model.state_dict())
        try:
            with torch.no_grad():
                output = max((_largest(tensor) for tensor in forward()), default=0.0)
        finally:
            model.load_state_dict(state)
            for handle in handles:
                handle.remove()
        depth = sum(1 for m in model.modules() if any(True for _ in m.parameters(recurse=False)))
        return cls(terms, depth, output)

    def bounds(
        self, exact: Mapping[str, torch.Tensor], dtypes: Mapping[str, torch.dtype]
    ) -> dict[str, float]:
        """The bound of each tensor; integers have none, they are exact."""
        magnitudes = {name: _largest(value) for name, value in exact.items()}
        magnitudes |= {LOSS: max(magnitudes[LOSS], self.output)} if LOSS in exact else {}
        of_module: dict[str, float] = {}
        for name in filter(_is_gradient, exact):
            of_module[_owner(name)] = max(of_module.get(_owner(name), 0.0), magnitudes[name])
        found = {}
        for name, dtype in dtypes.items():
            scale = of_module[_owner(name)] if _is_gradient(name) else magnitudes[name]
            terms = 1 if name.startswith(OUTPUT) else self.terms.get(_owner(name), 1)
            found[name] = _relative_bound(terms + self.depth, dtype) * scale
        return found


def _relative_bound(roundings: int, dtype: torch.dtype) -> float:
    return gamma(roundings, unit_roundoff(accumulator_of(dtype))) if dtype.is_floating_point else 0.0


_Tensors = Mapping[str, torch.Tensor]


def judge(step: int, runs: Sequence[_Tensors], allowance: Allowance) -> StepParity:
    """Compares the tensors of three runs: compiled, eager and float64.

    Raises:
        ModelError: the float64 run is not float64 throughout.
    """
    ours, eager, exact = runs
    for name, value in exact.items():
        if value.is_floating_point() and value.dtype is not torch.float64:
            hint = "the model or its loss casts: there is no reference then"
            raise ModelError(f"the float64 run gave {value.dtype}", got=name, hint=hint)
    bounds = allowance.bounds(exact, {name: value.dtype for name, value in eager.items()})
    judged = []
    for name in sorted(ours.keys() | eager.keys(), key=list(exact).index):
        if name not in ours or name not in eager or _differ(ours[name], eager[name]):
            judged.append(
                TensorParity(name, math.inf, 0.0, 0.0)
            )  # missing, or not even the same kind of tensor
            continue
        error, eager_error = _distance(ours[name], exact[name]), _distance(eager[name], exact[name])
        judged.append(TensorParity(name, error, eager_error, bounds[name]))
    return StepParity(step, tuple(judged))


def _differ(ours: torch.Tensor, eager: torch.Tensor) -> bool:
    return (ours.shape, ours.dtype, ours.device) != (eager.shape, eager.dtype, eager.device)


def _is_gradient(name: str) -> bool:
    return name.startswith("grad of ")


def _owner(name: str) -> str:
    """The module that a gradient or buffer belongs to; the loss belongs to the whole model, ``""``."""
    return name.rpartition(" ")[2].rpartition(".")[0]


def _largest(tensor: torch.Tensor) -> float:
    return tensor.to(torch.float64).abs().max().item() if tensor.numel() else 0.0


def _distance(tensor: torch.Tensor, exact: torch.Tensor) -> float:
    return _largest(tensor.double() - exact.double())
