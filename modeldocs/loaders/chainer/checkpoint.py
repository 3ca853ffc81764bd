"""What a link stores: its parameters and persistent values, by path."""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from modeldocs.loaders import LoadRequest, checkpoint_layout
from modeldocs.loaders.chainer import weights
from modeldocs.loaders.chainer.run import run
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor
from modeldocs.loaders.reference import Arrays


def layout(request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
    """What `serializers.save_npz` writes of a link, and the values of what is not mapped.

    Raises:
        ModeldocsError: it cannot be built, or called.
    """
    link = run(request).link
    arrays = {path.strip("/"): one.array for path, one in sorted(link.namedparams())}
    arrays |= dict(weights.persistents(link))
    stored = {name: np.asarray(one) for name, one in arrays.items() if one is not None}
    tensors = [StoredTensor(name, one.shape, str(one.dtype)) for name, one in stored.items()]
    own = {name: one for name, one in stored.items() if name not in mapped}
    return checkpoint_layout.plain(tensors), own
