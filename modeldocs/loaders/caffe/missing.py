"""A blob that a layer reads and none before it makes."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.layer_source import LayerSource
from modeldocs.loaders.caffe.network import Network
from modeldocs.loaders.caffe.record import nearest


def missing_blob(
    network: Network, source: LayerSource, name: str, known: Sequence[str]
) -> ModeldocsError:
    """The error to raise: where else the blob is made, or which of those known is meant."""
    made = [layer for layer in network.layers if name in layer.tops]
    elsewhere = [layer for layer in network.left_out if name in layer.tops]
    near = nearest(name, list(known))
    if made:
        fix = f"move it below {made[0].name!r} ({made[0].where}), which makes the blob"
    elif elsewhere:
        fix = (
            f"{elsewhere[0].where} makes it, in another phase or stage: pass that as --args, or "
            "give the layer the same rules"
        )
    else:
        fix = f"did you mean {near!r}?" if near else f"make {name!r} in a layer before it"
    return source.error(f"reads {name!r}, which no layer before it makes", at="bottom", fix=fix)
