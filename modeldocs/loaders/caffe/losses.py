"""Losses, and the labels that they may lack."""

from __future__ import annotations

import difflib

from modeldocs.loaders.caffe.layer_source import LayerSource


def is_loss(kind: str) -> bool:
    """Whether a layer type is for training alone, by its name."""
    return "Loss" in kind or kind == "Accuracy"


def needs_label(source: LayerSource, missing: str) -> bool:
    """Whether a loss lacks its label: not its prediction, and not by a slip of the pen."""
    slip = any(
        difflib.SequenceMatcher(None, missing, name).ratio() > 0.8 for name in source.bottoms[:1]
    )
    return is_loss(source.type) and missing in source.bottoms[1:] and not slip
