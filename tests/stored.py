"""What a task left in the store, as the loader gave it."""

from __future__ import annotations

from modeldocs.loaders.loading import LoadedPort
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import Load


def whole(load: Load, place: TaskFolders) -> LoadedPort:
    """A load with its graph and ONNX in it."""
    return LoadedPort(
        framework=load.framework,
        graph=place.graph(load.graph) if load.graph is not None else None,
        onnx=place.read(load.onnx) if load.onnx is not None else b"",
        normal=place.read(load.normal) if load.normal is not None else b"",
        failure=load.failure,
        software=load.software,
        read=load.read,
        printed=load.printed,
        seconds=load.seconds,
    )
