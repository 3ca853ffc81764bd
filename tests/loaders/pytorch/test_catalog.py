"""Our own ports: their entry points are found, and their sizes are the published ones."""

from __future__ import annotations

import pytest

from modeldocs.loaders.pytorch.inputs import arguments, empty
from modeldocs.loaders.pytorch.module import build_module

torch = pytest.importorskip("torch")

PUBLISHED = {
    "alexnet/pytorch": (60_965_224, [(1, 1000)]),
    "alexnet-owt/pytorch": (61_100_840, [(1, 1000)]),
    "bert-base/pytorch": (109_482_240, [(1, 128, 768), (1, 768)]),
    "cifar10-quick/pytorch": (145_578, [(1, 10)]),
    "densenet121/pytorch": (7_978_856, [(1, 1000)]),
    "googlenet/pytorch": (6_998_552, [(1, 1000)]),
    "googlenet/pytorch_bn": (6_624_904, [(1, 1000)]),
    "gpt2/pytorch": (124_439_808, [(1, 128, 50257)]),
    "inception-v3/pytorch": (23_834_568, [(1, 1000)]),
    "lenet/pytorch": (431_080, [(1, 10)]),
    "mobilenetv2/pytorch": (3_504_872, [(1, 1000)]),
    "resnet50/pytorch": (25_557_032, [(1, 1000)]),
    "simple-cnn/pytorch": (1_250_858, [(1, 10)]),
    "simple-mlp/pytorch": (669_706, [(1, 10)]),
    "ssd300-vgg16/pytorch": (26_285_486, [(1, 8732, 4), (1, 8732, 21)]),
    "unet/pytorch": (31_030_658, [(1, 2, 388, 388)]),
    "vgg16/pytorch": (138_357_544, [(1, 1000)]),
    "vit-b-16/pytorch": (86_567_656, [(1, 1000)]),
}


def test_every_port_of_the_catalog_is_here(own_catalog):
    held = [(model.id, port) for model in own_catalog.models for port in model.ports]
    ports = [f"{model}/{port.name}" for model, port in held if port.framework == "pytorch"]
    assert ports == list(PUBLISHED)


@pytest.mark.parametrize("port", PUBLISHED)
def test_parameters_and_outputs_are_as_published(own_catalog, port):
    request = own_catalog.port(port)[1].request
    with torch.device("meta"):
        built = build_module(request)
        args, kwargs = arguments(empty(built.inputs))
        outputs = built.module(*args, **kwargs)
    shapes = [tuple(o.shape) for o in (outputs if isinstance(outputs, tuple) else (outputs,))]
    count = sum(parameter.numel() for parameter in built.module.parameters())
    assert (count, shapes) == PUBLISHED[port]
