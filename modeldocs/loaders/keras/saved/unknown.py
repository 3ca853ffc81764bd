"""Layers of a saved file whose code is not in it: a port's own classes, and lambdas."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from modeldocs.loaders.keras import framework

NAME = "ModeldocsUnknown"
_KERAS = ("keras", "keras.", "tensorflow.keras", "tf_keras", "builtins")

Shapes = dict[str, dict[int, tuple[list[int | None], str]]]
"""Shape and dtype of a layer's outputs, by the layer's name and the output's index."""


def is_known(entry: dict[str, Any]) -> bool:
    """Whether a configuration is one of Keras' own layers, models or operations."""
    name, module = entry.get("class_name"), entry.get("module")
    if name == "Lambda" or not isinstance(name, str):
        return False
    if "module" in entry:
        return isinstance(module, str) and (module in _KERAS or module.startswith("keras."))
    layers, models = framework.imported().layers, framework.imported().models
    return hasattr(layers, name) or hasattr(models, name) or name == "Functional"


def objects(config: Any) -> Iterator[dict[str, Any]]:
    """All objects in a configuration, each before those inside of it."""
    stack = [config]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            yield value
            stack += value.values()


def output_shapes(config: Any) -> Shapes:
    """The shapes of outputs that the recorded calls of a configuration contain."""
    shapes: Shapes = {}
    for value in objects(config):
        if value.get("class_name") == "__keras_tensor__":
            _add_shape(shapes, value.get("config"))
    return shapes


def _add_shape(shapes: Shapes, tensor: Any) -> None:
    if not isinstance(tensor, dict):
        return
    history, shape = tensor.get("keras_history"), tensor.get("shape")
    if isinstance(history, list) and len(history) == 3 and isinstance(shape, list):
        name, _, index = history
        if isinstance(name, str) and isinstance(index, int) and _is_shape(shape):
            dtype = str(tensor.get("dtype", "float32"))
            shapes.setdefault(name, {})[index] = (list(shape), dtype)


def _is_shape(shape: Any) -> bool:
    if not isinstance(shape, list):
        return False
    return all(size is None or (isinstance(size, int) and size >= 0) for size in shape)


def replace(layers: list[Any], shapes: Shapes) -> list[str]:
    """Replace unknown layers in a list by stand-ins, in place; a note for each."""
    notes = []
    for index, entry in enumerate(layers):
        if isinstance(entry, dict) and "config" in entry and not is_known(entry):
            class_name = str(entry.get("class_name"))[:80]
            config = entry["config"] if isinstance(entry["config"], dict) else {}
            name = str(entry.get("name") or config.get("name") or class_name.lower())
            outputs = shapes.get(name) or _following(layers[index + 1 :])
            layers[index] = _stand_in(entry, class_name, name, config, outputs)
            assumption = "" if outputs else ", its output assumed to have its input's shape"
            notes.append(
                f"{class_name} {name!r} is drawn as one layer of its own{assumption}: its code "
                "is not in the file, or is never run from there"
            )
    return notes


def _following(rest: list[Any]) -> dict[int, tuple[list[int | None], str]]:
    """The shape that the next layer of a row was built for."""
    entry = rest[0] if rest and isinstance(rest[0], dict) else {}
    build_config = entry.get("build_config")
    shape = build_config.get("input_shape") if isinstance(build_config, dict) else None
    return {0: (shape, "float32")} if isinstance(shape, list) and _is_shape(shape) else {}


def _stand_in(
    entry: dict[str, Any],
    class_name: str,
    name: str,
    config: dict[str, Any],
    shapes: dict[int, tuple[list[int | None], str]],
) -> dict[str, Any]:
    settings = {key: value for key, value in config.items() if key not in ("name", "dtype")}
    if isinstance(settings.get("function"), dict | list):
        settings["function"] = "stored code, not run"
    outputs = [list(shapes[index]) for index in sorted(shapes)]
    stand_in = {
        "class_name": NAME,
        "config": {
            "name": name,
            "source_class": class_name,
            "settings": settings,
            "outputs": outputs,
        },
        "name": entry.get("name", name),
        "inbound_nodes": entry.get("inbound_nodes", []),
    }
    if "module" in entry:
        stand_in |= {"module": None, "registered_name": NAME}
    return stand_in


@functools.cache
def layer_class() -> Any:
    """The class of the stand-ins, which have the settings and the output shapes of a file."""
    keras = framework.imported()

    class Unknown(keras.layers.Layer):  # type: ignore[misc,name-defined]
        """A layer that can be traced but not run."""

        def __init__(self, source_class: str, settings: Any, outputs: Any, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.source_class, self.settings, self.outputs = source_class, dict(settings), outputs

        def build(self, *_: Any) -> None:
            self.built = True

        def get_config(self) -> dict[str, Any]:
            return dict(self.settings)

        def call(self, *inputs: Any, **_: Any) -> Any:
            raise NotImplementedError("its code is not in the file")

        def compute_output_spec(self, *inputs: Any, **_: Any) -> Any:
            first = keras.tree.flatten(inputs)[0]
            if not self.outputs:
                return keras.KerasTensor(first.shape, first.dtype)
            tensors = [_tensor(shape, dtype, first) for shape, dtype in self.outputs]
            return tensors[0] if len(tensors) == 1 else tensors

    def _tensor(shape: Any, dtype: str, first: Any) -> Any:
        sizes = [
            first.shape[axis] if size is None and axis < len(first.shape) else size
            for axis, size in enumerate(shape)
        ]
        return keras.KerasTensor(tuple(sizes), dtype)

    return Unknown
