"""One harness for all kinds of faults: what a call shows, of the compiled program and of eager PyTorch.

A program is a function; a case is a function ``make(dtype)`` that makes its arguments anew, float values in
``dtype``. All cases of a program run through one compiled object.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

Case = Callable[[torch.dtype], tuple[Any, ...]]

LAYOUTS = ("contiguous", "channels last", "transposed", "step 2", "offset", "reversed")


@dataclass
class Shown:
    """What one tensor that a call returned shows to its caller."""

    value: torch.Tensor
    dtype: torch.dtype
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    requires_grad: bool
    identity: int | None
    memory: tuple[Any, ...]

    def facts(self) -> dict[str, Any]:
        """Everything but the values."""
        return {k: v for k, v in vars(self).items() if k != "value"}


@dataclass
class Observation:
    """Results, memory of the arguments and gradients after one call."""

    error: str = ""
    outputs: list[Any] = field(default_factory=list)
    memory: list[torch.Tensor] = field(default_factory=list)
    arguments: list[tuple[Any, ...]] = field(default_factory=list)
    grads: list[torch.Tensor | None] = field(default_factory=list)
    failed_backward: str = ""


def tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def strides(tensor: torch.Tensor) -> tuple[int, ...]:
    """Strides of the dimensions that have any say: none of an empty tensor, none of size 1."""
    if tensor.numel() == 0:
        return ()
    return tuple(s for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1)


def storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def whole_storage(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of all that is in a tensor's storage, canaries included."""
    plain = torch.empty(0, dtype=tensor.dtype).set_(tensor.detach().untyped_storage())
    return plain.clone()


def observe(call: Callable[[], Any], args: Sequence[Any]) -> Observation:
    """Calls and looks. The gradients are those of a weighted sum of all that requires one."""
    seen = Observation()
    given = tensors(args)
    try:
        result = call()
    except Exception as error:  # noqa: BLE001 (whatever is raised is compared)
        seen.error = f"{type(error).__name__}: {error}"
        return seen
    leaves = tree_leaves(result)
    results = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    for leaf in leaves:
        if not isinstance(leaf, torch.Tensor):
            seen.outputs.append(leaf)
            continue
        owners = [i for i, t in enumerate(given) if storage(t) == storage(leaf)]
        partners = [i for i, t in enumerate(results) if storage(t) == storage(leaf)]
        seen.outputs.append(
            Shown(
                leaf.detach().resolve_conj().resolve_neg().clone(),
                leaf.dtype,
                tuple(leaf.shape),
                strides(leaf),
                leaf.requires_grad,
                next((i for i, t in enumerate([*given, *results]) if t is leaf), None),
                (tuple(owners), tuple(partners), leaf.storage_offset() if owners else None),
            )
        )
    seen.memory = [whole_storage(t) for t in given]
    seen.arguments = [(t.dtype, tuple(t.shape), strides(t), t.requires_grad) for t in given]
    roots = [r for r in results if r.requires_grad]
    if roots:
        weights = [
            torch.linspace(0.5, 1.5, r.numel(), dtype=torch.float64).to(r.dtype).view(r.shape) for r in roots
        ]
        try:
            torch.autograd.backward(roots, weights)
        except Exception as error:  # noqa: BLE001 (whatever is raised is compared)
            seen.failed_backward = f"{type(error).__name__}: {error}"
        seen.grads = [t.grad if t.is_leaf else None for t in given]
    return seen


def near(got: torch.Tensor, eager: torch.Tensor, exact: torch.Tensor | None) -> bool:
    """The float64 rule: no further from the exact values than eager by more than a few roundings."""
    if not (got.dtype.is_floating_point or got.dtype.is_complex) or exact is None:
        return (
            torch.equal(got, eager)
            if not got.dtype.is_floating_point
            else torch.allclose(got, eager, rtol=0, atol=0, equal_nan=True)
        )
    exact = exact.to(torch.complex128 if exact.dtype.is_complex else torch.float64)
    got, eager = got.to(exact.dtype), eager.to(exact.dtype)
    odd = ~torch.isfinite(exact) | ~torch.isfinite(eager)
    if not torch.allclose(got[odd], eager[odd], rtol=0, atol=0, equal_nan=True):
        return False
    got, eager, exact = got[~odd], eager[~odd], exact[~odd]
    if not got.numel():
        return True
    return bool(((got - exact).abs() <= 2 * (eager - exact).abs() + slack(exact)).all())


def slack(exact: torch.Tensor) -> torch.Tensor:
    return 16 * torch.finfo(torch.float32).eps * (exact.abs() + exact.abs().max())


def differences(ours: Observation, eager: Observation, exact: Observation | None) -> list[str]:
    """What differs between two calls, in words."""
    if bool(ours.error) != bool(eager.error):
        return [f"raises {ours.error[:300]!r}, eager {eager.error[:300]!r}"]
    found = []
    twins = exact if exact is not None and not exact.error else None

    def compare(what: str, got: Any, wanted: Any, reference: Any) -> None:
        if (got is None) != (wanted is None):
            found.append(f"{what}: {got} instead of {wanted}")
        elif got is not None and got.shape != wanted.shape:
            found.append(f"{what}: shape {tuple(got.shape)} instead of {tuple(wanted.shape)}")
        elif got is not None and not near(got, wanted, reference):
            found.append(f"{what}: {got.flatten()[:8].tolist()} instead of {wanted.flatten()[:8].tolist()}")

    if eager.error:
        return []
    for i, (a, b) in enumerate(zip(ours.memory, eager.memory, strict=True)):
        compare(f"memory of argument {i}", a, b, twins.memory[i] if twins else None)
    if len(ours.outputs) != len(eager.outputs):
        return [f"{len(ours.outputs)} outputs instead of {len(eager.outputs)}"]
    for i, (a, b) in enumerate(zip(ours.outputs, eager.outputs, strict=True)):
        if not isinstance(b, Shown):
            same = a == b or (isinstance(b, float) and math.isnan(b) and math.isnan(a))
            found += [] if same else [f"output {i}: {a!r} instead of {b!r}"]
            continue
        for key, value in b.facts().items():
            if a.facts()[key] != value:
                found.append(f"{key} of output {i}: {a.facts()[key]} instead of {value}")
        compare(f"output {i}", a.value, b.value, twins.outputs[i].value if twins else None)
    if ours.arguments != eager.arguments:
        found.append(f"arguments {ours.arguments} instead of {eager.arguments}")
    if ours.failed_backward or eager.failed_backward:
        if bool(ours.failed_backward) != bool(eager.failed_backward):
            found.append(
                f"backward raises {ours.failed_backward[:300]!r}, eager {eager.failed_backward[:300]!r}"
            )
        return found
    if len(ours.grads) != len(eager.grads):
        return [*found, f"{len(ours.grads)} gradients instead of {len(eager.grads)}"]
    for i, (a, b) in enumerate(zip(ours.grads, eager.grads, strict=True)):
        compare(f"gradient {i}", a, b, twins.grads[i] if twins else None)
        if a is not None and b is not None and strides(a) != strides(b):
            found.append(f"strides of gradient {i}: {strides(a)} instead of {strides(b)}")
    return found


@dataclass(frozen=True)
class Program:
    """A function and the calls that it is judged on, all through one compiled object."""

    fn: Callable[..., Any]
    cases: tuple[Case, ...]
    dynamic: bool | None
    fuses: int


class Programs(dict[str, Program]):
    """Programs by name. ``fuses`` says how many of the cases also run through the backend that writes C++."""

    def add(
        self, *cases: Case, dynamic: bool | None = False, fuses: int = 0
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator that registers a function under its name."""

        def register(fn: Callable[..., Any]) -> Callable[..., Any]:
            assert fn.__name__ not in self
            self[fn.__name__] = Program(fn, cases, dynamic, fuses)
            return fn

        return register

    def in_layouts(
        self,
        *tensors: Callable[[torch.dtype], torch.Tensor],
        grad: bool = False,
        layouts: Sequence[str] = LAYOUTS,
        fuses: int = 0,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator: one compiled program calls the function on ``tensors`` in each layout in turn."""

        def make(dtype: torch.dtype) -> tuple[Any, ...]:
            calls = []
            for layout in layouts:
                args = [laid_out(tensor(dtype), layout) for tensor in tensors]
                calls.append(tuple(a.requires_grad_(grad and a.is_floating_point()) for a in args))
            return (calls,)

        def register(fn: Callable[..., Any]) -> Callable[..., Any]:
            def every_layout(calls: Any) -> Any:
                return [fn(*args) for args in calls]

            self[fn.__name__] = Program(every_layout, (make,), dynamic=False, fuses=fuses)
            return fn

        return register

    @property
    def fused(self) -> list[str]:
        """Names of the programs for the backend that writes C++."""
        return [name for name, program in self.items() if program.fuses]


def judged(program: Program, backend: Any, *, cases: int | None = None) -> list[str]:
    """How the calls of a program (its first ``cases``) differ from eager PyTorch's."""
    torch._dynamo.reset()
    compiled = torch.compile(program.fn, backend=backend, dynamic=program.dynamic)
    found = []
    for number, make in enumerate(program.cases[:cases]):
        ours = call(compiled, make, torch.float32)
        eager = call(program.fn, make, torch.float32)
        exact = call(program.fn, make, torch.float64)
        found += [f"call {number}: {text}" for text in differences(ours, eager, exact)]
    return found


def call(fn: Callable[..., Any], make: Case, dtype: torch.dtype) -> Observation:
    """One call on new arguments, after the same seed."""
    args = make(dtype)
    torch.manual_seed(0)
    return observe(lambda: fn(*args), args)


def normal(dtype: torch.dtype, *shape: int, seed: int = 0) -> torch.Tensor:
    """The same values in every dtype."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def count(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """0, 1, 2, ... in a shape."""
    return torch.arange(math.prod(shape)).to(dtype).reshape(shape)


def leaf(dtype: torch.dtype, *shape: int, seed: int = 0) -> torch.Tensor:
    """Normal values that require a gradient."""
    return normal(dtype, *shape, seed=seed).requires_grad_()


def laid_out(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """The same values in another layout; memory around them is poison."""
    poison = float("nan") if tensor.is_floating_point() else 99
    match layout:
        case "channels last" if tensor.dim() == 4:
            return tensor.clone(memory_format=torch.channels_last)
        case "transposed" if tensor.dim() > 1:
            return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
        case "step 2":
            wide = torch.full((*tensor.shape[:-1], 2 * tensor.shape[-1]), poison).to(tensor.dtype)
            return wide[..., ::2].copy_(tensor)
        case "offset":
            buffer = torch.full((tensor.numel() + 7,), poison).to(tensor.dtype)
            return buffer[4 : 4 + tensor.numel()].view(tensor.shape).copy_(tensor)
        case "reversed":
            order = range(tensor.dim())[::-1]
            return tensor.permute(*order).contiguous().permute(*order)
    return tensor.clone()
