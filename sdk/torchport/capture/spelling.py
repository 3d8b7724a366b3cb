"""Calls of a Dynamo graph whose results AOTAutograd puts into other memory than eager PyTorch does."""

from __future__ import annotations

from typing import Any

import torch

_DROPOUTS = (torch.nn.functional.dropout, torch.dropout, torch.ops.aten.dropout.default)


def respell(gm: torch.fx.GraphModule) -> None:
    """Replaces, in ``gm`` and the graphs inside it, a dropout that drops nothing by its input.

    Eager PyTorch returns the input itself; the decomposition that AOTAutograd traces returns a copy, so that
    writes through the result would be lost.
    """
    for module in gm.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        calls = [n for f in _DROPOUTS for n in module.graph.find_nodes(op="call_function", target=f)]
        idle = [n for n in calls if _drops_nothing(n)]
        for node in idle:
            node.replace_all_uses_with(node.all_input_nodes[0])
            module.graph.erase_node(node)
        if idle:
            module.recompile()


def _drops_nothing(node: torch.fx.Node) -> bool:
    given: dict[str, Any] = {"p": 0.5, "training": True}
    given.update(zip(("input", "p", "training"), node.args, strict=False))
    given.update({"training" if k == "train" else k: v for k, v in node.kwargs.items()})
    return bool(given["training"] is False or given["p"] == 0)
