"""What ``torch.compile(backend=...)`` calls: a Dynamo backend made of one or several torchport backends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from torchport.capture.aot import CapturedGraph, Runner
from torchport.capture.roles import dynamo_inputs
from torchport.compile.backend import Backend
from torchport.compile.freezing import FrozenGraph, FrozenInputs
from torchport.compile.options import Options, declared_options, parse_options
from torchport.compile.registry import instance_of, load_backend
from torchport.compile.reports import Reports
from torchport.errors import OptionError, RegistrationError
from torchport.pipeline import Session, TimedProgram, compile_graph, session_for


class DynamoBackend:
    """A callable for ``torch.compile(backend=...)``. Compared by identity, so Dynamo never shares code
    between two.

    Attributes:
        backends: the backends in order of preference.
        reports: what was compiled through this object.
    """

    def __init__(self, backends: Sequence[Backend], options: Mapping[str, Any] | None = None) -> None:
        if not backends:
            raise RegistrationError("a Dynamo backend needs at least one torchport backend")
        self.backends = tuple(backends)
        self.reports = Reports()
        self._options = dict(options or {})
        self._timed: list[TimedProgram] | None = None
        self._instead: Callable[[CapturedGraph], Runner] | None = None

    @property
    def name(self) -> str:
        """Names of the backends, joined by ``+``."""
        return "+".join(b.name for b in self.backends)

    @property
    def __name__(self) -> str:
        return self.name

    def parse(self, options: Mapping[str, Any] | None, mode: str | None) -> Options:
        """Validated options: those given here over those given when this object was made. A mode must be one
        of every backend's.

        Raises:
            OptionError: unknown option or mode, a wrong type, or backends whose options clash.
        """
        modes = tuple(m for m in self.backends[0].modes if all(m in b.modes for b in self.backends))
        return parse_options(
            declared_options((b.name, b.options) for b in self.backends),
            {**self._options, **(options or {})},
            mode=mode,
            modes=modes,
            backend=self.name,
            deterministic=torch.are_deterministic_algorithms_enabled(),
        )

    def __call__(
        self,
        gm: torch.fx.GraphModule,
        example_inputs: Sequence[Any],
        *,
        mode: str | None = None,
        options: Mapping[str, Any] | None = None,
        **unknown: Any,
    ) -> Callable[..., Any]:
        """Compiles a Dynamo graph.

        Raises:
            OptionError: an option or mode is not one that the backend honours.
            TorchportError: any stage failed.
        """
        if unknown:
            raise OptionError(
                f"backend {self.name!r} was given unknown arguments", got=", ".join(sorted(unknown))
            )
        parsed = self.parse(options, mode)
        session = session_for(self.backends, parsed, self.reports, timed=self._timed, instead=self._instead)
        if parsed["freeze"]:
            return self._frozen(gm, example_inputs, session)
        return compile_graph(gm, example_inputs, session)

    def _frozen(
        self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any], session: Session
    ) -> Callable[..., Any]:
        if torch.is_grad_enabled() and any(getattr(i, "requires_grad", False) for i in example_inputs):
            raise OptionError(
                "the option freeze is for inference, and this graph records gradients",
                hint="call the model under torch.no_grad() or torch.inference_mode()",
            )
        places = {m.weight_id: i for i, m in enumerate(dynamo_inputs(gm)) if m.weight_id is not None}
        frozen = FrozenInputs(places, example_inputs)
        call = compile_graph(gm, example_inputs, replace(session, weights=frozen.weights))
        if not frozen.weights.taken:
            return call  # no executable holds anything: weights are read live
        check = session.options["frozen_check"]
        return FrozenGraph(call, frozen, example_inputs, check, self.backends)

    def __repr__(self) -> str:
        return f"<torchport backend {self.name}>"


_entries: dict[type[Backend], DynamoBackend] = {}


def dynamo_backend(backend: str | Backend | type[Backend] | DynamoBackend) -> DynamoBackend:
    """The Dynamo entry of a backend, for the entry-point group ``torch_dynamo_backends``.

    A class or a name always gives the same object in a process, so that ``tp.reports`` finds what was
    compiled by name.

    Raises:
        RegistrationError: no such backend is installed, or its package is broken.
    """
    match backend:
        case DynamoBackend():
            return backend
        case str():
            return dynamo_backend(type(load_backend(backend)))
        case Backend():
            entry: DynamoBackend = vars(backend).setdefault("_dynamo_entry", DynamoBackend((backend,)))
            return entry
        case type():
            if backend not in _entries:
                _entries[backend] = dynamo_backend(instance_of(backend))
            return _entries[backend]
    raise RegistrationError(
        "not a backend", got=repr(backend), hint="give a name, a Backend class or an instance"
    )


def compose(*backends: str | Backend | type[Backend], **options: Any) -> DynamoBackend:
    """Several backends that share one graph: each node goes to the first that claims it, what nobody claims
    to eager.

    Raises:
        RegistrationError: fewer than two backends, one twice, or one that is not installed.
    """
    members = [b for item in backends for b in dynamo_backend(item).backends]
    if len(members) < 2 or len({id(b) for b in members}) != len(members):
        raise RegistrationError(
            "compose() takes two or more different backends", got=", ".join(b.name for b in members)
        )
    return DynamoBackend(members, options)


def reports(backend: str | Backend | type[Backend] | DynamoBackend) -> Reports:
    """What was compiled so far through ``torch.compile(backend=backend)`` in this process."""
    return dynamo_backend(backend).reports


def recording(
    backend: str | Backend | type[Backend] | DynamoBackend, options: Mapping[str, Any] | None = None
) -> tuple[DynamoBackend, list[TimedProgram]]:
    """A fresh Dynamo entry for the same backends and options that times every step, for tools that look
    inside.
    """
    entry, timed = _anew(backend, options), list[TimedProgram]()
    entry._timed = timed
    return entry, timed


def capturing(
    backend: str | Backend | type[Backend] | DynamoBackend,
    instead: Callable[[CapturedGraph], Runner],
    options: Mapping[str, Any] | None = None,
) -> DynamoBackend:
    """A fresh Dynamo entry that captures as these backends ask, and runs what ``instead`` returns: nothing
    is lowered or compiled.
    """
    entry = _anew(backend, options)
    entry._instead = instead
    return entry


def _anew(
    backend: str | Backend | type[Backend] | DynamoBackend, options: Mapping[str, Any] | None
) -> DynamoBackend:
    known = dynamo_backend(backend)
    return DynamoBackend(known.backends, {**known._options, **(options or {})})
