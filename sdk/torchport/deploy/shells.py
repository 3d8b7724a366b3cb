"""Models whose weights do not exist: on the meta device, to be given when the program is loaded."""

from __future__ import annotations

import copy

import torch


def on_meta(model: object) -> frozenset[str]:
    """Qualified names of a module's parameters and buffers on the meta device."""
    if not isinstance(model, torch.nn.Module):
        return frozenset()
    members = [*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)]
    return frozenset(name for name, tensor in members if tensor.is_meta)


def with_stand_ins(model: torch.nn.Module, device: str) -> torch.nn.Module:
    """A copy with uninitialised memory on ``device`` for what is on the meta device. Nothing reads or writes
    it, so that the operating system need not provide it.
    """
    shell = copy.deepcopy(model)
    made: dict[int, torch.Tensor] = {}

    def stand_in(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in made:
            made[id(tensor)] = torch.empty_like(tensor, device=device)
        return made[id(tensor)]

    for module in shell.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            if parameter.is_meta:
                real = stand_in(parameter)
                if not isinstance(real, torch.nn.Parameter):
                    real = made[id(parameter)] = torch.nn.Parameter(real, parameter.requires_grad)
                setattr(module, name, real)
        for name, buffer in list(module.named_buffers(recurse=False)):
            if buffer.is_meta:
                setattr(module, name, stand_in(buffer))
    return shell
