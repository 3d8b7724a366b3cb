"""Random numbers that are not random, not repeatable, or of another law."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from torchport.contract.spec import Category, OpSpec
from torchport_conformance.mutants.fault import Fault, named
from torchport_conformance.mutants.kernel import Call

_DROPOUTS = ("native_dropout.default", "_fused_dropout.default")
_BERNOULLI = ("bernoulli.p", "bernoulli.default", "bernoulli.Tensor")


def _random(spec: OpSpec) -> Iterable[str]:
    drawn = spec.category is Category.RANDOM and spec.name != "torchport.keyed_uniform.default"
    return ("",) if drawn else ()


def _continuous(spec: OpSpec) -> Iterable[str]:
    laws = {"uniform", "normal", "exponential", "cauchy", "log-normal"}
    return ("",) if laws & set(spec.numerics.special) else ()


def _repeats(call: Call, variant: str) -> None:
    """The generator does not advance."""
    state = torch.get_rng_state()
    results = call.right()
    torch.set_rng_state(state)
    call.write(results)


def _seed_ignored(call: Call, variant: str) -> None:
    """The kernel's own generator goes on, whatever seed is set."""
    count = call.cache.setdefault("draws", [0])
    count[0] += 1
    state = torch.get_rng_state()
    torch.manual_seed(0x5EED + count[0])
    results = call.right()
    torch.set_rng_state(state)
    torch.rand(())
    call.write(results)


def _pairs(call: Call, variant: str) -> None:
    """Each number is used twice."""
    results = []
    for r in call.right():
        flat = r.reshape(-1)
        results.append(flat[torch.arange(flat.numel()) // 2 * 2].reshape(r.shape))
    call.write(results)


def _rare_nan(call: Call, variant: str) -> None:
    """The logarithm of a zero that is drawn once in a thousand."""
    results = []
    for r in call.right():
        rare = torch.rand(r.shape) < 1e-3
        results.append(torch.where(rare, torch.full_like(r, torch.nan), r) if r.is_floating_point() else r)
    call.write(results)


def _narrow_range(call: Call, variant: str) -> None:
    """The upper half of the numbers is never drawn."""
    results = []
    for r in call.right():
        middle = r.float().median() if r.numel() else 0
        results.append(
            torch.where(r.float() > middle, r.reshape(-1).sort()[0][0].expand(r.shape), r) if r.numel() else r
        )
    call.write(results)


def _p_ignored(call: Call, variant: str) -> None:
    given = call.arguments
    if "p" not in given:
        call.write(call.right({"self": torch.full_like(given["self"], 0.5)}))
        return
    p = given["p"]
    changed = torch.full_like(p, 0.5) if isinstance(p, Tensor) else 0.5
    call.write(call.right({"p": changed}))


def _certain_lost(call: Call, variant: str) -> None:
    """A probability of 1 wraps to 0."""
    given, results = call.arguments, call.right()
    p = given["p"] if "p" in given else given["self"]
    certain = p == 1 if isinstance(p, Tensor) else torch.tensor(p == 1)
    call.write([torch.where(certain, torch.zeros_like(r), r) for r in results])


def _unscaled(call: Call, variant: str) -> None:
    """What dropout keeps is not scaled."""
    result, mask = call.right()
    call.write([torch.where(result == 0, result, call.arguments[call.tensors()[0][0]]), mask])


def _mask_of_another_draw(call: Call, variant: str) -> None:
    call.write([call.right()[0], call.right()[1]])


def _mean_shifted(call: Call, variant: str) -> None:
    """A law with another mean."""
    call.write([r + 0.25 if r.is_floating_point() else r for r in call.right()])


FAULTS = (
    Fault("draws-repeat", "two draws are the same", ("rng",), _repeats, _random),
    Fault("seed-ignored", "the same seed draws other numbers", ("rng",), _seed_ignored, _random),
    Fault("draws-in-pairs", "each number is used twice", ("rng",), _pairs, _continuous),
    Fault("rare-nan", "a draw in a thousand is NaN", ("rng",), _rare_nan, _continuous),
    Fault("half-range", "half of the numbers are never drawn", ("rng",), _narrow_range, _continuous),
    Fault("mean-shifted", "numbers have another mean", ("rng",), _mean_shifted, _continuous),
    Fault(
        "probability-ignored",
        "the probability is one half",
        ("rng",),
        _p_ignored,
        named(*_BERNOULLI, *_DROPOUTS),
    ),
    Fault("certainty-lost", "a probability of 1 draws zeros", ("rng",), _certain_lost, named(*_BERNOULLI)),
    Fault(
        "dropout-unscaled",
        "what dropout keeps is not scaled",
        ("rng", "train-eval-flag"),
        _unscaled,
        named("native_dropout.default"),
    ),
    Fault(
        "dropout-mask-differs",
        "the mask is that of another draw",
        ("rng",),
        _mask_of_another_draw,
        named(*_DROPOUTS),
    ),
)
