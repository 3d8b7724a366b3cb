"""Makers of input batches that architectures share: tokens, images, waveforms, spectrograms."""

from __future__ import annotations

import torch

from torchport_conformance.public_models.entry import MASKED_OUT, Batch, InputMaker, Sizes

VOCABULARY = 96
CLASSES = 5
START = 3
"""Token ids below are left to padding, beginning and end of a sentence."""


def _ids(sizes: Sizes, generator: torch.Generator, below: int = VOCABULARY) -> torch.Tensor:
    return torch.randint(START, below, (sizes.batch, sizes.length), generator=generator)


def _mask(sizes: Sizes, generator: torch.Generator) -> torch.Tensor:
    lengths = torch.randint(sizes.length // 2, sizes.length, (sizes.batch, 1), generator=generator)
    return (torch.arange(sizes.length) < lengths).long()


def tokens(*, mask: bool = True, labels: int = VOCABULARY, below: int = VOCABULARY) -> InputMaker:
    """Ids int64[n, t], with ``mask`` of unequal lengths, and labels int64[n, t] where they count."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        found = {"input_ids": _ids(sizes, generator, below)}
        targets = torch.randint(labels, (sizes.batch, sizes.length), generator=generator)
        if mask:
            found["attention_mask"] = _mask(sizes, generator)
            targets = targets.masked_fill(found["attention_mask"] == 0, MASKED_OUT)
        return found | {"labels": targets}

    return make


def pairs_of_tokens(*, mask: bool = True) -> InputMaker:
    """Ids of an encoder int64[n, t], of a decoder int64[n, 7], labels int64[n, 7]."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        found = {"input_ids": _ids(sizes, generator)}
        if mask:
            found["attention_mask"] = _mask(sizes, generator)
        targets = Sizes(sizes.batch, 7)
        return found | {"decoder_input_ids": _ids(targets, generator), "labels": _ids(targets, generator)}

    return make


def images(
    size: int = 32, *, channels: int = 3, frames: int | None = None, labels: bool = True
) -> InputMaker:
    """Pixels float32[n, c, size, size], of videos float32[n, frames, c, size, size]; labels int64[n]."""
    shape = (channels, size, size) if frames is None else (frames, channels, size, size)

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        found = {"pixel_values": torch.randn(sizes.batch, *shape, generator=generator)}
        if labels:
            found["labels"] = torch.randint(CLASSES, (sizes.batch,), generator=generator)
        return found

    return make


def waveform(samples_per_step: int = 40, name: str = "input_values", *dims: int) -> InputMaker:
    """Sound float32[n, *dims, t * samples_per_step]."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        samples = sizes.length * samples_per_step
        return {name: torch.randn(sizes.batch, *dims, samples, generator=generator)}

    return make


def features(name: str, *dims: int) -> InputMaker:
    """Numbers float32[n, *dims] from a normal law."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        return {name: torch.randn(sizes.batch, *dims, generator=generator)}

    return make


def sequence(name: str, *dims: int) -> InputMaker:
    """Numbers float32[n, t, *dims] from a normal law."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        return {name: torch.randn(sizes.batch, sizes.length, *dims, generator=generator)}

    return make


def ids(name: str, length: int | None = None, below: int = VOCABULARY) -> InputMaker:
    """Ids int64[n, t], or int64[n, length]."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        wanted = sizes if length is None else Sizes(sizes.batch, length)
        return {name: _ids(wanted, generator, below)}

    return make


def ordered_boxes(name: str = "bbox") -> InputMaker:
    """Boxes int64[n, t, 4], left and top before right and bottom, of a page that is 100 wide and high."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        corners = torch.randint(100, (sizes.batch, sizes.length, 2, 2), generator=generator)
        return {name: corners.sort(dim=2).values.flatten(2)}

    return make


def together(*makers: InputMaker) -> InputMaker:
    """The inputs of several makers; a later one wins where two draw the same name."""

    def make(sizes: Sizes, generator: torch.Generator) -> Batch:
        found: dict[str, torch.Tensor] = {}
        for maker in makers:
            found.update(maker(sizes, generator))
        return found

    return make
