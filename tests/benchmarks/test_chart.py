import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import msgspec
import pytest

from modeldocs.benchmarks import chart, measurements, metadata, rate_charts, record, work_chart
from modeldocs.benchmarks.history_chart import history_chart
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError

from .examples import example

LIGHT, DARK = "#ffffff", "#1e2129"


def rated(samples, **run):
    return example(
        run=metadata.RunOptions(date="2026-11-20", **run),
        throughput=measurements.Throughput(samples=samples, wall_us=1e6),
    )


def mean_of(milliseconds):
    return example(step_ms=None, mean_ms=milliseconds)


def on(device, samples, **run):
    return msgspec.structs.replace(rated(samples, **run), device=metadata.Device(name=device))


def blocked(*blocks):
    return example(
        blocks=tuple(measurements.Block(path=p, kind=k, forward_us=t) for p, k, t in blocks)
    )


def timed(*milliseconds):
    return example(step_ms=summarise([milliseconds]))


DRAWN = {
    "throughput": lambda: rate_charts.rate_chart([rated(100, batch=1), rated(90, batch=2)]),
    "logarithmic": lambda: rate_charts.rate_chart([rated(9000, batch=1), rated(3, batch=2)]),
    "frameworks": lambda: rate_charts.framework_chart([mean_of(10.0), mean_of(20.0)]),
    "history": lambda: history_chart([on("NVIDIA GeForce RTX 3090", 100, task="inference")]),
    "work": lambda: work_chart.work_chart(
        [
            work_chart.WorkPoint(mean_of(1.0), 1000.0, 4_000_000_000),
            work_chart.WorkPoint(mean_of(2.0), 10.0, 10**9),
        ]
    ),
    "steps": lambda: chart.step_chart(timed(*[1 + i % 7 / 10 for i in range(400)], 99.0)),
    "blocks": lambda: chart.block_chart(blocked(("a", "Conv2d", 3.0), ("b", "Linear", 4.0))),
}


@pytest.fixture(scope="module", params=DRAWN)
def svg(request):
    return DRAWN[request.param]()


def texts(svg):
    return ["".join(node.itertext()) for node in ET.fromstring(svg).iter() if "text" in node.tag]


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_colour_stands_out_on_light_and_dark_pages(svg):
    colors = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]+)"', svg))
    assert colors
    for color in colors:
        assert contrast(color, LIGHT) >= 3
        assert contrast(color, DARK) >= 3


def test_it_has_no_background_no_script_and_asks_for_nothing_from_outside(svg):
    assert "<script" not in svg
    assert "href" not in svg.replace("xmlns:xlink", "")
    assert set(re.findall(r'font-family="([^"]*)"', svg)) == {"sans-serif"}
    assert " id=" not in svg
    rectangle = re.search(r'<rect[^>]*fill="(?!none|transparent)', svg)
    assert rectangle is None


def test_it_is_one_image_with_a_text_in_its_place(svg):
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    said = root.get("aria-label")
    assert re.search("float32|block|Forward|fastest|RTX|GMACs", said)
    assert root[0].tag.endswith("title")
    assert root[0].text
    assert root[1].text == said
    assert svg.count("role=") == 1


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_records_give_the_same_bytes(name):
    assert DRAWN[name]() == DRAWN[name]()


def test_the_bytes_do_not_hang_on_the_process(tmp_path):
    (tmp_path / "r.json").write_bytes(record.encode(rated(100, batch=1)))
    code = (
        "from modeldocs.benchmarks import rate_charts, record; from pathlib import Path; "
        "print(rate_charts.rate_chart([record.decode(Path('r.json').read_bytes())]), end='')"
    )
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            cwd=tmp_path, capture_output=True, check=True, text=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert drawn == {rate_charts.rate_chart([rated(100, batch=1)])}


def test_the_fastest_stands_first_and_a_record_without_a_rate_is_left_out():
    drawn = rate_charts.rate_chart([rated(10, batch=1), example(), rated(20, batch=2)])
    rows = [text for text in texts(drawn) if "·" in text]
    assert [("batch 2" in row, "batch 1" in row) for row in rows] == [(True, False), (False, True)]


def test_runs_with_the_same_label_keep_a_row_each():
    drawn = rate_charts.rate_chart([rated(10, batch=1), rated(20, batch=1)])
    assert len([text for text in texts(drawn) if "·" in text]) == 2


def test_frameworks_are_drawn_relative_to_the_fastest():
    told = texts(DRAWN["frameworks"]())
    assert any(text.startswith("1.00 ×") for text in told)
    assert any(text.startswith("2.00 ×") for text in told)


def test_rates_against_work_have_lines_of_equal_operations():
    told = texts(DRAWN["work"]())
    assert {"1 TFLOP/s", "10 TFLOP/s"} <= set(told)
    assert "tiny on AMD EPYC(R) 9,000: 1,000/s at 4 GMACs" in DRAWN["work"]()


def test_devices_of_close_rates_and_one_year_have_a_point_and_a_label_each():
    near = [
        on("NVIDIA GeForce RTX 5090", 100, task="inference"),
        on("NVIDIA RTX PRO 6000 Blackwell Max-Q", 101, task="inference"),
    ]
    told = texts(history_chart(near))
    assert {"RTX PRO 6000 Blackwell Max-Q", "RTX 5090"} <= set(told)


def test_counts_of_steps_are_whole_numbers():
    told = texts(chart.step_chart(timed(1.0, 1.1, 1.1, 1.2)))
    assert {"0", "1", "2"} <= set(told)
    assert not {"0.5", "1.5"} & set(told)


def test_rates_far_apart_are_drawn_on_a_logarithmic_axis_of_whole_decades():
    told = texts(DRAWN["logarithmic"]())
    assert "samples per second, logarithmic" in told
    assert {"1", "10", "100", "1,000", "10,000"} <= set(told)
    assert "samples per second" in texts(DRAWN["throughput"]())


def test_the_slowest_steps_are_counted_and_not_drawn():
    told = " ".join(texts(DRAWN["steps"]()))
    assert "2 slower, up to 99.0, not drawn" in told
    assert "p50 1.30 ms" in told


@pytest.mark.parametrize("milliseconds", [[0.0], [2.0], [2.0, 2.0, 2.0], [1e-4, 5000.0]])
def test_few_or_equal_steps_can_be_drawn(milliseconds):
    assert "p50" in " ".join(texts(chart.step_chart(timed(*milliseconds))))


def test_blocks_that_hold_others_are_not_drawn_beside_them():
    held = blocked(("net", "Sequential", 9.0), ("net.0", "Conv2d", 5.0), ("network", "ReLU", 1.0))
    told = " ".join(texts(chart.block_chart(held)))
    assert "net.0  Conv2d" in told
    assert "network  ReLU" in told
    assert "Sequential" not in told


def test_the_fifteen_longest_blocks_are_drawn():
    many = blocked(*[(f"b{i}", "ReLU", float(i)) for i in range(1, 31)])
    told = [text for text in texts(chart.block_chart(many)) if "ReLU" in text]
    assert told == [f"b{i}  ReLU" for i in range(30, 15, -1)]


def test_what_a_model_supplies_is_escaped():
    evil = '<script>alert("1")</script>&'
    made = blocked((evil, evil, 3.0))
    drawn = chart.block_chart(made)
    assert "<script" not in drawn
    assert ET.fromstring(drawn) is not None
    named = msgspec.structs.replace(rated(3, batch=1), device=metadata.Device(name=evil))
    assert "<script" not in rate_charts.rate_chart([named])


@pytest.mark.parametrize(
    "draw",
    [
        lambda: rate_charts.rate_chart([]),
        lambda: rate_charts.rate_chart([example()]),
        lambda: rate_charts.framework_chart([example(step_ms=None)]),
        lambda: chart.step_chart(msgspec.structs.replace(example(), step_ms=None)),
        lambda: chart.block_chart(example()),
    ],
)
def test_nothing_to_draw_is_told(draw):
    with pytest.raises(ModeldocsError, match="to draw"):
        draw()
