"""What identifies a Dynamo graph to a cache: the graph with all of its arguments, its inputs, and the state
of the process that AOTAutograd's result depends on.

Every part is text that means the same in another process. What cannot be written so (a user's function, a
tensor subclass, an active mode) makes the graph uncached, with the reason, never a guess.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch._functorch import config as functorch_config
from torch._functorch.pyfunctorch import retrieve_all_functorch_interpreters
from torch._library.custom_ops import OPDEFS
from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext

from torchport.compile.uncached import NotCached, Uncached
from torchport.contract.scope import JUDGED, NAMESPACES

MAX_CONSTANT_BYTES = 1 << 26
"""An attribute constant that is larger is not read for a key; the graph is not cached."""

_KNOWN_MODULES = ("torch", "math", "_operator", "builtins")
"""Top modules whose functions are the same ones wherever versions are the same."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_TORCH = (torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size)
_OWN_NAMESPACES = frozenset({*JUDGED, "torchport", *(n for _, names in NAMESPACES.values() for n in names)})


def graph_key(gm: torch.fx.GraphModule) -> str:
    """A digest of a Dynamo graph, its inputs and the process state, in hexadecimal.

    Raises:
        NotCached: something of it does not mean the same in another process.
    """
    digest = hashlib.sha256()
    for part in (*process_state(gm), *_graph(gm)):
        digest.update(part.encode() + b"\n")
    return digest.hexdigest()


def process_state(gm: torch.fx.GraphModule) -> Iterator[str]:
    """Settings that change what AOTAutograd makes of a graph, or what a backend may read while it compiles.

    Raises:
        NotCached: hooks, modes or transforms are active that cannot be written down.
    """
    _refuse_active_state(gm)
    yield f"torch {torch.__version__} {torch.version.git_version} {torch.version.cuda} {torch.version.hip}"
    yield f"python {sys.version_info[:3]} {platform.machine()} {torch.backends.cpu.get_cpu_capability()}"
    yield f"grad {torch.is_grad_enabled()} inference {torch.is_inference_mode_enabled()}"
    for device in sorted(torch._C._autocast_supported_devices()):
        if torch.is_autocast_enabled(device):
            yield f"autocast {device} {torch.get_autocast_dtype(device)}"
    yield f"autocast cache {torch.is_autocast_cache_enabled()}"
    deterministic = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    yield f"deterministic {deterministic} {warn_only}"
    yield f"default {torch.get_default_dtype()} {torch.get_default_device()}"
    yield f"float32 matmul {torch.get_float32_matmul_precision()}"
    for name in _FLAGS:
        yield f"{name} {_flag(name)}"
    for name, value in sorted(functorch_config.get_serializable_config_copy().items()):
        yield f"functorch {name} {_plain(value, f'functorch config {name}')}"


_FLAGS = (
    "utils.deterministic.fill_uninitialized_memory",
    "backends.cuda.matmul.allow_tf32",
    "backends.cuda.matmul.fp32_precision",
    "backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "backends.cuda.flash_sdp_enabled",
    "backends.cuda.mem_efficient_sdp_enabled",
    "backends.cuda.math_sdp_enabled",
    "backends.cuda.cudnn_sdp_enabled",
    "backends.cudnn.enabled",
    "backends.cudnn.benchmark",
    "backends.cudnn.deterministic",
    "backends.cudnn.allow_tf32",
    "backends.mkldnn.enabled",
    "backends.mkldnn.fp32_precision",
    "backends.mkldnn.matmul.fp32_precision",
    "backends.fp32_precision",
)
"""Switches under ``torch``; one that this PyTorch lacks counts as absent."""


def _flag(name: str) -> str:
    found: Any = torch
    try:
        for part in name.split("."):
            found = getattr(found, part)
        return repr(found() if callable(found) else found)
    except AttributeError:
        return "absent"
    except RuntimeError as error:  # old and new names of one switch disagree: PyTorch says so on reading
        return str(error)


def _refuse_active_state(gm: torch.fx.GraphModule) -> None:
    if retrieve_all_functorch_interpreters():
        raise NotCached(Uncached.STATE, "a torch.func transform is active")
    if torch._C._len_torch_dispatch_stack():
        raise NotCached(Uncached.STATE, "a dispatch mode is active")
    for mode in _get_current_function_mode_stack():
        if not isinstance(mode, DeviceContext):
            raise NotCached(Uncached.STATE, f"the function mode {type(mode).__name__} is active")
    hooks: Any = torch._C._autograd._top_saved_tensors_default_hooks(True)
    if hooks is not None or hasattr(gm, "saved_tensors_hooks_pack_0"):
        raise NotCached(Uncached.STATE, "hooks on saved tensors are active")
    dynamo: Any = torch._dynamo
    if dynamo.config.compiled_autograd or dynamo.compiled_autograd.compiled_autograd_enabled:
        raise NotCached(Uncached.STATE, "compiled autograd needs the backward graph itself")
    for name in functorch_config._save_config_ignore:
        if callable(getattr(functorch_config, name, None)):
            raise NotCached(Uncached.STATE, f"functorch config {name} is a function")


def _graph(gm: torch.fx.GraphModule) -> Iterator[str]:
    """One line for each node, with its arguments and what it makes; graphs inside are written in place."""
    if gm.meta.get("_checkpoint_context_fn") is not None:
        raise NotCached(Uncached.CALL, "selective activation checkpointing has a function of its own")
    position: dict[torch.fx.Node, int] = {}
    storages: dict[int, int] = {}
    for index, node in enumerate(gm.graph.nodes):
        position[node] = index
        where = f"node {node.name!r}"
        arguments = "" if node.op == "placeholder" else _text((node.args, node.kwargs), position, where)
        value = node.meta.get("example_value")
        made = "" if node.op in ("get_attr", "output") else _value(value, storages, node)
        yield f"%{index} {node.op} {_target(node)} {arguments} {made}{_annotation(node)}"
        if node.op == "placeholder":
            yield _source(node)
        elif node.op == "get_attr":
            yield from _attribute(gm, str(node.target))


def _target(node: torch.fx.Node) -> str:
    target = node.target
    if node.op == "call_function":
        return _function(target)
    if node.op == "call_module":
        raise NotCached(Uncached.CALL, f"a call of the module {target}")
    return "" if node.op == "placeholder" else str(target)


def _function(target: Any) -> str:
    """A function's name, where the name says in every process what it does."""
    if isinstance(target, OpOverload):
        return f"{target}{_custom(target.namespace, target._schema.name)}"
    if isinstance(target, OpOverloadPacket):
        name = target._qualified_op_name
        return f"{target}{_custom(name.partition('::')[0], name)}"
    if isinstance(target, HigherOrderOperator):
        return f"{target.namespace}.{target.name()}"
    owner = getattr(target, "__objclass__", target)  # of a method that is called as a function
    module, name = getattr(owner, "__module__", None) or "", getattr(target, "__qualname__", "")
    if module.partition(".")[0] not in _KNOWN_MODULES or not name:
        raise NotCached(Uncached.CALL, f"a call of {module}.{name or type(target).__name__}")
    held = getattr(target, "__closure__", None) or ()
    return f"{module}.{name}{[_plain(cell.cell_contents, name) for cell in held] or ''}"


def _custom(namespace: str, qualified: str) -> str:
    """What tells one definition of a custom operator from another: the files that define it."""
    if namespace in _OWN_NAMESPACES:
        return ""
    definition = OPDEFS.get(qualified)
    if definition is None:
        raise NotCached(Uncached.CALL, f"the custom operator {qualified} has no definition that can be read")
    parts = []
    for function in _definition(definition):
        file = inspect.getsourcefile(function)
        if file is None or function.__closure__:
            raise NotCached(Uncached.CALL, f"a function of the custom operator {qualified} has no file")
        parts.append(f"{function.__qualname__} {_file_digest(file)}")
    return f" {parts}"


def _definition(definition: Any) -> Iterator[Any]:
    """The functions that a ``torch.library.custom_op`` is made of."""
    for value in vars(definition).values():
        for item in value.values() if isinstance(value, Mapping) else (value,):
            function = inspect.unwrap(item) if callable(item) else None
            if inspect.isfunction(function) and not (function.__module__ or "").startswith("torch."):
                yield function


@functools.cache
def _file_digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _text(arg: Any, position: Mapping[torch.fx.Node, int], where: str) -> str:
    if isinstance(arg, torch.fx.Node):
        return f"%{position[arg]}"
    if isinstance(arg, tuple | list) and not isinstance(arg, torch.Size):
        return f"{type(arg).__name__}({', '.join(_text(a, position, where) for a in arg)})"
    if isinstance(arg, Mapping):
        items = (f"{k!r}: {_text(v, position, where)}" for k, v in arg.items())
        return f"{type(arg).__name__}({', '.join(items)})"
    if isinstance(arg, slice):
        return f"slice{_text((arg.start, arg.stop, arg.step), position, where)}"
    return _plain(arg, where)


def _plain(arg: Any, where: str) -> str:
    if type(arg) in _PLAIN or isinstance(arg, _TORCH):
        return repr(arg)
    if isinstance(arg, torch.SymInt | torch.SymFloat | torch.SymBool):
        return f"{type(arg).__name__}({arg.node.expr})"
    if isinstance(arg, tuple | list):
        return f"{type(arg).__name__}({', '.join(_plain(a, where) for a in arg)})"
    if isinstance(arg, Mapping):
        return f"{{{', '.join(f'{k!r}: {_plain(v, where)}' for k, v in arg.items())}}}"
    if callable(arg) and not isinstance(arg, type):
        return f"function {_function(arg)}"
    raise NotCached(Uncached.ARGUMENT, f"{where} holds a {type(arg).__name__}")


def _value(value: Any, storages: dict[int, int], node: torch.fx.Node) -> str:
    """Text for what a node makes. Tensors that share memory share the number of their storage."""
    if isinstance(value, torch.Tensor):
        return _tensor(value, storages, node)
    if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
        return _symbols(value)
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join(_value(v, storages, node) for v in value)})"
    if type(value) in _PLAIN or isinstance(value, _TORCH):
        return repr(value)
    if node.op != "placeholder":
        return type(value).__name__  # made by nodes and inputs that are written down
    raise NotCached(Uncached.INPUT, f"{node.name} is a {type(value).__name__}")


def _tensor(value: torch.Tensor, storages: dict[int, int], node: torch.fx.Node) -> str:
    kind = type(value)
    plain = kind in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer) or kind.__name__ == "FakeTensor"
    if not plain or value.is_nested:
        if node.op == "placeholder":
            raise NotCached(Uncached.INPUT, f"{node.name} is a {kind.__module__}.{kind.__qualname__}")
        return f"{kind.__module__}.{kind.__qualname__}"
    fixed = [value.dtype, value.device, value.layout, value.requires_grad, value.is_leaf, kind.__name__]
    fixed += [value.is_conj(), value.is_neg(), value.is_inference()]
    if value.layout != torch.strided or torch._C._functorch.is_functorch_wrapped_tensor(value):
        return f"{fixed} {_sizes(value.shape)}"
    storage = storages.setdefault(value.untyped_storage()._cdata, len(storages))
    place = f"{_sizes(value.stride())} {_sizes((value.storage_offset(),))} in {storage}"
    return f"{fixed} {_sizes(value.shape)} {place}"


def _sizes(sizes: Sequence[Any]) -> str:
    return f"({', '.join(_symbols(s) if isinstance(s, torch.SymInt) else str(s) for s in sizes)})"


def _symbols(value: Any) -> str:
    """A symbolic number with the range of each symbol in it."""
    node = value.node
    expression, environment = node.expr, node.shape_env
    symbols = sorted(getattr(expression, "free_symbols", ()), key=str)
    if environment is None or not symbols:
        return f"{type(value).__name__}({expression})"
    ranges = (f"{s} in {environment.var_to_range.get(s)}" for s in symbols)
    return f"{type(value).__name__}({expression}; {', '.join(ranges)})"


def _source(node: torch.fx.Node) -> str:
    """Where an input comes from in the program: its role, its name and whether its address is fixed."""
    source = getattr(node.meta.get("grapharg"), "source", None)
    if source is None:
        return "no source"
    name, kind = (v() if callable(v) else v for v in (source.name, source.guard_source))
    marks = node.meta.get("tensor_dict") or {}
    fixed = {k: v for k, v in marks.items() if isinstance(v, bool | int | str)}
    return f"{type(source).__name__} {name} {kind} {sorted(fixed.items())}"


def _annotation(node: torch.fx.Node) -> str:
    custom = node.meta.get("custom")
    return f" custom {_plain(custom, node.name)}" if custom else ""


def _attribute(gm: torch.fx.GraphModule, target: str) -> Iterator[str]:
    found: Any = gm
    for part in target.split("."):
        found = getattr(found, part)
    if isinstance(found, torch.fx.GraphModule):
        yield f"graph {target} {{"
        yield from _graph(found)
        yield "}"
    elif type(found) is torch.Tensor and found.layout == torch.strided and not is_fake(found):
        yield f"constant {found.dtype} {found.device} {tuple(found.shape)} {found.stride()} {_content(found)}"
    else:
        raise NotCached(Uncached.ARGUMENT, f"the attribute {target} is a {type(found).__name__}")


def is_fake(tensor: torch.Tensor) -> bool:
    """Whether a tensor has no content."""
    return type(tensor).__name__ == "FakeTensor" or tensor.is_meta


def _content(tensor: torch.Tensor) -> str:
    if tensor.numel() * tensor.element_size() > MAX_CONSTANT_BYTES:
        raise NotCached(Uncached.ARGUMENT, f"a constant of {tensor.numel()} elements")
    if not tensor.numel():
        return "empty"
    plain = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
    return hashlib.sha256(plain.view(torch.uint8).numpy().tobytes()).hexdigest()
