"""What a run over public architectures found, as data that is written, read back and continued."""

from __future__ import annotations

import enum
import json
import math
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from torchport.errors import OptionError


class Phase(enum.StrEnum):
    """What a model is used for."""

    INFERENCE = "inference"
    TRAINING = "training"


class Shapes(enum.StrEnum):
    """Whether sizes are known when a model is compiled."""

    STATIC = "static"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to run a model."""

    phase: Phase
    shapes: Shapes

    def __str__(self) -> str:
        return f"{self.phase}, {self.shapes}"


MODES = tuple(Mode(phase, shapes) for shapes in Shapes for phase in Phase)


class Verdict(enum.StrEnum):
    """How a mode ended. ``SHORT`` is an architecture that eager itself cannot run: it says nothing."""

    RIGHT = "right"
    EXCUSED = "excused"
    WRONG = "wrong"
    CRASHED = "crashed"
    HUNG = "hung"
    SHORT = "not judged"


FAILURES = frozenset({Verdict.WRONG, Verdict.CRASHED, Verdict.HUNG})


@dataclass(frozen=True, slots=True)
class ModeResult:
    """One architecture in one mode.

    ``reason`` says why it is not simply right. ``tensors`` were judged; ``worst`` is the one with the largest
    ``ratio`` of its error to what is allowed. ``graphs`` is how often Dynamo called the backend: one more
    than the graph breaks that split the model. ``claimed`` nodes ran on the backend, ``fallback`` counts the
    others by operator, ``refused`` names those that the backend claimed and then did not compile.
    """

    mode: Mode
    verdict: Verdict
    reason: str = ""
    tensors: int = 0
    worst: str = ""
    ratio: float | None = None
    graphs: int = 0
    claimed: int = 0
    fallback: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    refused: str = ""

    @property
    def claimed_share(self) -> float:
        """Claimed nodes over all that compute something; NaN when there are none."""
        total = self.claimed + sum(self.fallback.values())
        return self.claimed / total if total else math.nan

    def to_json(self) -> dict[str, Any]:
        """Plain data; an infinite ratio is a text."""
        finite = self.ratio is None or math.isfinite(self.ratio)
        return {
            "phase": str(self.mode.phase),
            "shapes": str(self.mode.shapes),
            "verdict": str(self.verdict),
            "reason": self.reason,
            "tensors": self.tensors,
            "worst": self.worst,
            "ratio": (self.ratio and float(f"{self.ratio:.4g}")) if finite else str(self.ratio),
            "graphs": self.graphs,
            "claimed": self.claimed,
            "fallback": dict(sorted(self.fallback.items())),
            "seconds": self.seconds,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModeResult:
        """What :meth:`to_json` wrote."""
        fields = dict(data)
        mode = Mode(Phase(fields.pop("phase")), Shapes(fields.pop("shapes")))
        ratio = fields.pop("ratio")
        found = cls(mode, Verdict(fields.pop("verdict")), **fields)
        return replace(found, ratio=None if ratio is None else float(ratio))


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """Greedy generation of ``tokens`` tokens with a static KV cache.

    ``equal`` of them are eager's, which has ``distinct`` different ones. ``graphs`` were compiled until the
    second token was there, ``later`` after it. ``cache_copies`` counts the copies in these graphs that are at
    least as large as one tensor of the cache.
    """

    tokens: int
    distinct: int
    equal: int
    graphs: int
    later: int
    claimed_share: float
    cache_copies: int
    seconds: float

    @property
    def right(self) -> bool:
        """Whether all tokens are eager's, on the backend, and none was compiled for."""
        return self.equal == self.tokens and self.later == 0 and self.claimed_share > 0.0


@dataclass(frozen=True, slots=True)
class ModelResult:
    """One architecture: its modes in the order of :data:`MODES`, and for a decoder what it generated."""

    name: str
    family: str
    modes: tuple[ModeResult, ...]
    generation: GenerationResult | None = None

    @property
    def complete(self) -> bool:
        """Whether every mode was run."""
        return tuple(m.mode for m in self.modes) == MODES

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        modes = [mode.to_json() for mode in self.modes]
        found = {"name": self.name, "family": self.family, "modes": modes}
        return found if self.generation is None else found | {"generation": asdict(self.generation)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelResult:
        """What :meth:`to_json` wrote."""
        generation = GenerationResult(**data["generation"]) if "generation" in data else None
        modes = tuple(map(ModeResult.from_json, data["modes"]))
        return cls(data["name"], data["family"], modes, generation)


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A run: where it ran, and one result for each architecture."""

    environment: Mapping[str, str]
    models: tuple[ModelResult, ...]

    @property
    def counts(self) -> Counter[Verdict]:
        """Modes by verdict."""
        return Counter(mode.verdict for model in self.models for mode in model.modes)

    @property
    def exit_code(self) -> int:
        """0 when every mode is right or excused, 1 with failures, 3 when something was not judged."""
        generated = [m.generation for m in self.models if m.generation is not None]
        if any(verdict in FAILURES for verdict in self.counts) or not all(g.right for g in generated):
            return 1
        complete = bool(self.models) and all(model.complete for model in self.models)
        return 3 if Verdict.SHORT in self.counts or not complete else 0

    def with_model(self, result: ModelResult) -> ModelReport:
        """The report with one result added, or put in the place of an earlier one."""
        others = tuple(m for m in self.models if m.name != result.name)
        return replace(self, models=(*others, result))

    def in_order(self, names: Iterable[str]) -> ModelReport:
        """The report with its results in the order of ``names``; others come last."""
        order = {name: index for index, name in enumerate(names)}
        models = sorted(self.models, key=lambda m: order.get(m.name, len(order)))
        return replace(self, models=tuple(models))

    def write(self, path: Path) -> None:
        """Writes JSON, in one step: a reader never sees half of it."""
        models = [model.to_json() for model in self.models]
        text = json.dumps({"environment": dict(self.environment), "models": models}, indent=1)
        written = path.with_name(path.name + ".part")
        written.write_text(text + "\n")
        written.replace(path)

    @classmethod
    def read(cls, path: Path) -> ModelReport:
        """What :meth:`write` wrote.

        Raises:
            OptionError: the file holds something else.
        """
        try:
            data = json.loads(path.read_text())
            return cls(data["environment"], tuple(map(ModelResult.from_json, data["models"])))
        except (KeyError, TypeError, ValueError) as error:
            raise OptionError("not a report of public architectures", got=f"{path}: {error}") from error


def environment(backend: str, backend_version: str) -> dict[str, str]:
    """The versions that a result depends on."""
    import torch
    import transformers

    from torchport.version import __version__

    return {
        "backend": f"{backend} {backend_version}",
        "torchport": __version__,
        "torch": torch.__version__.partition("+")[0],
        "transformers": transformers.__version__,
        "python": platform.python_version(),
    }
