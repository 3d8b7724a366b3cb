"""Loads kernel libraries built on torchport/kernel.h and launches compiled code."""

from collections.abc import Sequence
from typing import TypeAlias, final

import torch

_Scalar: TypeAlias = (
    bool | int | float | complex | str | torch.dtype | Sequence[bool] | Sequence[int] | Sequence[float]
)

ABI_VERSION: tuple[int, int]
"""Major and minor version of the kernel ABI that this build serves."""

class LibraryNotLoadable(RuntimeError):
    """The file is missing, is no shared library, or needs symbols that nobody provides."""

    message: str
    hint: str

class AbiMismatch(RuntimeError):
    """The file loads, yet is no kernel library of this ABI major, or its description is malformed."""

    message: str
    hint: str

class UnknownKernel(RuntimeError):
    """The library has no kernel of that name."""

    message: str
    hint: str

class KernelFailed(RuntimeError):
    """``prepare`` or ``run`` returned a status other than ``TP_OK``, or broke a rule of the ABI."""

    message: str
    hint: str
    status: int
    """1 invalid argument, 2 unsupported, 3 out of memory, 4 device error, 5 internal error."""
    code: int
    """The kernel's own error number; 0 none."""

class UnresolvedView(ValueError):
    """A tensor is lazily conjugated or negated: its memory does not hold its values. Nothing was run."""

@final
class Kernel:
    """One kernel of a library; it keeps the library loaded. Made by ``KernelLibrary.kernel``."""

    @property
    def name(self) -> str: ...
    @property
    def library(self) -> str:
        """Name of the library."""

    @property
    def prepared(self) -> int:
        """Number of signatures whose prepared state is held."""

    def run(
        self,
        inputs: Sequence[torch.Tensor | None],
        outputs: Sequence[torch.Tensor | None],
        scalars: Sequence[_Scalar | None] = (),
        stream: int = 0,
        aliases: Sequence[int] = (),
    ) -> tuple[torch.Tensor, ...]:
        """Prepares once per distinct signature, then runs with the GIL released.

        Args:
            inputs: plain tensors or Parameters, not lazily conjugated or negated; None for an absent one.
            outputs: tensors that the kernel overwrites; None for one whose shape depends on data, which the
                kernel allocates through the allocator callback.
            scalars: the non-tensor arguments.
            stream: native handle of the device's current stream; 0 for the default stream or none. Scratch
                memory is allocated on PyTorch's current stream, so a kernel with a workspace needs that one.
            aliases: for each output the index of the input whose memory it shares, or -1; () for no aliases.

        Returns:
            The outputs, those that the kernel allocated among them.

        Raises:
            KernelFailed: the kernel reported an error.
            TypeError: a tensor is a subclass or fake, or an argument has a type that kernel.h does not know.
            UnresolvedView: a tensor is lazily conjugated or negated.
            ValueError: ``aliases`` is inconsistent.
            OverflowError: an integer does not fit 64 bits.
        """

@final
class KernelLibrary:
    """A shared library that exports ``tp_library_get``; it stays loaded until the process ends.

    Args:
        path: the file; never looked up in the system's library folders.
        cache_limit: number of signatures per kernel whose prepared state is kept; the least recently used go.

    Raises:
        LibraryNotLoadable: the file cannot be loaded.
        AbiMismatch: the file is no kernel library of this ABI major.
    """

    def __init__(self, path: str, cache_limit: int = 256) -> None: ...
    def kernel(self, name: str) -> Kernel:
        """The kernel of that name, the same object every time.

        Raises:
            UnknownKernel: there is none.
        """

    @property
    def path(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def abi(self) -> tuple[int, int]:
        """ABI major and minor that the library was built for."""

    @property
    def kernel_names(self) -> tuple[str, ...]: ...

def launch(
    fn_ptr: int, pointers: Sequence[torch.Tensor], ints: Sequence[int], *, nogil: bool = False
) -> None:
    """Calls ``void f(void** buffers, const int64_t* sizes)`` at address ``fn_ptr``.

    The fast path for generated code: dtypes, shapes and lazy conjugation or negation are not looked at, the
    caller vouches for them. The function may modify both arrays, never keep them.

    Args:
        fn_ptr: address of the function.
        pointers: plain tensors whose data pointers become ``buffers``.
        ints: values of ``sizes``, each within int64.
        nogil: release the GIL during the call; worth it from some tens of microseconds on.

    Raises:
        TypeError: a tensor is a subclass or fake, or a size is no integer.
        ValueError: ``fn_ptr`` is 0.
        OverflowError: a size does not fit 64 bits.
    """

def has_exchange_api() -> bool:
    """Whether tensors are read through the DLPack C exchange API; otherwise through slower capsules."""
