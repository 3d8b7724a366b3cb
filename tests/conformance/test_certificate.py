"""Certificates: what is signed cannot be changed, and what is claimed must hold with other values."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from typer import Typer
from typer.testing import CliRunner

import torchport_conformance as tc
from torchport_conformance.backend_source import BackendSource
from torchport_conformance.certificate import document, signature
from torchport_conformance.certificate.challenge import challenge
from torchport_conformance.certificate.cli import certificate_key, verify_certificate
from torchport_conformance.certificate.comparison import compare
from torchport_conformance.certificate.signature import CertificateError
from torchport_conformance.certificate.verification import verify
from torchport_conformance.cli import conformance
from torchport_conformance.subject import load_subject

SELECT = ["aten.mul.Tensor"]
KEY = Ed25519PrivateKey.generate()


def certify(backend: str) -> dict[str, Any]:
    report = tc.run(backend, select=SELECT, layers=["op"], jobs=0)
    return document.payload(report, load_subject(BackendSource(backend)), issued=date(2030, 1, 2))


@pytest.fixture(scope="module")
def clean() -> dict[str, Any]:
    return certify("planted_faults:Clean")


def text_of(payload: dict[str, Any], key: Ed25519PrivateKey = KEY) -> str:
    return json.dumps(signature.signed(payload, key))


def test_a_certificate_says_what_ran_and_verifies_offline(clean: dict[str, Any]) -> None:
    found = verify(text_of(clean), [KEY.public_key()])
    assert found.payload == clean and found.key == signature.key_id(KEY)
    totals = clean["totals"]
    assert totals["passed"] + totals["eager_defects"] == totals["claimed"] > 30
    assert clean["denominators"]["operators"] == [1, 1]
    assert clean["by_op"]["aten.mul.Tensor"]["bound_ratio"] <= 1
    assert clean["subject"]["backend"] == "planted_faults:Clean" and clean["issued"] == "2030-01-02"
    assert any("partial: only select aten.mul.Tensor" in remark for remark in found.remarks)


def edits(payload: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Certificates that say more than was proved."""

    def edited(*path: str, value: Any) -> dict[str, Any]:
        changed = copy.deepcopy(payload)
        place = changed
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = value
        return changed

    yield "another backend", edited("subject", "backend", value="somebody_else")
    yield "another device", edited("environment", "device", value="a faster one")
    yield "a whole run", edited("scope", "select", value=None)
    yield "another day", edited("issued", value="2031-01-02")
    yield "a smaller error", edited("by_op", "aten.mul.Tensor", "bound_ratio", value=0.0)
    yield "a later contract", edited("contract", "sha256", value="0" * 64)


def test_an_edited_certificate_is_refused_even_with_every_hash_recomputed(clean: dict[str, Any]) -> None:
    genuine = signature.signed(clean, KEY)
    stranger = Ed25519PrivateKey.generate()
    for name, changed in edits(clean):
        # The edit alone; the edit under the key's own name, signed by another key; and with that key's name.
        alone = {**genuine, "payload": changed}
        resigned = signature.signed(changed, stranger)
        named = {**resigned, "signature": {**resigned["signature"], "key": genuine["signature"]["key"]}}
        for forged in (alone, resigned, named):
            with pytest.raises(CertificateError, match="changed after|not trusted"):
                verify(json.dumps(forged), [KEY.public_key()])
        assert json.dumps(changed) != json.dumps(clean), name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"passed": 10**6}, "totals differ|contradicts"),
        ({"waived": 3}, "contradicts"),
        ({"claimed": 0}, "contradicts"),
    ],
)
def test_a_signed_certificate_that_contradicts_itself_is_refused(
    clean: dict[str, Any], change: dict[str, int], message: str
) -> None:
    changed = copy.deepcopy(clean)
    changed["totals"].update(change)
    with pytest.raises(CertificateError, match=message):
        verify(text_of(changed), [KEY.public_key()])


def test_results_that_inflate_without_end_are_refused(clean: dict[str, Any]) -> None:
    bomb = base64.b64encode(zlib.compress(b"p" * 10**7)).decode()
    with pytest.raises(CertificateError, match="another length"):
        verify(text_of({**clean, "statuses": bomb}), [KEY.public_key()])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"payload": {}, "payload": {}}', '{"payload": NaN}', '{"payload": {}}', "[" * 100_000],
)
def test_what_is_no_certificate_is_refused_by_name(text: str) -> None:
    with pytest.raises(CertificateError):
        verify(text, [KEY.public_key()])


def test_without_a_trusted_key_nothing_is_verified(clean: dict[str, Any]) -> None:
    with pytest.raises(CertificateError, match="not trusted"):
        verify(text_of(clean), [])


def test_a_failed_or_short_run_gets_no_certificate(clean: dict[str, Any]) -> None:
    failed = tc.run("planted_faults:AllZeros", select=SELECT, layers=["op"], jobs=0, sample=0.2)
    loaded = load_subject(BackendSource("planted_faults:AllZeros"))
    with pytest.raises(CertificateError, match="needs a run that passed"):
        document.payload(failed, loaded)
    passed = tc.run("planted_faults:Clean", select=SELECT, layers=["op"], jobs=0, sample=0.2)
    with pytest.raises(CertificateError, match="long enough"):
        document.payload(replace(passed, floor=10**6), loaded)


def test_a_challenge_holds_for_a_backend_that_computes(clean: dict[str, Any]) -> None:
    found = challenge(clean, "a customer's words", jobs=0)
    assert found.holds and len(found.results) == min(100, clean["totals"]["passed"])
    other = challenge(clean, "other words", jobs=0)
    assert found.seed != other.seed != clean["scope"]["seed"]


def test_a_backend_that_answers_from_a_table_of_published_inputs_fails_the_challenge() -> None:
    certified = certify("planted_faults:AnswersFromATable")
    assert certified["totals"]["passed"] > 30
    found = challenge(certified, "values that are in no table", jobs=0)
    assert not found.holds and len(found.broken) > len(found.results) // 2
    assert all(r.status is tc.Status.FAILED and r.message for r in found.broken)


def test_a_challenge_of_other_code_or_another_suite_is_refused(clean: dict[str, Any]) -> None:
    def changed(part: str, field: str) -> dict[str, Any]:
        return {**clean, part: {**clean[part], field: hashlib.sha256(b"other").hexdigest()}}

    with pytest.raises(CertificateError, match="backend installed here is not the one"):
        challenge(changed("subject", "source_sha256"), "x", jobs=0)
    with pytest.raises(CertificateError, match="suite installed here is not the one"):
        challenge(changed("suite", "sha256"), "x", jobs=0)
    with pytest.raises(CertificateError, match="cases made here are not those"):
        challenge(changed("scope", "ids_sha256"), "x", jobs=0)


def test_the_difference_of_two_certificates_names_what_was_lost(clean: dict[str, Any]) -> None:
    assert compare(clean, clean) == ()
    older = copy.deepcopy(clean)
    older["by_op"]["aten.sub.Tensor"] = dict(clean["by_op"]["aten.mul.Tensor"])
    older["environment"]["driver"] = "1.0"
    older["by_op"]["aten.mul.Tensor"]["bound_ratio"] /= 8
    lines = compare(older, clean)
    assert lines[0].startswith("lost: aten.sub.Tensor") and "environment driver: None, was 1.0" in lines
    assert any(line.startswith("less exact: aten.mul.Tensor") for line in lines)
    assert any(line.startswith("gained: aten.sub.Tensor") for line in compare(clean, older))


def test_the_commands_make_keys_verify_and_exit_by_result(clean: dict[str, Any], tmp_path: Path) -> None:
    keys, check = Typer(), Typer()
    keys.command()(certificate_key)
    check.command()(verify_certificate)
    run = CliRunner().invoke
    secret = tmp_path / "vendor.key"
    assert run(keys, [str(secret)]).exit_code == 0
    assert secret.stat().st_mode & 0o077 == 0
    assert run(keys, [str(secret)]).exit_code == 2, "a key is never overwritten"
    signed = tmp_path / "certificate.json"
    signed.write_text(text_of(clean, signature.private_key(secret)))
    trusted = ["--key", str(tmp_path / "vendor.key.pub")]
    shown = run(check, [str(signed), *trusted])
    assert shown.exit_code == 0 and "planted_faults:Clean" in shown.output
    told = json.loads(run(check, [str(signed), *trusted, "--json", "--diff", str(signed)]).output)
    assert told["verified"] and told["totals"] == clean["totals"] and told["changes"] == []
    signed.write_text(signed.read_text().replace("planted_faults:Clean", "planted_faults:Other"))
    assert run(check, [str(signed), *trusted]).exit_code == 1
    assert run(check, [str(tmp_path / "missing.json"), *trusted]).exit_code == 1


def test_a_run_that_passed_is_certified_by_the_command(tmp_path: Path) -> None:
    app = Typer()
    app.command()(conformance)
    run = CliRunner().invoke
    key, file = tmp_path / "vendor.key", tmp_path / "certificate.json"
    public = signature.new_private_key(key).public_key()
    common = ["--select", "aten.mul.Tensor", "--layer", "op", "--jobs", "0", "--sample", "0.3"]
    signing = ["--certificate", str(file), "--sign", str(key)]
    assert run(app, ["planted_faults:AllZeros", *common, *signing]).exit_code == 1
    assert not file.exists(), "a failed run has no certificate"
    assert run(app, ["planted_faults:Clean", *common, "--certificate", str(file)]).exit_code == 2
    assert run(app, ["planted_faults:Clean", *common, *signing]).exit_code == 0
    found = verify(file.read_text(), [public])
    assert found.payload["scope"]["sample"] == 0.3 and found.payload["scope"]["layers"] == ["op"]
    assert challenge(found.payload, "7", jobs=0).holds
