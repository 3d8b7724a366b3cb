"""A region: the part of a graph that one backend compiles. Serializable (``to_json``/``from_json``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from torchport.contract.graph import Graph, Node, Symbol, TensorSpec, Value
from torchport.contract.graph_json import graph_from_json, graph_to_json
from torchport.contract.opset import OpSet, opset
from torchport.contract.spec import Tier
from torchport.contract.version import ordered


@dataclass(frozen=True, eq=False)
class Region:
    """A convex sub-graph that one backend claimed.

    ``phase`` is ``"inference"``, ``"forward"`` or ``"backward"``; ``name`` is unique in its process and
    appears in profiles; ``opset`` is the contract version the graph was verified against. ``donations`` are
    pairs (output name, input name) of equal layout: nobody needs the input after this region, so the output
    may be left in its memory (``Artifact.aliases``). Their specs say ``may`` and ``donated``.
    """

    name: str
    graph: Graph
    phase: str
    opset: str
    donations: tuple[tuple[str, str], ...] = ()

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        """Specs of the inputs, in the order of ``Executable.run``'s ``args``."""
        return tuple(v.tensor for v in self.graph.inputs)

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        """Specs of the outputs, in the order of ``Executable.run``'s ``outs``."""
        return tuple(v.tensor for v in self.graph.output_values)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Nodes in topological order."""
        return self.graph.nodes

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Symbols used, in the order of ``Executable.run``'s ``symbols``."""
        return self.graph.symbols

    @property
    def input_values(self) -> tuple[Value, ...]:
        """Inputs as named values."""
        return self.graph.inputs

    @property
    def output_values(self) -> tuple[Value, ...]:
        """Outputs as named values."""
        return self.graph.output_values

    def to_json(self) -> str:
        """The region as JSON under the published schema ``region.schema.json``; canonical, so it can be
        hashed.
        """
        import json

        payload: dict[str, Any] = {
            "format": "torchport-region",
            "format_version": 1,
            "name": self.name,
            "phase": self.phase,
            "opset": self.opset,
            "graph": graph_to_json(self.graph),
        }
        if self.donations:
            payload["donations"] = [list(pair) for pair in self.donations]
        return json.dumps(payload, sort_keys=True, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str, *, to: str | OpSet | None = None) -> Region:
        """Reads :meth:`to_json`'s output; needs neither the model nor the process that wrote it.

        Args:
            text: the JSON text.
            to: the contract version wanted, or a version with custom operators. A region of an older version
                is upgraded, one of a newer version downgraded. By default a region of a version older than
                the current one is upgraded to that, and others stay as they are.

        Raises:
            SchemaError: the text is not JSON, does not follow the schema, or has dangling references.
            VerifierError: the graph violates its contract version.
            ContractError: the contract version is not known, or the region cannot be expressed in ``to``.
        """
        from torchport.contract.graph_json import load_json
        from torchport.contract.migration import downgrade, upgrade

        data = load_json(text)
        graph = graph_from_json(data["graph"])
        wanted = None if to is None else opset(to)
        same = wanted is not None and wanted.version == data["opset"]
        source = wanted if wanted is not None and same else opset(data["opset"])
        source.verify(graph, Tier.MACRO, allow_unknown=True)
        target = wanted or max(source, opset(), key=lambda version: ordered(version.base))
        if target is not source:
            migrate = upgrade if ordered(source.base) <= ordered(target.base) else downgrade
            graph = migrate(graph, target, since=source)
            target.verify(graph, Tier.MACRO, allow_unknown=True)
        donations = tuple((str(out), str(base)) for out, base in data.get("donations", ()))
        return cls(data["name"], graph, data["phase"], target.version, donations)

    @property
    def constants(self) -> Mapping[str, torch.Tensor]:
        """Constant tensors by input value name."""
        return self.graph.constants
