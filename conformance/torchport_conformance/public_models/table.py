"""Every public architecture by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from torchport.errors import OptionError
from torchport_conformance.public_models import audio, multimodal, text, vision
from torchport_conformance.public_models.entry import PublicModel

DECODERS = ("gpt2", "llama", "qwen3", "phi")
"""Architectures that also generate tokens: learned positions, rotary ones, normalized heads, partial rotary.
"""


@cache
def public_models() -> Mapping[str, PublicModel]:
    """The table, family by family."""
    found = {m.name: m for family in (text, vision, audio, multimodal) for m in family.MODELS}
    assert len(found) == sum(len(family.MODELS) for family in (text, vision, audio, multimodal))
    return found


def public_model(name: str) -> PublicModel:
    """One architecture by name.

    Raises:
        OptionError: the table has none of that name.
    """
    known = public_models()
    if name not in known:
        raise OptionError("no such architecture", got=repr(name), hint=f"known: {', '.join(known)}")
    return known[name]


def selected(names: Sequence[str] | None) -> tuple[PublicModel, ...]:
    """The named architectures in the order of the table; all of them without names.

    Raises:
        OptionError: the table lacks one of the names.
    """
    if names is None:
        return tuple(public_models().values())
    wanted = {public_model(name).name for name in names}
    return tuple(m for m in public_models().values() if m.name in wanted)
