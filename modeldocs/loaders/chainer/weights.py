"""Parameters and running statistics of a link, and their designed values."""

from __future__ import annotations

from typing import Any

import numpy as np

from modeldocs.loaders.reference import Designed


def persistents(link: Any) -> list[tuple[str, Any]]:
    """What a link stores besides its parameters (running statistics, counts), by path."""
    return [
        (f"{path.strip('/')}/{name}".strip("/"), vars(child).get(name))
        for path, child in sorted(link.namedlinks(), key=lambda item: str(item[0]))
        for name in sorted(child._persistent)
    ]


def is_table(value: Any) -> bool:
    """Whether a stored array of a new link is a constant of its function.

    Statistics begin as zeros or ones; a table of positions has its values from the start.
    """
    if not isinstance(value, np.ndarray) or not value.ndim or not value.size:
        return False
    return bool((value != value.reshape(-1)[0]).any())


def stored(link: Any) -> dict[int, tuple[str, bool]]:
    """Name of each array that a link stores, and whether it is trained, by the array's id.

    Constants of its function are left out.
    """
    arrays: dict[int, tuple[str, bool]] = {}
    for name, value in persistents(link):
        if isinstance(value, np.ndarray) and value.ndim and not is_table(value):
            arrays[id(value)] = (name, False)
    for path, parameter in link.namedparams():
        if parameter.array is not None:
            arrays[id(parameter.array)] = (path.strip("/"), True)
    return arrays


def is_initialized(link: Any) -> bool:
    """Whether every parameter and statistic of a link has its shape."""
    parameters = all(parameter.array is not None for parameter in link.params())
    return parameters and all(value is not None for _, value in persistents(link))


def fill(link: Any, designed: Designed) -> None:
    """Give every parameter and running statistic of a link its designed value, in place."""
    for path, parameter in sorted(link.namedparams()):
        if parameter.array is None:  # not read, so that it never got a size
            continue
        parameter.array[...] = designed.parameter(path.strip("/"), parameter.shape)
    for path, value in persistents(link):
        if isinstance(value, np.ndarray) and value.ndim and not is_table(value):
            value[...] = designed.parameter(path, value.shape)
