"""An entry's shape and dtype rules against PyTorch's meta function, on drawn operands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchport.contract.adapters import call, minor_of, pins
from torchport.contract.dims import DataDependent, UndecidedError
from torchport.contract.dtype_rules import result_dtypes
from torchport.contract.graph import dtype_name
from torchport.contract.reference import flatten
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import OpSpec
from torchport.tools.operands import REFUSALS, draw, dtypes_of, moved

Found = tuple[str, str]
"""What the contract says and what PyTorch returned."""


class MetaCheck:
    """Compares entry after entry; counts calls, and names operators that PyTorch gave no result for."""

    def __init__(self) -> None:
        self.compared = 0
        self.unasked: list[str] = []
        self.by_kernel: list[str] = []

    def check(self, spec: OpSpec, calls: int) -> Iterator[Found]:
        """The first difference, over two dtypes: float32 where the entry accepts it, and the last.

        Where the meta function says otherwise and the kernel agrees with the contract, the meta function is
        at fault (or speaks of another device), and the operator is among ``by_kernel``.
        """
        pinned = pins().get(spec.name)
        if (
            pinned is not None
            and pinned.meta_first
            and minor_of(torch.__version__) < minor_of(pinned.meta_first)
        ):
            self.unasked.append(spec.name)
            return
        names = dtypes_of(spec)
        compared = self.compared
        for dtype in dict.fromkeys((_usual(names), names[-1])):
            for arguments in draw(spec, dtype, limit=calls):
                outputs = self.results(spec, arguments)
                if outputs is None:
                    continue
                self.compared += 1
                found = _difference(spec, arguments, outputs)
                if found is None:
                    continue
                if self.kernel_agrees(spec, arguments):
                    self.by_kernel.append(spec.name)
                else:
                    yield found
                return
        if self.compared == compared:
            self.unasked.append(spec.name)

    def kernel_agrees(self, spec: OpSpec, arguments: dict[str, Any]) -> bool:
        """Whether a kernel of this machine returns what the contract says."""
        devices = ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)
        kernels = (self.results(spec, arguments, device) for device in devices)
        return any(k is not None and _difference(spec, arguments, k) is None for k in kernels)

    @staticmethod
    def results(spec: OpSpec, arguments: dict[str, Any], device: str = "meta") -> list[Any] | None:
        """The results on a device; ``None`` where PyTorch has no function for this call there."""
        given = {name: moved(value, device) for name, value in arguments.items()}
        try:
            result = call(spec, given)
        except REFUSALS:
            return None
        outputs = () if result is None else flatten(result)
        return list(outputs) if all(o is None or isinstance(o, torch.Tensor) for o in outputs) else None


def _usual(names: list[str]) -> str:
    return "float32" if "float32" in names else names[0]


def _difference(spec: OpSpec, arguments: dict[str, Any], outputs: list[Any]) -> Found | None:
    bound = bind(arguments)
    listed = [str(r.type).startswith("List") for r in spec.signature.returns]
    try:
        shapes = [
            shape
            for rule, many in zip(spec.shape, listed, strict=True)
            for shape in parse(rule).evaluate(bound, many)
        ]
    except UndecidedError:
        return None
    dtypes = result_dtypes(spec.dtypes, arguments)
    if len(shapes) != len(outputs):
        return f"{len(shapes)} outputs", f"{len(outputs)} outputs"
    for i, (output, shape) in enumerate(zip(outputs, shapes, strict=True)):
        if output is None or shape is None:
            if shape is not None:
                return f"output {i + 1} exists", f"output {i + 1} is None"
            continue
        dtype = dtypes[min(i, len(dtypes) - 1)]
        open_sizes = any(isinstance(d, DataDependent) for d in shape)
        if output.dtype != dtype or (not open_sizes and list(output.shape) != list(shape)):
            called = ", ".join(f"{name}={_shown(value)}" for name, value in arguments.items())
            ours = f"output {i + 1} is {dtype_name(dtype)}{list(shape)}"
            return ours, f"{dtype_name(output.dtype)}{list(output.shape)} for {called}"
    return None


def _shown(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{dtype_name(value.dtype)}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return repr(value)
