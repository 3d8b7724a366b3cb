"""Checking a certificate offline: its form, its signature, and that what it says agrees with itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from torchport_conformance.certificate.document import check_schema, suite_digest, unpacked
from torchport_conformance.certificate.signature import CertificateError, check_signature, parse
from torchport_conformance.report.model import Status


@dataclass(frozen=True)
class Verified:
    """A certificate that a trusted key signed.

    ``payload`` is what it says, ``key`` the id of the key. ``remarks`` are what a reader must know and what
    does not make it false: waivers that have expired since, a partial scope, another suite than the one here.
    """

    payload: Mapping[str, Any]
    key: str
    remarks: tuple[str, ...]


def verify(text: str, trusted: Iterable[Ed25519PublicKey], *, today: date | None = None) -> Verified:
    """The certificate in a text.

    Args:
        text: the file's content.
        trusted: public keys that the reader got from the vendor.
        today: the day that waivers are held against; today in UTC by default.

    Raises:
        CertificateError: the text is no certificate, no trusted key signed it, it was changed, or it
            contradicts itself.
    """
    document = parse(text)
    check_schema(document)
    key = check_signature(document, trusted)
    payload: dict[str, Any] = document["payload"]
    _check_agreement(payload)
    return Verified(payload, key, tuple(_remarks(payload, today or datetime.now(UTC).date())))


def _check_agreement(payload: Mapping[str, Any]) -> None:
    """Raises where parts of a payload contradict each other: a vendor's own tool may have written it."""
    found, totals = Counter(unpacked(payload)), payload["totals"]
    expected = {
        Status.PASSED: totals["passed"],
        Status.EAGER_DEFECT: totals["eager_defects"],
        Status.WAIVED: totals["waived"],
        Status.UNCLAIMED: totals["cases"] - totals["claimed"],
    }
    wrong = [str(status) for status, count in expected.items() if found[status] != count]
    if wrong:
        _contradict("the totals differ from the list of results", ", ".join(wrong))
    for field in ("cases", "claimed", "passed", "waived", "eager_defects"):
        if sum(counts[field] for counts in payload["by_op"].values()) != totals[field]:
            _contradict("the operators do not add up to the totals", field)
    scope = payload["scope"]
    if scope["cases"] != totals["cases"] or payload["denominators"]["cases"] != [
        totals["claimed"],
        totals["cases"],
    ]:
        _contradict("the number of cases is stated in two ways", str(scope["cases"]))
    if scope["cases"] < scope["floor"] or totals["claimed"] == 0:
        got = f"{scope['cases']} cases, floor {scope['floor']}, {totals['claimed']} claimed"
        _contradict("the run is short", got)
    beyond = [
        op
        for op, counts in payload["by_op"].items()
        if (counts["bound_ratio"] or 0) > 1 and not counts["waived"]
    ]
    if beyond:
        _contradict("an error is larger than its bound, and nothing waives it", ", ".join(beyond[:5]))
    if totals["waived"] != sum(waiver["cases"] for waiver in payload["waivers"]):
        _contradict("the waivers do not add up to the waived cases", str(totals["waived"]))


def _contradict(message: str, got: str) -> None:
    raise CertificateError(
        f"the certificate contradicts itself: {message}", got=got, hint="do not rely on it; ask the vendor"
    )


def _remarks(payload: Mapping[str, Any], today: date) -> Iterable[str]:
    scope = payload["scope"]
    for name in ("select", "layers"):
        if scope[name] is not None:
            yield f"partial: only {name} {', '.join(scope[name])}"
    if scope["sample"] < 1 or scope["shard"] != "1/1":
        yield f"partial: sample {scope['sample']:g}, shard {scope['shard']}"
    for waiver in payload["waivers"]:
        if date.fromisoformat(waiver["expires"]) < today:
            yield f"a waiver of {waiver['owner']} expired on {waiver['expires']}: {waiver['reason']}"
    if payload["suite"]["sha256"] != suite_digest():
        yield (
            f"the suite installed here is another than the one that ran, {payload['suite']['version']}: "
            "a challenge is not possible with it"
        )
