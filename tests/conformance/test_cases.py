"""The cases of the profiles: every operator, dtype, layout and choice is there, under ids of its own."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product

import pytest
import torch

import torchport_conformance as tc
from torchport_conformance import corpus, oracle
from torchport_conformance.cases.axes import Axes
from torchport_conformance.cases.case import TensorPlan
from torchport_conformance.cases.covering import each_value, pairs
from torchport_conformance.cases.generate import cases_for, reason_without_cases
from torchport_conformance.cases.layouts import LAYOUTS
from torchport_conformance.cases.profiles import PROFILES, needs_gradients
from torchport_conformance.cases.signature import signature
from torchport_conformance.cases.values import draw
from torchport_conformance.layers import LAYERS, Request
from torchport_conformance.specs import all_specs, spec_of

LEVELS = [(5, 8, 8, 2, 3), (12, 14), (3,), (), (1, 1, 4), (2, 3)]
SAMPLE = list(all_specs().values())[::23]


@pytest.mark.parametrize("levels", LEVELS)
def test_covering_arrays_have_every_pair_in_few_rows(levels: tuple[int, ...]) -> None:
    rows = pairs(levels)
    for a, b in product(range(len(levels)), repeat=2):
        if a < b:
            wanted = set(product(range(levels[a]), range(levels[b])))
            assert {(row[a], row[b]) for row in rows} == wanted
    largest = sorted(levels)[-2:]
    assert len(rows) <= 1.5 * (largest[0] * largest[-1] if len(largest) > 1 else max(levels, default=1))
    for axis, count in enumerate(levels):
        assert {row[axis] for row in each_value(levels)} == set(range(count))


@pytest.mark.parametrize("name", ["quick", "full"])
def test_every_dtype_layout_and_choice_of_an_operator_has_a_case(name: str) -> None:
    for spec in SAMPLE:
        if reason_without_cases(spec):
            continue
        axes = Axes(signature(spec), PROFILES[name])
        cases = cases_for(spec, PROFILES[name])
        if axes.sig.tensors:
            assert set(axes.dtypes) <= {case.dtype for case in cases}, spec.name
        plans = {(n.partition("[")[0], plan.layout) for case in cases for n, plan in case.tensors()}
        for axis in axes.axes():
            if axis.kind == "layout" and not (axes.sig.views or axes.sig.resizes):
                missed = [level for level in axis.levels if not any((axis.of, n) in plans for n in level)]
                assert len(missed) <= 1, (spec.name, axis.of, missed)


def test_ids_are_unique_and_cases_are_not_repeated() -> None:
    for spec in SAMPLE[::3]:
        cases = cases_for(spec, PROFILES["full"])
        assert len({case.id for case in cases}) == len(cases)
        assert len({(case.arguments, case.sizes) for case in cases}) == len(cases)


def test_groups_of_a_full_profile_serve_several_cases() -> None:
    cases = [case for spec in SAMPLE for case in cases_for(spec, PROFILES["full"])]
    assert len(cases) > 1.4 * len({case.group for case in cases})


def test_inference_leaves_gradients_out() -> None:
    assert needs_gradients(spec_of("aten.native_layer_norm_backward.default"))
    assert needs_gradients(spec_of("aten._fused_adam.default"))
    assert not needs_gradients(spec_of("aten.bernoulli.p"))
    assert cases_for(spec_of("aten._fused_adam.default"), PROFILES["inference"]) == ()
    assert cases_for(spec_of("aten.mul.Tensor"), PROFILES["inference"])


def test_corpora_are_frozen_above_their_floors() -> None:
    for name, profile in PROFILES.items():
        kept = corpus.frozen(name)
        assert 0.9 * kept.cases < profile.floor <= kept.cases
    assert corpus.frozen("full").cases >= 60_000
    made = {spec.name for spec in all_specs().values() if not reason_without_cases(spec)}
    assert made == set(corpus.frozen("full").entries) == set(corpus.frozen("quick").entries)
    found = corpus.corpus_of("quick", (c for s in SAMPLE for c in cases_for(s, PROFILES["quick"])))
    assert found.drift(corpus.frozen("quick")) == ()


def test_a_run_of_other_cases_than_the_frozen_ones_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    select = ["aten.relu.default"]
    assert tc.plan(select=select, layers=["op"]).scope["drift"] == []
    kept = corpus.frozen("quick")
    entries = {**kept.entries, "aten.relu.default": (1, "0" * 16)}
    monkeypatch.setattr("torchport_conformance.suite.frozen", lambda name: corpus.Corpus(name, entries))
    report = tc.run("planted_faults:FlatRelu", select=select, layers=["op"], jobs=0)
    assert report.scope["drift"] == select and report.is_short


@pytest.mark.parametrize("op", ["aten._embedding_bag.default", "aten._embedding_bag_forward_only.default"])
def test_operands_promote_with_those_that_the_rule_names(op: str) -> None:
    axes = Axes(signature(spec_of(op)), PROFILES["full"])
    assert axes.promoting == ("indices", "offsets")
    pairs_of = {
        tuple(dict(c.tensors())[n].dtype for n in axes.promoting)
        for c in cases_for(spec_of(op), axes.profile)
    }
    integers = (torch.int64, torch.int32)
    assert pairs_of >= {integers, integers[::-1]} and all(d in integers for pair in pairs_of for d in pair)
    assert Axes(signature(spec_of("aten.where.self")), PROFILES["quick"]).promoting == ("self", "other")


@pytest.mark.parametrize(
    ("op", "parts", "whole"),
    [
        ("aten.segment_reduce.default", "offsets", "data"),
        ("aten._segment_reduce_backward.default", "offsets", "data"),
        ("aten._histogramdd_from_bin_tensors.default", "bins[0]", None),
        ("aten._embedding_bag_per_sample_weights_backward.default", "offsets", "indices"),
    ],
)
def test_what_is_there_has_a_part_that_it_belongs_to(op: str, parts: str, whole: str | None) -> None:
    for case in cases_for(spec_of(op), PROFILES["full"]):
        plans = dict(case.tensors())
        assert plans[parts].shape[0] > 0 or (whole is not None and 0 in plans[whole].shape), case.id


def test_the_last_of_offsets_that_say_so_is_the_end() -> None:
    found = set()
    for case in cases_for(spec_of("aten._embedding_bag.default"), PROFILES["full"]):
        values, arguments = oracle.operands(case, 0), dict(case.arguments)
        if arguments["offsets"].layout != "expanded":
            ends = int(values["offsets"][-1]) == values["indices"].numel()
            found.add((arguments["include_last_offset"], ends))
            assert int(values["offsets"][0]) == 0 or values["offsets"].numel() == 1, case.id
    assert found == {(True, True), (False, True), (False, False)}


@pytest.mark.parametrize("op", ["aten._ctc_loss.default", "aten._ctc_loss_backward.default"])
def test_no_label_is_the_blank_where_there_are_other_classes(op: str) -> None:
    blanks, classes = set(), set()
    for case in cases_for(spec_of(op), PROFILES["full"]):
        arguments, values = dict(case.arguments), oracle.operands(case, 0)
        count = arguments["log_probs"].shape[2]
        blanks.add(arguments["blank"])
        if count > 1:
            assert not (values["targets"] == arguments["blank"]).any(), case.id
            assert ((values["targets"] >= 0) & (values["targets"] < count)).all(), case.id
            classes |= set(values["targets"].flatten().tolist())
    assert blanks == {0, 1} and {0, 1, 2} <= classes


@pytest.mark.parametrize("op", ["aten.native_batch_norm.default", "aten.diagonal_scatter.default"])
def test_operands_that_have_to_fit_each_other_do(op: str) -> None:
    cases = cases_for(spec_of(op), PROFILES["quick"])
    assert len(cases) >= 30 and len({case.dtype for case in cases}) >= 4
    if "batch_norm" in op:
        training = {dict(c.arguments)["training"]: dict(c.arguments)["running_mean"] for c in cases}
        assert training[True] is None and training[False] is not None


@pytest.mark.parametrize("name", ["quick", "full"])
def test_regions_of_one_case_are_static_and_symbolic_in_turn(name: str) -> None:
    for spec in SAMPLE[::4]:
        cases = cases_for(spec, PROFILES[name])
        served = Counter(case.group for case in cases)
        assert all(served[case.group] == 1 for case in cases if case.static)
        alone = [case for case in cases if served[case.group] == 1]
        expected = [bool(i % (8 if name == "quick" else 2)) for i in range(len(alone))]
        assert [case.static for case in alone] == expected and not all(expected)


def test_unsigned_bytes_of_any_value_have_the_sign_bit_of_signed_ones() -> None:
    values = draw(TensorPlan(("n",), (64,), torch.uint8), torch.Generator().manual_seed(0))
    assert int(values.max()) > 127 and int(values.min()) < 128


def test_a_mask_of_one_row_is_off_in_half_of_it() -> None:
    plan = TensorPlan(("n",), (8,), torch.bool, values="nonzero", fill="row-off")
    assert draw(plan, torch.Generator().manual_seed(0)).tolist() == [False] * 4 + [True] * 4


def test_scattered_elements_lie_apart_in_reverse_order() -> None:
    x = torch.empty_strided((3, 4, 5), LAYOUTS["scattered"].strides((3, 4, 5)))
    assert x.stride() == (2, 9, 36) and LAYOUTS["scattered"].offset
    flat = sorted(
        sum(i * s for i, s in zip(at, x.stride(), strict=True)) for at in product(*map(range, x.shape))
    )
    assert len(set(flat)) == x.numel() and min(b - a for a, b in pairwise(flat)) >= 2


@pytest.mark.parametrize("layer", ["op", "metadata", "decomposition", "autograd"])
def test_no_call_compares_very_many_classes_with_each_other(layer: str) -> None:
    spec = spec_of("aten.multilabel_margin_loss_forward.default")
    found = [getattr(c, "base", c) for c in LAYERS[layer].cases(Request(PROFILES["full"], [spec]))]
    sizes = [
        plan.shape[-1]
        for c in found
        if isinstance(c, tc.Case)
        for name, plan in c.tensors()
        if name == "target"
    ]
    assert sizes and max(sizes) <= 8192
