"""Networks as their packages build them: the few lines of Python that make one, and its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Shapes = Mapping[str, tuple[int, ...] | tuple[tuple[int, ...], str]]

IMAGE: Final = (1, 3, 224, 224)
"""Batch, channels, height, width; Keras takes the channels last."""


@dataclass(frozen=True, slots=True)
class Net:
    """One network: the framework whose loader reads it, and the source of the file it reads."""

    package: str
    name: str
    framework: str
    build: str
    """The expression that makes the model."""
    inputs: Shapes
    before: str
    """What the file says above it."""
    software: str = ""
    """The environment that it is built in; that of its framework where none is named."""

    @property
    def key(self) -> str:
        """What it is called in files and on the command line."""
        return f"{self.package}-{self.name}"

    @property
    def environment(self) -> str:
        """The name of the environment that it is built in."""
        return self.software or self.framework

    @property
    def source(self) -> str:
        """The file that the loader reads."""
        lines = [self.before.strip(), f"INPUTS = {dict(self.inputs)!r}"]
        return "\n\n".join([*lines, f"def model():\n    return {self.build}"]) + "\n"


WITHOUT_COMPILED_OPERATORS: Final = """
import torch

_register = torch.library.register_fake

def _skipping(name, *args, **kwargs):
    if isinstance(name, str) and name.startswith("torchvision::"):
        return lambda function: function
    return _register(name, *args, **kwargs)

# torchvision's compiled operators are absent beside a torch for processors; none is used here.
torch.library.register_fake = _skipping
"""


def torchvision(name: str, shape: tuple[int, ...] = IMAGE, **args: Any) -> Net:
    """A network of `torchvision.models`."""
    before = f"{WITHOUT_COMPILED_OPERATORS}\nimport torchvision.models"
    build = _call(f"torchvision.models.{name}", {"weights": None, **args})
    return Net("torchvision", name, "pytorch", build, {"x": shape}, before)


def timm(name: str, shape: tuple[int, ...] = IMAGE, **args: Any) -> Net:
    """A network of `timm.create_model`."""
    before = f"{WITHOUT_COMPILED_OPERATORS}\nimport timm"
    build = _call("timm.create_model", args, f"{name!r}")
    return Net("timm", name, "pytorch", build, {"x": shape}, before)


def transformers(model: str, config: str, settings: dict[str, Any], inputs: Shapes) -> Net:
    """A network of `transformers`, of a configuration without a cache of earlier tokens."""
    told = {"use_cache": False, **settings}
    before = f"{WITHOUT_COMPILED_OPERATORS}\nimport transformers"
    build = f"transformers.{model}({_call(f'transformers.{config}', told)})"
    return Net("transformers", model, "pytorch", build, inputs, before)


def keras(name: str, shape: tuple[int, ...] = IMAGE, **args: Any) -> Net:
    """A network of `keras.applications`; its shape is told as elsewhere, channels first."""
    size = (*shape[2:], shape[1])
    told = {"weights": None, "input_shape": size, **args}
    build = _call(f"keras.applications.{name}", told)
    inputs: Shapes = {"image": (shape[0], *size)}
    return Net("keras", name, "keras", build, inputs, "import keras")


def keras_hub(model: str, args: dict[str, Any], inputs: Shapes) -> Net:
    """A backbone of `keras_hub.models`."""
    build = _call(f"keras_hub.models.{model}", args)
    return Net("keras-hub", model, "keras", build, inputs, "import keras_hub")


def chainer(name: str) -> Net:
    """A network of `chainer.links`, without the weights that it would read."""
    before = "from chainer import links"
    return Net("chainer", name, "chainer", f"links.{name}(None)", {"x": IMAGE}, before)


def gluon(name: str, shape: tuple[int, ...] = IMAGE) -> Net:
    """A network of MXNet's Gluon model zoo."""
    before = "from mxnet.gluon.model_zoo import vision"
    return Net("gluon", name, "mxnet", f"vision.{name}()", {"data": shape}, before)


def _call(function: str, args: dict[str, Any], first: str = "") -> str:
    told = [*([first] if first else []), *(f"{key}={value!r}" for key, value in args.items())]
    return f"{function}({', '.join(told)})"
