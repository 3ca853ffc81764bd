"""Which charts stand together: what there is to draw decides."""

import msgspec

from modeldocs.benchmarks import panel, quantities, sections
from modeldocs.benchmarks.summary import summarise

from .examples import example


def timed(date, milliseconds=1.0):
    return example(run=sections.Run(date=date), step_ms=summarise([[milliseconds] * 3]))


def test_records_without_a_figure_draw_nothing():
    bare = example(step_ms=None, throughput=None, blocks=None)
    assert panel.draw([]) == panel.draw([bare]) == panel.Panel()


def test_each_chart_is_drawn_where_there_is_something_in_it():
    rated = example(
        step_ms=None, blocks=None, throughput=quantities.Throughput(samples=3, wall_us=1e6)
    )
    assert panel.draw([rated]).throughput.startswith("<svg")
    assert panel.draw([rated]).steps == panel.draw([rated]).blocks == ""
    block = quantities.Block(path="a", kind="Conv2d", forward_us=3.0)
    whole = msgspec.structs.replace(timed("2026-11-20"), blocks=(block,))
    assert panel.draw([whole]).steps.startswith("<svg")
    assert panel.draw([whole]).blocks.startswith("<svg")


def test_the_latest_record_with_timed_steps_is_told():
    old, new = timed("2025-01-01"), timed("2026-01-01")
    untimed = example(run=sections.Run(date="2027-01-01"), step_ms=None)
    assert panel.latest([old, new, untimed]) is new
    assert panel.latest([untimed]) is None
