"""The published list, results and arguments: what is frozen stays, and what is said holds."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest
import torch
from typer import Typer
from typer.testing import CliRunner

import torchport_conformance as tc
import torchport_conformance.mutants.mutant as mutant_module
import torchport_conformance.mutants.results as results_module
from torchport.contract.dtype_rules import dtype_from_name
from torchport.errors import ArtifactError, OptionError
from torchport_conformance.cases.case import Argument, Case, TensorPlan
from torchport_conformance.certificate import document
from torchport_conformance.mutants import cli, freeze
from torchport_conformance.mutants.dispatch import Planted
from torchport_conformance.mutants.equivalence import compare
from torchport_conformance.mutants.kinds import kind_of
from torchport_conformance.mutants.mutant import (
    Mutant,
    appended,
    frozen,
    frozen_text,
    known_faults,
    mutants,
    parse,
)
from torchport_conformance.mutants.results import (
    Equivalence,
    Published,
    check_schema,
    equivalences,
    equivalents,
    list_digest,
    published,
)
from torchport_conformance.mutants.samples import OPINFO
from torchport_conformance.mutants.table import Fate, KillTable
from torchport_conformance.mutants.trial import Trial
from torchport_conformance.specs import all_specs
from torchport_conformance.subject import subject_of

RUNNER = CliRunner()


def test_the_list_is_the_one_that_was_frozen() -> None:
    assert freeze.faults_of_list(frozen(), frozen_text()) == []
    assert freeze.digests()[520].startswith("7c626c614093")
    other = frozen_text().replace("#7\n", "#8\n", 1)
    assert any("the first 520" in line for line in freeze.faults_of_list(frozen(), other))
    moved = [replace(frozen()[0], dtype="int64"), *frozen()[1:]]
    assert any("can no longer be planted" in line for line in freeze.faults_of_list(moved, frozen_text()))
    shorter = [m for m in frozen() if m.fault != "all-zeros"]
    assert "the mutation operator all-zeros has no mutant" in freeze.faults_of_list(shorter, frozen_text())
    assert {m.fault for m in appended(shorter)} == {"all-zeros"}


def test_the_draw_takes_mutation_operators_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: known_faults()[name] for name in ("k-limit", "gelu-overflows", "hypot-overflows")}
    monkeypatch.setattr(mutant_module, "all_faults", lambda: few)
    drawn = mutants(count=5)
    assert [m.fault for m in drawn[:3]] == list(few) and [m.number for m in drawn] == list(range(5))
    assert drawn == mutants(count=7)[:5] and mutants(seed=1, count=7) != mutants(count=7)
    assert all(m.planted.fits(all_specs()[m.op], m.variant, m.dtype) for m in drawn)
    assert len(mutants(count=10**6)) == sum(len(fault.places(all_specs())) for fault in few.values())


def test_the_list_is_broad() -> None:
    kinds = {kind for m in frozen() for kind in m.planted.kinds}
    assert len(frozen()) >= 400 and len(kinds) >= 62 and len(known_faults()) >= 160
    assert {"alias-guard", "requires-grad-meta", "ignores-stride", "accum-dtype", "rng"} <= kinds
    assert len({m.op for m in frozen()}) > 300


def test_ids_are_read_back_and_refused() -> None:
    assert all(parse(m.id) == m for m in frozen())
    for text in (
        "all-zeros",
        "no-such/aten.relu.default[float32]#0",
        "all-zeros/aten.none.default[float32]#0",
    ):
        with pytest.raises(OptionError, match="not a mutant"):
            parse(text)
    with pytest.raises(OptionError, match="not a mutant"):
        parse("alias-guard-dropped/aten.relu.default[any]#0")


def test_a_fault_shows_in_eager_pytorch_in_its_dtype_alone() -> None:
    x = torch.tensor([1.0, -2.0, 3.0])
    planted = Planted(parse("all-zeros/aten.relu.default[float32]#0"))
    with planted:
        assert torch.relu(x).tolist() == [0, 0, 0]
        assert torch.relu(x.double()).tolist() == [1, 0, 3] and torch.abs(x).tolist() == [1, 2, 3]
    assert planted.calls == 1 and torch.relu(x).tolist() == [1, 0, 3]


def test_results_hold_one_fate_of_each_mutant() -> None:
    listed = frozen()
    fates = tuple(Fate(m.id, "quick", "case" if m.number % 2 else "") for m in listed)
    found = Published(list_digest(), {}).with_table(KillTable("quick", 0, fates[:-1]))
    assert found.kill_rates() == {}, "a part of the list has no rate"
    found = found.with_table(KillTable("quick", 0, fates[-1:])).with_table(KillTable("full", 0, fates[:3]))
    (killed, judged), *others = found.kill_rates().values()
    assert not others and killed == len(listed) // 2 and judged <= len(listed)
    again = found.with_table(KillTable("quick", 0, (replace(fates[0], killer="later"),)))
    assert again.tables["quick"].fates[0].killer == "later" and len(again.tables["quick"].fates) == len(
        listed
    )
    assert Published.read(again.to_json()) == again
    with pytest.raises(ArtifactError, match="not in the published list"):
        found.with_table(KillTable("quick", 0, (Fate("all-zeros/aten.relu.default[float32]#0", "quick"),)))
    with pytest.raises(ArtifactError, match="tables/quick/fates/0"):
        broken = json.loads(again.to_json())
        broken["tables"]["quick"]["fates"][0]["mutant"] = "somebody"
        check_schema(broken)
    assert replace(found, mutants="0" * 64).kill_rates() == {}


def test_an_argument_takes_a_survivor_out_of_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = (m.id for m in frozen()[:3])
    monkeypatch.setattr(results_module, "equivalents", lambda: {b: "for a reason", c: "wrongly"})
    table = KillTable("full", 0, (Fate(a, "full"), Fate(b, "full"), Fate(c, "full", "case")))
    judged = Published(list_digest(), {"full": table}).judged("full")
    assert (judged.killed, len(judged.judged)) == (1, 2), "what is killed counts, whatever is argued"
    assert [f.mutant for f in judged.survivors] == [a]


def test_published_results_are_of_the_list_and_no_equivalent_mutant_is_killed() -> None:
    assert published().is_current
    argued, listed = equivalents(), {m.id for m in frozen()}
    assert set(argued) <= listed and all(len(text) > 40 for text in argued.values())
    by_bounds = {m for each in equivalences() if each.within for m in each.mutants}
    for name, table in published().tables.items():
        assert {f.mutant for f in table.fates} <= listed
        # PyTorch's tolerances are others than the contract's bounds.
        allowed = by_bounds if name == OPINFO else set()
        assert not [f.mutant for f in table.fates if f.killed and f.mutant in set(argued) - allowed]


@pytest.mark.parametrize("each", equivalences(), ids=lambda each: each.mutants[0].partition("/")[0])
def test_equivalent_mutants_compute_what_the_right_kernel_does(each: Equivalence) -> None:
    judged = 0
    for mutant in map(parse, each.mutants):
        calls = calls_of(mutant, "full" if each.within else "quick")
        assert calls, mutant.id
        found = compare(mutant, calls, rounds=1, within=each.within)
        assert not found.difference, f"{mutant.id}: {found.difference}"
        assert found.presumed_equivalent is each.runs, mutant.id
        judged += found.judged
    assert bool(judged) is each.within, "results that do not differ need no bound"


def calls_of(mutant: Mutant, profile: str = "quick") -> list[Case]:
    """The operator's cases in the mutant's dtype; where there are none, those of others with this dtype."""
    found = [c for c in Trial(mutant, profile).cases("op") if isinstance(c, Case)]
    if found:
        return found
    dtype = dtype_from_name(mutant.dtype)
    others = [c for c in tc.plan(select=[mutant.op], layers=["op"]).cases if isinstance(c, Case)]
    return [
        replace(c, arguments=tuple((name, _in_dtype(a, dtype)) for name, a in c.arguments))
        for c in others
        if c.dtype == "float32"
    ]


def _in_dtype(argument: Argument, dtype: torch.dtype) -> Argument:
    floating = isinstance(argument, TensorPlan) and argument.dtype.is_floating_point
    return replace(argument, dtype=dtype) if floating else argument


def test_a_mutant_that_differs_is_told_from_the_right_kernel() -> None:
    mutant = parse("nan-sorts-first/aten.sort.default[float32]#0")
    assert compare(mutant, Trial(mutant, "quick").cases("op"), rounds=2).difference


def test_results_that_differ_within_the_bound_are_told_from_those_outside_of_it() -> None:
    ties, factor = (
        parse(f"{m}#0")
        for m in ("tie-order/aten.max.dim[float32]", "constant-factor/aten.exp.default[float32]")
    )
    calls = calls_of(ties)
    assert compare(ties, calls, rounds=0).difference
    found = compare(ties, calls, rounds=0, within=True)
    assert found.presumed_equivalent and 0 < found.judged < found.calls == len(calls)
    assert compare(factor, calls_of(factor), rounds=0, within=True).difference


def test_a_changed_operand_is_within_no_bound() -> None:
    mutant = parse("input-modified(self)/aten.exp.default[float32]#0")
    assert compare(mutant, calls_of(mutant), rounds=0, within=True).difference


def test_results_of_odd_strides_are_compared() -> None:
    mutant = parse("argument-ignored(neginf)/aten.nan_to_num.default[int64]#437")
    assert compare(mutant, calls_of(mutant), rounds=8).presumed_equivalent


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        ("autograd:aten.add.Tensor[float32-2d.small-alpha=1]", "autograd"),
        ("graph:overlap/arguments[form=no-write]", "graph"),
        ("aten.add.Tensor[opinfo:add.8]", "op: samples of OpInfo"),
        ("aten.add.Tensor[error:shapes#1]", "op: error conditions"),
        ("aten.add.Tensor[float32-5d.S4=17-offset7(self),columns(other)-alpha=1]", "op: layouts"),
        ("aten.add.Tensor[uint8-4d.S3=67.lead(other)-offset1(self)-meeting(self,other)-alpha=2]",
         "op: layouts with special values"),
        ("aten.mm.default[bfloat16-odd-nan@first(self)]", "op: special values"),
        ("aten.add.Tensor[float32-2d.S1=0-alpha=2]", "op: empty operands"),
        ("aten.add.Tensor[uint8,int32-2d.small.scalar(self)-alpha=1]", "op: mixed dtypes"),
        ("aten.add.Tensor[float32-2d.small-alpha=1]", "op: sizes and arguments"),
    ],
)  # fmt: skip
def test_kinds_of_cases(case: str, kind: str) -> None:
    assert kind_of(case) == kind


def test_the_command(tmp_path) -> None:
    app = Typer()
    app.command()(cli.mutants)
    refused = RUNNER.invoke(app, ["--select", "no-such-fault"])
    assert refused.exit_code == 2 and "no mutant of the published list" in refused.output.replace("\n", " ")
    mutant = next(m for m in frozen() if m.fault == "off-by-one")
    file = tmp_path / "t.json"
    given = ["--select", mutant.id, "--layer", "op", "--json", str(file)]
    found = RUNNER.invoke(app, given)
    assert found.exit_code == 0, found.output
    assert "quick: 1 of 1 mutants killed (100.0%), 0 not judged, 0 not tried" in found.output
    table = KillTable.read(file)
    assert table.environment["torch"] == torch.__version__ and len(table.environment["corpus"]) == 64
    check_schema(json.loads(Published(list_digest(), {"quick": table}).to_json()))
    assert RUNNER.invoke(app, [*given, "--seconds", "0"]).exit_code == 3


def test_certificates_carry_the_rates_of_whole_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    fates = tuple(Fate(m.id, "quick", "case" if m.number < 500 else "") for m in frozen())
    results = Published(list_digest(), {"quick": KillTable("quick", 0, fates)})
    monkeypatch.setattr(document, "published", lambda: results)
    report = tc.run("torchport:EagerBackend", select=["aten.relu.default"], layers=["op"], jobs=0)
    subject, _ = subject_of("torchport:EagerBackend", in_process=True)
    # Which cases the corpus has is not what is asked here.
    suite = document.payload(replace(report, scope={**report.scope, "drift": []}), subject)["suite"]
    assert suite["kill_rate"] == {"quick": [500, len(results.judged("quick").judged)]}
    schema = document.schema()
    field = schema["properties"]["payload"]["properties"]["suite"]["properties"]["kill_rate"]
    jsonschema.Draft202012Validator({**field, "$defs": schema["$defs"]}).validate(suite["kill_rate"])
