"""Networks that classify and segment images."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..pairs import Published, call, output, torch
from ..rules import Arrays, changed, dropped, joined, renamed, reshaped, split, transposed

_DENSE: Final = {"growth_rate": 8, "block_config": (2, 3)}
_QKV: Final = ("q", "k", "v")
_CLIP_VISION: Final = {
    "num_hidden_layers": 2,
    "hidden_size": 96,
    "intermediate_size": 192,
    "num_attention_heads": 3,
    "image_size": 64,
}

EFFICIENT: Final = (
    (r"^_conv_stem", "conv_stem"),
    (r"^_bn0", "bn1"),
    (r"^_conv_head", "conv_head"),
    (r"^_bn1", "bn2"),
    (r"^_fc", "classifier"),
    (r"^_blocks\.0\._depthwise_conv", "_blocks.0.conv_dw"),
    (r"^_blocks\.0\._bn1", "_blocks.0.bn1"),
    (r"^_blocks\.0\._project_conv", "_blocks.0.conv_pw"),
    (r"^_blocks\.0\._bn2", "_blocks.0.bn2"),
    (r"_expand_conv", "conv_pw"),
    (r"_depthwise_conv", "conv_dw"),
    (r"_project_conv", "conv_pwl"),
    (r"_bn2", "bn3"),
    (r"_bn1", "bn2"),
    (r"_bn0", "bn1"),
    (r"_se_(reduce|expand)", r"se.conv_\1"),
    *(
        (rf"^_blocks\.{first + n}\.", f"blocks.{stage}.{n}.")
        for stage, (first, count) in enumerate(
            ((0, 1), (1, 2), (3, 2), (5, 3), (8, 3), (11, 4), (15, 1))
        )
        for n in range(count)
    ),
)
"""`_bn2` of the first block ends it; of the others it is in the middle: the first is spelt out."""


_SEGFORMER: Final = (
    joined(
        r"^stages\.(\d)\.blocks\.(\d)\.attention\.(?P<part>[kv])_proj\.(\w+)",
        r"stages.\1.blocks.\2.attn.kv.\4",
        ("k", "v"),
    ),
    renamed(
        (r"attention\.q_proj", "attn.q"),
        (r"attention\.o_proj", "attn.proj"),
        (r"attention\.sequence_reduction\.sequence_reduction", "attn.sr"),
        (r"attention\.sequence_reduction\.layer_norm", "attn.norm"),
        (r"layernorm_before", "norm1"),
        (r"layernorm_after", "norm2"),
        *(
            (rf"^stages\.{n}\.{own}\.", f"encoder.{new}{n + 1}.")
            for n in range(4)
            for own, new in (("patch_embeddings", "patch_embed"), ("blocks", "block"))
        ),
        *((rf"^stages\.{n}\.layer_norm", f"encoder.norm{n + 1}") for n in range(4)),
        (r"(patch_embed\d)\.layer_norm", r"\1.norm"),
    ),
)


def _class_with_its_position(arrays: Arrays) -> Arrays:
    """The position of the class token, added to the token."""
    token, places = "embeddings.cls_token", "embeddings.position_embeddings"
    first, others = np.split(arrays[places], [1], 1)
    return arrays | {token: arrays[token] + first, places: others}


PAIRS: Final = (
    Published(
        "DenseNet, MONAI",
        torch(
            "monai",
            "from monai.networks.nets import DenseNet",
            call(
                "DenseNet",
                spatial_dims=2,
                in_channels=3,
                out_channels=10,
                init_features=16,
                **_DENSE,
            ),
        ),
        torch(
            "torchvision",
            "import torchvision",
            call("torchvision.models.DenseNet", num_init_features=16, num_classes=10, **_DENSE),
        ),
        "the same; norms and convolutions of a layer in one Sequential in MONAI",
        (renamed((r"\.layers\.", "."), (r"^class_layers\.out", "classifier")),),
    ),
    Published(
        "EfficientNet-B0, TensorFlow's pads",
        torch(
            "efficientnet_pytorch",
            "from efficientnet_pytorch import EfficientNet",
            call("EfficientNet.from_name", "efficientnet-b0", image_size=64),
        ),
        torch("timm", "import timm", call("timm.create_model", "tf_efficientnet_b0")),
        "the same; pads computed from the size of the input in timm, fixed in the other",
        (renamed(*EFFICIENT),),
    ),
    Published(
        "EfficientNet-B0, other pads",
        torch(
            "efficientnet_pytorch",
            "from efficientnet_pytorch import EfficientNet",
            call("EfficientNet.from_name", "efficientnet-b0", image_size=64),
        ),
        torch("timm", "import timm", call("timm.create_model", "efficientnet_b0")),
        "pads of the five Conv of stride 2 (bottom and right only in A), epsilon of all norms "
        "(1e-3 in A, 1e-5 in B)",
        (renamed(*EFFICIENT),),
        kind="different",
    ),
    Published(
        "Inception v4",
        torch(
            "pretrainedmodels",
            "import pretrainedmodels",
            call("pretrainedmodels.inceptionv4", num_classes=100, pretrained=None),
            {"x": (1, 3, 299, 299)},
        ),
        torch(
            "timm",
            "import timm",
            call("timm.create_model", "inception_v4", num_classes=100),
            {"x": (1, 3, 299, 299)},
        ),
        "the same",
        (),
        batched=False,
    ),
    Published(
        "ResNet-50, stride elsewhere",
        torch(
            "pytorchcv",
            "from pytorchcv.model_provider import get_model",
            call("get_model", "resnet50"),
            {"x": (1, 3, 224, 224)},
        ),
        torch(
            "torchvision",
            "import torchvision",
            call("torchvision.models.resnet50", weights=None),
            {"x": (1, 3, 224, 224)},
        ),
        "stride 2 in the first 1x1 Conv of stages 2 to 4 in A, in their 3x3 Conv in B",
        (
            renamed(
                (r"^features\.init_block\.conv\.conv", "conv1"),
                (r"^features\.init_block\.conv\.bn", "bn1"),
                (r"\.body\.conv(\d)\.conv", r".conv\1"),
                (r"\.body\.conv(\d)\.bn", r".bn\1"),
                (r"\.identity_conv\.conv", ".downsample.0"),
                (r"\.identity_conv\.bn", ".downsample.1"),
                *((rf"^features\.stage(\d)\.unit{n + 1}\.", rf"layer\1.{n}.") for n in range(6)),
                (r"^output", "fc"),
            ),
        ),
        kind="different",
        batched=False,
    ),
    Published(
        "MobileNetV1, other pads",
        torch(
            "transformers",
            "import transformers",
            "transformers.MobileNetV1ForImageClassification("
            "transformers.MobileNetV1Config(num_labels=10))",
        ),
        torch(
            "timm",
            "import timm",
            call("timm.create_model", "mobilenetv1_100", num_classes=10),
        ),
        "pads of the five Conv of stride 2 (bottom and right only in A), epsilon of all norms "
        "(1e-3 in A, 1e-5 in B)",
        (
            renamed(
                (r"^mobilenet_v1\.conv_stem\.convolution", "conv_stem"),
                (r"^mobilenet_v1\.conv_stem\.normalization", "bn1"),
                *(
                    (rf"^mobilenet_v1\.layer\.{2 * (first + n) + place}\.{own}\.", new)
                    for stage, (first, count) in enumerate(
                        ((0, 1), (1, 2), (3, 2), (5, 6), (11, 2))
                    )
                    for n in range(count)
                    for place, own, new in (
                        (0, "convolution", f"blocks.{stage}.{n}.conv_dw."),
                        (0, "normalization", f"blocks.{stage}.{n}.bn1."),
                        (1, "convolution", f"blocks.{stage}.{n}.conv_pw."),
                        (1, "normalization", f"blocks.{stage}.{n}.bn2."),
                    )
                ),
            ),
        ),
        kind="different",
    ),
    Published(
        "DINOv2 with registers",
        torch(
            "transformers",
            "import transformers",
            "transformers.Dinov2WithRegistersModel(transformers.Dinov2WithRegistersConfig("
            "hidden_size=96, num_attention_heads=3, num_hidden_layers=2, image_size=112, "
            "patch_size=14))",
            {"x": (1, 3, 112, 112)},
        ),
        torch(
            "timm",
            "import timm",
            call(
                "timm.create_model",
                "vit_small_patch14_reg4_dinov2",
                depth=2,
                embed_dim=96,
                num_heads=3,
                img_size=112,
            ),
            {"x": (1, 3, 112, 112)},
        ),
        "the same up to what is returned: timm's gives the class token alone, the other all "
        "tokens first; the position of the class token is added to it in timm's checkpoint",
        (
            dropped("mask_token"),
            _class_with_its_position,
            joined(
                r"^encoder\.layer\.(\d+)\.attention\.(?P<part>[qkv])_proj\.(\w+)",
                r"blocks.\1.attn.qkv.\3",
                _QKV,
            ),
            renamed(
                (r"^embeddings\.cls_token", "cls_token"),
                (r"^embeddings\.register_tokens", "reg_token"),
                (r"^embeddings\.position_embeddings", "pos_embed"),
                (r"^embeddings\.patch_embeddings\.projection", "patch_embed.proj"),
                (r"^encoder\.layer\.", "blocks."),
                (r"attention\.o_proj", "attn.proj"),
                (r"layer_scale(\d)\.lambda1", r"ls\1.gamma"),
                (r"^layernorm", "norm"),
            ),
        ),
        theirs=output(0),
        ours=output(1),
    ),
    Published(
        "SigLIP",
        torch(
            "transformers",
            "import transformers",
            "transformers.SiglipVisionModel({})".format(
                call("transformers.SiglipVisionConfig", **_CLIP_VISION)
            ),
        ),
        torch(
            "timm",
            "import timm",
            call(
                "timm.create_model",
                "vit_base_patch16_siglip_224",
                depth=2,
                embed_dim=96,
                num_heads=3,
                img_size=64,
                mlp_ratio=2,
                num_classes=0,
                act_layer="gelu_tanh",
            ),
        ),
        "the same; A also returns all tokens; query, key and value of the pooling in one weight",
        (
            joined(
                r"^encoder\.layers\.(\d+)\.self_attn\.(?P<part>[qkv])_proj\.(\w+)",
                r"blocks.\1.attn.qkv.\3",
                _QKV,
            ),
            split(
                r"^head\.attention\.in_proj_(\w+)",
                r"attn_pool.q.\1",
                r"attn_pool.kv.\1",
                sizes=(96, 192),
            ),
            renamed(
                (r"^embeddings\.patch_embedding", "patch_embed.proj"),
                (r"^embeddings\.position_embedding\.weight", "pos_embed"),
                (r"^encoder\.layers\.", "blocks."),
                (r"layer_norm(\d)", r"norm\1"),
                (r"self_attn\.out_proj", "attn.proj"),
                (r"^post_layernorm", "norm"),
                (r"^head\.probe", "attn_pool.latent"),
                (r"^head\.attention\.out_proj", "attn_pool.proj"),
                (r"^head\.layernorm", "attn_pool.norm"),
                (r"^head\.mlp", "attn_pool.mlp"),
            ),
            reshaped("^pos_embed", 1, 16, 96),
        ),
        ours=output(1),
    ),
    Published(
        "MLP-Mixer",
        torch(
            "mlp_mixer_pytorch",
            "from mlp_mixer_pytorch import MLPMixer",
            call(
                "MLPMixer",
                image_size=64,
                channels=3,
                patch_size=16,
                dim=64,
                depth=2,
                num_classes=10,
                expansion_factor=2,
                expansion_factor_token=4,
            ),
        ),
        torch(
            "timm",
            "import torch\nfrom timm.models.mlp_mixer import MlpMixer",
            "MlpMixer(num_classes=10, img_size=64, patch_size=16, num_blocks=2, embed_dim=64, "
            "mlp_ratio=(2.0, 4.0), norm_layer=torch.nn.LayerNorm)",
        ),
        "the same; patches cut by a Reshape and projected by a Gemm in A, by a Conv in B; tokens "
        "mixed by a Conv of kernel 1 in A",
        (
            renamed(
                (r"^1\.", "stem.proj."),
                (r"^([23])\.([01])\.norm", r"blocks.\1.norm\2"),
                (r"^([23])\.0\.fn\.0", r"blocks.\1.mlp_tokens.fc1"),
                (r"^([23])\.0\.fn\.3", r"blocks.\1.mlp_tokens.fc2"),
                (r"^([23])\.1\.fn\.0", r"blocks.\1.mlp_channels.fc1"),
                (r"^([23])\.1\.fn\.3", r"blocks.\1.mlp_channels.fc2"),
                (r"norm1", "norm2"),
                (r"norm0", "norm1"),
                (r"blocks\.2", "blocks.0"),
                (r"blocks\.3", "blocks.1"),
                (r"^4\.", "norm."),
                (r"^6\.", "head."),
            ),
            reshaped(r"^stem\.proj\.weight", 64, 16, 16, 3),
            transposed(r"^stem\.proj\.weight", 0, 3, 1, 2),
            changed(r"mlp_tokens\.fc\d\.weight", lambda array: array[..., 0]),
        ),
    ),
    Published(
        "SegFormer's encoder",
        torch(
            "transformers",
            "import transformers",
            "transformers.SegformerModel(transformers.SegformerConfig())",
        ),
        torch(
            "segmentation_models_pytorch",
            """
import segmentation_models_pytorch as smp
import torch


class Features(torch.nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, x):
        return self.encoder(x)[2:]
""",
            'Features(smp.encoders.get_encoder("mit_b0", weights=None))',
        ),
        "the same up to what is returned (the features of every stage in B), and but for the "
        "epsilon of 20 norms (1e-5 in A, 1e-6 in B), which moves the outputs by less than 1e-5; "
        "keys and values in one Gemm in B",
        _SEGFORMER,
        theirs=output(-1),
    ),
)
