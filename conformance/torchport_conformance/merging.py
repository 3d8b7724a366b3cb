"""The report of a whole run from the journals of its shards."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from torchport.errors import ArtifactError, OptionError
from torchport_conformance.journal import Contents, read_journal
from torchport_conformance.report.model import CaseResult, Report
from torchport_conformance.report.write import write_reports
from torchport_conformance.running import Found
from torchport_conformance.subject import subject_of
from torchport_conformance.suite import assemble, for_subject, header_of, plan
from torchport_conformance.waivers.reading import Waivers, read_waivers

_OF_A_SHARD = ("plan", "cases", "scope")
_OF_A_MACHINE = ("platform", "processor")


def merge(
    journals: Sequence[str | os.PathLike[str]],
    *,
    report: str | os.PathLike[str] | None = None,
    waivers: str | os.PathLike[str] | Waivers | None = None,
) -> Report:
    """The report of the run that the journals are shards of. Cases without a result make it short.

    The shards may have run on machines of different names; everything else has to be the same, and the suite
    and the backend that are installed here too.

    Args:
        journals: files that runs with ``shard`` have written, in any order.
        report: a folder for ``report.json``, ``junit.xml`` and ``index.html``.
        waivers: a TOML file, or what was read from one.

    Raises:
        OptionError: no journal is given.
        ArtifactError: a journal is damaged, two are of different runs or of the same shard, or they are of
            other versions than those installed here.
        RegistrationError: the backend cannot be loaded here.
    """
    paths = [Path(journal) for journal in journals]
    if not paths:
        raise OptionError("there is nothing to merge", hint="give the journals of the shards")
    contents = [read_journal(path) for path in paths]
    first = contents[0]
    _refuse_others(paths, contents)
    scope = first.header.scope
    whole = plan(first.header.profile, select=scope["select"], layers=scope["layers"], sample=scope["sample"])
    level = first.header.environment["level"]
    subject, _ = subject_of(first.header.backend, in_process=False, level=level)
    whole = for_subject(whole, subject)
    header = header_of(whole, subject, first.header.seed)
    changed = first.header.differences(header, but=(*_OF_A_SHARD, *_OF_A_MACHINE))
    if changed:
        raise ArtifactError(
            "the journals are of other versions than those installed here",
            got="".join(f"\n    {line}" for line in changed),
            hint="merge where the shards have run",
        )
    results: dict[str, CaseResult] = {}
    for path, each in zip(paths, contents, strict=True):
        results |= each.restored(whole.cases, path)
    excuses = read_waivers(Path(waivers)) if isinstance(waivers, str | os.PathLike) else waivers
    found = Found(results, sum(each.seconds for each in contents))
    made = assemble(whole, header, subject, found, excuses)
    if report is not None:
        write_reports(made, Path(report))
    return made


def _refuse_others(paths: Sequence[Path], contents: Sequence[Contents]) -> None:
    """Raises for journals of different runs, or of the same shard."""
    first = contents[0].header
    given: dict[str, Path] = {}
    for path, each in zip(paths, contents, strict=True):
        differences = first.differences(each.header, but=(*_OF_A_SHARD, *_OF_A_MACHINE))
        for name in ("select", "layers", "sample"):
            if first.scope[name] != each.header.scope[name]:
                differences.append(f"{name}: {first.scope[name]!r}, and {each.header.scope[name]!r} now")
        counts = [header.scope["shard"].partition("/")[2] for header in (first, each.header)]
        if counts[0] != counts[1]:
            differences.append(f"shards: {counts[0]}, and {counts[1]} now")
        if differences:
            raise ArtifactError(
                f"{paths[0]} and {path} are of different runs",
                got="".join(f"\n    {line}" for line in differences),
            )
        shard = each.header.scope["shard"]
        if shard in given:
            raise ArtifactError(f"shard {shard} is given twice", got=f"{given[shard]} and {path}")
        given[shard] = path
