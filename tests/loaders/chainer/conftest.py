"""Graphs and failures of a module's ports, by their source."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph
from tests.loaders.chainer.ports import Result, load_all


@pytest.fixture(scope="module")
def results(request, environment, tmp_path_factory) -> dict[str, Result]:
    """What loading the module's `PORTS` brings, all of them in one process."""
    environment("chainer")
    return load_all(tmp_path_factory.mktemp("ports"), request.module.PORTS)


@pytest.fixture
def graph(results) -> Callable[[str], LayerGraph]:
    """The graph of a port, which must load."""

    def of(body: str) -> LayerGraph:
        result = results[body]
        assert isinstance(result, LayerGraph), result
        return result

    return of


@pytest.fixture
def failure(results) -> Callable[[str], Failure]:
    """Why a port does not load."""

    def of(body: str) -> Failure:
        result = results[body]
        assert isinstance(result, Failure)
        return result

    return of
