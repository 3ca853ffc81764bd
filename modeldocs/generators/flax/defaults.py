"""Defaults of Flax's layers and of JAX's functions."""

from __future__ import annotations

from modeldocs.generators.calls import Signature

_CONV: dict[str, object] = {
    "strides": 1,
    "padding": "SAME",
    "kernel_dilation": 1,
    "feature_group_count": 1,
    "use_bias": True,
}
_NORM: dict[str, object] = {"epsilon": 1e-6, "use_bias": True, "use_scale": True}
_POOL: dict[str, object] = {"strides": None, "padding": "VALID", "count_include_pad": True}

SIGNATURES: dict[str, Signature] = {
    "jax.nn.dot_product_attention": (0, {"scale": None, "is_causal": False}),
    "jnp.pad": (0, {"mode": "constant", "constant_values": 0}),
    "local_response_norm": (1, {"alpha": 1e-4, "beta": 0.75, "k": 1.0}),
    "depth_to_space": (1, {}),
    "nnx.BatchNorm": (1, _NORM | {"epsilon": 1e-5}),
    "nnx.Conv": (3, _CONV),
    "nnx.ConvTranspose": (3, _CONV | {"transpose_kernel": False}),
    "nnx.Dropout": (1, {}),
    "nnx.Embed": (2, {}),
    "nnx.GroupNorm": (2, _NORM | {"num_groups": 32}),
    "nnx.InstanceNorm": (1, _NORM),
    "nnx.LayerNorm": (1, _NORM),
    "nnx.Linear": (2, {"use_bias": True}),
    "nnx.MultiHeadAttention": (2, {"use_bias": True}),
    "nnx.RMSNorm": (1, _NORM),
    "nnx.avg_pool": (1, _POOL),
    "nnx.celu": (0, {"alpha": 1.0}),
    "nnx.elu": (0, {"alpha": 1.0}),
    "nnx.leaky_relu": (1, {"negative_slope": 0.01}),
    "nnx.max_pool": (1, _POOL),
    "partial": (0, {"strides": None, "padding": "VALID", "count_include_pad": True}),
    "pixel_shuffle": (1, {}),
    "gather_nd": (1, {}),
    "jax.lax.top_k": (1, {"axis": -1}),
    "top_k": (1, {"axis": -1, "largest": True}),
    "grid_sample": (0, {"mode": "linear", "align_corners": False, "padding": "zeros"}),
    "space_to_depth": (1, {}),
    "grid_numbers": (2, {"first": 0}),
    "rotary_angles": (0, {"base": 10000.0, "first": 0}),
}
"""How many settings are written by position, and defaults."""

_CELLS = (
    "EarlyResetGRUCell", "EarlyResetGRUCellWithoutBias", "GRUCellWithBiases", "GRUCellWithoutBias",
    "LSTMCellWithoutBias", "SimpleCellWithoutBias", "nnx.OptimizedLSTMCell", "nnx.SimpleCell",
)  # fmt: skip

SIGNATURES |= {name: (2, {}) for name in _CELLS}

DRAWN = (
    *_CELLS,
    "nnx.BatchNorm", "nnx.Conv", "nnx.ConvTranspose", "nnx.Dropout", "nnx.Embed", "nnx.GroupNorm",
    "nnx.InstanceNorm", "nnx.LayerNorm", "nnx.Linear", "nnx.MultiHeadAttention",
    "nnx.RMSNorm",
)  # fmt: skip
"""Layers that take a source of random numbers."""
