"""Whole programs, as they are written: blocks with arguments, sequences, names of the source.

`pytest --rewrite-golden` takes what is written now as the new truth.
"""

from __future__ import annotations

import onnx
import onnx_ir as ir
import pytest

from modeldocs.generators import Network, target

PORTS = (
    "googlenet/caffe",
    "gpt2/pytorch",
    "lenet/keras",
    "mobilenetv2/pytorch",
    "resnet50/caffe",
    "unet/pytorch",
    "vgg16/caffe",
    "vit-b-16/pytorch",
)
"""Ports whose sources are nested, or flat, or both."""


def written(loaded, port: str, chosen: str) -> str:
    """The program of a port of our catalog."""
    model, _, name = port.partition("/")
    normal = onnx.load_from_string(loaded(model, name).normal)
    made = target(chosen).draft(Network.of(ir.from_proto(normal)), model)
    return made.file(f"{port} in {target(chosen).title}.").text


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("chosen", ["keras", "pytorch"])
def test_a_program_is_as_it_was(port: str, chosen: str, loaded, golden) -> None:
    code = written(loaded, port, chosen)
    golden(f"{port.replace('/', '-')}.{chosen}.py", code.encode())


def test_a_file_of_onnx_is_as_it_was(loaded, golden) -> None:
    golden("lenet-caffe.onnx.txt", written(loaded, "lenet/caffe", "onnx").encode())


FLAX = (
    "densenet121/pytorch",
    "gpt2/pytorch",
    "lenet/keras",
    "mobilenetv2/pytorch",
    "resnet50/caffe",
)
"""Ports whose programs in Flax have containers, attention, ties, arguments and pools."""


@pytest.mark.parametrize("port", FLAX)
def test_a_program_in_flax_is_as_it_was(port: str, loaded, golden) -> None:
    code = written(loaded, port, "flax")
    golden(f"{port.replace('/', '-')}.flax.py", code.encode())


@pytest.mark.parametrize(
    ("port", "most"), [("resnet50/caffe", 90), ("vgg16/caffe", 45), ("vit-b-16/pytorch", 110)]
)
@pytest.mark.parametrize("chosen", ["keras", "pytorch"])
def test_it_is_about_as_long_as_one_written_by_hand(
    port: str, most: int, chosen: str, loaded
) -> None:
    assert len(written(loaded, port, chosen).splitlines()) <= most


def test_the_same_source_gives_the_same_bytes(loaded) -> None:
    both = {written(loaded, "googlenet/caffe", "pytorch") for _ in range(2)}
    assert len(both) == 1
