"""The parsers of data: what each is given, how that is broken, and what is to come of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from . import figures, messages, nodes, readers, seeds, trees, words
from .damage import damage
from .seeds import Seed

UNREADABLE = (DecodeError, ValueError, KeyError, TypeError, AttributeError, RecursionError)

Way = Callable[[bytes, Random], bytes]
"""How bytes are broken."""


class Parser(NamedTuple):
    """A parser: its seeds, how they are broken, what reads them, and whose interpreter it needs.

    `read` is given a folder and a file in it; it gives the graph as JSON, or None where there is
    none to show.
    """

    seeds: Callable[[], list[Seed]]
    ways: tuple[Way, ...]
    read: Callable[[Path, Path], bytes | None]
    environment: str | None = None

    def broken(self, name: str, seed: int, number: int) -> Seed:
        """The input of that number: the same each time."""
        chance = Random(f"{name}/{seed}/{number}")
        held = chance.choice(self.seeds())
        data = held.data
        for _ in range(chance.choice((1, 1, 1, 1, 1, 2, 2, 4))):
            try:
                data = chance.choice(self.ways)(data, chance)
            except UNREADABLE:  # it was damaged before: go on with its bytes
                data = damage(data, chance)
        return Seed(held.name, data)


def _words(*known: str) -> Way:
    return lambda data, chance: words.change(data, chance, known)


def _trees(*known: str) -> Way:
    return lambda data, chance: trees.change(data, chance, known)


def _message(kind: Callable[[], Any]) -> Way:
    return lambda data, chance: messages.change(data, kind(), chance)


def _onnx() -> Any:
    import onnx

    return onnx.ModelProto


def _caffe() -> Any:
    from tests.loaders.caffe import saved

    return saved._net()


def _graph() -> Any:
    from tensorflow.core.framework import graph_pb2

    return graph_pb2.GraphDef


def _meta() -> Any:
    from tensorflow.core.protobuf import meta_graph_pb2

    return meta_graph_pb2.MetaGraphDef


def _saved() -> Any:
    from tensorflow.core.protobuf import saved_model_pb2

    return saved_model_pb2.SavedModel


def _profile() -> Any:
    from modeldocs.benchmarks.readers import xplane_messages

    return xplane_messages.space()


_LUA = (
    *("nn", "nil", "{}", "function() end", "nn.ReLU()", "nn.Sequential()", "nn.Identity()()", "_G"),
    *("0/0", "2^53", "torch.Tensor(3)", "string", "...", "self", "cudnn", "nn.JoinTable(2)"),
    *("nn.View(-1)", "nn.Reshape(0)", "nn.Parallel(1,1)", "nn.ConcatTable()", "nn.CAddTable()"),
)

PARSERS = {
    "caffe text": Parser(
        seeds.caffe_text,
        (damage, _words(), _words(), _words(), nodes.caffe_layer, nodes.caffe_layer),
        readers.load("caffe"),
    ),
    "caffe binary": Parser(
        seeds.caffe_binary,
        (damage, _message(_caffe), _message(_caffe), _message(_caffe)),
        readers.load("caffe"),
    ),
    "onnx": Parser(
        seeds.onnx,
        (damage, *[_message(_onnx)] * 4, *[nodes.onnx_node] * 4),
        readers.load("onnx"),
    ),
    "mxnet symbol": Parser(
        seeds.mxnet,
        (damage, _words(), _trees(), _trees(), nodes.mxnet_node, nodes.mxnet_node),
        readers.load("mxnet"),
    ),
    "torch7": Parser(
        seeds.torch7, (damage, *[_words(*_LUA)] * 5), readers.load("torch7")
    ),
    "graphdef": Parser(
        seeds.tensorflow,
        (damage, *[_message(_graph)] * 4, *[nodes.tensorflow_node] * 4),
        readers.load("tensorflow"),
        "tensorflow",
    ),
    "graphdef text": Parser(
        seeds.tensorflow_text, (damage, *[_words()] * 5), readers.load("tensorflow"), "tensorflow"
    ),
    "metagraph": Parser(
        seeds.metagraphs, (damage, *[_message(_meta)] * 5), readers.load("tensorflow"), "tensorflow"
    ),
    "savedmodel": Parser(
        seeds.saved_models,
        (damage, *[_message(_saved)] * 5),
        readers.load("tensorflow"),
        "tensorflow",
    ),
    "keras": Parser(
        seeds.keras,
        (damage, _words(), *[_trees(*readers.KERAS)] * 5),
        readers.load("keras"),
        "tensorflow",
    ),
    "manifest": Parser(seeds.manifests, (damage, *[_words("!!python/x", "&a", "*a", "<<")] * 5),
                       readers.manifest),
    "record": Parser(seeds.records, (damage, _words(), *[_trees()] * 4), readers.record),
    "trace": Parser(
        figures.traces, (damage, _words(), *[_trees(*readers.TRACES)] * 5), readers.figures
    ),
    "printed trace": Parser(figures.prints, (damage, *[_words()] * 4), readers.figures),
    "trace profile": Parser(
        figures.profiles, (damage, *[_message(_profile)] * 5), readers.figures
    ),
    "trace database": Parser(figures.databases, (damage,), readers.figures),
    "graph": Parser(seeds.graphs, (damage, _words(), *[_trees()] * 5), readers.graph),
    "other files": Parser(seeds.others, (damage, _words(), readers.rename), readers.recognise),
}  # fmt: skip
"""By the name that `--only` takes."""
