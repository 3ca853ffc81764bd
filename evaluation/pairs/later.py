"""Pairs that were put down when the diff was done, before any of them was loaded."""

from __future__ import annotations

from typing import Final

from .nets import IMAGE, timm, torchvision
from .nets import transformers as hugging_face
from .pairs import Pair
from .transformers import HEADS, PLACES, PROJECTIONS, SEGMENTED, TYPED, WIDE, alike, backbone, read
from .truth import ALONE, Labels, Rules, Truth

_PIXELS: Final = {"pixel_values": IMAGE}
_BEIT: Final = {"num_hidden_layers": 4, "use_relative_position_bias": True}
_SHORTCUT: Final = (r"shortcut|downsample", "shortcut")


def _labelled(*rules: tuple[str, str]) -> Truth:
    labels = Labels((*rules, *PROJECTIONS))
    return Truth(labels, labels)


_GATED: Final[Rules] = (
    (r"gate_up_proj", "gated"),
    (r"feedforward_gate", "gated/gate"),
    (r"feedforward_intermediate", "gated/up"),
    *PROJECTIONS,
)
_SHARED: Final[Rules] = ((r"token_type|segment", "segments"), *PROJECTIONS)

LATER: Final = (
    Pair(
        "ResNet-50, transformers",
        hugging_face("ResNetModel", "ResNetConfig", {}, _PIXELS),
        torchvision("resnet50"),
        _labelled((r"^fc\.", ALONE), _SHORTCUT),
    ),
    Pair(
        "RegNetY-4GF",
        hugging_face("RegNetModel", "RegNetConfig", {}, _PIXELS),
        timm("regnety_040", num_classes=0),
        _labelled(_SHORTCUT),
    ),
    Pair(
        "MobileNetV2, transformers",
        hugging_face("MobileNetV2Model", "MobileNetV2Config", {}, _PIXELS),
        torchvision("mobilenet_v2"),
        _labelled((r"^classifier", ALONE)),
    ),
    Pair(
        "PoolFormer-S12",
        hugging_face("PoolFormerModel", "PoolFormerConfig", {}, _PIXELS),
        timm("poolformer_s12"),
        _labelled((r"^head|^norm\.", ALONE)),
    ),
    Pair(
        "BEiT",
        hugging_face("BeitModel", "BeitConfig", _BEIT, _PIXELS),
        timm("beit_base_patch16_224", depth=4, num_classes=0),
        # looked up by number in timm's, put together of slices in the other
        _labelled((r"pooler|fc_norm", "norm"), (r"relative_position_bias_table", ALONE)),
    ),
    Pair(
        "LeViT-128",
        hugging_face("LevitModel", "LevitConfig", {}, _PIXELS),
        timm("levit_128", num_classes=0),
        Truth(*(Labels(((r"\.queries\.|\.q\.", "queries"),)),) * 2),
    ),
    alike(
        "ALBERT",
        read("AlbertModel", "AlbertConfig", TYPED, embedding_size=64),
        backbone("AlbertBackbone", SEGMENTED, embedding_dim=64, **PLACES),
        _SHARED,
    ),
    alike(
        "Phi 3",
        read("Phi3Model", "Phi3Config", num_key_value_heads=2, pad_token_id=0),
        backbone("Phi3Backbone", num_heads=None, num_query_heads=HEADS, num_key_value_heads=2),
        _GATED,
    ),
    alike(
        "Falcon",
        read(
            "FalconModel",
            "FalconConfig",
            alibi=True,
            parallel_attn=False,
            multi_query=False,
            ffn_hidden_size=WIDE,
            bias=True,
        ),
        backbone("FalconBackbone", num_heads=None, num_attention_heads=HEADS),
    ),
)
