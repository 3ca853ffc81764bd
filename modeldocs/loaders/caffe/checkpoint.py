"""What a network stores: the blobs of its layers. They are read, not written."""

from __future__ import annotations

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import source
from modeldocs.loaders.caffe.assembly import assemble
from modeldocs.loaders.caffe.weights import FACTOR_INDEX
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor
from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.inference import shape_of


def layout(request: LoadRequest) -> CheckpointLayout:
    """The blobs of a definition's layers, by layer and place: `conv1:0`.

    Raises:
        ModeldocsError: the definition cannot be read.
    """
    tensors: dict[str, StoredTensor] = {}
    keys: dict[str, str] = {}
    for one in assemble(source.read(request), request).layers:
        for index, value in sorted(one.blobs.items()):
            name = str(value.name)
            scaled = one.is_batch_norm and index < FACTOR_INDEX
            divisor = str(one.blobs[FACTOR_INDEX].name) if scaled else ""
            keys.setdefault(name, f"{one.layer.name}:{index}")
            tensors.setdefault(name, StoredTensor(name, sizes(shape_of(value)), divisor=divisor))
    return CheckpointLayout(tuple(tensors.values()), {"layers' blobs": tuple(keys.values())})
