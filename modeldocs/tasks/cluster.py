"""A Dask cluster that runs tasks: an executor for `modeldocs.tasks.build`.

Its workers read the catalog and write the store at the same paths as this process, on a file system
that all of them share.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

import modeldocs
from modeldocs.errors import ModeldocsError

CONNECT_SECONDS = 20
"""Seconds after which a scheduler that does not answer counts as not there."""


@contextlib.contextmanager
def connected(address: str) -> Iterator[Executor]:
    """The executor of the cluster whose scheduler has that address (`tcp://host:8786`).

    A task whose worker dies runs again on another.

    Raises:
        ModeldocsError: Dask is not installed, there is no such scheduler, it has no workers, or
            they have another version of modeldocs.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ModeldocsError(
            "Dask is not installed", fix="pip install distributed, here and on the cluster"
        ) from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ModeldocsError(
            f"no Dask scheduler answers at {address}: {error}",
            fix="start one with `dask scheduler`, and pass the address that it prints",
        ) from None
    with client:
        _check(client.run(_version))
        yield client.get_executor(pure=False)


def _version() -> str:
    return modeldocs.__version__


def _check(versions: dict[str, str]) -> None:
    """Check that there are workers, all with this version of modeldocs."""
    if not versions:
        raise ModeldocsError(
            "the cluster has no workers", fix="start some with `dask worker ADDRESS`"
        )
    others = {name: one for name, one in versions.items() if one != modeldocs.__version__}
    if others:
        name, version = next(iter(others.items()))
        raise ModeldocsError(
            f"the worker {name} has modeldocs {version}, and this is {modeldocs.__version__}",
            fix="install the same version on all machines",
        )
