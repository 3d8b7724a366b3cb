"""The error hierarchy of torchport.

Every error names the stage it arose in, the operator (when there is one), the contract label that was
violated (when there is one), what was got and what the reader can do about it. All of it is available as
attributes, so a tool can print it in its own way.
"""

from __future__ import annotations

from typing import Any


class TorchportError(Exception):
    """Root of every error that torchport raises on purpose.

    Args:
        message: one sentence saying what is wrong.
        op: qualified operator name, such as ``aten.add.Tensor``.
        label: contract label of the violated constraint, such as ``mm.C1``.
        got: what was found, as text.
        hint: what to do next, as text.
    """

    stage = "torchport"

    def __init__(
        self,
        message: str,
        *,
        op: str | None = None,
        label: str | None = None,
        got: str | None = None,
        hint: str = "",
    ) -> None:
        self.message, self.op, self.label, self.got, self.hint = message, op, label, got, hint
        parts = [f"[{self.stage}]"]
        if op:
            parts.append(f"{op}:")
        if label:
            parts.append(f"({label})")
        parts.append(message)
        text = " ".join(parts)
        if got is not None:
            text += f"\n  got: {got}"
        if hint:
            text += f"\n  to do: {hint}"
        super().__init__(text)


class ContractError(TorchportError):
    """A contract entry, version, shape rule or dtype rule was misused or is inconsistent."""

    stage = "contract"


class VerifierError(ContractError):
    """A graph violates the contract; ``label`` names the constraint and ``node`` the graph node."""

    stage = "verify"

    def __init__(
        self,
        message: str,
        *,
        node: str,
        op: str | None = None,
        label: str | None = None,
        got: str | None = None,
        hint: str = "",
    ) -> None:
        self.node = node
        super().__init__(f"node {node!r}: {message}", op=op, label=label, got=got, hint=hint)


class SchemaError(ContractError):
    """A serialized graph, region or snapshot does not follow its published JSON Schema."""

    stage = "schema"


class CaptureError(TorchportError):
    """The Dynamo or AOTAutograd graph could not be turned into a contract graph."""

    stage = "capture"


class LoweringError(TorchportError):
    """An operator could not be lowered, or a claim function misbehaved."""

    stage = "lower"


class PartitionError(TorchportError):
    """Regions could not be formed, or a proposal was not valid."""

    stage = "partition"


class FallbackError(PartitionError):
    """``strict=True`` was asked for and some nodes would have run outside the backend.

    ``rejections`` has a :class:`~torchport.Rejection` for each refusal, ``reasons`` the same as text.
    """

    def __init__(
        self,
        message: str,
        *,
        reasons: tuple[str, ...],
        rejections: tuple[Any, ...] = (),
        hint: str = "",
    ) -> None:
        self.reasons, self.rejections = reasons, rejections
        super().__init__(message, got="".join(f"\n    {reason}" for reason in reasons), hint=hint)


class CompileError(TorchportError):
    """A backend's ``compile`` or ``load`` failed or returned something that is not allowed."""

    stage = "compile"


class ToolchainError(CompileError):
    """A compiler that a backend needs is missing, failed, or produced something unusable."""


class OptionError(TorchportError):
    """An option is unknown or has the wrong type; nothing was compiled."""

    stage = "options"


class RegistrationError(TorchportError):
    """A backend cannot be found, cannot be loaded, or clashes with another one."""

    stage = "registry"


class AbiError(RegistrationError):
    """A kernel library was built for another version of ``torchport/kernel.h`` or cannot be loaded."""

    stage = "kernel ABI"


class KernelError(TorchportError):
    """A kernel behind ``torchport/kernel.h`` reported an error."""

    stage = "run"


class RunError(TorchportError):
    """A compiled graph was called in a way that it cannot serve."""

    stage = "run"


class ArtifactError(TorchportError):
    """An artifact or a cache entry is damaged, foreign or incompatible."""

    stage = "artifact"


class ExportError(TorchportError):
    """A program cannot be written to a file: something of it exists in this process only."""

    stage = "export"


class ScaffoldError(TorchportError):
    """``torchport new`` refused a name, a directory or a combination of options; nothing was written."""

    stage = "new"


class UsageError(TorchportError):
    """A command was asked for something that does not exist or is not what it takes."""

    stage = "usage"
