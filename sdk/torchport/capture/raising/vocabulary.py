"""One view of the nodes of a graph, however they were written: ``x.pow(2)``, ``x ** 2``, ``torch.square(x)``,
``x * x`` and ``aten.pow.Tensor_Scalar`` are all ``pow(x, 2)``.

A node is read as a :class:`Call`: the canonical name of an operator and its arguments by parameter name,
defaults filled in. Names not listed in ``SIGNATURES`` have no view; nothing can be matched there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

REQUIRED = object()


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A node as the application of a canonical operator. ``also`` are further nodes that the view covers."""

    op: str
    args: Mapping[str, Any]
    also: tuple[Node, ...] = ()


SIGNATURES = {
    "add": "x other alpha=1",
    "sub": "x other alpha=1",
    "mul": "x other",
    "div": "x other rounding_mode=None",
    "pow": "x exponent",
    "neg": "x",
    "rsqrt": "x",
    "sqrt": "x",
    "exp": "x",
    "tanh": "x",
    "sigmoid": "x",
    "relu": "x inplace=False",
    "silu": "x inplace=False",
    "gelu": "x approximate='none'",
    "clamp_min": "x min",
    "mean": "x dim=None keepdim=False dtype=None",
    "sum": "x dim=None keepdim=False dtype=None",
    "var": "x dim=None correction=1 keepdim=False",
    "norm": "x p=2 dim=None keepdim=False dtype=None",
    "logsumexp": "x dim keepdim=False",
    "softmax": "x dim dtype=None",
    "log_softmax": "x dim dtype=None",
    "topk": "x k dim=-1 largest=True sorted=True",
    "matmul": "x other",
    "linear": "x weight bias=None",
    "transpose": "x dim0 dim1",
    "cat": "tensors dim=0",
    "stack": "tensors dim=0",
    "flatten": "x start_dim=0 end_dim=-1",
    "chunk": "x chunks dim=0",
    "split": "x size dim=0",
    "unsqueeze": "x dim",
    "squeeze": "x dim=None",
    "gather": "x dim index sparse_grad=False",
    "getitem": "x index",
    "arange": "end",
    "ones": "*size dtype=None",
    "full": "size value dtype=None",
    "tril": "x diagonal=0",
    "triu": "x diagonal=0",
    "eq": "x other",
    "logical_not": "x",
    "masked_fill": "x mask value",
    "where": "condition x other",
    "expand": "x *size",
    "reshape": "x *size",
    "repeat_interleave": "x repeats dim=None output_size=None",
    "dropout": "x p=0.5 training=True inplace=False",
    "cast": "x dtype",
    "index_copy": "x dim index source",
    "nll_loss": "x target weight=None size_average=None ignore_index=-100 reduce=None reduction='mean'",
    "cross_entropy": "x target weight=None size_average=None ignore_index=-100 reduce=None reduction='mean' "
    "label_smoothing=0.0",
    "layer_norm": "x shape weight=None bias=None eps=1e-05 cudnn_enable=True",
    "rms_norm": "x shape weight=None eps=None",
    "group_norm": "x groups weight=None bias=None eps=1e-05 cudnn_enabled=True",
    "instance_norm": "x running_mean=None running_var=None weight=None bias=None use_input_stats=True "
    "momentum=0.1 eps=1e-05",
    "batch_norm": "x running_mean running_var weight=None bias=None training=False momentum=0.1 eps=1e-05",
    "normalize": "x p=2.0 dim=1 eps=1e-12 out=None",
    "scaled_dot_product_attention": "x key value mask=None dropout_p=0.0 causal=False scale=None gqa=False",
    "embedding_bag": "x weight offsets=None max_norm=None norm_type=2 scale_grad_by_freq=False mode='mean' "
    "sparse=False per_sample_weights=None include_last_offset=False padding_idx=None",
    "interpolate": "x size=None scale_factor=None mode='nearest' align_corners=None "
    "recompute_scale_factor=None antialias=False",
    "lstm": "x hx weights has_biases num_layers dropout train bidirectional batch_first",
    "gru": "x hx weights has_biases num_layers dropout train bidirectional batch_first",
}
"""Parameters by canonical operator, in calling order; ``*size`` takes the rest, spread or as one sequence."""

KEYWORDS = {
    "input": "x",
    "self": "x",
    "query": "x",
    "axis": "dim",
    "unbiased": "correction",
    "normalized_shape": "shape",
    "num_groups": "groups",
    "attn_mask": "mask",
    "is_causal": "causal",
    "enable_gqa": "gqa",
    "fill_value": "value",
    "_stacklevel": "",
    "device": "",
    "memory_format": "",
    "layout": "",
    "pin_memory": "",
    "requires_grad": "",
}
"""Names of parameters elsewhere that mean one of ours; ``""`` is left out: it does not change values."""

SYNONYMS = {
    "truediv": "div",
    "true_divide": "div",
    "divide": "div",
    "multiply": "mul",
    "subtract": "sub",
    "negative": "neg",
    "bmm": "matmul",
    "mm": "matmul",
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "concat": "cat",
    "concatenate": "cat",
    "view": "reshape",
    "_unsafe_view": "reshape",
    "clamp_min_": "clamp_min",
    "masked_fill_": "masked_fill",
    "__rmul__": "mul",
    "__radd__": "add",
    "invert": "logical_not",
    "bitwise_not": "logical_not",
    "nll_loss_nd": "nll_loss",
}
IN_PLACE = {
    "iadd": "add",
    "isub": "sub",
    "imul": "mul",
    "itruediv": "div",
    "add_": "add",
    "sub_": "sub",
    "mul_": "mul",
    "div_": "div",
    "masked_fill_": "masked_fill",
}
"""In-place forms; they are read as functional where nothing else can see the tensor that they write to."""
FRESH = frozenset({"matmul", "linear", "softmax", "add", "sub", "mul", "div", "masked_fill", "sum", "mean"})
"""Operators whose result shares memory with no argument."""
CASTS = ("to", "type", "type_as", "_to_copy", "float", "double", "half", "bfloat16")
_MODULES = ("torch", "_operator", "operator", "builtins")
ORDERED_OTHERWISE = ("batch_norm", "instance_norm", "embedding_bag")
"""Functions of ``torch.nn.functional`` that ``torch`` and ATen have too, with other parameters."""


def value_of(node: Node) -> Any:
    """The fake tensor (or symbolic number) that a node was traced with."""
    return node.meta.get("example_value", node.meta.get("val"))


def name_of(node: Node) -> str:
    """The plain name of what a node calls; empty for what is not an operator of PyTorch or Python."""
    target = node.target
    if node.op == "call_method":
        return str(target)
    if node.op != "call_function":
        return ""
    if isinstance(target, torch._ops.OpOverload):
        return target._schema.name.rsplit("::", 1)[1] if target.namespace == "aten" else ""
    module = getattr(target, "__module__", None) or "torch"
    if module.partition(".")[0] not in _MODULES:
        return ""
    return str(getattr(target, "__name__", ""))


def view(node: Node) -> Call | None:
    """What a node computes in canonical form; ``None`` where it has none."""
    if not isinstance(value_of(node), torch.Tensor | tuple | list):
        return None
    name = name_of(node)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(node)
    if name in IN_PLACE:
        if not _unobserved(node):
            return None
        name = IN_PLACE[name]
    name = SYNONYMS.get(name, name)
    if name in ORDERED_OTHERWISE and getattr(node.target, "__module__", "") != "torch.nn.functional":
        return None
    args = bind(name, node.args, node.kwargs) if name in SIGNATURES else None
    return _normalized(name, args) if args is not None else None


def bind(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments by canonical parameter name; ``None`` where they do not fit."""
    bound: dict[str, Any] = {}
    rest = list(args)
    parameters = SIGNATURES[name].split(" ")
    for parameter in parameters:
        key, _, default = parameter.partition("=")
        if key.startswith("*"):
            spread = rest[0] if len(rest) == 1 and isinstance(rest[0], tuple | list) else rest
            bound[key[1:]], rest = tuple(spread), []
        elif rest:
            bound[key] = rest.pop(0)
        elif default:
            bound[key] = _DEFAULTS[default]
        else:
            bound[key] = REQUIRED
    if rest:
        return None
    for given, value in kwargs.items():
        key = KEYWORDS.get(given, given)
        if key and key not in bound:
            return None
        if key:
            bound[key] = value
    if any(value is REQUIRED for value in bound.values()):
        return None
    return bound


_DEFAULTS = {
    default: ast.literal_eval(default)
    for signature in SIGNATURES.values()
    for _, _, default in (p.partition("=") for p in signature.split(" "))
    if default
}


def _normalized(name: str, args: dict[str, Any]) -> Call | None:
    """One form for dimensions (negative, a list where there are several) and for equal spellings."""
    if args.get("inplace") is True or args.get("alpha", 1) != 1:
        return None
    x = args.get("x")
    if args.get("tensors"):
        x = args["tensors"][0]
    rank = value_of(x).dim() if isinstance(x, Node) and isinstance(value_of(x), torch.Tensor) else None
    for key in ("dim", "dim0", "dim1", "start_dim", "end_dim"):
        if key in args and rank is not None:
            args[key] = negative(args[key], rank + (name in ("unsqueeze", "stack")))
    if name == "var" and isinstance(args["correction"], bool):
        args["correction"] = int(args["correction"])
    if name in ("softmax", "log_softmax") and isinstance(args["dtype"], bool):
        args["dtype"] = None  # half_to_float, which the result's dtype shows
    if name == "mul" and isinstance(args["x"], Node) and args["x"] is args["other"]:
        return Call("pow", {"x": args["x"], "exponent": 2})
    if name == "pow" and args["exponent"] in (0.5, -0.5):
        return Call("sqrt" if args["exponent"] == 0.5 else "rsqrt", {"x": args["x"]})
    if name == "transpose" and args["dim0"] > args["dim1"]:
        args["dim0"], args["dim1"] = args["dim1"], args["dim0"]
    return Call(name, args)


def negative(dim: Any, rank: int) -> Any:
    """Dimensions counted from the end: -1 is the last. A list of one is that one."""
    if isinstance(dim, tuple | list):
        dims = sorted(negative(d, rank) for d in dim)
        return dims[0] if len(dims) == 1 else tuple(dims)
    return dim - rank if isinstance(dim, int) and not isinstance(dim, bool) and dim >= 0 else dim


def _unobserved(node: Node) -> bool:
    """Whether an in-place node writes to a fresh intermediate that nothing reads afterwards, and keeps its
    dtype and shape.
    """
    target = node.args[0] if node.args else None
    if not isinstance(target, Node) or not _fresh(target):
        return False
    others = [user for user in target.users if user is not node]
    before, after = value_of(target), value_of(node)
    return before.shape == after.shape and all(user < node and _fresh(user) for user in others)


def _fresh(node: Node) -> bool:
    """Whether a node's result shares memory with no other value."""
    call = view(node)
    if call is None or name_of(node) in IN_PLACE:
        return False
    if call.op == "item":
        pieces = view(call.args["x"])
        return pieces is not None and pieces.op == "topk"
    return call.op in FRESH


def _operand(node: Node) -> Any:
    """The first operand, by place or by the names that PyTorch has for it."""
    return node.args[0] if node.args else node.kwargs.get("input", node.kwargs.get("self"))


def _square(node: Node) -> Call:
    return Call("pow", {"x": _operand(node), "exponent": 2})


def _reciprocal(node: Node) -> Call:
    return Call("div", {"x": 1, "other": _operand(node), "rounding_mode": None})


def _cast(node: Node) -> Call | None:
    """``to``, ``float``, ``type_as`` and their like: a conversion of dtype on the same device."""
    source = _operand(node)
    if not isinstance(source, Node) or not isinstance(value_of(source), torch.Tensor):
        return None
    before, after = value_of(source), value_of(node)
    if before.device != after.device:
        return None
    return Call("cast", {"x": source, "dtype": after.dtype})


def _identity(node: Node) -> Call:
    return Call("identity", {"x": _operand(node)})


def _dropout(node: Node) -> Call | None:
    args = bind("dropout", node.args, node.kwargs)
    if args is None or args["inplace"]:
        return None
    if args["training"] is False or args["p"] == 0:
        return Call("identity", {"x": args["x"]})
    return Call("dropout", args)


def _attribute(node: Node) -> Call | None:
    """``x.T`` of a matrix and ``x.mT``."""
    source, name = node.args[0], node.args[1]
    if not isinstance(source, Node) or not isinstance(value_of(source), torch.Tensor):
        return None
    if name == "mT" or (name == "T" and value_of(source).dim() == 2):
        return Call("transpose", {"x": source, "dim0": -2, "dim1": -1})
    return None


def _t(node: Node) -> Call | None:
    source = _operand(node)
    if isinstance(source, Node) and value_of(source).dim() == 2:
        return Call("transpose", {"x": source, "dim0": -2, "dim1": -1})
    return None


def _permute(node: Node) -> Call | None:
    """A permutation that swaps the last two dimensions."""
    given = node.args[1:] or (node.kwargs.get("dims", ()),)
    dims = given[0] if isinstance(given[0], tuple | list) else given
    rank = len(dims)
    order = [d % rank for d in dims if isinstance(d, int)]
    if rank > 1 and order == [*range(rank - 2), rank - 1, rank - 2]:
        return Call("transpose", {"x": _operand(node), "dim0": -2, "dim1": -1})
    return None


def _getitem(node: Node) -> Call | None:
    """Halves of the last dimension (``half``), its even or odd elements (``every_other``), items of a
    sequence (``item``), or any other index (``getitem``).
    """
    source, index = node.args[0], node.args[1]
    if not isinstance(source, Node):
        return None
    if isinstance(index, int) and not isinstance(value_of(source), torch.Tensor):
        pieces = view(source)
        if pieces is not None and pieces.op in ("chunk", "split") and pieces.args["dim"] == -1:
            whole = value_of(pieces.args["x"]).shape[-1]
            parts = [piece.shape[-1] for piece in value_of(source)]
            if isinstance(whole, int) and parts == [whole // 2] * 2:
                return Call("half", {"x": pieces.args["x"], "which": index % 2}, (source,))
        return Call("item", {"x": source, "which": index})
    part = _last_slice(index, value_of(source))
    if part is not None:
        return Call(part[0], {"x": source, "which": part[1]})
    return Call("getitem", {"x": source, "index": index})


def _last_slice(index: Any, value: Any) -> tuple[str, int] | None:
    if not isinstance(index, tuple) or not index or not isinstance(index[-1], slice):
        return None
    whole = slice(None, None, None)
    lead = index[:-1]
    if not (lead == (Ellipsis,) or (len(index) == value.dim() and all(i == whole for i in lead))):
        return None
    width, last = value.shape[-1], index[-1]
    if not isinstance(width, int) or width % 2 or any(isinstance(p, Node) for p in (last.start, last.stop)):
        return None
    start, stop = last.start or 0, width if last.stop is None else last.stop
    step = last.step or 1
    match (start, stop, step):
        case (0, _, 1) if stop == width // 2:
            return "half", 0
        case (_, _, 1) if start == width // 2 and stop == width:
            return "half", 1
        case (0 | 1, _, 2) if stop == width:
            return "every_other", start
    return None


_SPECIAL: Mapping[str, Callable[[Node], Call | None]] = {
    "square": _square,
    "reciprocal": _reciprocal,
    **dict.fromkeys(CASTS, _cast),
    "contiguous": _identity,
    "clone": _identity,
    "detach": lambda node: None,
    "dropout": _dropout,
    "getattr": _attribute,
    "t": _t,
    "permute": _permute,
    "getitem": _getitem,
}
