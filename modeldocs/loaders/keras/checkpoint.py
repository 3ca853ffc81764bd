"""What a Keras model stores: its variables, under the keys that Keras' own files have for them."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

import numpy as np

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.checkpoint_layout import PLAIN, CheckpointLayout, StoredTensor
from modeldocs.loaders.keras import framework, inputs, program, source
from modeldocs.loaders.python_source import port_errors
from modeldocs.loaders.reference import Arrays

_SAVED, _LEGACY = "Keras' keys", "layers' names"


def layout(request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
    """The variables of a model by path, and the values of those that are not mapped.

    Raises:
        ModeldocsError: it cannot be built.
    """
    with program.session(request, values=True), port_errors.located(request, "building the model"):
        read = source.read(request)
        inputs.build(read.model, inputs.feed(read, request))
        found = _saved(read.model)
        legacy = _legacy(read.model)
        paths = {id(one): one.path for own in legacy.values() for one in own}
        paths |= {id(variable): variable.path for variable, _ in found}
        places = {
            id(one): f"{layer}/{n}" for layer, own in legacy.items() for n, one in enumerate(own)
        }
        tensors = tuple(
            StoredTensor(one.path, tuple(one.shape), str(one.dtype)) for one, _ in found
        )
        own = {
            one.path: np.asarray(framework.imported().ops.convert_to_numpy(one))
            for one, _ in found
            if one.path not in mapped
        }
    made = CheckpointLayout(
        tensors=tensors,
        spellings={
            PLAIN: tuple(one.path for one, _ in found),
            _SAVED: tuple(key for _, key in found),
            _LEGACY: tuple(places.get(id(one), one.path) for one, _ in found),
        },
        written={".safetensors": PLAIN, ".npz": PLAIN, ".weights.h5": _SAVED},
        groups=tuple(tuple(paths[id(one)] for one in own) for own in legacy.values()),
    )
    return made, own


def _saved(model: Any) -> list[tuple[Any, str]]:
    """The variables that `save_weights` writes, and the key of each."""
    from keras.src.saving import saving_lib

    class KeyRecorder(saving_lib.H5IOStore):  # type: ignore[misc]
        """Takes what Keras would write to a file."""

        def __init__(self) -> None:
            self.found: dict[int, tuple[Any, str]] = {}
            self._place = ""

        def __bool__(self) -> bool:
            return True

        def make(self, path: str, metadata: object = None) -> KeyRecorder:  # noqa: ARG002
            self._place = f"{path}/vars" if path else "vars"
            return self

        def __setitem__(self, name: str, value: Any) -> None:
            if hasattr(value, "path"):
                self.found.setdefault(id(value), (value, f"{self._place}/{name}"))

    recorder = KeyRecorder()
    saving_lib._save_state(model, recorder, None, inner_path="", visited_saveables=set())
    return list(recorder.found.values())


def _legacy(model: Any) -> dict[str, list[Any]]:
    """The weights of each layer that has some, as files before Keras 3 have them."""
    return {layer.name: own for layer in model.layers if (own := list(_weights(layer)))}


def _weights(layer: Any) -> Iterator[Any]:
    yield from layer.trainable_weights
    yield from layer.non_trainable_weights
