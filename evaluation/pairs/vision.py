"""Pairs of transformers that see images."""

from __future__ import annotations

from typing import Any, Final

from .nets import IMAGE, Net, keras_hub, timm, torchvision
from .nets import transformers as hugging_face
from .pairs import Pair
from .transformers import PROJECTIONS
from .truth import ALONE, Labels, Rules, Truth

_LARGER: Final = (1, 3, 256, 256)
_LAST: Final[Rules] = ((r"pooler|^head|classifier", ALONE),)
"""What classifies, where one side ends before it."""


def _see(model: str, config: str, **settings: Any) -> Net:
    """A network of `transformers` that takes an image."""
    return hugging_face(model, config, settings, {"pixel_values": IMAGE})


def _alike(name: str, a: Net, b: Net, rules: Rules = (), ours: Rules = (), its: Rules = ()) -> Pair:
    """Labelled alike on both sides, but for rules of one."""
    sides = ((*ours, *rules, *PROJECTIONS), (*its, *rules, *PROJECTIONS))
    return Pair(name, a, b, Truth(Labels(sides[0]), Labels(sides[1])))


_SMALL: Final = {
    "num_hidden_layers": 4,
    "hidden_size": 384,
    "num_attention_heads": 6,
    "intermediate_size": 1536,
}
_KERAS: Final = {
    "image_shape": (224, 224, 3),
    "patch_size": (16, 16),
    "num_layers": 4,
    "num_heads": 6,
    "hidden_dim": 384,
}
_CHANNELS_LAST: Final = (1, 224, 224, 3)

PLAIN: Final = (
    _alike("ViT-B/16", torchvision("vit_b_16"), timm("vit_base_patch16_224")),
    _alike(
        "ViT-S/16",
        _see("ViTForImageClassification", "ViTConfig", **_SMALL, num_labels=1000),
        timm("vit_small_patch16_224", depth=4),
    ),
    _alike(
        "ViT-S/16, Keras",
        keras_hub("ViTBackbone", {**_KERAS, "mlp_dim": 1536}, {"images": _CHANNELS_LAST}),
        _see("ViTModel", "ViTConfig", **_SMALL),
        ((r"position_embedding/", ALONE), *_LAST),
    ),
    _alike(
        "DeiT, distilled",
        _see("DeiTForImageClassificationWithTeacher", "DeiTConfig", **_SMALL, num_labels=1000),
        timm("deit_small_distilled_patch16_224", depth=4),
        (
            (r"^distillation_classifier|^head_dist", "teacher"),
            (r"^cls_classifier|^head\.", "head"),
        ),
    ),
    _alike(
        "CLIP ViT-B/32",
        _see("CLIPVisionModel", "CLIPVisionConfig", num_hidden_layers=4),
        timm("vit_base_patch32_clip_224", depth=4, num_classes=0),
        ((r"position_embedding", ALONE),),
    ),
    _alike(
        "DINOv2",
        _see("Dinov2Model", "Dinov2Config", num_hidden_layers=4, image_size=224),
        timm("vit_base_patch14_dinov2", depth=4, img_size=224),
    ),
)

_HUGGING_SWIN: Final = _see("SwinModel", "SwinConfig", attn_implementation="eager")
SWIN: Final = torchvision("swin_t")
SWIN_V2: Final = timm("swinv2_tiny_window8_256", _LARGER)

WINDOWED: Final = (
    _alike("Swin-T", SWIN, timm("swin_tiny_patch4_window7_224")),
    _alike("Swin-T, transformers", _HUGGING_SWIN, SWIN, _LAST),
    _alike(
        "Swin V2-T",
        torchvision("swin_v2_t", _LARGER),
        SWIN_V2,
        ((r"cpb_mlp", "positions"),),
    ),
    _alike(
        "MaxViT-T",
        torchvision("maxvit_t"),
        timm("maxvit_tiny_tf_224"),
        ((r"MBconv\.proj|shortcut", "shortcut"),),
        ours=((r"blocks\.0\.layers\.0\.layers\.MBconv\.proj", ALONE),),
    ),
)

HIERARCHICAL: Final = (
    Pair(
        "SegFormer B0",
        _see("SegformerModel", "SegformerConfig"),
        keras_hub(
            "MiTBackbone",
            {
                "layerwise_depths": [2, 2, 2, 2],
                "num_layers": 4,
                "layerwise_num_heads": [1, 2, 5, 8],
                "layerwise_sr_ratios": [8, 4, 2, 1],
                "max_drop_path_rate": 0.1,
                "layerwise_patch_sizes": [7, 3, 3, 3],
                "layerwise_strides": [4, 2, 2, 2],
                "hidden_dims": [32, 64, 160, 256],
                "image_shape": (224, 224, 3),
            },
            {"images": _CHANNELS_LAST},
        ),
    ),
    _alike(
        "ConvNeXt V2-T",
        _see("ConvNextV2Model", "ConvNextV2Config"),
        timm("convnextv2_tiny", num_classes=0),
    ),
    _alike(
        "PVT v2-B0",
        _see("PvtV2Model", "PvtV2Config"),
        timm("pvt_v2_b0", num_classes=0),
        ours=((r"query", "q"), (r"key", "kv/k"), (r"(?<!pixel_)value", "kv/v")),
        its=((r"\bq\b", "q"), (r"\bkv\b", "kv")),
    ),
    _alike("MobileViT-S", _see("MobileViTModel", "MobileViTConfig"), timm("mobilevit_s"), _LAST),
)
