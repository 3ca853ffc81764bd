"""A blob that a layer reads and none before it makes: a mistake, or a label left out on purpose."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.network import LayerSource, Network
from modeldocs.loaders.caffe.record import nearest


def is_loss(kind: str) -> bool:
    """Whether a layer type is for training alone, by its name."""
    return kind.endswith("Loss") or kind == "Accuracy"


def needs_label(source: LayerSource, missing: str) -> bool:
    """Whether a loss lacks its label: not its prediction, and not by a slip of the pen."""
    slip = any(
        difflib.SequenceMatcher(None, missing, name).ratio() > 0.8 for name in source.bottoms[:1]
    )
    return is_loss(source.type) and missing in source.bottoms[1:] and not slip


def missing_blob(
    network: Network, source: LayerSource, name: str, known: Sequence[str]
) -> ModeldocsError:
    """The error to raise: where else the blob is made, or which of those known is meant."""
    made = [layer for layer in network.layers if name in layer.tops]
    elsewhere = [layer for layer in network.left_out if name in layer.tops]
    near = nearest(name, list(known))
    if made:
        mend = f"move it below {made[0].name!r} ({made[0].where}), which makes the blob"
    elif elsewhere:
        mend = (
            f"{elsewhere[0].where} makes it, in another phase or stage: pass that as --args, or "
            "give the layer the same rules"
        )
    else:
        mend = f"did you mean {near!r}?" if near else f"make {name!r} in a layer before it"
    return source.error(f"reads {name!r}, which no layer before it makes", at="bottom", mend=mend)
