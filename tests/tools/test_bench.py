"""The benchmark tool: what it runs, how it interleaves, what it reports. No assertion on real times."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pytest
import torch
from torch._dynamo.testing import CompileCounter

from torchport.errors import UsageError
from torchport.tools.bench import SUITES, Case, run_bench, runner, timing
from torchport.tools.bench.cases import MICRO
from torchport.tools.bench.compile_time import compile_times
from torchport.tools.bench.contestant import contestant, exact, largest_error
from torchport.tools.bench.report import COLUMNS, BenchReport, CaseResult, Measurement
from torchport.tools.bench.timing import Timing, interleaved


def square_case(training: bool = False) -> Case:
    return Case("square", lambda: (lambda x: x * x, (torch.randn(5, requires_grad=training),)), training)


@pytest.mark.parametrize("case", MICRO, ids=lambda c: c.name)
def test_micro_cases_agree_with_float64(case: Case) -> None:
    results, truth = contestant(case, None)(), exact(case)
    assert len(results) == len(truth)
    scale = max(t.abs().max().item() for t in truth)
    assert largest_error(results, truth) <= 1e-4 * max(scale, 1)


def test_contestants_get_the_same_inputs_and_leave_the_generator_alone() -> None:
    state = torch.get_rng_state()
    first, second = contestant(square_case(), None)(), contestant(square_case(), None)()
    assert torch.equal(first[0], second[0])
    assert torch.equal(torch.get_rng_state(), state)


def test_training_cases_return_outputs_and_gradients() -> None:
    output, gradient = contestant(square_case(training=True), None)()
    exact_output, exact_gradient = exact(square_case(training=True))
    assert exact_gradient.dtype == torch.float64
    torch.testing.assert_close(output.double(), exact_output)
    torch.testing.assert_close(gradient.double(), exact_gradient)
    x = exact_output.sqrt()
    assert (gradient.abs() > 0).all()
    assert not torch.allclose(gradient.abs().double(), 2 * x), "the tangent is not all ones"


def test_module_parameters_get_gradients() -> None:
    case = Case("linear", lambda: (torch.nn.Linear(3, 2), (torch.randn(4, 3),)), training=True)
    output, weight, bias = contestant(case, None)()
    assert (output.shape, weight.shape, bias.shape) == ((4, 2), (2, 3), (2,))


def test_rivals_share_no_compiled_code() -> None:
    torch._dynamo.reset()
    counter = CompileCounter()
    for _ in range(3):
        contestant(square_case(), counter)()  # type: ignore[arg-type]
    assert counter.frame_count == 3
    torch._dynamo.reset()


@pytest.mark.parametrize(
    ("got", "want", "error"),
    [
        ([1.0, 2.0], [1.0, 2.5], 0.5),
        ([math.nan], [math.nan], 0.0),
        ([math.inf], [math.inf], 0.0),
        ([math.inf], [-math.inf], math.inf),
        ([math.nan], [1.0], math.inf),
        ([1.0], [math.nan], math.inf),
        ([], [], 0.0),
    ],
)
def test_largest_error(got: list[float], want: list[float], error: float) -> None:
    assert largest_error((torch.tensor(got),), (torch.tensor(want, dtype=torch.float64),)) == error


class Clock:
    """A clock that moves only when a contestant runs."""

    def __init__(self) -> None:
        self.now, self.log = 0.0, ""

    def contestant(self, name: str, seconds: Iterator[float]) -> object:
        def call() -> None:
            self.now += next(seconds)
            self.log += name

        return call


def test_contestants_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock.now)

    def steady(value: float) -> Iterator[float]:
        while True:
            yield value

    calls = {"a": clock.contestant("a", steady(0.01)), "b": clock.contestant("b", steady(0.03))}
    found = interleaved(calls, budget=1.0)  # type: ignore[arg-type]
    assert found["a"].median == pytest.approx(0.01)
    assert found["b"].median == pytest.approx(0.03)
    assert found["a"].samples == found["b"].samples == 25
    assert clock.log.endswith("ab" * 25)


def test_short_calls_are_sampled_in_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock.now)

    def steady() -> Iterator[float]:
        while True:
            yield 1e-5

    found = interleaved({"a": clock.contestant("a", steady())}, budget=0.001)  # type: ignore[dict-item]
    assert found["a"].median == pytest.approx(1e-5)
    assert found["a"].samples == timing.ROUNDS[0]
    assert len(clock.log) == timing.WARM_CALLS + 1 + 50 * (1 + timing.ROUNDS[0])


def timed(seconds: float) -> Timing:
    return Timing(seconds, seconds, seconds, 9)


def report() -> BenchReport:
    ours = Measurement("mine", timed(2e-3), 1.0, 0.5, 1e-7)
    rivals = (
        Measurement("inductor", timed(4e-3), 4.0, 1.0, 2e-7),
        Measurement("eager", timed(1e-3), error=0.0),
    )
    broken = Measurement("mine", failure="CompileError: no")
    return BenchReport(
        "mine",
        ("inductor", "eager"),
        "micro",
        {},
        {"mine": {"cold": 1.0, "warm": 0.1}},
        (CaseResult("one", ours, rivals), CaseResult("two", broken, rivals)),
    )


def test_ratios_are_ours_over_rival() -> None:
    data = report().to_dict()
    one, two = data["cases"]
    assert one["time_ours_over_rival"] == {"inductor": 0.5, "eager": 2.0}
    assert one["cold_compile_ours_over_rival"] == {"inductor": 0.25, "eager": None}
    assert two["time_ours_over_rival"] == {"inductor": None, "eager": None}
    assert data["geometric_mean_time_ours_over_rival"] == {
        "inductor": pytest.approx(0.5),
        "eager": pytest.approx(2.0),
    }
    assert json.loads(json.dumps(data, allow_nan=False))["cases"][0]["ours"]["timing"]["median"] == 2e-3
    assert report().failures == ("two: CompileError: no",)


def test_the_table_names_every_contestant_and_failure() -> None:
    rows = report().rows()
    assert {len(row) for row in rows} == {len(COLUMNS)}
    assert rows[0] == ("one", "mine", "2 ms", "", "1 s", "", "500 ms", "1.0e-07")
    assert rows[1] == ("", "inductor", "4 ms", "0.50", "4 s", "0.25", "1 s", "2.0e-07")
    assert rows[3][2] == "CompileError: no"
    assert "geometric mean" in str(report())


def test_a_run_measures_every_contestant() -> None:
    lines: list[str] = []
    threads = torch.get_num_threads()
    found = run_bench(
        "aot_eager",
        ["eager"],
        select="tiny",
        seconds_per_case=0.01,
        compile_time=False,
        progress=lines.append,
    )
    [case] = found.cases
    assert case.case == "tiny, 3 kernels"
    for m in (case.ours, *case.rivals):
        assert m.failure == ""
        assert m.timing is not None
        assert m.timing.samples >= timing.ROUNDS[0]
        assert m.error is not None
        assert m.error < 1e-5
    assert lines == ["1/1 tiny, 3 kernels"]
    assert torch.get_num_threads() == threads
    assert found.environment["torch"] == torch.__version__


def test_a_contestant_that_fails_is_reported_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = runner.contestant

    def sabotaged(case: Case, backend: str | None) -> object:
        if backend == "aot_eager":
            raise RuntimeError("planted\nsecond line")
        return whole(case, backend)

    monkeypatch.setattr(runner, "contestant", sabotaged)
    found = run_bench("aot_eager", ["eager"], select="tiny", seconds_per_case=0.01, compile_time=False)
    assert found.failures == ("tiny, 3 kernels: RuntimeError: planted",)
    assert found.cases[0].rivals[0].timing is not None
    assert found.geometric_mean("eager") is None


def test_infinity_in_the_wrong_place_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "exact", lambda case: (torch.full((8, 8), math.inf, dtype=torch.float64),))
    found = run_bench("aot_eager", ["eager"], select="tiny", seconds_per_case=0.01, compile_time=False)
    assert "infinity" in found.cases[0].ours.failure
    assert json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"backend": "no_such_backend"}, "unknown backend"),
        ({"backend": "aot_eager", "vs": ["nothing"]}, "unknown backend"),
        ({"backend": "aot_eager", "vs": ["aot_eager"]}, "named once"),
        ({"backend": "aot_eager", "suite": "macro"}, "unknown suite"),
        ({"backend": "aot_eager", "select": "no such case"}, "is selected"),
    ],
)
def test_bad_requests(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run_bench(**{"vs": ["eager"], "compile_time": False, **arguments})  # type: ignore[arg-type]


def test_compile_times_come_from_fresh_processes() -> None:
    cold, warm = compile_times("aot_eager", "micro", ["tiny, 3 kernels"])
    for found in (cold, warm):
        assert found.by_case.keys() == {"tiny, 3 kernels"}
        assert found.failures == {}
        assert found.startup > 0


def test_suites_have_distinct_case_names() -> None:
    for cases in SUITES.values():
        assert len({c.name for c in cases}) == len(cases)
