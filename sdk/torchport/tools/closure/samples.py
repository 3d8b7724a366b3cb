"""Calls to try: PyTorch's operator test database, sampled for each class of dtypes."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from torchport.errors import UsageError

DTYPE_CLASSES: Mapping[str, torch.dtype] = {
    "float": torch.float32,
    "complex": torch.complex64,
    "int": torch.int64,
    "bool": torch.bool,
}
"""The dtype that stands for each class."""

NOT_DENSE = ("sparse", "nested", "jiterator", "quantized", "to_sparse")
"""Parts of entry names that mark operators on other layouts, or on code that only a GPU compiles."""

_CONSIDERED = 24


@dataclass(frozen=True, slots=True)
class Sample:
    """One call: ``fn(*args, **kwargs)``, where ``finish`` turns the result into what gradients are taken of
    (it removes the freedom of results that are not unique, such as signs of eigenvectors).
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    finish: Callable[[Any], Any]


@cache
def database() -> Mapping[str, Any]:
    """Entries by name; a variant's name follows a colon.

    Raises:
        UsageError: a package that PyTorch's operator tests import is not installed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from torch.testing._internal.common_methods_invocations import op_db
        except ImportError as error:
            raise UsageError(
                "PyTorch's operator tests cannot be imported",
                got=str(error),
                hint="pip install 'torchport[closure]'",
            ) from error
    return {f"{e.name}:{e.variant_test_name}" if e.variant_test_name else e.name: e for e in op_db}


def not_dense(name: str) -> bool:
    """Whether an entry is about another layout than dense tensors."""
    return any(part in name for part in NOT_DENSE)


def dtype_of(entry: Any, kind: str) -> torch.dtype | None:
    """The dtype that stands for a class in an entry: float8 where it has no wider floating one."""
    chosen = DTYPE_CLASSES[kind]
    narrow = torch.float8_e4m3fn if kind == "float" else chosen
    return next((dtype for dtype in (chosen, narrow) if dtype in entry.dtypes), None)


def classes_of(entry: Any) -> tuple[str, ...]:
    """The dtype classes that an entry has samples for."""
    return tuple(c for c in DTYPE_CLASSES if dtype_of(entry, c) is not None)


def samples_of(entry: Any, dtype: torch.dtype, count: int, seed: int) -> Iterator[Sample]:
    """Up to ``count`` samples, spread evenly over the first ones of the database; drawn from ``seed``.

    Tensors require gradients where the entry supports them.
    """
    grad = bool(entry.supports_autograd) and (dtype.is_floating_point or dtype.is_complex)
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = list(itertools.islice(entry.sample_inputs("cpu", dtype, requires_grad=grad), _CONSIDERED))
    drawn = [sample for sample in drawn if not _moves(sample)]
    step = max(1, len(drawn) // count)
    for sample in drawn[::step][:count]:
        yield Sample((sample.input, *sample.args), sample.kwargs, sample.output_process_fn_grad)


def _moves(sample: Any) -> bool:
    """Whether a call copies to another device, which is no computation."""
    arguments = (*sample.args, *sample.kwargs.values())
    devices = (torch.device(a) for a in arguments if isinstance(a, torch.device))
    return any(device.type != "cpu" for device in devices)
