"""Arguments of cases as compressed data files: what a search or a recording has found, kept with the suite.

A file is named ``NAME.DIGEST.json.xz`` after the SHA-256 of its uncompressed text, so that a file that was
changed by hand, or by half, is noticed.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from importlib import resources
from pathlib import Path
from typing import Any

import torch

from torchport.contract.dtype_rules import dtype_from_name
from torchport.contract.graph import dtype_name
from torchport.errors import ContractError
from torchport_conformance.cases.case import Argument, SizeExpr, TensorPlan

_DIGITS = 16


def encoded(argument: Argument) -> Any:
    """An argument as JSON has it; tensors lose the letters of their sizes.

    Raises:
        ContractError: there is no such argument in a case.
    """
    match argument:
        case None | bool() | int() | str():
            return argument
        case float():
            return argument if argument - argument == 0 else {"float": str(argument)}
        case complex():
            return {"complex": [argument.real, argument.imag]}
        case torch.dtype():
            return {"dtype": dtype_name(argument)}
        case tuple() | list():
            return [encoded(a) for a in argument]
        case SizeExpr():
            return encoded(argument.value)
        case TensorPlan():
            fields = {"shape": list(argument.shape), "in": dtype_name(argument.dtype)}
            defaults = {"layout": "contiguous", "values": "any", "fill": "random"}
            extra = {k: getattr(argument, k) for k, v in defaults.items() if getattr(argument, k) != v}
            return {**fields, **extra}
    raise ContractError("not an argument that can be kept in a file", got=repr(argument))


def decoded(data: Any) -> Argument:
    """The argument that :func:`encoded` wrote; its tensors have literal sizes.

    Raises:
        ContractError: the text is not one of an argument.
    """
    if isinstance(data, list):
        return tuple(decoded(d) for d in data)
    if not isinstance(data, dict):
        return data
    match data:
        case {"float": text}:
            return float(text)
        case {"complex": [real, imaginary]}:
            return complex(real, imaginary)
        case {"dtype": name}:
            return dtype_from_name(name)
        case {"shape": shape, "in": dtype, **extra}:
            sizes = tuple(shape)
            return TensorPlan(sizes, sizes, dtype_from_name(dtype), **extra)
    raise ContractError("not an argument of a case", got=json.dumps(data)[:200])


def write(folder: Path, name: str, data: Any) -> Path:
    """Writes ``data`` as the one file called ``name`` of a folder and removes earlier ones; its path."""
    text = json.dumps(data, separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode()
    digest = hashlib.sha256(text).hexdigest()[:_DIGITS]
    for earlier in folder.glob(f"{name}.*.json.xz"):
        earlier.unlink()
    path = folder / f"{name}.{digest}.json.xz"
    path.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
    return path


def read(name: str) -> Any:
    """The content of the data file called ``name``.

    Raises:
        ContractError: it is missing, there are several, or it is not what its name says.
    """
    folder = resources.files("torchport_conformance.cases") / "data"
    found = [f for f in folder.iterdir() if f.name.startswith(f"{name}.")]
    if len(found) != 1:
        raise ContractError("the suite's data file is missing or there are several", got=name)
    text = lzma.decompress(found[0].read_bytes())
    if found[0].name != f"{name}.{hashlib.sha256(text).hexdigest()[:_DIGITS]}.json.xz":
        raise ContractError("the suite's data file is not what its name says", got=found[0].name)
    return json.loads(text)
