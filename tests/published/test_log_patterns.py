"""Logs read by patterns of a source's YAML file: fields, units, and what a broken one gets told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.readers.content import Content
from modeldocs.errors import ModeldocsError
from modeldocs.published import log_patterns, source
from tests.conftest import REPOSITORY

SOURCES = REPOSITORY / "models" / "_sources"
SHARED = REPOSITORY.parent / "shared" / "data" / "published"
PASSES = {
    "forward_times": [0.010, 0.012],
    "backward_times": [0.020, 0.022],
    "total_times": [0.030, 0.034],
    "gpu_name": "GeForce GTX 1080",
    "cudnn_version": "5110",
    "opt": {"model_t7": "a.t7", "batch_size": 16, "image_height": 224, "image_width": 224},
}
TORCH = """Running on device: GeForce GTX TITAN X
ModelType: AlexNet\tKernels: cudnn\tInput shape: 128x3x224x224
cudnn                                          :Forward:      27.65
cudnn                                         :Backward:      53.31
cudnn                                            :TOTAL:      80.96
"""


def read(file: Path, name: str):
    """The records of a file, by the patterns of a source of our catalog, or of a text."""
    told = source.read(SOURCES / f"{name}.yml")
    content = Content(file)
    logs = (log_patterns.opened(content, patterns) for patterns in told.logs)
    log = next(one for one in logs if one.fits())
    return [one.record for one in log_patterns.read(log)]


def written(folder: Path, text: str) -> Path:
    (folder / "log").write_text(text)
    return folder / "log"


def passes(folder: Path, **changes: object) -> Path:
    return written(folder, json.dumps(PASSES | changes))


def test_seconds_become_milliseconds_and_samples_are_kept(tmp_path):
    (record,) = read(passes(tmp_path), "cnn-benchmarks")
    assert record.step_ms.samples == ((30.0, 34.0),)
    assert [phase.mean_ms for phase in record.phases] == [11.0, 21.0]
    assert (record.run.task, record.device.kind) == ("forward-backward", "cuda")
    assert record.run.input_shapes == {"": (16, 3, 224, 224)}
    assert metrics.samples_per_second(record) == pytest.approx(32 / 0.064)


@pytest.mark.parametrize(
    ("number", "version"), [("5110", "5.1.10"), ("4007", "4.0.7"), ("none", "not used")]
)
def test_the_first_pattern_that_matches_counts(tmp_path, number, version):
    (record,) = read(passes(tmp_path, cudnn_version=number), "cnn-benchmarks")
    assert record.software.cudnn == version


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"total_times": []}, "it has no steps"),
        ({"opt": {"model_t7": "a"}}, "breaks off in a: it has no run.batch"),
        ({"total_times": [0.1, "x"]}, "has 'x' where"),
    ],
)
def test_what_is_missing_or_wrong_is_named(tmp_path, wrong, reason):
    with pytest.raises(ModeldocsError) as caught:
        read(passes(tmp_path, **wrong), "cnn-benchmarks")
    assert reason in str(caught.value)


def test_a_log_has_a_record_for_each_run(tmp_path):
    first, second = read(
        written(tmp_path, TORCH + TORCH.split("\n", 1)[1].replace("AlexNet", "VGG")),
        "convnet-benchmarks",
    )
    assert (first.model.id, first.mean_ms, second.model.id) == ("AlexNet", 80.96, "VGG")
    assert [phase.mean_ms for phase in first.phases] == [27.65, 53.31]
    assert first.notes == ("Kernels: cudnn.",)
    assert first.device.name == second.device.name == "GeForce GTX TITAN X"


def test_a_run_that_is_cut_off_is_told_with_its_line(tmp_path):
    with pytest.raises(ModeldocsError, match="breaks off in AlexNet") as caught:
        read(written(tmp_path, TORCH[: TORCH.index("cudnn    ")]), "convnet-benchmarks")
    assert "log:2" in str(caught.value)


def test_the_example_of_the_guide_reads_its_log(tmp_path):
    guide = (REPOSITORY / "site_src" / "guide" / "benchmark-formats.md").read_text()
    example = guide.split("```yaml\n")[1].split("```")[0]
    (patterns,) = yaml.safe_load(example)["logs"]
    made = log_patterns.msgspec.convert(patterns, log_patterns.LogPatterns)
    text = "GPU: H200\nstart resnet50 batch=8 mode=train\ntimes: 0.5, 0.25\n"
    log = log_patterns.opened(Content(written(tmp_path, text)), made)
    (record,) = [one.record for one in log_patterns.read(log)]
    assert (record.run.task, record.device.name) == ("training", "H200")
    assert record.step_ms.samples == ((500.0, 250.0),)


def test_a_pattern_that_is_no_regular_expression_is_told(tmp_path):
    wrong = log_patterns.LogPatterns(name="mine", runs="(", fields={})
    with pytest.raises(ModeldocsError, match="is no regular expression"):
        log_patterns.opened(Content(written(tmp_path, "a")), wrong).fits()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published files are not here")
@pytest.mark.parametrize(
    ("folder", "network", "mean"),
    [
        ("1080Ti_cudnn51", "alexnet", 13.89),
        ("titan_xp_cudnn51", "alexnet", 14.56),
        ("1080_cudnn51", "alexnet", 20.74),
        ("titan_xm_cudnn51", "alexnet", 21.85),
        ("titan_xm_cudnn50", "alexnet", 25.33),
        ("titan_xm_cudnn4", "alexnet", 25.94),
        ("1080Ti_cudnn51", "resnet-50", 101.21),
        ("1080Ti", "resnet-50", 277.47),
        ("1080_cudnn51", "resnet-50", 149.82),
    ],
)
def test_means_are_those_that_the_source_prints(folder, network, mean):
    for file in sorted((SHARED / "cnn-benchmarks/outputs" / folder).glob("*.json")):
        (record,) = read(file, "cnn-benchmarks")
        if network in record.model.id and (record.software.cudnn != "not used") == (
            "cudnn" in folder
        ):
            assert record.step_ms.mean == pytest.approx(mean, abs=0.005)
            return
    raise AssertionError
