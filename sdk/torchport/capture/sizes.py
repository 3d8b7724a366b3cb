"""The symbols of the program that is being traced, for questions that are asked before it is a graph."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from torchport.contract.bindings import symbols_of
from torchport.contract.fx_import import symbol_in
from torchport.contract.graph import Node, Symbol


def traced_symbols(node: Node) -> Mapping[str, Symbol]:
    """The symbols of a call by name, with ranges and the sizes of the example; empty outside of a trace."""
    context = torch._guards.TracingContext.try_get()
    if context is None or context.fake_mode is None or context.fake_mode.shape_env is None:
        return {}
    env = context.fake_mode.shape_env
    return {name: symbol_in(name, (), env) for name in symbols_of(node)}
