"""What the catalog's page tells of a model: the state of its ports, its fastest run."""

from __future__ import annotations

import msgspec

from modeldocs.site.catalog import speed
from modeldocs.site.catalog.home import PortCell, Row
from modeldocs.site.catalog.speed import Speed
from modeldocs.site.templating import Link
from tests.benchmarks.examples import example


def cell(name: str, verdict: str = "", *, failed: bool = False) -> PortCell:
    return PortCell(
        link=Link(text=name, href=name), framework="Caffe", failed=failed, verdict=verdict
    )


def row(*ports: PortCell) -> Row:
    empty = dict.fromkeys(("id", "title", "href", "thumbnail", "task"), "")
    none = dict.fromkeys(("layers", "parameters", "macs"))
    counts = dict.fromkeys(("families", "records", "failures"), 0)
    return Row(**empty, **none, **counts, tags=(), ports=ports, other_families=())  # type: ignore[arg-type]


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


def timed(ms: float, **run: object):
    record = example()
    return msgspec.structs.replace(
        record,
        run=msgspec.structs.replace(record.run, **run),
        step_ms=msgspec.structs.replace(record.step_ms, p50=ms),
    )


def test_the_fastest_run_is_inference_of_the_smallest_batch() -> None:
    records = [timed(0.1, task="train", batch=1), timed(5, batch=1), timed(4, batch=1), timed(3)]
    assert speed.best(records) == Speed(ms=4, device="AMD EPYC(R) 9,000", run="batch 1, pytorch")
    assert speed.best(records[:1]) == Speed(
        ms=0.1, device="AMD EPYC(R) 9,000", run="train, batch 1, pytorch"
    )


def test_a_record_without_timed_steps_is_no_run() -> None:
    assert speed.best([example(step_ms=None)]) is None
