"""The `when` language: values, precedence, symbolic sizes and errors."""

import pytest
import torch

from torchport.compile.predicate import Predicate, Undecided
from torchport.contract.graph import Node, TensorSpec, Value
from torchport.contract.symbols import SymExpr
from torchport.errors import CompileError


def softmax(shape: tuple[object, ...], stride: tuple[object, ...] | None = None, dim: int = -1) -> Node:
    strides = stride or torch.empty([d if isinstance(d, int) else 2 for d in shape], device="meta").stride()
    spec = TensorSpec(shape, tuple(strides), torch.float32)  # type: ignore[arg-type]
    args = (("self", Value("x", spec)), ("dim", dim), ("half_to_float", False))
    return Node("n", "aten._softmax.default", args, (Value("y", spec),))


@pytest.mark.parametrize(
    ("text", "shape", "value"),
    [
        ("rank <= 4 & dim(-1) % 16 == 0", (2, 32), True),
        ("rank <= 4 & dim(-1) % 16 == 0", (2, 33), False),
        ("rank <= 1 | dim(0) == 2", (2, 33), True),
        ("not (rank == 2) | numel > 60", (2, 32), True),
        ("rank == 2 and dim == -1 and not half_to_float", (2, 32), True),
        ("dtype == 'float32' & contiguous", (2, 32), True),
        ("dtype in ('float16', 'bfloat16')", (2, 32), False),
        ("self.rank == 2 & self[0] == 2 & self.numel == 64", (2, 32), True),
        ("1 < dim(0) <= 2", (2, 32), True),
        ("dim(5) == 1", (2, 32), False),
        ("numel // 2 - 1 == 31", (2, 32), True),
        ("numel == 0", (2, 0), True),
        ("rank == 0", (), True),
        ("dim(-1) % 16 == 0", (), False),
        ("dim(1) < 8", (3,), False),
        ("dim(1) + 1 >= 0", (3,), False),
        ("dim(1) % 2 != 0", (3,), True),
    ],
)
def test_value(text: str, shape: tuple[int, ...], value: bool) -> None:
    assert Predicate(text).holds(softmax(shape)) is value


def test_layout_of_a_transposed_operand() -> None:
    assert not Predicate("contiguous").holds(softmax((4, 3), (1, 4)))
    assert Predicate("contiguous").holds(softmax((1, 4), (99, 1)))


def test_symbolic_sizes_decide_only_when_they_are_used() -> None:
    node = softmax((SymExpr("s0"), 32), (32, 1))
    assert Predicate("rank == 2 & dim(1) == 32").holds(node)
    with pytest.raises(Undecided, match="s0"):
        Predicate("dim(0) > 4").holds(node)


def test_conjuncts_are_what_and_joins_at_the_top() -> None:
    parts = Predicate("rank <= 4 & (dim(-1) % 16 == 0 | numel < 8) & not contiguous").conjuncts
    assert [p.text for p in parts] == ["rank <= 4", "dim(-1) % 16 == 0 or numel < 8", "not contiguous"]
    assert [p.text for p in Predicate("rank == 2 | rank == 3").conjuncts] == ["rank == 2 | rank == 3"]


def test_what_a_predicate_names() -> None:
    predicate = Predicate("dim(-1) % 16 == 0 & dtype in ('float16', 'bfloat16')")
    assert predicate.constants == {1, 16, 0, "float16", "bfloat16"}
    assert predicate.names == {"dim", "dtype"}


@pytest.mark.parametrize(
    "text",
    [
        "rank <",
        "__import__('os')",
        "dim(0, 1)",
        "[1]",
        "lambda: 1",
        "rank if rank else 1",
        "numel ** 2",
        "open('x')",
    ],
)
def test_what_is_not_in_the_grammar_is_refused_when_written(text: str) -> None:
    with pytest.raises(CompileError):
        Predicate(text)


@pytest.mark.parametrize("text", ["weight.rank == 2", "dim.rank == 1", "self.stride == 1"])
def test_names_that_the_operator_does_not_have(text: str) -> None:
    with pytest.raises(CompileError, match=r"aten\._softmax\.default"):
        Predicate(text).holds(softmax((2, 3)))
