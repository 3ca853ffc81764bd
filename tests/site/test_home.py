"""What the catalog's page tells of a model: the state of its ports, its fastest run."""

from __future__ import annotations

import msgspec

from modeldocs.benchmarks import measurements
from modeldocs.site.catalog import speed
from modeldocs.site.catalog.home import ModelRow, PortCell
from modeldocs.site.catalog.speed import Speed
from modeldocs.site.templating import PageLink
from tests.benchmarks.examples import example


def cell(name: str, verdict: str = "", *, failed: bool = False) -> PortCell:
    return PortCell(
        link=PageLink(text=name, href=name), framework="Caffe", failed=failed, verdict=verdict
    )


def row(*ports: PortCell) -> ModelRow:
    empty = dict.fromkeys(("id", "title", "href", "thumbnail", "task"), "")
    none = dict.fromkeys(("layers", "parameters", "macs"))
    counts = dict.fromkeys(("families", "records", "failures"), 0)
    return ModelRow(**empty, **none, **counts, tags=(), ports=ports, other_families=())  # type: ignore[arg-type]


def test_ports_are_told_by_state_with_a_sign_and_a_word() -> None:
    ports = [
        cell("a", "verified"),
        cell("b", "disagrees"),
        cell("c"),
        cell("d", "not run"),
        cell("e", failed=True),
        cell("f", "verified"),
    ]
    told = [
        (sign, state, [one.link.text for one in some])
        for sign, state, some in row(*ports).by_state()
    ]
    assert told == [
        ("✓", "verified", ["a", "f"]),
        ("✗", "disagrees", ["b"]),
        ("○", "not verified", ["c", "d"]),
        ("–", "not loaded", ["e"]),
    ]


def rated(rate: int, ms: float = 1.0, **run: object):
    record = example(throughput=measurements.Throughput(samples=rate, wall_us=1e6))
    return msgspec.structs.replace(
        record,
        run=msgspec.structs.replace(record.run, **run),
        step_ms=msgspec.structs.replace(record.step_ms, p50=ms),
    )


def test_the_fastest_run_is_inference_of_the_highest_rate() -> None:
    records = [rated(900, task="training", batch=64), rated(50, batch=64), rated(30, batch=64)]
    assert speed.best(records) == Speed(
        rate=50, device="AMD EPYC(R) 9,000", run="batch 64, pytorch"
    )
    assert speed.best(records[:1]) == Speed(
        rate=900, device="AMD EPYC(R) 9,000", run="training, batch 64, pytorch"
    )


def test_the_fastest_run_is_one_of_the_usual_input_size() -> None:
    """One of smaller images does less; its rate is no rate of the model."""
    sizes = {500: (64, 3, 160, 160), 300: (64, 3, 224, 224), 200: (64, 3, 224, 224)}
    records = [
        rated(rate, batch=64, input_shapes={"image": sizes[rate]}) for rate in (500, 300, 200)
    ]
    best = speed.best(records)
    assert best is not None
    assert (best.rate, best.run) == (300, "batch 64, input 3×224×224, pytorch")


def test_a_latency_is_the_step_of_a_small_batch() -> None:
    best = speed.best([rated(500, 128.0, batch=64), rated(40, 25.0, batch=1)])
    assert best is not None
    assert (best.rate, best.latency_ms) == (500, 25.0)
    assert best.latency_device == "AMD EPYC(R) 9,000"


def test_a_record_without_a_rate_is_no_run() -> None:
    assert speed.best([example(step_ms=None)]) is None
