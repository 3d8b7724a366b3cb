"""Broken backend packages are shown with their reason; the others are listed and work."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run, add_distribution

GOOD = """
import torchport as tp

class Good(tp.Backend):
    name, version, opset = "good", "2.5", "1.0"

    def claims(self, node, target):
        return tp.no(tp.Reason.OP)

    def compile(self, region, target, options):
        raise AssertionError

class Misnamed(Good):
    name = "other"

class Failing(Good):
    name = "failing"

    def __init__(self):
        raise RuntimeError("no device\\nfound")

NOT_A_BACKEND = object
"""
POINTS = """
[torchport.backends]
good = vendor_good:Good
unimportable = vendor_absent:Backend
faulty = vendor_faulty:Backend
wrong_class = vendor_good:NOT_A_BACKEND
misnamed = vendor_good:Misnamed
failing = vendor_good:Failing
no_attribute = vendor_good:Absent
"""
REASONS = {
    "unimportable": "No module named 'vendor_absent'",
    "faulty": "1/0",
    "wrong_class": "subclass of torchport.Backend",
    "misnamed": "calls itself 'other'",
    "failing": "no device",
    "no_attribute": "Absent",
}


def add_vendor(site: Path) -> None:
    faulty = "raise ZeroDivisionError('1/0')\n"
    add_distribution(site, "vendor", POINTS, vendor_good=GOOD, vendor_faulty=faulty)


def test_each_broken_backend_has_its_reason_and_the_good_one_is_listed(torchport: Run, site: Path) -> None:
    add_vendor(site)
    ran = torchport("backends", "--json")
    assert ran.returncode == 1, ran.stderr
    found = {entry["name"]: entry for entry in json.loads(ran.stdout)}
    assert found["good"]["error"] is None
    assert (found["good"]["version"], found["good"]["opset"]) == ("2.5", "1.0")
    assert found["good"]["distribution"] == "vendor 1.0"
    assert found["torchport_openmp"]["error"] is None
    for name, reason in REASONS.items():
        assert reason in found[name]["error"], name
    assert "Traceback" not in ran.stderr


def test_two_packages_with_one_name_break_that_name_only(torchport: Run, site: Path) -> None:
    add_distribution(site, "vendor", "[torchport.backends]\ngood = vendor_good:Good\n", vendor_good=GOOD)
    add_distribution(site, "rival", "[torchport.backends]\ngood = rival_good:Good\n", rival_good=GOOD)
    found = json.loads(torchport("backends", "--json").stdout)
    good = [entry for entry in found if entry["name"] == "good"]
    assert {entry["distribution"] for entry in good} == {"vendor 1.0", "rival 1.0"}
    assert all("installed twice" in entry["error"] for entry in good)
    assert [entry["error"] for entry in found if entry["name"] == "torchport_openmp"] == [None]


def test_the_table_says_the_same(torchport: Run, site: Path) -> None:
    add_vendor(site)
    ran = torchport("backends")
    assert ran.returncode == 1
    for text in ("good", "2.5", "vendor 1.0", *REASONS):
        assert text in ran.stdout
    for name, reason in REASONS.items():  # below the table, in one piece
        _, found, message = ran.stdout.partition(f"\n{name} is broken: ")
        assert found and reason in message.partition(" is broken: ")[0], name


def test_only_good_backends_is_exit_code_0(torchport: Run) -> None:
    assert torchport("backends").returncode == 0


def test_explain_with_a_broken_or_unknown_backend_is_one_message(torchport: Run, site: Path) -> None:
    add_vendor(site)
    for name, reason in (
        ("unimportable", REASONS["unimportable"]),
        ("nobody", "no backend 'nobody' is installed"),
    ):
        ran = torchport("explain", "mlp", "--backend", name)
        assert ran.returncode == 2 and reason in ran.stderr and "Traceback" not in ran.stderr


def test_doctor_finds_versions_tools_plugins_and_the_cache(
    torchport: Run, site: Path, tmp_path: Path
) -> None:
    healthy = torchport("doctor", "--json")
    assert healthy.returncode == 0, healthy.stdout
    found = {entry["what"]: entry for entry in json.loads(healthy.stdout)}
    assert {
        "python",
        "torchport",
        "torch",
        "native extension",
        "C++ compiler",
        "backend torchport_openmp",
    } <= found.keys()
    assert str(tmp_path / "cache") in found["cache directory"]["found"]
    add_vendor(site)
    ill = torchport("doctor", "--json")
    assert ill.returncode == 1
    broken = {entry["what"] for entry in json.loads(ill.stdout) if entry["state"] == "broken"}
    assert broken == {f"backend {name}" for name in REASONS}


def test_doctor_without_a_compiler_or_a_writable_cache(torchport: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = torchport(
        "doctor", "--json", CXX="/nonexistent/c++", TORCHPORT_CACHE_DIR=str(tmp_path / "file" / "cache")
    )
    found = {entry["what"]: entry for entry in json.loads(ran.stdout)}
    assert found["C++ compiler"]["state"] == "missing" and "CXX" in found["C++ compiler"]["hint"]
    assert found["cache directory"]["state"] == "broken"
    assert ran.returncode == 1


OLD = (
    GOOD
    + """
class Late(Good):
    name, opset = "late", "9.9"
"""
)


def test_doctor_warns_of_what_changes_behaviour(torchport: Run, site: Path) -> None:
    points = "[torchport.backends]\ngood = vendor_good:Good\nlate = vendor_good:Late\n"
    add_distribution(site, "vendor", points, vendor_good=OLD)
    ran = torchport("doctor", "--json", TORCHPORT_CASH_DIR="/x", TORCH_CACHING_PRECOMPILE="1")
    found = {entry["what"]: entry for entry in json.loads(ran.stdout)}
    assert ran.returncode == 1 and found["backend late"]["state"] == "broken"
    assert "9.9" in found["backend late"]["found"]
    assert found["backend good"]["state"] == "warning" and "by name" in found["backend good"]["found"]
    assert found["TORCHPORT_CASH_DIR"]["state"] == "warning"
    assert "TORCHPORT_CACHE_DIR" in found["TORCHPORT_CASH_DIR"]["hint"]
    assert "code of another" in found["TORCH_CACHING_PRECOMPILE"]["found"]
    assert found["TORCHPORT_CACHE_DIR"]["state"] == "ok" and found["C++ with OpenMP"]["state"] == "ok"
    assert {"cuda", "xpu", "triton", "CUDA compiler", "HIP compiler"} <= found.keys()


def test_doctor_tells_a_compiler_that_cannot_compile(torchport: Run, tmp_path: Path) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\n[ $1 = --version ] && echo fake 1.0 && exit\necho no omp.h >&2; exit 1\n")
    compiler.chmod(0o755)
    ran = torchport("doctor", "--json", CXX=str(compiler))
    found = {entry["what"]: entry for entry in json.loads(ran.stdout)}
    assert ran.returncode == 1 and "fake 1.0" in found["C++ compiler"]["found"]
    assert found["C++ with OpenMP"]["state"] == "broken"
    assert "no omp.h" in found["C++ with OpenMP"]["found"]


def test_doctor_names_settings_that_are_not_the_default(torchport: Run) -> None:
    import torch

    with torch._dynamo.config.patch(recompile_limit=3, suppress_errors=True):
        found = {entry["what"]: entry for entry in json.loads(torchport("doctor", "--json").stdout)}
    assert found["torch._dynamo.config.recompile_limit"]["found"] == "3"
    assert found["torch._dynamo.config.suppress_errors"]["state"] == "warning"
