"""Operands of an entry, drawn from its patterns, values and choices: what checks of the contract call."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import torch

from torchport.contract.adapters import call
from torchport.contract.dtype_rules import accepted_names, computable, dtype_from_name
from torchport.contract.shape_rules import ShapeError, ShapeRule, bind, parse
from torchport.contract.spec import Category, OpSpec, Tier, resolve
from torchport.contract.symbols import SymExpr

SIZES = ({"n": 5, "k": 4, "m": 3, "l": 6, "b": 2, "": 3}, {"b": 1, "": 6, "k": 2, "l": 3, "m": 2})
"""Sizes by letter, tried in order; the empty letter stands for all others."""
RANKS: dict[str, tuple[tuple[int, ...], ...]] = {"S": ((2, 3, 4), (4, 2), (3,), ()), "B": ((), (2,))}
LIST_LENGTH = 3
REFUSALS = (RuntimeError, ValueError, IndexError, AssertionError, TypeError, AttributeError)
"""What PyTorch's meta functions raise where there is none, or where they cannot say."""


def tensor_arguments(spec: OpSpec) -> dict[str, str]:
    """Type text of each argument that is a tensor or a list of tensors."""
    return {a.name: str(a.real_type) for a in spec.signature.arguments if "Tensor" in str(a.type)}


def dtypes_of(spec: OpSpec) -> list[str]:
    """Dtype names of the first tensor argument; one empty name for an operator without tensors."""
    names = list(tensor_arguments(spec))
    if not names:
        return [""]
    # PyTorch's CPU library does not multiply the float8 formats without negative zero.
    unknown = "fnuz" if spec.category is Category.CONTRACTION else "?"
    return [n for n in accepted_names(spec.dtypes, names[0]) if unknown not in n]


def _items(pattern: str) -> list[str]:
    return (
        [i.strip() for i in pattern.strip("[]").split(",") if i.strip()]
        if pattern.startswith("[")
        else [pattern]
    )


def _shape(
    pattern: str, rank: dict[str, tuple[int, ...]], sizes: dict[str, int], narrow: bool
) -> tuple[int, ...]:
    dims: list[int] = []
    for item in _items(pattern):
        if item[0] == "*":
            dims += rank[item[1:]]
        elif item[0] == "~":
            full = rank[item[1:]]
            dims += [1, *full[1:-1], 1][-len(full) :][1:] if narrow and len(full) > 1 else full
        else:
            letters = set(re.findall(r"[A-Za-z_]\w*", item))
            dims.append(SymExpr(item).evaluate({x: sizes.get(x, sizes[""]) for x in letters}))
    return tuple(dims)


def _values(kind: str, shape: tuple[int, ...], dtype: torch.dtype, g: torch.Generator) -> torch.Tensor:
    if dtype is torch.bool and kind == "nonzero":
        return torch.ones(shape, dtype=dtype)
    if dtype is torch.bool or kind == "bool":
        return torch.randint(0, 2, shape, generator=g).to(dtype)
    if kind.startswith("ends:"):
        total = int(kind[5:])
        ends = torch.randint(0, total + 1, shape, generator=g).sort(-1)[0]
        return torch.cat([ends[:-1], torch.tensor([total])]).to(dtype)
    if kind == "pivots":
        own = torch.arange(1, shape[-1] + 1)
        steps = torch.rand(shape, generator=g) * (shape[-1] + 1 - own)
        return (own + steps).clamp(max=shape[-1]).to(dtype)
    if kind == "positive-definite":
        x = torch.randn(shape, generator=g, dtype=torch.complex128 if dtype.is_complex else torch.float64)
        return (x @ x.mH / shape[-1] + 0.5 * torch.eye(shape[-1])).to(dtype)
    if kind.startswith("offsets:") and shape:
        starts = torch.randint(0, int(kind[8:]) + 1, shape, generator=g).sort(-1)[0]
        return (starts * (torch.arange(shape[-1]) > 0)).to(dtype)
    bounded = re.fullmatch(r"index:(\d+)", kind)
    if bounded:
        return torch.randint(0, max(int(bounded[1]), 1), shape, generator=g).to(dtype)
    if dtype.is_complex:
        return torch.randn(shape, generator=g, dtype=torch.complex128).to(dtype)
    normal = torch.randn(shape, generator=g, dtype=torch.float64)
    uniform = torch.rand(shape, generator=g, dtype=torch.float64)
    x = {
        "any": normal * 2,
        "positive": uniform * 3 + 0.05,
        "unit": uniform * 1.98 - 0.99,
        "nonzero": torch.copysign(normal.abs() + 0.25, normal),
        "probability": uniform * 0.96 + 0.02,
        "small": normal / 2,
        "finite": normal / 2,
        "sorted": normal.sort(-1)[0] if normal.dim() else normal,
    }[kind]
    if dtype.is_floating_point:
        return x.to(dtype)
    integers = (x * 3).round()
    if kind in ("positive", "nonzero"):
        integers = torch.where(integers == 0, 1.0, integers)
    integers = integers if dtype.is_signed else integers.abs()
    return (integers.sort(-1)[0] if kind == "sorted" and integers.dim() else integers).to(dtype)


def _operand(
    spec: OpSpec,
    name: str,
    dtype: str,
    arguments: dict[str, Any],
    rank: dict[str, tuple[int, ...]],
    sizes: dict[str, int],
    narrow: bool,
    type_text: str,
    g: torch.Generator,
) -> Any:
    pattern, kind = spec.operands[name].pattern, spec.operands[name].values
    assert pattern is not None
    names = accepted_names(spec.dtypes, name) or ("float32",)
    chosen = dtype_from_name(dtype if dtype in names else names[0])
    if pattern.startswith("="):
        shape = tuple(parse(pattern[1:]).value(bind(arguments)))
    else:
        shape = _shape(pattern, rank, sizes, narrow)
    if kind.startswith(("index(", "ends(", "offsets(")):
        head, _, bound = kind.partition("(")
        kind = f"{head}:{parse(bound[:-1]).value(bind(arguments))}"
    many = LIST_LENGTH if "List" in type_text else 0
    if many and pattern.startswith("=") and (not shape or isinstance(shape[0], list)):
        return [_values(kind, tuple(each), chosen, g) for each in shape]
    made = [
        _values("any" if kind.startswith("result(") else kind, shape, chosen, g) for _ in range(many or 1)
    ]
    return made if many else made[0]


def _choice(choice: Any, type_text: str, arguments: dict[str, Any]) -> Any:
    if not isinstance(choice, str):
        return choice
    if "ScalarType" not in type_text:
        return parse(choice).value(bind(arguments))
    return dtype_from_name(choice if choice.isidentifier() else parse(choice).value(bind(arguments)))


def _replace_result(spec: OpSpec, name: str, arguments: dict[str, Any]) -> None:
    """Fills an operand that is another operator's output by calling that operator."""
    found = re.fullmatch(r"result\(([\w.]+), (\d+)\)", spec.operands[name].values)
    if found is None:
        return
    op = resolve(found[1])
    given = {a.name: arguments[a.name] for a in op._schema.arguments if a.name in arguments}
    result = op(**given)
    arguments[name] = result[int(found[2])] if isinstance(result, tuple) else result


def _allowed(spec: OpSpec, constraints: list[ShapeRule], arguments: dict[str, Any]) -> bool:
    bound = bind(arguments)
    if not all(c.holds(bound) for c in constraints) or not computable(spec.dtypes, arguments):
        return False
    try:
        for text in spec.shape:
            parse(text).raw(bound)
    except ShapeError:
        return False
    return True


def draw(
    spec: OpSpec, dtype: str, *, seed: int = 0, limit: int = 12, tier: Tier | None = None
) -> Iterator[dict[str, Any]]:
    """Argument dicts (every schema argument) that satisfy the entry's constraints, at most ``limit``."""
    schema = spec.signature.arguments
    tensors, types = tensor_arguments(spec), {a.name: str(a.real_type) for a in schema}
    patterns = {n: spec.operands[n].pattern for n in tensors if n in spec.operands}
    used = {i[1:] for p in patterns.values() if p and p[0] != "=" for i in _items(p) if i[0] in "*~"}
    ranks = [
        dict(zip(sorted(used), r, strict=True)) for r in itertools.product(*(RANKS[u] for u in sorted(used)))
    ]
    scalars = {n: o.choices for n, o in spec.operands.items() if n not in tensors}
    combinations = list(itertools.product(*scalars.values()))
    absent = [n for n in patterns if spec.operands[n].optional]
    constraints = [parse(c.text) for c in spec.constraints if c.tier is None or c.tier is tier]
    g = torch.Generator().manual_seed(seed)
    count = 0
    # Walk the combinations with a stride, so that a small limit still sees every choice.
    order = sorted(range(len(combinations)), key=lambda i: (i * 7919 + seed) % max(len(combinations), 1))
    narrowings = (False, True) if any(p and "~" in p for p in patterns.values()) else (False,)
    axes = (order, ranks, narrowings, [None, *absent], SIZES)
    for position, rank, narrow, without, sizes in itertools.product(*axes):
        arguments: dict[str, Any] = {
            a.name: a.default_value if a.has_default_value() else None for a in schema
        }
        try:
            for derived in (False, True):
                for name, pattern in patterns.items():
                    if pattern is not None and pattern.startswith("=") == derived and name != without:
                        arguments[name] = _operand(
                            spec, name, dtype, arguments, rank, sizes, narrow, tensors[name], g
                        )
                if derived:
                    break
                for name, choice in zip(scalars, combinations[position], strict=True):
                    arguments[name] = _choice(choice, types[name], arguments)
            for name in patterns:
                if arguments[name] is not None:
                    _replace_result(spec, name, arguments)
        except (ShapeError, RuntimeError):
            continue
        if _allowed(spec, constraints, arguments):
            yield arguments
            count += 1
            if count >= limit:
                return


def moved(value: Any, device: str) -> Any:
    """An argument with its tensors on ``device``."""
    if isinstance(value, list):
        return [moved(v, device) for v in value]
    return value.to(device) if isinstance(value, torch.Tensor) else value


def on_meta(spec: OpSpec, arguments: dict[str, Any]) -> Any:
    """What PyTorch's meta function gives for an operator that has no kernel here, shapes and dtypes: by its
    decomposition where there is no meta function, or it asks for strides that only its device's kernel needs.
    """
    given = {n: moved(v, "meta") for n, v in arguments.items()}
    try:
        return call(spec, given)
    except (RuntimeError, AttributeError):
        if spec.decomposition is None:
            raise
        return spec.decomposition(**given)
