"""Defaults of Keras' layers and operations."""

from __future__ import annotations

from modeldocs.generators.calls import Signature

_CONV: dict[str, object] = {
    "strides": 1,
    "padding": "valid",
    "dilation_rate": 1,
    "groups": 1,
    "activation": None,
    "use_bias": True,
}
_POOL: dict[str, object] = {"strides": None, "padding": "valid"}
_NORM: dict[str, object] = {"epsilon": 1e-3, "center": True, "scale": True}
_REDUCTION: dict[str, object] = {"axis": None, "keepdims": False}

_RECURRENT: dict[str, object] = {
    "use_bias": True,
    "return_sequences": False,
    "return_state": False,
}

SIGNATURES: dict[str, Signature] = {
    "Parameter": (1, {"trainable": True}),
    "layers.AveragePooling": (1, _POOL),
    "layers.BatchNormalization": (0, _NORM),
    "layers.Concatenate": (0, {"axis": -1}),
    "layers.Conv": (2, _CONV),
    "layers.ConvTranspose": (2, _CONV),
    "layers.Cropping": (1, {}),
    "layers.Dense": (1, {"activation": None, "use_bias": True}),
    "layers.DepthwiseConv": (1, _CONV | {"depth_multiplier": 1}),
    "layers.Dropout": (1, {}),
    "layers.ELU": (0, {"alpha": 1.0}),
    "layers.Embedding": (2, {}),
    "layers.GlobalAveragePooling": (0, {"keepdims": False}),
    "layers.GlobalMaxPooling": (0, {"keepdims": False}),
    "layers.GroupNormalization": (0, _NORM | {"groups": 32}),
    "layers.GRU": (1, _RECURRENT | {"reset_after": True}),
    "layers.LSTM": (1, _RECURRENT),
    "layers.SimpleRNN": (1, _RECURRENT),
    "layers.LayerNormalization": (0, _NORM | {"axis": -1}),
    "layers.MaxPooling": (1, _POOL),
    "layers.PReLU": (0, {"shared_axes": None}),
    "layers.RMSNormalization": (0, {"axis": -1, "epsilon": 1e-6}),
    "layers.ReversibleEmbedding": (2, {}),
    "layers.UpSampling": (1, {"interpolation": "nearest"}),
    "layers.ZeroPadding": (1, {}),
    "local_response_norm": (1, {"alpha": 1e-4, "beta": 0.75, "k": 1.0}),
    "ops.dot_product_attention": (
        0,
        {"scale": None, "is_causal": False, "attn_logits_soft_cap": None},
    ),
    "ops.image.resize": (0, {"interpolation": "bilinear"}),
    "ops.logsumexp": (0, _REDUCTION),
    "ops.max": (0, _REDUCTION),
    "ops.mean": (0, _REDUCTION),
    "ops.min": (0, _REDUCTION),
    "ops.prod": (0, _REDUCTION),
    "ops.argmax": (0, _REDUCTION),
    "ops.argmin": (0, _REDUCTION),
    "ops.split": (0, {"axis": 0}),
    "ops.sum": (0, _REDUCTION),
    "grid_sample": (0, {"mode": "linear", "align_corners": False, "padding": "zeros"}),
    "grid_numbers": (2, {"first": 0}),
    "rotary_angles": (0, {"base": 10000.0, "first": 0}),
}
"""By name without the number of axes: how many settings are written by position, and defaults."""
