"""Keras itself: imported quietly, on the processor, with TensorFlow under it."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator
from typing import Any

_SETTINGS = {
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",  # its notice at import cannot be silenced otherwise
    "CUDA_VISIBLE_DEVICES": "-1",
}


def quiet() -> None:
    """Set what TensorFlow reads when it is imported; a port's own import may be the first."""
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
    """Let it take what it took before version 3."""
    from modeldocs.loaders.keras import earlier, functions

    functions.take()
    earlier.allow(keras)


def version() -> str:
    """What is said of the software that a proof was run with."""
    import tensorflow

    return f"keras {imported().__version__} (tensorflow {tensorflow.__version__})"


@contextlib.contextmanager
def session(*, values: bool) -> Iterator[None]:
    """A block in which names count from one, whatever was built before.

    Without `values`, variables made in it have a shape alone: nothing is drawn or allocated.
    """
    keras = imported()
    keras.utils.clear_session(free_memory=False)
    keras.utils.set_random_seed(0)
    with contextlib.nullcontext() if values else keras.StatelessScope(initialize_variables=False):
        yield
