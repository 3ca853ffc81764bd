"""Defaults of PyTorch's layers and functions."""

from __future__ import annotations

from modeldocs.generators.calls import Signature

_CONV: dict[str, object] = {
    "stride": 1,
    "padding": 0,
    "dilation": 1,
    "groups": 1,
    "bias": True,
}
_NORM: dict[str, object] = {"eps": 1e-5, "affine": True}
_POOL: dict[str, object] = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False}
_MEAN: dict[str, object] = {
    "stride": None,
    "padding": 0,
    "ceil_mode": False,
    "count_include_pad": True,
}

_RECURRENT: dict[str, object] = {"bias": True, "batch_first": False, "bidirectional": False}

SIGNATURES: dict[str, Signature] = {
    "F.avg_pool": (1, _MEAN),
    "F.celu": (0, {"alpha": 1.0}),
    "F.elu": (0, {"alpha": 1.0}),
    "F.gelu": (0, {"approximate": "none"}),
    "F.hardtanh": (2, {"min_val": -1.0, "max_val": 1.0}),
    "F.leaky_relu": (1, {"negative_slope": 0.01}),
    "F.local_response_norm": (1, {"alpha": 1e-4, "beta": 0.75, "k": 1.0}),
    "F.max_pool": (1, _POOL),
    "F.normalize": (0, {"p": 2.0, "dim": 1, "eps": 1e-12}),
    "F.pixel_shuffle": (1, {}),
    "F.scaled_dot_product_attention": (
        0,
        {"is_causal": False, "scale": None, "enable_gqa": False},
    ),
    "F.adaptive_avg_pool": (1, {}),
    "F.adaptive_max_pool": (1, {}),
    "torch.topk": (1, {"dim": -1, "largest": True}),
    "top_k": (1, {"dim": -1, "largest": True}),
    "gather_nd": (1, {}),
    "F.grid_sample": (0, {"mode": "bilinear", "padding_mode": "zeros"}),
    "F.lp_pool": (2, {"stride": None}),
    "F.pixel_unshuffle": (1, {}),
    "depth_to_space": (1, {}),
    "space_to_depth": (1, {}),
    "grid_numbers": (2, {"first": 0}),
    "rotary_angles": (0, {"base": 10000.0, "first": 0}),
    "nn.AdaptiveAvgPool": (1, {}),
    "nn.AdaptiveMaxPool": (1, {}),
    "BatchNormWithoutScale": (1, {"eps": 1e-5}),
    "nn.AvgPool": (1, _MEAN),
    "nn.BatchNorm": (1, _NORM),
    "nn.GRU": (2, _RECURRENT),
    "nn.LSTM": (2, _RECURRENT),
    "nn.RNN": (2, _RECURRENT),
    "nn.CELU": (0, {"alpha": 1.0}),
    "nn.Conv": (3, _CONV),
    "nn.ConvTranspose": (3, _CONV | {"output_padding": 0}),
    "nn.Dropout": (1, {"p": 0.5}),
    "nn.ELU": (0, {"alpha": 1.0}),
    "nn.Embedding": (2, {}),
    "nn.GELU": (0, {"approximate": "none"}),
    "nn.GroupNorm": (2, _NORM),
    "nn.Hardtanh": (2, {"min_val": -1.0, "max_val": 1.0}),
    "nn.InstanceNorm": (1, {"eps": 1e-5, "affine": False}),
    "nn.LayerNorm": (1, {"eps": 1e-5, "elementwise_affine": True, "bias": True}),
    "nn.LeakyReLU": (1, {"negative_slope": 0.01}),
    "nn.Linear": (2, {"bias": True}),
    "nn.LocalResponseNorm": (1, {"alpha": 1e-4, "beta": 0.75, "k": 1.0}),
    "nn.MaxPool": (1, _POOL),
    "nn.PReLU": (1, {"num_parameters": 1}),
    "nn.PixelShuffle": (1, {}),
    "nn.RMSNorm": (1, {"elementwise_affine": True}),
}
"""By name without the number of axes: how many settings are written by position, and defaults."""
