"""What reads a file of each kind: the same functions as the command line and the build call."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from random import Random

Reader = Callable[[Path, Path], bytes | None]
"""Reads a file in a folder; gives its graph as JSON, or None where there is none to show."""

LOADERS = {
    "caffe": "caffe:CaffeLoader",
    "keras": "keras:KerasLoader",
    "mxnet": "mxnet:MXNetLoader",
    "onnx": "onnx:OnnxLoader",
    "tensorflow": "tensorflow:TensorFlowLoader",
    "torch7": "torch7:Torch7Loader",
}

KERAS = (
    *("Dense", "Conv2D", "LSTM", "Flatten", "Concatenate", "Dot", "Add", "Embedding", "os"),
    *("TimeDistributed", "Lambda", "Functional", "Sequential", "InputLayer", "relu", "softmax"),
    *("same", "causal", "channels_first", "float16", "int32", "DTypePolicy", "__tuple__", "keras"),
    *("keras.layers", "builtins", "GlorotUniform", "MultiHeadAttention", "Reshape", "Cropping2D"),
    "Bidirectional",
)  # fmt: skip
"""Words that mean something in a configuration of Keras'."""


def load(framework: str) -> Reader:
    """What a worker does with a file that a loader takes: load, store, bring into normal form."""

    def read(folder: Path, path: Path) -> bytes | None:
        from modeldocs.loaders import LoadRequest, worker

        module, _, name = LOADERS[framework].partition(":")
        loader = getattr(importlib.import_module(f"modeldocs.loaders.{module}"), name)()
        source = path.parent if path.name == "saved_model.pb" else path
        request = LoadRequest(root=str(folder), path=str(source), name="net")
        return worker.stored(loader.load(request))[worker.GRAPH]

    return read


def manifest(folder: Path, path: Path) -> bytes | None:
    """A model's folder with a port beside its manifest."""
    from modeldocs import catalog
    from modeldocs.catalog import manifest_file

    (folder / "caffe.prototxt").write_bytes(b'input: "data"\ninput_dim: 1\n')
    model = catalog.read_model(folder)
    assert model is not None
    for failure in (*model.failures, *(port.failure for port in model.ports if port.failure)):
        str(failure.error())
    manifest_file.read(path)
    return None


def record(folder: Path, path: Path) -> bytes | None:
    """A record as it is read, named, kept, and told on a page."""
    from modeldocs.benchmarks import chart_set
    from modeldocs.benchmarks import record as form
    from modeldocs.catalog import Model
    from modeldocs.site.benchmarks import profile_panel, runs, sections
    from modeldocs.site.templating import Templates
    from modeldocs.tasks.kind import TaskFolders
    from modeldocs.tasks.results import RecordFile, Results

    held = form.decode(path.read_bytes(), file=path.name)
    kept = form.read(form.write(held, folder))
    files = [RecordFile(file=form.file_name(kept), record=kept)]
    templates = _templates(Templates)
    model = Model(id="net", folder=str(folder))
    results = Results(TaskFolders(root=str(folder), store=str(folder / "store")))
    sections.summary(model, files, results, templates, "net")
    sections.profile(files, chart_set.ChartSet(), templates)
    profile_panel.html(runs.runs(model, files, results, "net"), templates)
    return None


TRACES = (
    *("kernel", "Kernel", "gpu_memcpy", "Memcpy HtoD", "CopyDeviceToHost", "ncclDevKernel"),
    *("cuda_runtime", "Memset", "ProfilerStep#7", "traceEvents", "M", "X", "model_run", "NaN"),
    *("cpu_op", "Operator", "user_annotation", "IteratorGetNext", "cudaStreamSynchronize"),
)
"""Words that mean something in a trace."""


def figures(folder: Path, path: Path) -> bytes | None:
    """A file of recorded figures as it is imported: read, and each run written as a record."""
    import msgspec

    from modeldocs.benchmarks import readers
    from modeldocs.benchmarks.record import encode

    for recording in readers.read(path)[1]:
        held = recording.record
        run = msgspec.structs.replace(held.run, date=held.run.date or "2026")
        encode(msgspec.structs.replace(held, run=run))
    return None


def _templates(kind: type) -> object:
    if "templates" not in _KEPT:
        _KEPT["templates"] = kind()
    return _KEPT["templates"]


_KEPT: dict[str, object] = {}


def graph(folder: Path, path: Path) -> bytes | None:
    """A graph that a worker left."""
    import msgspec

    from modeldocs.errors import ModeldocsError
    from modeldocs.ir import decode, encode

    try:
        return encode(decode(path.read_bytes()))
    except msgspec.MsgspecError as error:
        raise ModeldocsError(f"left no readable result: {error}") from None


SUFFIXES = (".prototxt", ".caffemodel", ".pbtxt", ".pb", ".meta", ".onnx", ".json", "-symbol.json",
            ".lua", ".keras", ".h5", ".py", ".pt2", ".pt", ".pth", ".params", ".yml")  # fmt: skip


def recognise(folder: Path, path: Path) -> bytes | None:
    """A file under names of every kind, which each loader is asked whether it knows."""
    from modeldocs import loaders
    from modeldocs.loaders import not_models

    data = path.read_bytes()
    for suffix in SUFFIXES:
        named = folder / f"file{suffix}"
        named.write_bytes(data)
        for name in loaders.frameworks():
            loaders.loader(name).recognises(named)
        for error in (not_models.describe(named), not_models.mistaken(named, "onnx")):
            str(error)
        named.unlink()
    return None


def rename(data: bytes, chance: Random) -> bytes:
    """The bytes as they are, or the start of another kind of file before them."""
    starts = (
        b"",
        b"PK\x03\x04",
        b"\x89HDF\r\n\x1a\n",
        b"\x80\x02",
        b"\x08\x01\x12",
        b"{",
        b"\n\x05",
    )
    return chance.choice(starts) + data
