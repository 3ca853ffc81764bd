"""Our own catalog, as it lies in the repository: what loads nothing can see of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.loaders import frameworks
from tests.conftest import REPOSITORY

MODELS = catalog.read(REPOSITORY / "models").models
PORTS = [(model, port) for model in MODELS for port in model.ports]
WANTED = {
    "lenet": "caffe chainer keras mxnet onnx pytorch torch7",
    "simple-mlp": "keras pytorch",
    "simple-cnn": "keras pytorch",
    "cifar10-quick": "caffe pytorch tensorflow",
    "alexnet": "caffe mxnet pytorch tensorflow",
    "alexnet-owt": "mxnet pytorch torch7",
    "caffenet": "caffe",
    "googlenet": "caffe chainer mxnet pytorch",
    "inception-bn": "mxnet torch7",
    "vgg16": "caffe chainer keras mxnet pytorch",
    "resnet50": "caffe chainer keras mxnet onnx pytorch tensorflow torch7",
    "resnet50-v2": "mxnet",
    "inception-v3": "keras mxnet pytorch",
    "mobilenetv2": "caffe keras onnx pytorch",
    "densenet121": "keras pytorch",
    "ssd300-vgg16": "caffe mxnet pytorch",
    "unet": "keras pytorch",
    "bert-base": "keras pytorch",
    "gpt2": "keras pytorch",
    "vit-b-16": "keras pytorch",
}
LARGEST = 2 * 2**20
"""Bytes of the largest file: definitions are kept here, weights are not."""


@pytest.mark.parametrize("model", WANTED)
def test_a_model_is_there_in_its_frameworks(model):
    ports = next(held.ports for held in MODELS if held.id == model)
    assert set(WANTED[model].split()) <= {port.framework for port in ports}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_a_model_says_what_it_is_and_has_no_mistake(model):
    assert model.failures == () and all(port.failure is None for port in model.ports)
    assert model.manifest.title and model.manifest.task
    assert not model.ports or (model.manifest.summary and model.manifest.reference)


def test_every_framework_that_loads_has_a_port():
    assert {port.framework for _, port in PORTS} == set(frameworks())


def test_no_file_is_large():
    held = [path for path in Path(REPOSITORY / "models").rglob("*") if path.is_file()]
    assert [path.name for path in held if path.stat().st_size > LARGEST] == []


def test_saved_models_come_without_variables():
    assert list(Path(REPOSITORY / "models").rglob("variables*")) == []
