"""The verifier accepts what PyTorch traces and refuses every kind of damage with a label; it never fails
otherwise.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchport.contract.fx_import import import_fx
from torchport.contract.graph import Graph, Node, Opaque, ScalarSpec, Symbol, TensorSpec, Value
from torchport.contract.opset import opset
from torchport.contract.symbols import SymExpr
from torchport.errors import ContractError, VerifierError

OPS = opset("1.0")
F32 = torch.float32
S0, S1 = SymExpr("s0"), SymExpr("s1")


def spec(*shape: Any, dtype: torch.dtype = F32) -> TensorSpec:
    strides: list[Any] = []
    for i in range(len(shape)):
        rest = shape[i + 1 :]
        strides.append(
            SymExpr("*".join(map(str, rest))) if any(isinstance(d, SymExpr) for d in rest) else _product(rest)
        )
    return TensorSpec(tuple(shape), tuple(strides), dtype)


def _product(dims: tuple[int, ...]) -> int:
    total = 1
    for d in dims:
        total *= d
    return total


def value(name: str, *shape: Any, dtype: torch.dtype = F32) -> Value:
    return Value(name, spec(*shape, dtype=dtype))


def node(name: str, op: str, outputs: list[Value | None], **arguments: Any) -> Node:
    return Node(name, op, tuple(arguments.items()), tuple(outputs))


def mm_graph(a: Value, b: Value, out: Value, **changes: Any) -> Graph:
    graph = Graph((a, b), (node("mm", "aten.mm.default", [out], self=a, mat2=b),), (out,))
    return replace(graph, **changes)


A, B, C = value("a", 2, 3), value("b", 3, 4), value("c", 2, 4)
GOOD = mm_graph(A, B, C)


def fails(graph: Graph, label: str, **options: Any) -> VerifierError:
    with pytest.raises(VerifierError) as caught:
        OPS.verify(graph, **options)
    assert caught.value.label == label
    assert f"({label})" in str(caught.value)
    assert caught.value.node
    return caught.value


def test_good_graph_passes_at_both_tiers() -> None:
    OPS.verify(GOOD)
    OPS.verify(GOOD, tier="prim")


def test_unknown_tier_and_wrong_object() -> None:
    with pytest.raises(ContractError, match="not a tier"):
        OPS.verify(GOOD, tier="macaroni")
    with pytest.raises(ContractError, match="only a contract graph"):
        OPS.verify(None)  # type: ignore[arg-type]


def test_constraint_error_names_node_operator_label_and_what_was_got() -> None:
    error = fails(mm_graph(A, value("b", 5, 4), C), "mm.C2")
    assert error.op == "aten.mm.default"
    assert error.node == "mm"
    assert "[5, 4]" in str(error)
    assert "self[1] == mat2[0]" in error.hint


def test_output_rules() -> None:
    fails(mm_graph(A, B, value("c", 2, 5)), "mm.S1")
    fails(mm_graph(A, B, value("c", 2, 4, 1)), "mm.S1")
    fails(mm_graph(A, B, value("c", 2, 4, dtype=torch.float64)), "mm.D1")
    two = replace(GOOD.nodes[0], outputs=(C, value("d", 1)))
    fails(replace(GOOD, nodes=(two,)), "mm.S1")
    fails(replace(GOOD, nodes=(replace(GOOD.nodes[0], outputs=(None,)),), outputs=()), "mm.S1")
    scalar = Value("c", ScalarSpec("int", 3))
    fails(replace(GOOD, nodes=(replace(GOOD.nodes[0], outputs=(scalar,)),), outputs=()), "mm.S1")


def test_dtypes() -> None:
    masks = [value(n, 2, 2, dtype=torch.bool) for n in "abc"]
    fails(mm_graph(*masks), "mm.T1")
    mixed = value("b", 3, 4, dtype=torch.float64)
    error = fails(mm_graph(A, mixed, C), "mm.T2")
    assert "same:self" in error.hint


@pytest.mark.parametrize(
    ("arguments", "label"),
    [
        ({"self": A}, "mm.A2"),
        ({"mat2": B, "self": A}, "mm.A2"),
        ({"self": A, "mat2": B, "mat3": B}, "mm.A2"),
        ({"self": A, "mat2": 3}, "mm.A2"),
        ({"self": None, "mat2": B}, "mm.A1"),
        ({"self": (A,), "mat2": B}, "mm.A1"),
        ({"self": Opaque(object()), "mat2": B}, "mm.A1"),
    ],
)
def test_argument_list(arguments: dict[str, Any], label: str) -> None:
    fails(replace(GOOD, nodes=(node("mm", "aten.mm.default", [C], **arguments),)), label)


def test_scalars_keep_their_types_apart() -> None:
    """1, 1.0 and True are equal in Python; a graph with one of each is still checked argument by argument."""
    x = value("x", 3, dtype=torch.int64)
    outs = [value("i", 3, dtype=torch.int64), value("f", 3)]
    nodes = tuple(
        node(f"n{i}", "aten.mul.Scalar", [out], self=x, other=other)
        for i, (out, other) in enumerate(zip(outs, (1, 1.0), strict=True))
    )
    OPS.verify(Graph((x,), nodes, tuple(outs)))
    wrong = replace(nodes[1], outputs=(value("f", 3, dtype=torch.int64),))
    fails(Graph((x,), (nodes[0], wrong), ()), "mul.Scalar.D1")


def test_unknown_operator() -> None:
    unknown = replace(GOOD, nodes=(node("n", "aten.nonesuch.default", [C], self=A),))
    fails(unknown, "graph.unknown-op")
    OPS.verify(unknown, allow_unknown=True)
    dangling = replace(GOOD, nodes=(node("n", "aten.nonesuch.default", [C], self=value("z", 1)),))
    fails(dangling, "graph.dangling-value", allow_unknown=True)


@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize("op", ["aten.add_.Tensor", "aten.copy_.default", "aten.mm.out"])
def test_mutation_is_refused_even_where_unknown_operators_pass(op: str, allow: bool) -> None:
    fails(replace(GOOD, nodes=(node("n", op, [C], self=A),)), "graph.mutation", allow_unknown=allow)


def test_prim_tier() -> None:
    x, y = value("x", 3), value("y", 3)
    total = node("add", "aten.add.Tensor", [y], self=x, other=x, alpha=2)
    graph = Graph((x,), (total,), (y,))
    OPS.verify(graph)
    fails(graph, "add.Tensor.C1", tier="prim")
    wide, narrow = value("w", 2, 3), value("n", 3)
    sum_ = node("add", "aten.add.Tensor", [value("o", 2, 3)], self=wide, other=narrow, alpha=1)
    fails(Graph((wide, narrow), (sum_,), ()), "add.Tensor.C2", tier="prim")
    turned = node("t", "aten.t.default", [value("o", 3, 2)], self=wide)
    fails(Graph((wide,), (turned,), ()), "graph.tier", tier="prim")


def test_references_and_names() -> None:
    fails(mm_graph(A, B, C, inputs=(A,)), "graph.dangling-value")
    second = node("mm2", "aten.mm.default", [value("d", 2, 4)], self=A, mat2=B)
    uses = node("neg", "aten.neg.default", [value("e", 2, 4)], self=value("d", 2, 4))
    fails(replace(GOOD, nodes=(uses, second)), "graph.use-before-definition")
    fails(replace(GOOD, nodes=(GOOD.nodes[0], replace(second, name="mm"))), "graph.duplicate-node")
    fails(replace(GOOD, nodes=(GOOD.nodes[0], replace(second, outputs=(C,)))), "graph.duplicate-value")
    fails(mm_graph(A, B, C, inputs=(A, B, A)), "graph.duplicate-value")
    fails(replace(GOOD, outputs=(value("z", 2, 4),)), "graph.dangling-value")
    other = value("a", 7, 7)
    fails(replace(GOOD, nodes=(node("mm", "aten.mm.default", [C], self=other, mat2=B),)), "graph.spec")
    own = node("mm", "aten.neg.default", [value("d", 2, 4)], self=value("d", 2, 4))
    fails(replace(GOOD, nodes=(own,)), "graph.use-before-definition")


# --- symbols ----------------------------------------------------------------------------------------------

SYMBOLS = (Symbol("s0", 2, None, 8, ("size", "a", 0)), Symbol("s1", 2, None, 5, ("size", "b", 1)))


def symbolic(out: Value, symbols: tuple[Symbol, ...] = SYMBOLS) -> Graph:
    return mm_graph(value("a", S0, 3), value("b", 3, S1), out, symbols=symbols)


def test_symbolic_sizes() -> None:
    OPS.verify(symbolic(value("c", S0, S1)))
    fails(symbolic(value("c", S0, S1), SYMBOLS[:1]), "graph.dangling-symbol")
    fails(symbolic(value("c", S0, S1), (*SYMBOLS, SYMBOLS[0])), "graph.duplicate-symbol")
    fails(symbolic(value("c", S1, S0)), "mm.S1")
    fails(symbolic(value("c", 8, S1)), "mm.S1")
    fails(symbolic(value("c", SymExpr("s0 + 1"), S1)), "mm.S1")
    lost = (replace(SYMBOLS[0], source=("size", "nowhere", 0)), SYMBOLS[1])
    fails(symbolic(value("c", S0, S1), lost), "graph.dangling-symbol")


def test_equal_expressions_may_be_written_differently() -> None:
    x = value("x", S0, 4)
    flat = value("y", SymExpr("2*s0 + 2*s0"))
    view = node("v", "aten.view.default", [flat], self=x, size=(SymExpr("4*s0"),))
    OPS.verify(Graph((x,), (view,), (flat,), (Symbol("s0", 2, None, 8, ("size", "x", 0)),)))
    wrong = replace(view, outputs=(value("y", SymExpr("5*s0")),))
    fails(Graph((x,), (wrong,), (), (Symbol("s0", 2, None, 8, ("size", "x", 0)),)), "view.S1")


def test_hints_refute_what_expressions_leave_open() -> None:
    """Two symbols may be equal under the program's guards; at different hints they are not."""
    x, y = value("a", S0, 3), value("b", S1, 3)
    symbols = (Symbol("s0", 2, None, 8, ("size", "a", 0)), Symbol("s1", 2, None, 8, ("size", "b", 0)))
    out = value("c", S1, 3)
    add = node("add", "aten.add.Tensor", [out], self=x, other=y, alpha=1)
    OPS.verify(Graph((x, y), (add,), (out,), symbols))
    neg = node("neg", "aten.neg.default", [out], self=x)
    apart = (symbols[0], replace(symbols[1], hint=9))
    fails(Graph((x, y), (neg,), (out,), apart), "neg.S1")


# --- traced programs, and damage to them ------------------------------------------------------------------


def program(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    h = torch.tanh(torch.addmm(b, x, w))
    h = torch.where(h > 0, h, h * 0.5).view(-1, 2, 3)
    mean = h.mean(-1, keepdim=True)
    left, right = torch.split(h - mean, [1, 2], dim=2)
    values, indices = torch.topk(h.flatten(), 3)
    return torch.cat([left, right], 2).permute(1, 0, 2), h.sum(), values, indices.to(torch.float32)


def traced(mode: str) -> Graph:
    arguments = [torch.randn(4, 5), torch.randn(5, 6), torch.randn(6)]
    gm = make_fx(program, tracing_mode=mode)(*arguments)
    return import_fx(gm).graph


@pytest.fixture(scope="module", params=["fake", "symbolic"])
def graph(request: pytest.FixtureRequest) -> Graph:
    return traced(request.param)


def test_traced_program_passes(graph: Graph) -> None:
    OPS.verify(graph)


JUNK: list[Any] = [
    None, True, -1, 0, 2**70, 1.5, float("nan"), "text", (), (1, (2,)), [], {}, set(), object(),
    torch.float32,
    SymExpr("zz"), Opaque(print), torch.ones(2), Ellipsis, b"x", Value("v0", None),  # type: ignore[arg-type]
]  # fmt: skip


def _damage(rng: random.Random, graph: Graph) -> Graph:
    nodes = list(graph.nodes)
    i = rng.randrange(len(nodes))
    victim = nodes[i]
    junk = rng.choice(JUNK)

    def argument() -> Node:
        if not victim.args:
            return victim
        j = rng.randrange(len(victim.args))
        return replace(
            victim, args=tuple((k, junk) if p == j else (k, a) for p, (k, a) in enumerate(victim.args))
        )

    def output() -> Node:
        return replace(victim, outputs=tuple(junk if rng.random() < 0.5 else v for v in victim.outputs))

    def sizes() -> Node:
        changed = [
            v
            if v is None or not isinstance(v.spec, TensorSpec)
            else Value(v.name, v.spec.with_(shape=(junk, 3)))
            for v in victim.outputs
        ]
        return replace(victim, outputs=tuple(changed))

    changes: list[Callable[[], Node | Any]] = [
        argument,
        output,
        sizes,
        lambda: replace(victim, op=junk),
        lambda: replace(victim, name=junk),
        lambda: replace(victim, args=junk),
        lambda: replace(victim, outputs=junk),
        lambda: replace(victim, op=rng.choice(list(OPS.ops))),
        lambda: junk,
    ]
    nodes[i] = rng.choice(changes)()
    if rng.random() < 0.2:
        rng.shuffle(nodes)
    return replace(graph, nodes=tuple(nodes))


def test_random_damage_is_refused_or_harmless_but_never_crashes(graph: Graph) -> None:
    rng = random.Random(7)
    refused = 0
    for _ in range(1500):
        try:
            OPS.verify(_damage(rng, graph), allow_unknown=rng.random() < 0.5)
        except VerifierError as error:
            refused += 1
            assert error.label
            assert str(error)
    assert refused > 1000


@pytest.mark.parametrize("field", ["inputs", "nodes", "outputs", "symbols"])
def test_damaged_containers(graph: Graph, field: str) -> None:
    """A graph output may be a plain scalar or None; nothing else that is not a value, node or symbol
    passes.
    """
    for junk in JUNK:
        if field == "outputs" and isinstance(junk, int | float | None):
            continue
        with pytest.raises(VerifierError):
            OPS.verify(replace(graph, **{field: (junk, junk)}))
        with pytest.raises(VerifierError):
            OPS.verify(replace(graph, **{field: junk if junk != () else [()]}))
