"""Which cases a run is about: operators, ids of single cases, or beginnings of ids of other layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torchport.contract.spec import OpSpec
from torchport.errors import OptionError
from torchport_conformance.cases.case import AnyCase
from torchport_conformance.cases.profiles import Profile
from torchport_conformance.specs import selected


def shard_of(text: str) -> tuple[int, int]:
    """The part of a run that ``i/n`` is, as ``(i, n)``.

    Raises:
        OptionError: it is written otherwise.
    """
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit()):
        raise OptionError("a shard is written i/n, such as 2/4", got=text)
    return int(index), int(count)


@dataclass(frozen=True, slots=True)
class Selection:
    """``operators`` are names with or without overload, ``ids`` whole ids, ``beginnings`` such as
    ``graph:alias``; ``everything`` when nothing was asked for.
    """

    everything: bool
    operators: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Sequence[str] | None) -> Selection:
        """The selection that texts name.

        Raises:
            OptionError: an operator is not in the contract.
        """
        if texts is None:
            return cls(True)
        ids = frozenset(text for text in texts if "[" in text)
        beginnings = tuple(text for text in texts if ":" in text and text not in ids)
        names = tuple(text for text in texts if text not in ids and text not in beginnings)
        return cls(False, frozenset(s.name for s in selected(names)), ids, beginnings)

    def specs(self) -> tuple[OpSpec, ...]:
        """The contract entries that cases are made for."""
        if self.everything or self.beginnings:
            return selected(None)
        # An id of another layer may name a program, which belongs to no operator.
        named = (_subject_of(text) for text in self.ids)
        try:
            return selected((*self.operators, *named))
        except OptionError:
            if any(":" in text for text in self.ids):
                return selected(None)
            raise

    def takes(self, case: AnyCase) -> bool:
        """Whether a case is selected."""
        if self.everything or case.op in self.operators or case.id in self.ids:
            return True
        return case.id.startswith(self.beginnings) if self.beginnings else False

    def refuse_unknown(
        self, found: Iterable[AnyCase], profile: Profile, *, whole: bool, of_backend: bool = False
    ) -> None:
        """Raises for what selects nothing; ``whole`` is false where a sample or a shard may be the reason.
        Ids of cases that a backend's declarations give are known once it is (``of_backend``).

        Raises:
            OptionError: an id is not in the profile, or a beginning fits no id.
        """
        if not whole or not (self.ids or self.beginnings):
            return
        ids = {case.id for case in found}
        unknown = sorted(i for i in self.ids - ids if of_backend or "[when:" not in i)
        unknown += [b for b in self.beginnings if not any(i.startswith(b) for i in ids)]
        if unknown:
            raise OptionError(
                f"profile {profile.name!r} has no case {unknown[0]!r}",
                hint="ids are in the report's JSON; an operator's name selects all of its cases",
            )


def _subject_of(case_id: str) -> str:
    """The operator of a case id: ``aten.relu.default[...]``, ``metadata:aten.relu.default[...]``."""
    return case_id.partition("[")[0].rpartition(":")[2]
