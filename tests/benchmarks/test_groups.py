"""Which runs a chart compares: those of one task and input size, whatever the layout of images."""

import msgspec
import pytest

from modeldocs.benchmarks import groups, measurements, metadata

from .examples import example


def run(framework, shape):
    return example(
        step_ms=None,
        run=metadata.RunOptions(
            date="2026-11-20", task="inference", batch=shape[0], input_shapes={"image": shape}
        ),
        software=metadata.Software(framework=framework),
        throughput=measurements.Throughput(samples=3, wall_us=1e6),
    )


PYTORCH, KERAS = run("PyTorch", (2, 3, 224, 224)), run("Keras", (2, 224, 224, 3))


def test_images_with_their_channels_last_are_of_the_same_size():
    assert groups.size(PYTORCH) == groups.size(KERAS) == (3, 224, 224)
    assert groups.by_task([PYTORCH, KERAS]) == {"inference": [PYTORCH, KERAS]}
    assert groups.of_one_device([PYTORCH, KERAS]) == [[PYTORCH, KERAS]]


@pytest.mark.parametrize("shape", [(2, 128), (2, 3, 224, 224), (2, 64, 56, 56), (2, 10, 20, 30)])
def test_other_inputs_are_as_they_are(shape):
    assert groups.size(run("PyTorch", shape)) == shape[1:]


def test_runs_of_several_inputs_have_no_size():
    two = msgspec.structs.replace(PYTORCH.run, input_shapes={"ids": (2, 128), "types": (2, 128)})
    assert groups.size(msgspec.structs.replace(PYTORCH, run=two)) is None
