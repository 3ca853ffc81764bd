"""Readers of published tables and logs: units, conditions, and what a broken file gets told."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.benchmarks import metrics, readers
from modeldocs.errors import ModeldocsError

SHARED = Path(__file__).parents[4] / "shared" / "data" / "published"
TIMM = (
    "model,infer_img_size,infer_samples_per_sec,infer_step_time,infer_batch_size,param_count,"
    "infer_gmacs,infer_macts\nresnet50,224,3729.86,274.531,1024,25.56,4.11,11.11\n"
)
CAFFE = """I0228 23:01:59.106209 24487 net.cpp:49] Initializing net from parameters:
name: "tiny"
layer {
  name: "conv/a"
  type: "Convolution"
  input_param { shape { dim: 8 dim: 3 dim: 4 dim: 4 } }
}
I0228 23:01:59.383720 24487 net.cpp:141] Setting up conv/a
I0228 23:01:59.383721 24487 net.cpp:148] Top shape: 8 2 4 4 (256)
I0228 23:01:59.697926 24487 caffe.cpp:363] Iteration: 1 forward-backward time: 6 ms.
I0228 23:01:59.697927 24487 caffe.cpp:363] Iteration: 2 forward-backward time: 8 ms.
I0228 23:02:00.849072 24487 caffe.cpp:369]     conv/a	forward: 2.5 ms.
I0228 23:02:00.849079 24487 caffe.cpp:372]     conv/a	backward: 4.25 ms.
I0228 23:02:00.849194 24487 caffe.cpp:377] Average Forward pass: 2.6 ms.
I0228 23:02:00.849197 24487 caffe.cpp:379] Average Backward pass: 4.3 ms.
I0228 23:02:00.849201 24487 caffe.cpp:381] Average Forward-Backward: 7 ms.
"""


def read(folder: Path, name: str, text: str):
    file = folder / name
    file.write_text(text)
    form, recordings = readers.read(file)
    return form.name, [one.record for one in recordings]


def refused(folder: Path, name: str, text: str) -> str:
    with pytest.raises(ModeldocsError) as caught:
        read(folder, name, text)
    return str(caught.value)


class TestTimm:
    def test_the_rate_is_the_printed_one_and_the_conditions_are_in_the_name(self, tmp_path):
        name = "benchmark-infer-amp-nhwc-pt240-cu124-rtx3090.csv"
        form, (record,) = read(tmp_path, name, TIMM)
        assert form == "timm benchmark CSV"
        assert metrics.samples_per_second(record) == pytest.approx(3729.86, rel=1e-8)
        assert record.run.input_shapes == {"": (1024, 3, 224, 224)}
        assert (record.software.framework_version, record.software.cuda) == ("2.4.0", "12.4")
        assert (record.numerics.amp, record.numerics.channels_last) == (True, True)
        assert record.numerics.compiled is False
        printed = {figure.name: figure.value for figure in record.provenance.figures}
        assert printed == {"step_time": 274.531, "param_count": 25.56, "infer_gmacs": 4.11}

    def test_another_name_leaves_the_conditions_unknown(self, tmp_path):
        _, (record,) = read(tmp_path, "results.csv", TIMM)
        assert record.device.name == "not named in the file"
        assert record.numerics.amp is record.numerics.dtype is None

    @pytest.mark.parametrize(
        ("digits", "version"),
        [("112", "1.12"), ("113", "1.13"), ("240", "2.4.0"), ("2100", "2.10.0")],
    )
    def test_versions_of_pytorch(self, tmp_path, digits, version):
        name = f"benchmark-infer-fp16-nchw-pt{digits}-cu117-x-dynamo.csv"
        _, (record,) = read(tmp_path, name, TIMM)
        assert record.software.framework_version == version
        assert record.numerics.compiled is True

    @pytest.mark.parametrize("rate", ["", "nan", "-3", "0", "fast"])
    def test_a_row_that_measured_nothing_is_told_with_its_line(self, tmp_path, rate):
        assert "results.csv:2" in refused(tmp_path, "results.csv", TIMM.replace("3729.86", rate))

    def test_a_table_without_the_batch_almost_fits(self, tmp_path):
        message = refused(tmp_path, "r.csv", TIMM.replace("infer_batch_size", "size"))
        assert "almost timm benchmark CSV, but it lacks infer_batch_size" in message


class TestCaffeTime:
    def test_steps_phases_layers_and_the_network_are_read(self, tmp_path):
        form, (record,) = read(tmp_path, "log", CAFFE)
        assert form == "log of caffe time"
        assert record.step_ms.samples == ((6.0, 8.0),)
        assert record.mean_ms == 7
        assert record.run.batch == 8
        (block,) = record.blocks
        assert (block.path, block.kind) == ("conv/a", "Convolution")
        assert (block.forward_us, block.backward_us) == (2500, 4250)

    def test_sizes_of_outputs_are_read_for_the_matching_of_layers(self, tmp_path):
        (tmp_path / "log").write_text(CAFFE)
        _, (recording,) = readers.read(tmp_path / "log")
        assert recording.shapes == {"conv/a": (8, 2, 4, 4)}
        assert recording.prototxt.startswith('name: "tiny"')

    def test_a_log_that_ends_early_almost_fits(self, tmp_path):
        message = refused(tmp_path, "log", CAFFE[: CAFFE.index("I0228 23:02:00.849194")])
        assert "almost log of caffe time, but it ends before the mean times" in message


def test_a_table_may_leave_out_what_it_does_not_know(tmp_path):
    text = "model,mean_ms,framework,batch,shape\nAlexNet,81,neon,,128x3x224x224\n"
    _, (record,) = read(tmp_path, "t.csv", text)
    assert (record.mean_ms, record.run.batch) == (81, None)
    assert record.run.input_shapes == {"": (128, 3, 224, 224)}
    assert "unknown column speed" in refused(tmp_path, "t.csv", "model,mean_ms,speed\na,1,2\n")
    assert "t.csv:2" in refused(tmp_path, "t.csv", "model,mean_ms,batch\na,1,many\n")


def test_a_file_of_no_format_is_told_which_there_are(tmp_path):
    message = refused(tmp_path, "README.md", "# Nothing\n")
    assert "fits no format" in message
    assert all(form.name in message for form in readers.FORMATS)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published files are not here")
class TestPublishedTotals:
    """Totals that the sources print, from their raw files."""

    @pytest.mark.parametrize(
        ("name", "forward", "backward", "both"),
        [("alexnet", 42.405, 86.266, 128.729), ("googlenet", 146.263, 338.261, 484.671)],
    )
    def test_caffe_log(self, name, forward, backward, both):
        file = SHARED / f"convnet-benchmarks/caffe/output_{name}.log"
        _, (recording,) = readers.read(file)
        record = recording.record
        means = [*(phase.mean_ms for phase in record.phases), record.mean_ms]
        assert means == pytest.approx([forward, backward, both], abs=0.0005)

    @pytest.mark.parametrize(
        ("name", "rate"),
        [
            ("infer-amp-nchw-pt291-cu130-5090", 6356.02),
            ("infer-amp-nchw-pt291-cu128-4090", 4302.84),
            ("infer-amp-nchw-pt291-cu128-4090-dynamo", 8039.05),
            ("infer-amp-nhwc-pt240-cu124-rtx3090", 3729.86),
            ("train-amp-nhwc-pt112-cu113-rtx3090", 1218.01),
        ],
    )
    def test_rate_of_resnet50_at_224(self, name, rate):
        _, recordings = readers.read(SHARED / f"timm/benchmark-{name}.csv")
        found = [
            metrics.samples_per_second(one.record)
            for one in recordings
            if one.record.model.id == "resnet50"
            and one.record.run.input_shapes[""][2:] == (224, 224)
        ]
        assert found == [pytest.approx(rate, rel=1e-6)]
