"""Tensors in the safetensors format, written in order and read where they lie, without a copy.

The format is a little-endian length, a JSON header and the elements of each tensor in row-major order; it
holds no code. Tensors are sorted by the size of their elements, so that each starts at a multiple of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from torchport.contract.graph import dtype_name
from torchport.errors import ArtifactError, ExportError

_NAMES: Mapping[str, str] = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint64": "U64",
    "uint32": "U32",
    "uint16": "U16",
    "uint8": "U8",
    "bool": "BOOL",
    "complex64": "C64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "float8_e8m0fnu": "F8_E8M0",
}
_DTYPES = {short: getattr(torch, name) for name, short in _NAMES.items() if hasattr(torch, name)}


def chunks(tensors: Mapping[str, torch.Tensor]) -> Iterator[bytes | memoryview]:
    """The file, piece by piece: its header, then one piece for each tensor.

    Raises:
        ExportError: a tensor is of a dtype or layout that the format does not have.
    """
    order = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    header: dict[str, Any] = {}
    offset = 0
    for name in order:
        tensor = tensors[name]
        short = _NAMES.get(dtype_name(tensor.dtype))
        if short is None or tensor.layout != torch.strided or tensor.device.type == "meta":
            raise ExportError(
                f"tensor {name!r} cannot be written",
                got=f"{tensor.dtype}, {tensor.layout}, on {tensor.device}",
                hint='give it at load: weights="none"',
            )
        size = tensor.numel() * tensor.element_size()
        shape = list(tensor.shape)
        header[name] = {"dtype": short, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for name in order:
        plain = tensors[name].detach().resolve_conj().resolve_neg().cpu().contiguous()
        if plain.numel():
            yield plain.reshape(-1).view(torch.uint8).numpy().data


class TensorsFile:
    """Tensors of a safetensors file that is in memory or mapped; each is made when it is asked for.

    Args:
        buffer: a writable buffer. Tensors share its memory and keep it alive.
        what: what the file is, for errors.

    Raises:
        ArtifactError: not a safetensors file, or a damaged one.
    """

    def __init__(self, buffer: Any, what: str) -> None:
        view = memoryview(buffer)
        self._buffer, self._what = buffer, what
        try:
            self._start = 8 + int.from_bytes(view[:8], "little")
            header = json.loads(bytes(view[8 : self._start]))
            header.pop("__metadata__", None)
            self._entries: dict[str, tuple[torch.dtype, tuple[int, ...], int]] = {}
            for name, entry in header.items():
                self._entries[name] = self._entry(entry, len(view) - self._start)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArtifactError(
                f"{what} is not a safetensors file, or a damaged one", got=f"{type(error).__name__}: {error}"
            ) from error

    @staticmethod
    def _entry(entry: Mapping[str, Any], available: int) -> tuple[torch.dtype, tuple[int, ...], int]:
        dtype, shape = _DTYPES[entry["dtype"]], tuple(int(n) for n in entry["shape"])
        start, end = entry["data_offsets"]
        count = torch.Size(shape).numel()
        if not 0 <= start <= end <= available or end - start != count * dtype.itemsize:
            raise ValueError(f"{end - start} bytes at {start} for {dtype} {shape}")
        return dtype, shape, int(start)

    @property
    def names(self) -> frozenset[str]:
        """Names of the tensors."""
        return frozenset(self._entries)

    def get(self, name: str) -> torch.Tensor:
        """One tensor, row-major, in the file's memory.

        Raises:
            KeyError: there is none of that name.
        """
        dtype, shape, start = self._entries[name]
        count = torch.Size(shape).numel()
        if not count:
            return torch.empty(shape, dtype=dtype)
        at = self._start + start
        if at % dtype.itemsize:  # other writers may pack tensors tightly
            raw = torch.frombuffer(self._buffer, dtype=torch.uint8, count=count * dtype.itemsize, offset=at)
            return raw.clone().view(dtype).reshape(shape)
        return torch.frombuffer(self._buffer, dtype=dtype, count=count, offset=at).reshape(shape)
