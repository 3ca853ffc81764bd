"""Bundles: which pairs run together, and that a build finds the same with and without them."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scale import generated
from modeldocs import catalog
from modeldocs.isolation import Limits
from modeldocs.numeric import parity
from modeldocs.tasks import build, bundle
from modeldocs.tasks.bundle import MAX_PAIRS, bundles
from modeldocs.tasks.parity import ParityInputs
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.results import Results
from modeldocs.tasks.store import Store


def pair(model: int, number: int, limits: Limits) -> PooledTask:
    inputs = ParityInputs(a="a", b=str(number), diff="", limits=limits)
    return PooledTask(kind="parity", name=f"model{model}/{number}", inputs=inputs)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([60.0, 120.0])), max_size=120),
    st.integers(1, 4),
)
def test_a_bundle_has_pairs_of_one_model_with_the_same_limits(chosen, jobs):
    tasks = [
        pair(model, number, Limits(seconds=seconds))
        for number, (model, seconds) in enumerate(sorted(chosen))
    ]
    made = [one.inputs.tasks for one in bundles(tasks, jobs)]
    every = [task.name for tasks in made for task in tasks]
    assert len(every) == len(set(every)) and set(every) <= {task.name for task in tasks}
    for bundled in made:
        assert 2 <= len(bundled) <= min(MAX_PAIRS, len(tasks) // jobs)
        assert len({one.name.partition("/")[0] for one in bundled}) == 1
        assert len({one.inputs.limits for one in bundled}) == 1


def test_few_pairs_are_spread_over_the_processes():
    tasks = [pair(0, number, Limits()) for number in range(7)]
    assert list(bundles(tasks, jobs=1)) == []
    assert len(list(bundles([*tasks, *tasks], jobs=1))) == 5


@pytest.fixture
def built(tmp_path):
    generated.write(tmp_path / "models", 9, blocks=1)

    def build_with(jobs: int, store: str, executor: Executor | None = None) -> Results:
        models, place = catalog.read(tmp_path / "models"), Store(tmp_path / store)
        return build.build(models, place, workers=executor or jobs)

    return build_with


def found(results: Results) -> dict[str, bytes]:
    names = [name for kind, name in results.digests if kind == "parity"]
    every = {name: results.parity_of(name) for name in names}
    timeless = {name: msgspec.structs.replace(one, seconds=0.0) for name, one in every.items()}
    return {name: msgspec.json.encode(one) for name, one in timeless.items()}


def test_a_build_finds_the_same_with_and_without_bundles(built, monkeypatch):
    with_bundles = built(1, "one")
    monkeypatch.setattr(bundle, "_BUNDLES_PER_JOB", 100)
    assert found(with_bundles) == found(built(1, "other")) and len(found(with_bundles)) == 9
    assert {run.outcome for run in with_bundles.log if run.kind == "parity"} == {"ran"}
    assert {run.outcome for run in built(1, "one").log if run.kind == "parity"} == {"stored"}


def test_pairs_that_a_bundle_leaves_run_alone(built, monkeypatch):
    monkeypatch.setattr(parity, "compare_together", lambda _, pairs, __: [None] * len(pairs))
    with ThreadPoolExecutor(1) as executor:
        results = built(1, "store", executor)
    assert len(found(results)) == 9
    assert all(results.parity_of(name).failure is None for name in found(results))
