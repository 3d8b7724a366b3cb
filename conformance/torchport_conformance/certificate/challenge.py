"""A challenge: part of a certified run again, on the reader's machine, with values nobody could foresee."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from torchport_conformance.certificate.document import distribution_of, ids_digest, suite_digest, unpacked
from torchport_conformance.certificate.signature import CertificateError
from torchport_conformance.report.model import CaseResult, Status
from torchport_conformance.subject import Subject, subject_of
from torchport_conformance.suite import Plan, for_subject, plan, run_plan

_MINIMUM = 100
"""Cases that a challenge runs at least, where the certificate has as many."""


@dataclass(frozen=True)
class Challenge:
    """What a challenge found: ``results`` of the drawn cases, ``broken`` those that do not hold."""

    seed: int
    results: tuple[CaseResult, ...]

    @property
    def broken(self) -> tuple[CaseResult, ...]:
        """Cases that passed by the certificate and do not now."""
        return tuple(r for r in self.results if r.status not in (Status.PASSED, Status.EAGER_DEFECT))

    @property
    def holds(self) -> bool:
        """Whether every drawn case passed again."""
        return bool(self.results) and not self.broken


def challenge(
    certificate: Mapping[str, Any], seed: str, *, sample: float = 0.02, jobs: int = 1, backend: Any = None
) -> Challenge:
    """Runs a sample of the cases that a certificate says passed.

    Args:
        certificate: the payload of a verified certificate.
        seed: any text; it decides which cases are drawn and every value in them.
        sample: share of the passed cases, 100 at least where there are as many.
        jobs: worker processes, 0 for none.
        backend: the backend; by default the one that the certificate names.

    Raises:
        CertificateError: the code, the suite or the cases here are not those that the certificate is about.
        RegistrationError: the backend cannot be loaded.
    """
    _check_suite(certificate)
    named = certificate["subject"]["backend"] if backend is None else backend
    level = certificate["environment"]["level"]
    opened = subject_of(named, in_process=jobs == 0, level=level)
    _check_subject(certificate, opened.subject)
    scope = certificate["scope"]
    whole = for_subject(_whole(scope), opened.subject)
    if ids_digest([case.id for case in whole.cases]) != scope["ids_sha256"]:
        raise CertificateError(
            "the cases made here are not those that the certificate is about",
            hint=f"install torchport {certificate['suite']['version']} as the vendor had it",
        )
    passed = [
        case
        for case, status in zip(whole.cases, unpacked(certificate), strict=True)
        if status is Status.PASSED
    ]
    count = min(len(passed), max(_MINIMUM, round(sample * len(passed))))
    drawn = sorted(passed, key=lambda case: hashlib.sha256(f"{seed}\0{case.id}".encode()).digest())[:count]
    chosen = {case.id for case in drawn}
    planned = replace(whole, cases=tuple(c for c in whole.cases if c.id in chosen), floor=1, scope={})
    run_seed = int.from_bytes(
        hashlib.sha256(f"challenge\0{seed}\0{scope['ids_sha256']}".encode()).digest()[:6], "big"
    )
    report = run_plan(opened, planned, jobs=jobs, seed=run_seed)
    return Challenge(run_seed, report.results)


def _whole(scope: Mapping[str, Any]) -> Plan:
    index, count = (int(part) for part in scope["shard"].split("/"))
    return plan(
        scope["profile"],
        select=scope["select"],
        layers=scope["layers"],
        shard=(index, count),
        sample=scope["sample"],
    )


def _check_suite(certificate: Mapping[str, Any]) -> None:
    if certificate["suite"]["sha256"] != suite_digest():
        raise CertificateError(
            "the suite installed here is not the one that the certificate is about",
            got=f"suite {suite_digest()[:16]}…, certified with {certificate['suite']['sha256'][:16]}…",
            hint=f"install torchport {certificate['suite']['version']} as the vendor had it",
        )


def _check_subject(certificate: Mapping[str, Any], loaded: Subject) -> None:
    subject = certificate["subject"]
    found = {
        "version": loaded.version,
        "source_sha256": loaded.source_hash,
        "distribution": distribution_of(loaded),
    }
    for field, value in found.items():
        if value != subject[field]:
            raise CertificateError(
                "the backend installed here is not the one that was certified",
                got=f"{field}: {value}, certified {subject[field]}",
                hint="install the certified build, or ask the vendor for a certificate of this one",
            )
