"""Transformers that see images and videos, and that match what two images show."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, Values, call, torch
from ..rules import Arrays, Rule, changed, copied, joined, renamed, split, zeros
from ..wrapper import HF, wrapped

_VIT_POSE: Final = torch(
    "transformers",
    HF,
    "transformers.VitPoseBackbone({})".format(
        call(
            "transformers.VitPoseBackboneConfig",
            image_size=[64, 48],
            patch_size=[16, 16],
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            mlp_ratio=2,
            layer_norm_eps=1e-6,
            out_indices=[-1],
        )
    ),
    {"pixel_values": (1, 3, 64, 48)},
)
_TIMM_POSE: Final = torch(
    "timm",
    """
import torch
from timm.models.vision_transformer import VisionTransformer


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network
        self.network.patch_embed.proj.padding = (2, 2)

    def forward(self, x):
        return self.network.forward_features(x)
""",
    "Of({})".format(
        call(
            "VisionTransformer",
            img_size=(64, 48),
            patch_size=16,
            embed_dim=48,
            depth=2,
            num_heads=4,
            mlp_ratio=2.0,
            class_token=False,
            global_pool="",
            num_classes=0,
        )
    ),
    {"x": (1, 3, 64, 48)},
)


def _to_pose(places: Any) -> tuple[Rule, ...]:
    return (
        renamed(
            (r"^embeddings\.position_embeddings", "pos_embed"),
            (r"^embeddings\.patch_embeddings\.projection", "patch_embed.proj"),
            (r"^encoder\.layer", "blocks"),
            (r"^layernorm", "norm"),
            (r"layernorm_before", "norm1"),
            (r"layernorm_after", "norm2"),
            (r"attention\.output\.dense", "attn.proj"),
            (r"attention\.attention", "attn"),
            (r"attention\.", "attn."),
            (r"attn\.o_proj", "attn.proj"),
            (r"attn\.([qkv])_proj", r"attn.\1"),
            (r"attn\.(q)uery|attn\.(k)ey|attn\.(v)alue", r"attn.\1\2\3"),
        ),
        joined(r"^(.*attn)\.(?P<part>[qkv])\.(weight|bias)", r"\1.qkv.\3", ("q", "k", "v")),
        changed(r"pos_embed", places),
        renamed((r"^", "network.")),
    )


_FRAMES: Final[Shapes] = {"pixel_values": (1, 4, 3, 32, 32)}
_VIDEO_MAE: Final = torch(
    "transformers",
    HF,
    "transformers.VideoMAEModel({})".format(
        call(
            "transformers.VideoMAEConfig",
            image_size=32,
            patch_size=16,
            num_frames=4,
            tubelet_size=2,
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=96,
            use_mean_pooling=False,
            layer_norm_eps=1e-5,
        )
    ),
    _FRAMES,
)
_MONAI_VIDEO: Final = torch(
    "monai",
    wrapped("from monai.networks.nets import ViT", "self.network(x)[0]"),
    "Of({})".format(
        call(
            "ViT",
            in_channels=3,
            img_size=(4, 32, 32),
            patch_size=(2, 16, 16),
            hidden_size=48,
            mlp_dim=96,
            num_layers=2,
            num_heads=4,
            proj_type="conv",
            qkv_bias=True,
        )
    ),
    {"x": (1, 3, 4, 32, 32)},
)


def _with_waves(arrays: Arrays) -> Arrays:
    """With the positions of VideoMAE, which are no weight of it, and biases of keys of 0."""
    places = np.arange(8)[:, None] / 10000.0 ** (np.arange(48) // 2 * 2 / 48)
    places[:, 0::2], places[:, 1::2] = np.sin(places[:, 0::2]), np.cos(places[:, 1::2])
    found = {"network.patch_embedding.position_embeddings": places[None].astype(np.float32)}
    for name, array in arrays.items():
        found[name] = array
        if name.endswith("attn.q.bias"):
            found[name.replace("q.bias", "k.bias")] = np.zeros_like(array)
    return found


def _frames_last(values: Values) -> Values:
    return [np.swapaxes(values[0], 1, 2)]


_TO_MONAI: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^embeddings\.patch_embeddings\.projection", "patch_embedding.patch_embeddings"),
        (r"^encoder\.layer", "blocks"),
        (r"^layernorm", "norm"),
        (r"layernorm_before", "norm1"),
        (r"layernorm_after", "norm2"),
        (r"attention\.output\.dense", "attn.out_proj"),
        (r"intermediate\.dense", "mlp.linear1"),
        (r"output\.dense", "mlp.linear2"),
        (r"attention\.attention\.(q)uery", r"attn.\1"),
        (r"attention\.attention\.(k)ey", r"attn.\1"),
        (r"attention\.attention\.(v)alue", r"attn.\1"),
        (r"^", "network."),
    ),
    _with_waves,
    joined(r"^(.*attn)\.(?P<part>[qkv])\.(weight|bias)", r"\1.qkv.\3", ("q", "k", "v")),
)

_TV_MAX_VIT: Final = torch(
    "torchvision",
    """
import torch
from torchvision.models.maxvit import MaxVit


class Features(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.stem, self.blocks = network.stem, network.blocks

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return x
""",
    "Features({})".format(
        call(
            "MaxVit",
            input_size=(32, 32),
            stem_channels=8,
            partition_size=4,
            block_channels=[16, 32],
            block_layers=[1, 1],
            head_dim=8,
            stochastic_depth_prob=0.0,
        )
    ),
    {"x": (1, 3, 32, 32)},
)


def _timm_max_vit(*, padded: bool) -> Net:
    before = f"""
import torch
from timm.models.maxxvit import MaxxVit, MaxxVitCfg, MaxxVitConvCfg, MaxxVitTransformerCfg


class Features(torch.nn.Module):
    def __init__(self):
        super().__init__()
        config = MaxxVitCfg(
            embed_dim=(16, 32),
            depths=(1, 1),
            block_type=("M", "M"),
            stem_width=8,
            stem_bias=True,
            head_hidden_size=32,
            conv_cfg=MaxxVitConvCfg(
                pool_type="avg", expand_output=True, attn_ratio=0.25, attn_act_layer="silu",
                output_bias=True, norm_layer="batchnorm2d", norm_eps=1e-3, act_layer="gelu",
            ),
            transformer_cfg=MaxxVitTransformerCfg(
                dim_head=8, head_first=False, window_size=(4, 4), grid_size=(4, 4),
                rel_pos_type="bias", norm_eps=1e-5, act_layer="gelu",
            ),
        )
        self.network = MaxxVit(config, img_size=32, num_classes=0)
        self.network.head = torch.nn.Identity()
        for one in self.network.modules():
            if isinstance(one, torch.nn.AvgPool2d):
                one.count_include_pad = {padded}

    def forward(self, x):
        return self.network.forward_features(x)
"""
    return torch("timm", before, "Features()", {"x": (1, 3, 32, 32)})


def _keys_scaled(arrays: Arrays) -> Arrays:
    """Scores are divided by the root of the width in A, and by that of a head in B."""
    found = dict(arrays)
    for name, array in arrays.items():
        if "qkv" in name:
            width = len(array) // 3
            scale = np.ones(len(array), np.float32)
            scale[width : 2 * width] = (8 / width) ** 0.5
            found[name] = array * scale.reshape(-1, *[1] * (array.ndim - 1))
    return found


_TO_MAX_VIT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^stem\.0\.0", "stem.conv1"),
        (r"^stem\.0\.1", "stem.norm1"),
        (r"^stem\.1\.0", "stem.conv2"),
        (r"^blocks\.(\d)\.layers\.(\d)\.layers\.", r"stages.\1.blocks.\2."),
        (r"MBconv\.layers\.pre_norm", "conv.pre_norm"),
        (r"MBconv\.layers\.conv_a\.0", "conv.conv1_1x1"),
        (r"MBconv\.layers\.conv_a\.1", "conv.norm1"),
        (r"MBconv\.layers\.conv_b\.0", "conv.conv2_kxk"),
        (r"MBconv\.layers\.conv_b\.1", "conv.norm2"),
        (r"MBconv\.layers\.squeeze_excitation\.fc", "conv.se.fc"),
        (r"MBconv\.layers\.conv_c", "conv.conv3_1x1"),
        (r"MBconv\.proj\.1", "conv.shortcut.expand"),
        (r"window_attention", "attn_block"),
        (r"grid_attention", "attn_grid"),
        (r"attn_layer\.0", "norm1"),
        (r"attn_layer\.1\.to_qkv", "attn.qkv"),
        (r"attn_layer\.1\.merge", "attn.proj"),
        (r"attn_layer\.1\.", "attn.rel_pos."),
        (r"mlp_layer\.0", "norm2"),
        (r"mlp_layer\.1", "mlp.fc1"),
        (r"mlp_layer\.3", "mlp.fc2"),
        (r"^", "network."),
    ),
    zeros("stem.conv1"),
)

_POINTS: Final[Shapes] = {"x": (2, 16, 32), "points": (2, 16, 2)}
_KORNIA_GLUE: Final = torch(
    "kornia",
    """
import torch
from kornia.feature.lightglue import LearnableFourierPositionalEncoding, TransformerLayer


class Glue(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.places = LearnableFourierPositionalEncoding(2, 8, 8)
        self.layers = torch.nn.ModuleList(TransformerLayer(32, 4) for _ in range(2))

    def forward(self, x, points):
        first, second = x[0::2], x[1::2]
        turned = self.places(points[0::2]), self.places(points[1::2])
        for layer in self.layers:
            first, second = layer(first, second, *turned)
        return torch.stack([first, second], 1).flatten(0, 1)
""",
    "Glue()",
    _POINTS,
)
_HF_GLUE: Final = torch(
    "transformers",
    """
import torch
import transformers
from transformers.models.lightglue import modeling_lightglue as made


class Glue(torch.nn.Module):
    def __init__(self):
        super().__init__()
        config = transformers.LightGlueConfig(
            descriptor_dim=32, num_hidden_layers=2, num_attention_heads=4
        )
        config._attn_implementation = "eager"
        self.places = made.LightGluePositionalEncoder(config)
        self.layers = torch.nn.ModuleList(
            made.LightGlueTransformerLayer(config, n) for n in range(2)
        )

    def forward(self, x, points):
        turned = self.places(points)[0]
        for layer in self.layers:
            x = layer(x, turned, None)[0]
        return x
""",
    "Glue()",
    _POINTS,
)


def _by_part(array: np.ndarray) -> np.ndarray:
    """Rows of query, key and value that are beside each other, as those of all queries first."""
    return np.moveaxis(array.reshape(32, 3, *array.shape[1:]), 1, 0).reshape(array.shape)


_TO_GLUE: Final[tuple[Rule, ...]] = (
    changed(r"Wqkv", _by_part),
    split(
        r"^(.*)self_attn\.Wqkv\.(.*)",
        *(rf"\1self_attention.{one}_proj.\2" for one in "qkv"),
    ),
    copied(r"^(.*)cross_attn\.to_qk\.(.*)", *(rf"\1cross_attention.{one}_proj.\2" for one in "qk")),
    renamed(
        (r"^places\.Wr", "places.projector"),
        (r"cross_attn\.to_v", "cross_attention.v_proj"),
        (r"cross_attn\.to_out", "cross_attention.o_proj"),
        (r"self_attn\.out_proj", "self_attention.o_proj"),
        (r"(self|cross)_attn\.ffn\.0", r"\1_mlp.fc1"),
        (r"(self|cross)_attn\.ffn\.1", r"\1_mlp.layer_norm"),
        (r"(self|cross)_attn\.ffn\.3", r"\1_mlp.fc2"),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "ViTPose's backbone",
        _VIT_POSE,
        _TIMM_POSE,
        "the same; the row of the class is added to all positions in A, is part of them in B",
        _to_pose(lambda array: array[:, 1:] + array[:, :1]),
    ),
    Published(
        "VideoMAE, MONAI",
        _VIDEO_MAE,
        _MONAI_VIDEO,
        "the same; positions are computed in A, a weight in B; frames before channels in A; norms "
        "before an attention that is not there only in B, which nothing reads",
        _TO_MONAI,
        feed=_frames_last,
        unset=r"norm_cross_attn",
    ),
    Published(
        "MaxViT",
        _TV_MAX_VIT,
        _timm_max_vit(padded=True),
        "the same; scores are divided by the root of the width in A, by that of a head in B, where "
        "keys are scaled",
        (*_TO_MAX_VIT, _keys_scaled),
    ),
    Published(
        "MaxViT, means without pads",
        _TV_MAX_VIT,
        _timm_max_vit(padded=False),
        "means of three by three before both first sums: with the zeros around the image in A, "
        "without in B",
        (*_TO_MAX_VIT, _keys_scaled),
        kind="different",
    ),
    Published(
        "LightGlue's layers",
        _KORNIA_GLUE,
        _HF_GLUE,
        "the same; two images one after the other in A, in one batch in B; one weight of queries "
        "and keys between images in A, two in B",
        _TO_GLUE,
    ),
)
