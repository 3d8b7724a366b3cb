"""Kernels behind ``torchport/kernel.h``: loading a library, and calling its kernels with torch tensors.

The scalars convention: the non-tensor arguments of an operator reach its kernel in schema order, defaults
filled in. ``torch.dtype`` arrives as a dtype scalar, None as none, and a device, layout or memory format as a
string without the ``torch.`` prefix. Tensor arguments become inputs in schema order: None for an absent one,
a tensor list in place.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import torch

from torchport import _native
from torchport.errors import AbiError, KernelError, RegistrationError

Scalar = (
    bool | int | float | complex | str | torch.dtype | Sequence[bool] | Sequence[int] | Sequence[float] | None
)
"""What a kernel takes besides tensors."""


def include_dir() -> Path:
    """Folder to give a C or C++ compiler with ``-I``, so that it finds ``torchport/kernel.h``."""
    return Path(__file__).resolve().parent.parent / "include"


class CKernelLibrary:
    """A shared library of vendor kernels, checked against the kernel ABI when it is loaded.

    Args:
        path: the library file.
        cache_limit: number of signatures per kernel whose prepared state is kept.

    Raises:
        AbiError: the file cannot be loaded, or was built for another version of the ABI.
    """

    def __init__(self, path: str | os.PathLike[str], *, cache_limit: int = 256) -> None:
        try:
            self._library = _native.KernelLibrary(os.path.abspath(path), cache_limit)
        except (_native.LibraryNotLoadable, _native.AbiMismatch) as error:
            raise AbiError(error.message, got=os.fspath(path), hint=error.hint) from error

    @classmethod
    def from_package(cls, package: str, resource: str, *, cache_limit: int = 256) -> CKernelLibrary:
        """Loads a library that is shipped inside a Python package.

        Args:
            package: import name of the package.
            resource: path of the file inside it, with ``/`` as separator.
            cache_limit: as for the constructor.

        Raises:
            AbiError: as for the constructor, or there is no such file.
        """
        entry = resources.files(package).joinpath(resource)
        if not entry.is_file():
            raise AbiError(
                f"package {package!r} holds no file {resource!r}",
                got=str(entry),
                hint="check that the wheel contains the built library",
            )
        # A package in a zip is extracted for the load only: a mapped library outlives its file.
        with resources.as_file(entry) as path:
            return cls(path, cache_limit=cache_limit)

    @property
    def path(self) -> str:
        """Absolute path of the file."""
        return self._library.path

    @property
    def name(self) -> str:
        """Name that the library gives itself."""
        return self._library.name

    @property
    def version(self) -> str:
        """Version that the library gives itself."""
        return self._library.version

    @property
    def abi(self) -> tuple[int, int]:
        """Major and minor version of ``kernel.h`` that the library was built with."""
        return self._library.abi

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """Names of its kernels, in the library's order."""
        return self._library.kernel_names

    def kernel(self, name: str) -> CKernel:
        """The kernel of that name.

        Raises:
            RegistrationError: the library has none.
        """
        try:
            return CKernel(self._library.kernel(name), self._library.abi)
        except _native.UnknownKernel as error:
            raise RegistrationError(error.message, got=repr(name), hint=error.hint) from error

    def __repr__(self) -> str:
        return f"CKernelLibrary({self.name!r} {self.version}, {self.path!r})"


class CKernel:
    """One kernel of a ``CKernelLibrary``. Calls are destination passing and are not recorded by autograd."""

    __slots__ = ("_kernel", "abi")

    def __init__(self, kernel: _native.Kernel, abi: tuple[int, int]) -> None:
        self._kernel = kernel
        self.abi = abi
        """Major and minor version of ``kernel.h`` that its library was built with."""

    @property
    def name(self) -> str:
        """Name of the kernel in its library."""
        return self._kernel.name

    @property
    def library(self) -> str:
        """Name of the library."""
        return self._kernel.library

    def __call__(
        self,
        inputs: Sequence[torch.Tensor | None],
        outputs: Sequence[torch.Tensor | None],
        scalars: Sequence[Scalar] = (),
        *,
        stream: int = 0,
        aliases: Sequence[int] = (),
        op: str | None = None,
    ) -> tuple[torch.Tensor, ...]:
        """Runs the kernel; lazily conjugated or negated inputs are materialised first.

        Args:
            inputs: tensors; None for an absent optional one.
            outputs: tensors to overwrite; None for one whose shape depends on data, which the kernel
                allocates.
            scalars: the non-tensor arguments, see the module's docstring.
            stream: native handle of the device's current stream; 0 for the default stream or none.
            aliases: for each output the index of the input whose memory it shares, or -1; () for no aliases.
            op: qualified operator name, for error messages.

        Returns:
            The outputs, those that the kernel allocated among them.

        Raises:
            KernelError: the kernel reported an error; the ``KernelFailed`` behind it has status and code.
            TypeError, ValueError, OverflowError: an argument cannot be passed through the ABI.
        """
        try:
            try:
                return self._kernel.run(inputs, outputs, scalars, stream, aliases)
            except (
                _native.UnresolvedView
            ):  # found before anything ran, and rare: the common call pays nothing
                resolved = [_resolved(tensor) for tensor in inputs]
                return self._kernel.run(resolved, outputs, scalars, stream, aliases)
        except _native.KernelFailed as error:
            raise KernelError(
                error.message, op=op, got=_describe(inputs, outputs, scalars), hint=error.hint
            ) from error

    def __repr__(self) -> str:
        return f"CKernel({self.name!r} of {self.library!r})"


def split_arguments(
    op: torch._ops.OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[torch.Tensor | None, ...], tuple[Scalar, ...]]:
    """Splits the arguments of an operator call into a kernel's inputs and scalars, by the convention above.

    A Python number given for a tensor argument becomes a 0-dimensional tensor of the widest dtype of its
    kind, as in eager. Out arguments belong to neither.

    Args:
        op: the overload that is called.
        args: its positional arguments.
        kwargs: its keyword arguments.

    Raises:
        TypeError: an argument without a default is missing.
    """
    inputs: list[torch.Tensor | None] = []
    scalars: list[Scalar] = []
    for position, argument in enumerate(_arguments(op)):
        if position < len(args):
            value = args[position]
        elif argument.name in kwargs:
            value = kwargs[argument.name]
        elif argument.has_default:
            value = argument.default
        else:
            raise TypeError(f"{op} is called without its argument {argument.name!r}.")
        if argument.is_tensor:
            inputs.extend(_tensors(value))
        else:
            scalars.append(_scalar(value))
    return tuple(inputs), tuple(scalars)


@dataclass(frozen=True, slots=True)
class _Argument:
    name: str
    is_tensor: bool
    has_default: bool
    default: Any


@functools.lru_cache(maxsize=4096)
def _arguments(op: torch._ops.OpOverload) -> tuple[_Argument, ...]:
    return tuple(
        _Argument(
            name=argument.name,
            is_tensor="Tensor" in str(argument.type),
            has_default=argument.has_default_value(),
            default=_default(argument),
        )
        for argument in op._schema.arguments
        if not argument.is_out
    )


# Schemas give the defaults of enum arguments as C++ numbers; these are all that ATen has.
_ENUM_DEFAULTS: Mapping[tuple[str, int], Scalar] = {
    ("ScalarType", 4): torch.int64,
    ("MemoryFormat", 0): "contiguous_format",
}


def _default(argument: Any) -> Any:
    kind = str(argument.real_type).removeprefix("Optional[").removesuffix("]")
    value = argument.default_value if argument.has_default_value() else None
    if kind in ("ScalarType", "MemoryFormat", "Layout", "Device") and isinstance(value, int):
        return _ENUM_DEFAULTS[kind, value]
    return value


def _tensors(value: Any) -> Iterator[torch.Tensor | None]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, bool):
        yield torch.tensor(value)
    elif isinstance(value, int):
        yield torch.tensor(value, dtype=torch.int64)
    elif isinstance(value, float):
        yield torch.tensor(value, dtype=torch.float64)
    elif isinstance(value, complex):
        yield torch.tensor(value, dtype=torch.complex128)
    else:
        yield value


def _scalar(value: Any) -> Scalar:
    if isinstance(value, torch.device | torch.layout | torch.memory_format):
        return str(value).removeprefix("torch.")
    scalar: Scalar = value
    return scalar


def _resolved(tensor: torch.Tensor | None) -> torch.Tensor | None:
    return None if tensor is None else tensor.detach().resolve_conj().resolve_neg()


def _describe(
    inputs: Sequence[torch.Tensor | None], outputs: Sequence[torch.Tensor | None], scalars: Sequence[Scalar]
) -> str:
    def tensors(values: Sequence[torch.Tensor | None]) -> str:
        return ", ".join(
            "None" if t is None else f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for t in values
        )

    return f"inputs ({tensors(inputs)}), outputs ({tensors(outputs)}), scalars {tuple(scalars)}"
