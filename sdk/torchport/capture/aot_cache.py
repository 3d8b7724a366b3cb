"""What AOTAutograd builds around compiled graphs, as bytes: the one place that asks PyTorch to keep it.

AOTAutograd can make an entry of everything it puts around the compiled forward and backward (aliases,
mutations, subclasses, saved tensors), for compilers that return its ``OutputCode``. Here each compiled
function is marked with one, the entry is taken before PyTorch writes it anywhere, and our own functions take
the place of the code in it when it is read again. The entry is a pickle of PyTorch's data classes; it is only
ever read from a signed file, and no class or function outside the lists below is loaded for it.
"""

from __future__ import annotations

import copy
import io
import pickle
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import torch
from torch._dynamo.exc import TensorifyScalarRestartAnalysis
from torch._dynamo.symbolic_convert import TensorifyState
from torch._functorch import config as _functorch_config
from torch._guards import DuplicateInputs, StorageOverlap, TracingContext, detect_fake_mode

from torchport.compile.uncached import NotCached, Uncached
from torchport.errors import ArtifactError, RunError

try:
    from torch._functorch._aot_autograd.aot_autograd_result import (  # type: ignore[attr-defined]
        GenericAOTAutogradResult,
        OutputCode as _PyTorchsCode,
    )
    from torch._functorch._aot_autograd.autograd_cache import AOTAutogradCache, BypassAOTAutogradCache
    from torch._functorch.aot_autograd import SerializableAOTDispatchCompiler  # type: ignore[attr-defined]

    OutputCode: Any = _PyTorchsCode
    MISSING = ""
except ImportError as error:  # another PyTorch: graphs are compiled and not kept
    OutputCode = object
    MISSING = str(error)

functorch_config: Any = _functorch_config
compiler_config: Any = torch.compiler.config
Function = Callable[..., Any]
_SWITCHES = ("bundled_autograd_cache", "force_non_lazy_backward_lowering", "bypass_autograd_cache_key")
_METADATA_MODULES = (
    "torch._functorch._aot_autograd.",
    "torch._C._functorch",
    "torch._C._functionalization",
    "torch._prims_common",
    "torch.utils._sympy.functions",
    "sympy.core.",
)
"""Modules whose classes an entry may hold: metadata, recorded views, and expressions on symbols."""
_NAMES = {
    "builtins": {"set", "frozenset", "slice", "complex", "range", "list", "dict", "tuple", "int"},
    "collections": {"OrderedDict", "defaultdict"},
    "torch": {"device", "Size", "Tensor"},
    "torch.fx.experimental.symbolic_shapes": {"SymIntEqByExpr"},
    "torch._subclasses.functional_tensor": {"FunctionalTensor"},
    "torch._subclasses.fake_tensor": {"FakeTensor"},
    "torch.nn.parameter": {"Parameter", "Buffer"},
}
"""Other classes and functions that an entry may hold."""
_CONSTANTS = (torch.dtype, torch.layout, torch.memory_format)
"""Constants of PyTorch, which are kept by name: pickle looks for some of them in any module it finds."""


def unavailable() -> str:
    """What this PyTorch lacks for keeping entries; empty when it has everything."""
    if MISSING:
        return MISSING
    lacking = [name for name in _SWITCHES if not hasattr(functorch_config, name)]
    lacking += [] if hasattr(compiler_config, "cache_key_tag") else ["cache_key_tag"]
    return f"no setting {', '.join(lacking)}" if lacking else ""


class _Kept(OutputCode):  # type: ignore[misc]
    """Marks a compiled function for AOTAutograd's entry, and refuses to be written by PyTorch's own cache."""

    def prepare_for_serialization(self) -> None:
        raise BypassAOTAutogradCache("kept by torchport")


class Keeper:
    """Has AOTAutograd make an entry while it traces one Dynamo graph.

    Attributes:
        entry: what AOTAutograd made; ``None`` when it made nothing.
    """

    def __init__(self) -> None:
        self.entry: Any = None

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """The settings under which an entry is made; they are restored. The backward is compiled at once."""
        tag = f"torchport-{secrets.token_hex(8)}"  # PyTorch's own cache must not find anything
        with (
            functorch_config.patch(
                {
                    **dict.fromkeys(_SWITCHES, True),
                    "strict_autograd_cache": False,
                    "enable_autograd_cache": True,
                }
            ),
            compiler_config.patch(cache_key_tag=tag, force_disable_caches=False),
        ):
            yield

    def compiler(self, compile_graph: Function) -> Any:
        """An AOTAutograd compiler whose functions are in the entry."""

        def marked(gm: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Function:
            function: Function = compile_graph(gm, example_inputs)
            function.__dict__["__wrapped__"] = _Kept()
            return function

        compiler: Any = SerializableAOTDispatchCompiler
        return compiler(_Kept, marked)

    def keep(self, compiled: Any) -> None:
        """Takes the entry from what AOTAutograd returned."""
        serialize = getattr(compiled, "serialize", None)
        self.entry = None if serialize is None else serialize()


def failed_to_write(error: BaseException) -> bool:
    """Whether an error of a trace comes from AOTAutograd writing its entry, and not from the trace."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == _WRITES_ENTRIES:
            return True
        trace = trace.tb_next
    return False


_WRITES_ENTRIES = "torch._functorch._aot_autograd.aot_autograd_result"


class _Linked:
    """A function of ours in an entry, where PyTorch expects code that it loads."""

    def __init__(self, function: Function) -> None:
        self.function = function

    def load(self, args: Any) -> Function:
        return self.function

    def post_compile(self, function: Function, settings: Any) -> Function:
        return function


class _LinkedBackward(_Linked):
    """The same for a backward, with what AOTAutograd needs to call it."""

    def __init__(self, function: Function, state_indices: list[int], saved_symbols: int) -> None:
        super().__init__(function)
        self.backward_state_indices, self.num_symints_saved_for_bw_ = state_indices, saved_symbols

    def post_compile(self, function: Function, settings: Any) -> Function:
        disabled: Function = torch._dynamo.disable(function)
        return disabled


class _NoBackwardGraph:
    """Stands for the backward graph, which only compiled autograd asks for."""

    def deserialize(self) -> Any:
        raise RunError(
            "compiled autograd needs the backward graph, and this one came from the cache",
            hint="enable compiled autograd before the first call, or set the option cache to False",
        )


def guards_of(entry: Any) -> str:
    """The condition on the symbols of a graph under which an entry holds; empty when there is none."""
    return entry.guards_expr or ""


def guards_hold(guards: str, inputs: Sequence[Any]) -> bool:
    """Whether an entry's condition holds for a graph's example inputs. If so it becomes the graph's guard."""
    if not guards:
        return True
    symbols = AOTAutogradCache._filter_backed_symints(list(inputs))
    environment = _shape_environment(inputs)
    if environment is None or not environment.evaluate_guards_expression(
        guards, [s.node.hint for s in symbols]
    ):
        return False
    return bool(environment.evaluate_guards_expression(guards, symbols))


def _shape_environment(inputs: Sequence[Any]) -> Any:
    mode = detect_fake_mode(list(inputs))
    return None if mode is None else mode.shape_env


def alias_guards(gm: torch.fx.GraphModule, start: int) -> list[list[Any]]:
    """The guards on shared memory that AOTAutograd has added since there were ``start`` of them: for each two
    lists of positions of inputs, after its kind.

    Raises:
        NotCached: a guard is on something that is no input.
    """
    names = {source.name: place for place, source in enumerate(_sources(gm)) if source is not None}
    found = []
    for guard in _alias_guards()[start:]:
        match guard:
            case DuplicateInputs():
                groups: Any = (("same",), (guard.input_source_a,), (guard.input_source_b,))
            case StorageOverlap():
                groups = (("overlap",), guard.overlapping_sources, guard.non_overlapping_sources)
            case _:
                raise NotCached(Uncached.STATE, f"a guard of the kind {type(guard).__name__}")
        try:
            found.append([groups[0][0], *([names[s.name] for s in group] for group in groups[1:])])
        except KeyError as error:
            raise NotCached(Uncached.STATE, f"a guard on shared memory of {error}") from error
    return found


def restore_alias_guards(gm: torch.fx.GraphModule, guards: Sequence[Sequence[Any]]) -> None:
    """Adds what :func:`alias_guards` found to the guards of the graph that is compiled now."""
    sources = _sources(gm)
    for kind, first, second in guards:
        one, two = ([sources[place] for place in group] for group in (first, second))
        _alias_guards().append(
            DuplicateInputs(one[0], two[0]) if kind == "same" else StorageOverlap(one, two)
        )


def count_alias_guards() -> int:
    """How many guards on shared memory the graph that is compiled now has."""
    return len(_alias_guards())


def _alias_guards() -> list[Any]:
    context = TracingContext.try_get()
    return [] if context is None else context.guards_context.aotautograd_guards


def _sources(gm: torch.fx.GraphModule) -> list[Any]:
    places = gm.graph.find_nodes(op="placeholder")
    return [getattr(node.meta.get("grapharg"), "source", None) for node in places]


Restart = TensorifyScalarRestartAnalysis
"""AOTAutograd's wish that Dynamo traces anew with some floats as constants."""


def wanted_constants() -> list[str]:
    """The floats that a :data:`Restart` wants as constants."""
    return sorted(TensorifyState.force_specializations)


def restart(constants: Sequence[str]) -> NoReturn:
    """Has Dynamo trace anew with ``constants``, as AOTAutograd would.

    Raises:
        TensorifyScalarRestartAnalysis: always; Dynamo catches it.
    """
    for name in constants:
        TensorifyState.specialize(name)
    raise Restart


def dump(entry: Any) -> bytes:
    """An entry as bytes, without the code in it.

    Raises:
        NotCached: some of it cannot be written, or could not be read again.
    """
    if entry is None:
        raise NotCached(Uncached.PYTORCH, "AOTAutograd made no entry")
    backward = entry.compiled_bw
    plain = copy.copy(entry)
    plain.compiled_fw, plain.serialized_bw_module, plain.guards_expr = None, None, None
    plain.compiled_bw = backward and (backward.backward_state_indices, backward.num_symints_saved_for_bw_)
    for name in [name for name in vars(plain) if name.endswith("_str")]:
        setattr(plain, name, None)
    plain.sanitized_aot_config = replace(entry.sanitized_aot_config, aot_autograd_arg_pos_to_source=None)
    try:
        file = io.BytesIO()
        _Pickler(file, protocol=5).dump(plain)
        _load(file.getvalue())
    except (pickle.PicklingError, TypeError, AttributeError, ArtifactError) as error:
        raise NotCached(Uncached.ARGUMENT, f"AOTAutograd's metadata: {error}") from error
    return file.getvalue()


def release(entry: Any) -> None:
    """Lets go of graphs and texts that AOTAutograd would keep for as long as the compiled function lives."""
    entry.serialized_bw_module = None
    for name in [name for name in vars(entry) if name.endswith("_str")]:
        setattr(entry, name, None)


def restore(data: bytes, functions: Mapping[str, Function]) -> Callable[..., Any]:
    """What AOTAutograd returned when the entry was made, around ``functions`` (by phase).

    Raises:
        ArtifactError: ``data`` is no entry, or holds what it may not.
    """
    entry = _load(data)
    if entry.compiled_bw is None:
        entry.compiled_fw = _Linked(functions["inference"])
    else:
        entry.compiled_fw = _Linked(functions["forward"])
        entry.compiled_bw = _LinkedBackward(functions["backward"], *entry.compiled_bw)
        entry.serialized_bw_module = _NoBackwardGraph()
    compiled = entry.wrap_post_compile([], entry.sanitized_aot_config, {})

    def call(*args: Any) -> Any:
        return compiled(list(args))

    disabled: Callable[..., Any] = torch._dynamo.disable(call)
    return disabled


class _Pickler(pickle.Pickler):
    """Writes PyTorch's constants by name."""

    def persistent_id(self, value: Any) -> Any:
        return str(value).removeprefix("torch.") if isinstance(value, _CONSTANTS) else None


class _Unpickler(pickle.Unpickler):
    """Loads the metadata classes of AOTAutograd and plain data, nothing else."""

    def persistent_load(self, name: Any) -> Any:
        found = getattr(torch, name) if isinstance(name, str) else None
        if not isinstance(found, _CONSTANTS):
            raise ArtifactError(f"an entry may not hold torch.{name}")
        return found

    def find_class(self, module: str, name: str) -> Any:
        listed = name in _NAMES.get(module, ())
        if listed or (module.startswith(_METADATA_MODULES) and "." not in name):
            found = super().find_class(module, name)
            if listed or isinstance(found, type):
                return found
        raise ArtifactError(f"an entry may not hold {module}.{name}")


def _load(data: bytes) -> Any:
    try:
        entry = _Unpickler(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, TypeError) as error:
        raise ArtifactError("an entry cannot be read", got=f"{type(error).__name__}: {error}") from error
    if not isinstance(entry, GenericAOTAutogradResult):
        raise ArtifactError("not an entry of AOTAutograd", got=type(entry).__name__)
    return entry
