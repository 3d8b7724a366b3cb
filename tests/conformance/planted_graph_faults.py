"""Backends that run single operators right and whole regions wrong, one fault each.

Each interprets its region node by node; a fault changes what one node reads, computes or keeps for the
next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

import torchport as tp
from torchport.contract.graph import Node, Value, map_values
from torchport.contract.spec import resolve
from torchport.contract.symbols import evaluate


class Interpreted(tp.EagerBackend):
    """Runs a region node by node, right. Faults override :meth:`call`, :meth:`keep` or :meth:`numbers`."""

    def compile(self, region: tp.Region, target: tp.Target, options: tp.Options) -> tp.InProcess:
        state: dict[str, Any] = {}
        names = [s.name for s in region.symbols]
        self.region = region

        def run(numbers: Sequence[int], *args: torch.Tensor) -> list[torch.Tensor]:
            bindings = dict(zip(names, self.numbers(state, numbers), strict=True))
            known: dict[str, Any] = dict(zip((v.name for v in region.input_values), args, strict=True))
            for node in region.nodes:
                given = {n: plain(map_values(a, lambda v: known[v.name]), bindings) for n, a in node.args}
                result = self.call(region, node, given)
                flat = [*result] if isinstance(result, tuple | list) else [result]
                for value, made in zip(node.outputs, flat, strict=True):
                    if isinstance(value, Value):
                        known[value.name] = self.keep(value, made)
            return [known[v.name].to(v.tensor.dtype) for v in region.output_values]

        return tp.InProcess(run, wants_symbols=True)

    def numbers(self, state: dict[str, Any], numbers: Sequence[int]) -> Sequence[int]:
        """The values of the region's symbols in a call."""
        return numbers

    def call(self, region: tp.Region, node: Node, given: dict[str, Any]) -> Any:
        """The result of a node."""
        return resolve(node.op)(**given)

    def keep(self, value: Value, made: torch.Tensor) -> torch.Tensor:
        """What later nodes of the region see of a result."""
        return made


def plain(argument: Any, bindings: dict[str, int]) -> Any:
    if isinstance(argument, tuple):
        return [plain(a, bindings) for a in argument]
    return argument if isinstance(argument, torch.Tensor) else evaluate(argument, bindings)


def reads(region: tp.Region, given_name: str, node: Node) -> Node | None:
    """The node of the region that computes an operand."""
    argument = dict(node.args)[given_name]
    nodes = [n for n in region.nodes for v in n.outputs if isinstance(v, Value) and v == argument]
    return nodes[0] if nodes else None


class WriteLost(Interpreted):
    """What is scattered into a part of a tensor does not arrive: the alias of the part is lost."""

    def call(self, region, node, given):
        if "_scatter." in node.op and "src" in given and "index" not in given:
            return given["self"].clone()
        if node.op == "aten.select_scatter.default":
            return given["self"].clone()
        return super().call(region, node, given)


class AliasReturned(Interpreted):
    """A clone is its operand: a result shares memory with an argument."""

    def call(self, region, node, given):
        return given["self"] if node.op == "aten.clone.default" else super().call(region, node, given)


class StaleNumbers(Interpreted):
    """Sizes and numbers are those of the first call."""

    def numbers(self, state, numbers):
        return state.setdefault("numbers", tuple(numbers))


class StaleConstant(Interpreted):
    """Code is kept by the operators alone: a constant is that of the first program."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}

    def call(self, region, node, given):
        key = (node.op, tuple(n for n, _ in node.args), node.name)
        constants = {n: a for n, a in given.items() if type(a) in (int, float)}
        return super().call(region, node, {**given, **self.kept.setdefault(key, constants)})


class ReadAfterWrite(Interpreted):
    """An elementwise result takes the place of its operand, row by row, while a flip still reads that."""

    def call(self, region, node, given):
        source = reads(region, "other", node) if node.op in ("aten.add.Tensor", "aten.mul.Tensor") else None
        if source is None or source.op not in ("aten.flip.default", "aten.roll.default"):
            return super().call(region, node, given)
        if dict(source.args)["self"] != dict(node.args)["self"]:
            return super().call(region, node, given)
        out = given["self"].clone()
        for row in range(out.shape[0]):
            rest = {n: plain(a, {}) for n, a in source.args if n != "self"}
            other = resolve(source.op)(out, **rest)
            out[row] = resolve(node.op)(**{**given, "self": out, "other": other})[row]
        return out


class WrapLost(Interpreted):
    """Integers stay wide from node to node; they wrap only where the region ends."""

    def call(self, region, node, given):
        if node.op.split(".")[1] not in ("neg", "add", "sub", "mul"):
            return super().call(region, node, given)
        wide = {
            n: a.to(torch.int64) if isinstance(a, torch.Tensor) and not a.is_floating_point() else a
            for n, a in given.items()
        }
        return super().call(region, node, wide)


class OffsetDropped(Interpreted):
    """A slice that another node of the region reads starts at the beginning."""

    def call(self, region, node, given):
        inner = all(v not in region.output_values for v in node.outputs)
        if node.op == "aten.slice.Tensor" and inner:
            right = super().call(region, node, given)
            size = right.shape[given["dim"]]
            step = given.get("step") or 1
            return super().call(
                region, node, {**given, "start": 0, "end": (size - 1) * step + 1 if size else 0}
            )
        return super().call(region, node, given)


class AccumulateLost(Interpreted):
    """Of repeated indices the last one counts."""

    def call(self, region, node, given):
        if node.op == "aten.index_put.default" and given["accumulate"]:
            added = given["self"][tuple(given["indices"])] + given["values"]
            return super().call(region, node, {**given, "values": added, "accumulate": False})
        if node.op == "aten.index_add.default":
            at = given["index"].to(torch.int64)
            added = given["self"].index_select(given["dim"], at) + given["source"]
            return given["self"].index_copy(given["dim"], at, added)
        return super().call(region, node, given)


class ReductionIndexWrong(Interpreted):
    """The index of an extreme over a fused operand is one in memory order."""

    def call(self, region, node, given):
        result = super().call(region, node, given)
        if node.op == "aten.argmax.default" and given["dim"] is None and not given["self"].is_contiguous():
            dense = given["self"].permute(*range(given["self"].dim())[::-1]).contiguous()
            return dense.argmax()
        if node.op == "aten.max.dim" and reads(region, "self", node) is not None:
            return result[0], torch.zeros_like(result[1])
        return result


class ZeroFolded(Interpreted):
    """A product with zero is zero, whatever the other factor."""

    def call(self, region, node, given):
        number = node.op.startswith("aten.mul.") and not isinstance(given["other"], torch.Tensor)
        if number and given["other"] == 0:
            return torch.zeros_like(super().call(region, node, given))
        return super().call(region, node, given)


class OneDraw(Interpreted):
    """Every draw has the same seed."""

    def call(self, region, node, given):
        if torch.Tag.nondeterministic_seeded in resolve(node.op).tags:
            torch.manual_seed(0)
        return super().call(region, node, given)


class NodeOff(Interpreted):
    """One operator has a relative error of 1e-3."""

    op = "aten.tanh.default"

    def call(self, region, node, given):
        result = super().call(region, node, given)
        return result * 1.001 if node.op == self.op else result
