"""Keras itself, imported without messages, on the processor, with TensorFlow as its backend."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterator
from typing import Any

_SETTINGS = {
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",  # its notice at import cannot be silenced otherwise
    "CUDA_VISIBLE_DEVICES": "-1",
}


def quiet() -> None:
    """Set what TensorFlow reads at its import, which may be a port's own; not after it."""
    if "keras" not in sys.modules:
        os.environ.update(_SETTINGS)


def imported() -> Any:
    """The package `keras`."""
    quiet()
    import keras

    keras.config.disable_traceback_filtering()  # it hides the port's own frames
    _extend(keras)
    return keras


@functools.cache
def _extend(keras: Any) -> None:
    """Let Keras accept what it accepted before version 3."""
    from modeldocs.loaders.keras import compatibility, functions

    functions.record()
    compatibility.allow(keras)


def version() -> str:
    """The software of a proof."""
    import tensorflow

    return f"keras {imported().__version__} (tensorflow {tensorflow.__version__})"


@contextlib.contextmanager
def session(*, values: bool) -> Iterator[None]:
    """A block in which names are numbered from one, whatever was built before.

    Without `values`, variables have shapes alone: nothing is initialised or allocated.
    """
    keras = imported()
    keras.utils.clear_session(free_memory=False)
    keras.utils.set_random_seed(0)
    with contextlib.nullcontext() if values else keras.StatelessScope(initialize_variables=False):
        yield
