"""Networks that see images, and cut them into parts."""

from __future__ import annotations

from typing import Any, Final

from ..pairs import Published, call, torch
from ..rules import SAME_NAMES, Arrays, Rule, renamed, split

_SAM: Final = {"patch_size": 8, "window_size": 3}
_OF_SAM: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^patch_embed\.proj", "patch_embed.projection"),
        (r"^blocks\.(\d)\.norm", r"layers.\1.layer_norm"),
        (r"^blocks\.", "layers."),
        (r"^neck\.0", "neck.conv1"),
        (r"^neck\.1", "neck.layer_norm1"),
        (r"^neck\.2", "neck.conv2"),
        (r"^neck\.3", "neck.layer_norm2"),
    ),
)


def _sam(**settings: Any) -> str:
    config = call(
        "transformers.SamVisionConfig",
        **_SAM,
        hidden_size=48,
        output_channels=24,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=64,
        mlp_dim=192,
        **settings,
    )
    return f"SamVisionEncoder({config})"


_SEGMENT: Final = torch(
    "segment_anything",
    "import torch\nfrom functools import partial\n"
    "from segment_anything.modeling import ImageEncoderViT",
    "ImageEncoderViT(img_size=64, embed_dim=48, depth=2, num_heads=4, out_chans=24, "
    "use_rel_pos=True, patch_size=8, window_size=3, global_attn_indexes=(1,), "
    "norm_layer=partial(torch.nn.LayerNorm, eps=1e-6))",
)
_HF_SAM: Final = (
    "import transformers\nfrom transformers.models.sam.modeling_sam import SamVisionEncoder"
)


def _separate_biases(arrays: Arrays) -> Arrays:
    """The bias of keys is none in either network: those of query and value alone are held."""
    return {
        name.replace("q_bias", "q_proj.bias").replace("v_bias", "v_proj.bias"): array
        for name, array in arrays.items()
    }


_OF_BEIT: Final[tuple[Rule, ...]] = (
    split(r"^(blocks\.\d\.attn)\.qkv\.weight", *(rf"\1.{one}_proj.weight" for one in "qkv")),
    _separate_biases,
    renamed(
        (r"^cls_token", "embeddings.cls_token"),
        (r"^patch_embed\.proj", "embeddings.patch_embeddings.projection"),
        (r"attn\.relative_position_bias_table", "relative_position_bias.table"),
        (r"relative_position_bias\.table", "relative_position_bias.relative_position_bias_table"),
        (r"^blocks\.", "layers."),
        (r"\.attn\.proj", ".attention.o_proj"),
        (r"\.attn\.", ".attention."),
        (r"\.gamma_", ".lambda_"),
        (r"\.norm1", ".layernorm_before"),
        (r"\.norm2", ".layernorm_after"),
        (r"^fc_norm", "pooler.layernorm"),
    ),
)
_OF_PVT: Final[tuple[Rule, ...]] = (
    split(r"^(.*)attn\.kv\.(\w+)", r"\1attn.key.\2", r"\1attn.value.\2"),
    renamed(
        (r"^patch_embed\.norm", "encoder.layers.0.patch_embedding.layer_norm"),
        (r"^patch_embed", "encoder.layers.0.patch_embedding"),
        (r"^stages\.(\d)\.downsample\.norm", r"encoder.layers.\1.patch_embedding.layer_norm"),
        (r"^stages\.(\d)\.downsample", r"encoder.layers.\1.patch_embedding"),
        (r"^stages\.(\d)\.norm", r"encoder.layers.\1.layer_norm"),
        (r"^stages\.", "encoder.layers."),
        (r"\.norm1", ".layer_norm_1"),
        (r"\.norm2", ".layer_norm_2"),
        (r"attn\.norm", "attention.layer_norm"),
        (r"attn\.sr", "attention.spatial_reduction"),
        (r"attn\.q\.", "attention.query."),
        (r"attn\.", "attention."),
        (r"mlp\.fc", "mlp.dense"),
        (r"mlp\.dwconv", "mlp.dwconv.dwconv"),
    ),
)
_STATES: Final = """
import torch
import timm
import transformers


class Features(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network.forward_features(x)
"""
_WITHIN: Final = renamed((r"^network\.", ""))


def _numbered(arrays: Arrays) -> Arrays:
    """Blocks counted from 1, as timm counts those of RegNet."""
    found: Arrays = {}
    for name, array in arrays.items():
        start, mark, rest = name.partition("trunk_output.block")
        if mark:
            place, _, rest = rest.partition("-")[2].partition(".")
            stage = name[len(start + mark)]
            name = f"s{stage}.b{int(place) + 1}.{rest}"
        found[name] = array
    return found


_OF_REGNET: Final[tuple[Rule, ...]] = (
    _numbered,
    renamed(
        (r"^stem\.0", "stem.conv"),
        (r"^stem\.1", "stem.bn"),
        (r"\.proj\.0", ".downsample.conv"),
        (r"\.proj\.1", ".downsample.bn"),
        (r"\.f\.a\.0", ".conv1.conv"),
        (r"\.f\.a\.1", ".conv1.bn"),
        (r"\.f\.b\.0", ".conv2.conv"),
        (r"\.f\.b\.1", ".conv2.bn"),
        (r"\.f\.c\.0", ".conv3.conv"),
        (r"\.f\.c\.1", ".conv3.bn"),
        (r"\.f\.se", ".se"),
        (r"^fc\.", "head.fc."),
    ),
)
_DEEPLAB: Final = """
import torch
import torchvision


class Logits(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)["out"]
"""
_OF_DEEPLAB: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.backbone\.", "encoder."),
        (r"^network\.classifier\.0", "decoder.aspp"),
        (r"^network\.classifier\.1", "decoder.conv"),
        (r"^network\.classifier\.2", "decoder.bn"),
        (r"^network\.classifier\.4", "segmentation_head.0"),
    ),
)


PAIRS: Final = (
    Published(
        "SAM's image encoder",
        _SEGMENT,
        torch("transformers", _HF_SAM, _sam(global_attn_indexes=[1])),
        "the same; positions relative within windows and over the image",
        _OF_SAM,
    ),
    Published(
        "SAM's image encoder, other epsilon",
        _SEGMENT,
        torch("transformers", _HF_SAM, _sam(global_attn_indexes=[1], layer_norm_eps=0.1)),
        "epsilon of the norms of both blocks: 1e-6 in A, 0.1 in B",
        _OF_SAM,
        kind="different",
    ),
    Published(
        "BEiT",
        torch(
            "timm",
            "import timm",
            "timm.create_model('beit_base_patch16_224', img_size=64, patch_size=16, embed_dim=48, "
            "depth=2, num_heads=4, num_classes=0, init_values=0.1)",
        ),
        torch(
            "transformers",
            "import transformers",
            "transformers.BeitModel({}, add_pooling_layer=True)".format(
                call(
                    "transformers.BeitConfig",
                    hidden_size=48,
                    num_hidden_layers=2,
                    num_attention_heads=4,
                    intermediate_size=192,
                    image_size=64,
                    patch_size=16,
                    use_relative_position_bias=True,
                    layer_norm_eps=1e-6,
                )
            ),
        ),
        "the same; B also returns all tokens",
        _OF_BEIT,
        theirs=lambda values: values[1],
    ),
    Published(
        "PVT v2",
        torch(
            "timm",
            _STATES,
            "Features(timm.create_model('pvt_v2_b0', num_classes=0, depths=(2, 1, 1, 1)))",
        ),
        torch(
            "transformers",
            "import transformers",
            "transformers.PvtV2Model({})".format(
                call(
                    "transformers.PvtV2Config",
                    depths=[2, 1, 1, 1],
                    hidden_sizes=[32, 64, 160, 256],
                )
            ),
        ),
        "the same; keys and values in one weight in A",
        (_WITHIN, *_OF_PVT),
    ),
    Published(
        "RegNet-Y",
        torch(
            "torchvision",
            "import torchvision",
            "torchvision.models.regnet_y_400mf(num_classes=7)",
        ),
        torch("timm", "import timm", "timm.create_model('regnety_004', num_classes=7)"),
        "the same",
        _OF_REGNET,
    ),
    Published(
        "ResNeXt-50",
        torch(
            "torchvision", "import torchvision", "torchvision.models.resnext50_32x4d(num_classes=7)"
        ),
        torch("timm", "import timm", "timm.create_model('resnext50_32x4d', num_classes=7)"),
        "the same",
        SAME_NAMES,
    ),
    Published(
        "ResNet-50 and its D form",
        torch("timm", "import timm", "timm.create_model('resnet50', num_classes=7, avg_down=True)"),
        torch("timm", "import timm", "timm.create_model('resnet50', num_classes=7)"),
        "the shortcuts of three blocks: means of 2x2 before a 1x1 in A, a stride of 2 in B",
        (renamed((r"downsample\.1", "downsample.0"), (r"downsample\.2", "downsample.1")),),
        kind="different",
    ),
    Published(
        "Xception",
        torch(
            "pretrainedmodels",
            "import pretrainedmodels",
            "pretrainedmodels.xception(num_classes=1000, pretrained=None)",
        ),
        torch("timm", "import timm", "timm.create_model('legacy_xception', num_classes=1000)"),
        "the same",
        (renamed((r"^last_linear", "fc")),),
    ),
    Published(
        "DeepLab v3",
        torch(
            "torchvision",
            _DEEPLAB,
            "Logits(torchvision.models.segmentation.deeplabv3_resnet50(weights=None, "
            "weights_backbone=None, num_classes=3))",
        ),
        torch(
            "segmentation_models_pytorch",
            "import segmentation_models_pytorch as smp",
            "smp.DeepLabV3('resnet50', encoder_weights=None, classes=3)",
        ),
        "resizing of the scores: of half pixels in A, of aligned corners in B",
        _OF_DEEPLAB,
        kind="different",
    ),
    Published(
        "Wide ResNet, other activation",
        torch(
            "torchvision", "import torchvision", "torchvision.models.wide_resnet50_2(num_classes=7)"
        ),
        torch(
            "timm",
            "import timm\nimport torch",
            "timm.create_model('wide_resnet50_2', num_classes=7, act_layer=torch.nn.LeakyReLU)",
        ),
        "activations behind all norms and sums: Relu in A, LeakyRelu in B",
        SAME_NAMES,
        kind="different",
    ),
)
