"""Formats of networks that no loader reads: how each is recognised, and what to load in its place.

A format is a row of `FORMATS`. Its content decides; a suffix does where the content has no mark.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import format_marks
from modeldocs.loaders.format_marks import SourceStart, either, imports, magic, suffix, text


class Holds(enum.Enum):
    """What a file of a format holds: a network, settings of one of a library, or weights."""

    NETWORK = "no loader reads"
    SETTINGS = "names a network of a library"
    WEIGHTS = "holds weights and defines no network"


class UnreadFormat(NamedTuple):
    """A format: its name with its article, whether a source is of it, and the fix for the user.

    In a fix `{file}` stands for the file's name, `{stem}` for that without its suffix.
    """

    name: str
    matches: format_marks.Check
    fix: str | Callable[[SourceStart], str]
    holds: Holds = Holds.NETWORK


_ORIGINAL = (
    "load the definition that it was converted from, or export that as ONNX and load the file"
)


def _transformers(source: SourceStart) -> bool:
    settings = _settings(source)
    return isinstance(settings.get("model_type"), str) and (
        "architectures" in settings or "transformers_version" in settings
    )


def _diffusers(source: SourceStart) -> bool:
    return {"_class_name", "_diffusers_version"} <= _settings(source).keys()


def _settings(source: SourceStart) -> dict[str, Any]:
    """The configuration of Hugging Face that a file is, or that a folder has."""
    return source.document or source.inside("config.json")


def _load_transformers(source: SourceStart) -> str:
    settings = _settings(source)
    if settings.get("auto_map"):
        return "load the Python file beside it that defines the network, as FILE:CLASS"
    classes = settings.get("architectures")
    name = classes[0] if isinstance(classes, list) and classes else "AutoModel.from_config"
    return _by_configuration(source, "transformers", name)


def _load_diffusers(source: SourceStart) -> str:
    return _by_configuration(source, "diffusers", f"{_settings(source)['_class_name']}.from_config")


def _by_configuration(source: SourceStart, package: str, entry: str) -> str:
    file = f"{source.path.name}/config.json" if source.path.is_dir() else source.path.name
    return (
        f'modeldocs load {package}:{entry} --args "{{\\"config\\": $(cat {file})}}", or in '
        f"model.yml `module: {package}`, `entry: {entry}`, and its settings as "
        "`args: {config: {…}}`"
    )


FORMATS = (
    UnreadFormat(
        "a TensorFlow Lite file",
        magic(b"TFL3", at=4),
        "convert it with `pip install tensorflow tf2onnx` and `python -m tf2onnx.convert --tflite "
        "{file} --output {stem}.onnx`, and load {stem}.onnx",
    ),
    UnreadFormat(
        "a Core ML package",
        lambda s: s.path.is_dir() and "itemInfoEntries" in s.inside("Manifest.json"),
        _ORIGINAL,
    ),
    UnreadFormat("a Core ML file", suffix(".mlmodel", starts=b"\x08"), _ORIGINAL),
    UnreadFormat(
        "an OpenVINO network", text(r"\s* (<\?xml .*?\?>)? \s* <net\b .*? <layers\b"), _ORIGINAL
    ),
    UnreadFormat(
        "a Paddle program",
        either(
            suffix(".pdmodel", starts=b"\x0a"),
            lambda s: b'"pir"' in s.start and "base_code" in s.document,
        ),
        "convert it with `pip install paddlepaddle paddle2onnx` and `paddle2onnx --model_dir . "
        "--model_filename {file} --params_filename {stem}.pdiparams --save_file {stem}.onnx`, and "
        "load {stem}.onnx",
    ),
    UnreadFormat(
        "a Hugging Face configuration of transformers",
        _transformers,
        _load_transformers,
        Holds.SETTINGS,
    ),
    UnreadFormat(
        "a Hugging Face configuration of diffusers",
        _diffusers,
        _load_diffusers,
        Holds.SETTINGS,
    ),
    UnreadFormat(
        "a pipeline of diffusers",
        lambda s: (
            "_class_name"
            in (s.document if s.path.name == "model_index.json" else s.inside("model_index.json"))
        ),
        "load one of its networks, such as the folder unet, transformer or vae in it",
        Holds.SETTINGS,
    ),
    UnreadFormat(
        "a preset of KerasHub",
        lambda s: (
            str(_settings(s).get("module")).startswith("keras_hub.")
            or "keras_hub_version" in s.inside("metadata.json")
        ),
        "write a Python file whose function `model` returns `keras_hub.models.Backbone.from_preset("
        "FOLDER, load_weights=False)`, and load that",
        Holds.SETTINGS,
    ),
    UnreadFormat(
        "a TensorFlow.js model",
        lambda s: (
            s.document.get("format") in ("layers-model", "graph-model")
            and "modelTopology" in s.document
        ),
        "convert it with `pip install tensorflow tf2onnx` and `python -m tf2onnx.convert --tfjs "
        "{file} --output {stem}.onnx`, and load {stem}.onnx",
    ),
    UnreadFormat(
        "a GGUF file",
        magic(b"GGUF"),
        "load the definition that its weights belong to, such as the model's class in transformers",
        Holds.WEIGHTS,
    ),
    UnreadFormat(
        "a TensorRT engine",
        either(magic(b"ftrt"), magic(b"ptrt"), suffix(".engine", ".plan")),
        "load the ONNX file that it was built from",
    ),
    UnreadFormat(
        "an ONNX Runtime file", magic(b"ORTM", at=4), "load the .onnx file that it was made from"
    ),
    UnreadFormat(
        "an ExecuTorch program",
        text(r".{4}ET1\d"),
        "load the Python file or the .pt2 archive that it was made from",
    ),
    UnreadFormat(
        "a Darknet configuration",
        text(
            r"(?:\s*(?:[#;][^\n]*)?\n)* \s* \[net(?:work)?\] .*? "
            r"\n\[(?:convolutional|connected|maxpool|route|shortcut|softmax|crnn|rnn|lstm|gru)\]"
        ),
        "load the network's definition in another framework, or convert it to ONNX and load that",
    ),
    UnreadFormat("an NCNN network", text(r"7767517\s"), _ORIGINAL),
    UnreadFormat(
        "an NNEF graph",
        either(
            text(r"(?:\s*(?:\#[^\n]*)?\n)* \s* version\s+1\.\d\s*; .*? \bgraph\b"),
            lambda s: (s.path / "graph.nnef").is_file(),
        ),
        _ORIGINAL,
    ),
    UnreadFormat(
        "an MLIR module", text(r"(?:\s*(?:\#|//)[^\n]*\n)* \s* module\b .*? \btensor<"), _ORIGINAL
    ),
    UnreadFormat(
        "a MindSpore graph",
        suffix(".mindir"),
        "export it with `mindspore.export(network, "
        'inputs, file_name="{stem}", file_format="ONNX")`, and load {stem}.onnx',
    ),
    UnreadFormat(
        "Python of JAX",
        imports("jax", "flax", "haiku", "equinox"),
        "export the network as ONNX, for example with jax2onnx, and load the file",
    ),
    UnreadFormat(
        "Python of Paddle",
        imports("paddle"),
        "export the network with `paddle.onnx.export`, and load the file",
    ),
    UnreadFormat(
        "Python of MindSpore",
        imports("mindspore"),
        "export the network with `mindspore.export("
        'network, inputs, file_name="{stem}", file_format="ONNX")`, and load {stem}.onnx',
    ),
    UnreadFormat("Python of MLX", imports("mlx"), "load its definition in another framework"),
    UnreadFormat(
        "Python of tinygrad", imports("tinygrad"), "load its definition in another framework"
    ),
    UnreadFormat(
        "Python of Theano", imports("theano", "lasagne"), "load its definition in another framework"
    ),
    UnreadFormat(
        "Python of CNTK",
        imports("cntk"),
        'save the network with `model.save("{stem}.onnx", '
        "format=cntk.ModelFormat.ONNX)`, and load {stem}.onnx",
    ),
)


def of(path: Path) -> UnreadFormat | None:
    """The format of a file or folder that no loader reads; None where it is of none of these."""
    source = format_marks.read(path)
    return _of(source) if source is not None else None


def error(path: Path) -> ModeldocsError | None:
    """The error for a file or folder of such a format; None where it is of none."""
    source = format_marks.read(path)
    found = _of(source) if source is not None else None
    if source is None or found is None:
        return None
    fix = found.fix if isinstance(found.fix, str) else found.fix(source)
    fix = fix.replace("{file}", path.name).replace("{stem}", path.stem)
    reason = f"is {found.name}, which {found.holds.value}"
    return ModeldocsError(reason, file=path.name, fix=fix)


def _of(source: SourceStart) -> UnreadFormat | None:
    return next((form for form in FORMATS if form.matches(source)), None)
