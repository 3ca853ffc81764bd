"""Layers of a saved file whose code is not in it: classes of the port's own, and lambdas."""

from __future__ import annotations

import functools
from typing import Any

from modeldocs.loaders.keras import framework

NAME = "ModeldocsUnknown"
_KERAS = ("keras", "keras.", "tensorflow.keras", "tf_keras", "builtins")

Shapes = dict[str, dict[int, tuple[list[int | None], str]]]
"""Shape and dtype of each output of a layer, by the layer's name."""


def is_known(entry: dict[str, Any]) -> bool:
    """Whether a configuration's entry is a layer, model or operation of Keras' own."""
    name, module = entry.get("class_name"), entry.get("module")
    if name == "Lambda" or not isinstance(name, str):
        return False
    if "module" in entry:
        return isinstance(module, str) and (module in _KERAS or module.startswith("keras."))
    layers, models = framework.imported().layers, framework.imported().models
    return hasattr(layers, name) or hasattr(models, name) or name == "Functional"


def output_shapes(config: Any) -> Shapes:
    """What the calls of a configuration say of the tensors that they read."""
    found: Shapes = {}
    stack = [config]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            if value.get("class_name") == "__keras_tensor__":
                _add_shape(found, value.get("config"))
            stack += value.values()
    return found


def _add_shape(found: Shapes, tensor: Any) -> None:
    if not isinstance(tensor, dict):
        return
    history, shape = tensor.get("keras_history"), tensor.get("shape")
    if isinstance(history, list) and len(history) == 3 and isinstance(shape, list):
        name, _, index = history
        if isinstance(name, str) and isinstance(index, int) and _is_shape(shape):
            dtype = str(tensor.get("dtype", "float32"))
            found.setdefault(name, {})[index] = (list(shape), dtype)


def _is_shape(shape: Any) -> bool:
    if not isinstance(shape, list):
        return False
    return all(size is None or (isinstance(size, int) and size >= 0) for size in shape)


def replace(layers: list[Any], shapes: Shapes) -> list[str]:
    """Put stand-ins in a list of layers, in place; notes of each."""
    notes = []
    for index, entry in enumerate(layers):
        if isinstance(entry, dict) and "config" in entry and not is_known(entry):
            told = str(entry.get("class_name"))[:80]
            config = entry["config"] if isinstance(entry["config"], dict) else {}
            name = str(entry.get("name") or config.get("name") or told.lower())
            known = shapes.get(name) or _following(layers[index + 1 :])
            layers[index] = _stand_in(entry, told, name, config, known)
            how = "" if known else ", its output taken to be of its input's shape"
            notes.append(
                f"{told} {name!r} is drawn as one layer of its own{how}: its code is not in the "
                "file, or is never run from there"
            )
    return notes


def _following(rest: list[Any]) -> dict[int, tuple[list[int | None], str]]:
    """In a row of layers, the next one says what it was built for."""
    entry = rest[0] if rest and isinstance(rest[0], dict) else {}
    held = entry.get("build_config")
    shape = held.get("input_shape") if isinstance(held, dict) else None
    return {0: (shape, "float32")} if isinstance(shape, list) and _is_shape(shape) else {}


def _stand_in(
    entry: dict[str, Any],
    told: str,
    name: str,
    config: dict[str, Any],
    shapes: dict[int, tuple[list[int | None], str]],
) -> dict[str, Any]:
    settings = {key: value for key, value in config.items() if key not in ("name", "dtype")}
    if isinstance(settings.get("function"), dict | list):
        settings["function"] = "stored code, not run"
    outputs = [list(shapes[index]) for index in sorted(shapes)]
    made = {
        "class_name": NAME,
        "config": {"name": name, "told_class": told, "told": settings, "outputs": outputs},
        "name": entry.get("name", name),
        "inbound_nodes": entry.get("inbound_nodes", []),
    }
    if "module" in entry:
        made |= {"module": None, "registered_name": NAME}
    return made


@functools.cache
def layer_class() -> Any:
    """The class of the stand-ins: it tells what the file said, and gives what it was told to."""
    keras = framework.imported()

    class Unknown(keras.layers.Layer):  # type: ignore[misc,name-defined]
        """A layer that can be drawn, not run."""

        def __init__(self, told_class: str, told: Any, outputs: Any, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.told_class, self.told, self.outputs = told_class, dict(told), outputs

        def build(self, *_: Any) -> None:
            self.built = True

        def get_config(self) -> dict[str, Any]:
            return dict(self.told)

        def call(self, *inputs: Any, **_: Any) -> Any:
            raise NotImplementedError("its code is not in the file")

        def compute_output_spec(self, *inputs: Any, **_: Any) -> Any:
            first = keras.tree.flatten(inputs)[0]
            if not self.outputs:
                return keras.KerasTensor(first.shape, first.dtype)
            made = [_tensor(shape, dtype, first) for shape, dtype in self.outputs]
            return made[0] if len(made) == 1 else made

    def _tensor(shape: Any, dtype: str, first: Any) -> Any:
        sizes = [
            first.shape[axis] if size is None and axis < len(first.shape) else size
            for axis, size in enumerate(shape)
        ]
        return keras.KerasTensor(tuple(sizes), dtype)

    return Unknown
