"""Every entry is well-formed on its own."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import torch

from torchport.contract.adapters import is_present
from torchport.contract.claims import law_of
from torchport.contract.dtype_rules import dtype_from_name
from torchport.contract.opset import opset
from torchport.contract.shape_rules import parse
from torchport.contract.spec import OpSpec, Tier

OPS: Mapping[str, OpSpec] = opset("1.0").ops
SPECS = [pytest.param(spec, id=name) for name, spec in OPS.items()]
KINDS = {"exact", "ulp", "dot", "reduction", "order", "law"}
MAGNITUDES = {"", "result", "abs", "operands", "terms", "deviation", "deviation-root", "derived", "euclidean"}


@pytest.mark.parametrize("spec", SPECS)
def test_entry_is_complete(spec: OpSpec) -> None:
    schema = spec.signature
    names = [a.name for a in schema.arguments]
    required = [a.name for a in schema.arguments if not a.has_default_value()]
    assert not schema.is_mutable
    assert set(required) <= set(spec.operands), "operands cover every argument without a default"
    assert set(spec.operands) <= set(names)
    assert set(spec.dtypes.accepts) <= set(names)
    assert len(spec.shape) == len(schema.returns) == len(spec.dtypes.results) == len(spec.layout)
    for a in schema.arguments:
        if str(a.type) in ("Tensor", "List[Tensor]"):
            assert spec.operands[a.name].pattern is not None, a.name
            assert spec.dtypes.accepts[a.name], a.name


@pytest.mark.parametrize("spec", SPECS)
def test_rules_are_in_the_language_and_read_schema_arguments(spec: OpSpec) -> None:
    names = {a.name for a in spec.signature.arguments}
    texts = [*spec.shape, *(c.text for c in (*spec.constraints, *spec.errors))]
    texts += [spec.numerics.length] if spec.numerics.length else []
    for text in texts:
        rule = parse(text)
        assert {*rule.names, *rule.dtype_names} <= names, text


@pytest.mark.parametrize("spec", SPECS)
def test_vocabulary(spec: OpSpec) -> None:
    assert spec.numerics.kind in KINDS
    assert spec.numerics.magnitude in MAGNITUDES
    assert (spec.numerics.length is not None) == (spec.numerics.kind in ("dot", "reduction"))
    for accepted in spec.dtypes.accepts.values():
        for name in accepted:
            if name.startswith("same:"):
                assert name.removeprefix("same:") in spec.dtypes.accepts
            else:
                assert dtype_from_name(name)
    random = spec.numerics.kind == "law" and law_of(spec) is None
    assert not (random and spec.deterministic)


def test_labels_are_unique_and_name_their_operator() -> None:
    labels = [(c.label, spec.name) for spec in OPS.values() for c in (*spec.constraints, *spec.errors)]
    assert len({label for label, _ in labels}) == len(labels)
    for label, name in labels:
        stem = label.rsplit(".", 1)[0]
        assert name.removeprefix("aten.").removesuffix(".default") == stem


def test_every_operator_above_the_primitives_has_a_decomposition() -> None:
    assert [n for n, s in OPS.items() if s.tier is not Tier.PRIM and s.decomposition is None] == []


def test_the_primitive_set_is_closed_and_bounded() -> None:
    assert 0 < len(opset("1.0").prims) <= 200


def test_core_mark_is_pytorchs() -> None:
    present = {n: s for n, s in OPS.items() if is_present(n)}
    core = {n for n, s in present.items() if torch.Tag.core in s.overload.tags}
    assert core == opset("1.0").core.keys() & present.keys()
