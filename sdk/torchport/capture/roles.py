"""What each input of a Dynamo graph is to the user's program: parameter, buffer or input, with its qualified
name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._functorch._aot_autograd import descriptors
from torch._guards import TracingContext

from torchport.contract.fx_import import tensor_spec
from torchport.contract.graph import Role, TensorSpec

_MEMBER = re.compile(r"_(?:modules|parameters|buffers)\['([^']+)'\]")


@dataclass(frozen=True, slots=True)
class InputMeaning:
    """Role and name of one Dynamo graph input. ``weight_id`` is the name of a parameter or buffer, made
    unique in the graph: two modules may have members of one name.
    """

    role: Role
    name: str
    weight_id: str | None = None


def dynamo_inputs(gm: torch.fx.GraphModule) -> tuple[InputMeaning, ...]:
    """Role and qualified name of each placeholder of a Dynamo graph, in order."""
    found = []
    seen: Counter[str] = Counter()
    for node in gm.graph.nodes:
        if node.op != "placeholder":
            continue
        grapharg = node.meta.get("grapharg")
        source = _source_name(grapharg)
        value = node.meta.get("example_value")
        name = ".".join(_MEMBER.findall(source))
        if isinstance(value, torch.nn.Parameter):
            role = Role.PARAMETER
        elif "_buffers[" in source:
            role = Role.BUFFER
        else:
            role, name = Role.INPUT, ""
        weight_id = (f"{name}#{seen[name]}" if seen[name] else name) if name else None
        seen[name] += 1
        found.append(InputMeaning(role, name, weight_id))
    return tuple(found)


def _source_name(grapharg: Any) -> str:
    source = getattr(grapharg, "source", None)
    if source is None:
        return ""
    name = source.name
    return str(name() if callable(name) else name)


def placeholder_specs(
    gm: torch.fx.GraphModule, meanings: Sequence[InputMeaning], phase: str
) -> dict[str, TensorSpec]:
    """Specs of the tensor placeholders of an AOTAutograd graph, with role, name, mutation and requires_grad.

    In a backward graph a parameter or input that was saved keeps its role and name; another saved value has
    the name that it has in the forward graph.

    Must be called inside an AOTAutograd compiler callback, where the tracing context describes the graph.
    """
    context = TracingContext.try_get()
    metadata = context.fw_metadata if context is not None else None
    infos = list(metadata.input_info) if metadata is not None else []
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    by_place = phase != "backward" and len(infos) == len(placeholders)  # bases of views move inputs
    specs: dict[str, TensorSpec] = {}
    for place, node in enumerate(placeholders):
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            continue
        descriptor = node.meta.get("desc")
        index = _input_index(descriptor)
        if isinstance(descriptor, descriptors.TangentAOTInput):
            specs[node.name] = tensor_spec(value, role=Role.TANGENT)
        elif index is None or index >= len(meanings):
            role = Role.SAVED if phase == "backward" else Role.INPUT
            specs[node.name] = tensor_spec(value, role=role)
        else:
            meaning = meanings[index]
            known = by_place or len(infos) == len(meanings)
            info = infos[place if by_place else index] if known else None
            specs[node.name] = tensor_spec(
                value,
                role=meaning.role,
                name=meaning.name,
                requires_grad=bool(info is not None and info.requires_grad),
                mutated=bool(info is not None and info.mutates_data),
                weight_id=meaning.weight_id,
            )
    return specs


def _input_index(descriptor: Any) -> int | None:
    """The position among the Dynamo inputs that an AOTAutograd input comes from, through views and bases."""
    while descriptor is not None and not isinstance(descriptor, descriptors.PlainAOTInput):
        descriptor = getattr(descriptor, "base_of", None) or getattr(descriptor, "base", None)
    return None if descriptor is None else int(descriptor.idx)
