"""What a certificate says: the payload of a passed report."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from torchport.compile.backend import Backend
from torchport.contract.opset import opset
from torchport.version import __version__
from torchport_conformance.certificate.signature import CertificateError, signed
from torchport_conformance.mutants.results import published
from torchport_conformance.report.model import CaseResult, Report, Status, Tally, denominators
from torchport_conformance.subject import Subject, subject_of

FORMAT = "torchport-certificate"
FORMAT_VERSION = 1

_LETTERS = {Status.PASSED: "p", Status.UNCLAIMED: "u", Status.EAGER_DEFECT: "e", Status.WAIVED: "w"}
"""How a case ended, in a certificate. No other end is possible in a run that passed."""


def payload(report: Report, subject: Subject, *, issued: date | None = None) -> dict[str, Any]:
    """The payload of a certificate.

    Args:
        report: a run that passed.
        subject: what ran, for the identity of its code.
        issued: the day that the certificate bears; today in UTC by default.

    Raises:
        CertificateError: the run did not pass, or is short.
    """
    if not report.ok:
        raise CertificateError(
            "a certificate needs a run that passed and that is long enough",
            got=f"{report.failed} of {report.claimed} failed; {report.cases} cases, floor {report.floor}",
            hint="repair what failed; the report names it",
        )
    by_op = {op: _counts(tally) for op, tally in report.by_op.items()}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "issued": (issued or datetime.now(UTC).date()).isoformat(),
        "subject": {
            "backend": report.backend,
            "version": report.backend_version,
            "source_sha256": subject.source_hash,
            "distribution": distribution_of(subject),
        },
        "contract": {"version": report.opset, "sha256": opset(report.opset).sha256},
        "suite": {
            "version": __version__,
            "sha256": suite_digest(),
            "kill_rate": published().kill_rates(),
        },
        "environment": dict(report.environment),
        "scope": {
            **report.scope,
            "profile": report.profile,
            "seed": report.seed,
            "cases": report.cases,
            "floor": report.floor,
            "ids_sha256": ids_digest([result.id for result in report.results]),
        },
        "totals": _counts(report.total),
        "denominators": denominators(report.results),
        "by_op": by_op,
        "eager_defects": _defects(report),
        "waivers": [dict(waiver) for waiver in report.waivers],
        "statuses": packed(report.results),
    }


def issue(report: Report, backend: str | Backend | type[Backend], key: Ed25519PrivateKey, path: Path) -> None:
    """Writes a signed certificate of a run that passed.

    Args:
        report: the run.
        backend: what ran, as it was given to the run.
        key: the vendor's private key.
        path: the file.

    Raises:
        CertificateError: the run did not pass, or is short.
    """
    subject, _ = subject_of(backend, in_process=True, level=report.environment["level"])
    path.write_text(json.dumps(signed(payload(report, subject), key), indent=1) + "\n")


def _counts(tally: Tally) -> dict[str, Any]:
    ratio = None if tally.bound_ratio is None else float(f"{tally.bound_ratio:.4g}")
    return {
        "cases": tally.cases,
        "claimed": tally.claimed,
        "passed": tally.passed,
        "waived": tally.waived,
        "eager_defects": tally.eager_defects,
        "bound_ratio": ratio,
    }


def _defects(report: Report) -> list[dict[str, Any]]:
    found = Counter((r.op, r.cause) for r in report.results if r.status is Status.EAGER_DEFECT)
    return [{"op": op, "defect": text, "cases": count} for (op, text), count in sorted(found.items())]


def packed(results: Sequence[CaseResult]) -> str:
    """One letter per case, compressed, in base64."""
    letters = "".join(_LETTERS[result.status] for result in results)
    return base64.b64encode(zlib.compress(letters.encode(), 9)).decode()


def unpacked(certificate: Mapping[str, Any]) -> list[Status]:
    """How each case ended, in the order of the plan.

    Raises:
        CertificateError: the field does not hold a letter for each case.
    """
    by_letter = {letter: status for status, letter in _LETTERS.items()}
    count = certificate["scope"]["cases"]
    try:
        # One byte more than there are cases: what inflates to more is refused, whatever it would grow to.
        raw = zlib.decompressobj().decompress(
            base64.b64decode(certificate["statuses"], validate=True), count + 1
        )
        found = [by_letter[letter] for letter in raw.decode("ascii")]
    except (binascii.Error, zlib.error, ValueError, KeyError) as error:
        raise CertificateError("the list of results cannot be read", got=str(error)) from error
    if len(found) != count:
        raise CertificateError(
            "the list of results has another length than the run", got=f"{len(found)}, {count} cases"
        )
    return found


def ids_digest(ids: Sequence[str]) -> str:
    """The SHA-256 of case ids in their order."""
    digest = hashlib.sha256()
    for case_id in ids:
        digest.update(case_id.encode() + b"\n")
    return digest.hexdigest()


@cache
def suite_digest() -> str:
    """A digest of every source file of this suite, in the order of their names."""
    digest = hashlib.sha256(__version__.encode())
    root = Path(__file__).resolve().parent.parent
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".json", ".toml", ".gz", ".xz")):
        digest.update(f"\0{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def distribution_of(subject: Subject) -> dict[str, str] | None:
    """The installed distribution that a backend's class comes from: name, version, and the SHA-256 of its
    ``RECORD``, which holds the hashes of the files of its wheel; None where it comes from none, and for
    subjects that are not backends.
    """
    package = type(subject.backend).__module__.partition(".")[0]
    names = metadata.packages_distributions().get(package)
    if not names:
        return None
    found = metadata.distribution(names[0])
    record = found.read_text("RECORD") or ""
    return {
        "name": found.metadata["Name"],
        "version": found.version,
        "record_sha256": hashlib.sha256(record.encode()).hexdigest(),
    }


def schema() -> dict[str, Any]:
    """The published JSON Schema of a signed certificate."""
    text = (files("torchport_conformance.certificate") / "certificate.schema.json").read_text()
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def check_schema(document: Mapping[str, Any]) -> None:
    """Raises unless a document has the form of a signed certificate.

    Raises:
        CertificateError: it has another form; the text names the place.
    """
    try:
        jsonschema.Draft202012Validator(schema()).validate(document)
    except jsonschema.ValidationError as error:
        place = "/".join(str(part) for part in error.absolute_path) or "the document"
        raise CertificateError(
            "not a certificate of this format", got=f"{place}: {error.message[:200]}"
        ) from error
