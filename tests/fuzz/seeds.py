"""What is broken: small files of every kind, from our catalog and from the loaders' tests."""

from __future__ import annotations

import functools
import io
import json
import re
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parents[2]
MODELS = REPOSITORY / "models"


class Seed(NamedTuple):
    """A file: the name that it has to have, and its content."""

    name: str
    data: bytes


def _files(pattern: str, name: str, limit: int = 40_000) -> list[Seed]:
    """Files of the catalog under the name that a loader takes them by."""
    found = [path.read_bytes() for path in sorted(MODELS.glob(pattern))]
    return [Seed(name, data) for data in found if len(data) <= limit]


@functools.cache
def caffe_text() -> list[Seed]:
    """Definitions of every dialect."""
    from tests.loaders.caffe.test_first_dialect import OLD
    from tests.loaders.caffe.test_fuzzed import TEXT

    own = REPOSITORY / "evaluation/proof/ports/net.prototxt"
    texts = [TEXT, TEXT, OLD, own.read_text()]
    small = _files("*/caffe.prototxt", "net.prototxt", 6000)
    return [Seed("net.prototxt", text.encode()) for text in texts] + small


@functools.cache
def caffe_binary() -> list[Seed]:
    """Definitions with their weights."""
    from tests.loaders.caffe import test_fuzzed as held
    from tests.loaders.caffe.saved import saved

    whole = (MODELS / "lenet/caffe.prototxt").read_text()
    found = [held.SAVED, saved(held.TEXT.replace(held.TWIST, "")), saved(whole)]
    return [Seed("net.caffemodel", data) for data in (*found, saved(held.OLD, legacy=True))]


@functools.cache
def onnx() -> list[Seed]:
    """Small graphs of many operators, with functions, branches, and the catalog's smallest."""
    from .onnx_seeds import models

    found = [Seed("net.onnx", data) for data in models()]
    return found + _files("*/model.onnx", "net.onnx", 10_000)


@functools.cache
def mxnet() -> list[Seed]:
    """Symbols of each dialect."""
    from tests.loaders.mxnet.test_fuzzed import INTRICATE

    from .mxnet_seeds import symbols

    return [Seed("net-symbol.json", json.dumps(one).encode()) for one in (INTRICATE, *symbols())]


@functools.cache
def torch7() -> list[Seed]:
    """Definitions in Lua."""
    from .torch7_seeds import DEFINITIONS

    held = {"lenet": b"1, 28, 28", "alexnet-owt": b"3, 224, 224"}
    texts = [
        b"INPUTS = {x = {1, " + shape + b"}}\n" + (MODELS / name / "torch7.lua").read_bytes()
        for name, shape in held.items()
    ]
    return [Seed("net.lua", text) for text in (*texts, *(t.encode() for t in DEFINITIONS))]


@functools.cache
def manifests() -> list[Seed]:
    """The catalog's manifests."""
    return _files("*/model.yml", "model.yml")


@functools.cache
def records() -> list[Seed]:
    """Benchmark records, those with long lists of samples with few of them."""
    made = []
    for seed in _files("*/benchmarks/*.json", "record.json"):
        held = json.loads(seed.data)
        _shorten(held)
        made.append(Seed("record.json", json.dumps(held).encode()))
    return made


def _shorten(held: Any) -> None:
    for value in held.values() if isinstance(held, dict) else held:
        if isinstance(value, list):
            del value[6:]
        if isinstance(value, dict | list):
            _shorten(value)


@functools.cache
def graphs() -> list[Seed]:
    """Graphs in our own JSON, as workers leave them."""
    from modeldocs.ir import encode
    from modeldocs.loaders import LoadRequest, loader
    from modeldocs.normal import normalise

    made = []
    for framework, held in (("caffe", caffe_text()), ("onnx", onnx()), ("mxnet", mxnet())):
        for seed in held[:3]:
            with TemporaryDirectory() as folder:
                path = Path(folder, seed.name)
                path.write_bytes(seed.data)
                model = loader(framework).load(LoadRequest(root=folder, path=str(path)))
                made.append(Seed("graph.json", encode(normalise(model))))
    return made


@functools.cache
def others() -> list[Seed]:
    """Files of every kind under names of every kind: what tells them apart reads them all."""
    from .others import FILES

    held = [*caffe_text()[:3], *caffe_binary()[:1], *onnx()[:2], *mxnet()[:1], *torch7()[:1]]
    held += [Seed("net.keras", _archive(keras_json())), Seed("net.json", keras_json())]
    held += [Seed(name, data) for name, data in FILES]
    return held


def keras_json() -> bytes:
    """A small model as Keras writes it."""
    return (Path(__file__).parent / "keras_seeds/keras.json").read_bytes()


def _archive(config: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in (("metadata.json", b"{}"), ("config.json", config)):
            archive.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


@functools.cache
def tensorflow() -> list[Seed]:
    """Graphs that TensorFlow's own interpreter makes: of one operator or few, and of training."""
    sys.path.insert(0, str(REPOSITORY / "tests/loaders/tensorflow"))
    import graphs as made
    import networks

    found = []
    with TemporaryDirectory() as folder:
        for build in (made.plain_graph, made.frozen_graph, made.classic_branches,
                      made.classic_loop, made.unknown_operators):  # fmt: skip
            build(Path(folder))
            found.append(Seed("net.pb", Path(folder, "net.pb").read_bytes()))
    for shapes, name in _FED.findall(Path(networks.__file__).read_text()):
        if name not in _OTHER:
            found.append(Seed("net.pb", _traced(getattr(networks, name), shapes)))
    return [seed for seed in found if len(seed.data) < 20_000]


_OTHER = ("constant_made_before", "module")
"""What cannot be built in a graph of TensorFlow 1."""

_FED = re.compile(r"^@fed\((.*)\)\ndef (\w+)", re.M)


def _traced(function: Any, shapes: str) -> bytes:
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.disable_resource_variables()
        told = eval(f"dict({shapes})")  # our own tests' text
        inputs = {k: tf.compat.v1.placeholder(tf.float32, v, name=k) for k, v in told.items()}
        tf.nest.map_structure(tf.identity, function(**inputs))
    data: bytes = graph.as_graph_def().SerializeToString(deterministic=True)
    return data


@functools.cache
def metagraphs() -> list[Seed]:
    """MetaGraphs of training."""
    sys.path.insert(0, str(REPOSITORY / "tests/loaders/tensorflow"))
    import graphs as made

    with TemporaryDirectory() as folder:
        made.training(Path(folder))
        paths = sorted(Path(folder).glob("*.meta"))
        return [Seed("net.meta", path.read_bytes()) for path in paths]


@functools.cache
def saved_models() -> list[Seed]:
    """SavedModels of both generations."""
    sys.path.insert(0, str(REPOSITORY / "tests/loaders/tensorflow"))
    import graphs as made

    found = []
    for build in (made.saved_module, made.classic_saved_model):
        with TemporaryDirectory() as folder:
            build(Path(folder))
            data = Path(folder, "net/saved_model.pb").read_bytes()
            found.append(Seed("net/saved_model.pb", data))
    return found


@functools.cache
def tensorflow_text() -> list[Seed]:
    """The same as text."""
    from tensorflow.core.framework import graph_pb2

    made = []
    for seed in tensorflow():
        graph = graph_pb2.GraphDef()
        graph.ParseFromString(seed.data)
        made.append(Seed("net.pbtxt", str(graph).encode()))
    return [seed for seed in made if len(seed.data) < 8000]


@functools.cache
def keras() -> list[Seed]:
    """A model in each format that Keras saves."""
    config = keras_json()
    folder = Path(__file__).parent / "keras_seeds"
    more = [Seed("net.json", path.read_bytes()) for path in sorted(folder.glob("keras*.json"))]
    return [*more, *more, Seed("net.keras", _archive(config))]
