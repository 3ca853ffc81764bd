"""Networks that see images and films."""

from __future__ import annotations

from typing import Any, Final

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Rule, changed, renamed, reshaped

_HF: Final = "import transformers"


def _focal(**settings: Any) -> Net:
    config = call(
        "transformers.FocalNetConfig",
        image_size=64,
        embed_dim=16,
        depths=[2, 1, 1, 1],
        num_labels=7,
        **settings,
    )
    return torch("transformers", _HF, f"transformers.FocalNetForImageClassification({config})")


_TIMM_FOCAL: Final = torch(
    "timm",
    "from timm.models.focalnet import FocalNet",
    call("FocalNet", num_classes=7, embed_dim=16, depths=(2, 1, 1, 1)),
)

_OF_FOCAL: Final[tuple[Rule, ...]] = (
    changed(
        r"(modulation\.f|modulation\.proj|mlp\.fc\d)\.weight",
        lambda array: array[..., 0, 0],
    ),
    renamed(
        (r"^stem\.proj", "focalnet.embeddings.patch_embeddings.projection"),
        (r"^stem\.norm", "focalnet.embeddings.norm"),
        (r"^norm\.", "focalnet.layernorm."),
        (r"^head\.fc", "classifier"),
        *(
            (rf"^layers\.{n}\.downsample\.proj", f"stages.{n - 1}.downsample.projection")
            for n in (1, 2, 3)
        ),
        *((rf"^layers\.{n}\.downsample", f"stages.{n - 1}.downsample") for n in (1, 2, 3)),
        (r"^layers\.(\d)\.blocks", r"stages.\1.layers"),
        (r"modulation\.f\.", "modulation.projection_in."),
        (r"modulation\.h\.", "modulation.projection_context."),
        (r"modulation\.proj\.", "modulation.projection_out."),
        (r"^stages\.", "focalnet.encoder.stages."),
    ),
)

_HIERA_BLOCKS: Final = ((0, 0), (1, 0), (1, 1), (2, 0), (3, 0))


def _hiera(windows: tuple[bool, ...]) -> Net:
    config = call(
        "transformers.HieraConfig",
        embed_dim=16,
        image_size=[64, 64],
        depths=[1, 2, 1, 1],
        num_heads=[1, 2, 4, 8],
        masked_unit_attention=list(windows),
        num_labels=7,
    )
    return torch("transformers", _HF, f"transformers.HieraForImageClassification({config})")


_TIMM_HIERA: Final = torch(
    "timm",
    "from timm.models.hiera import Hiera",
    call("Hiera", img_size=(64, 64), embed_dim=16, stages=(1, 2, 1, 1), num_classes=7),
)

_OF_HIERA: Final[tuple[Rule, ...]] = (
    renamed(
        *(
            (rf"^blocks\.{n}\.", f"hiera.encoder.stages.{stage}.layers.{place}.")
            for n, (stage, place) in enumerate(_HIERA_BLOCKS)
        ),
        (r"^pos_embed", "hiera.embeddings.position_embeddings"),
        (r"^patch_embed\.proj", "hiera.embeddings.patch_embeddings.projection"),
        (r"\.norm1", ".layernorm_before"),
        (r"\.norm2", ".layernorm_after"),
        (r"^head\.norm", "hiera.pooler.layernorm"),
        (r"^head\.fc", "classifier"),
    ),
)

_SWIFT: Final = {"num_classes": 7, "layers": [2, 1, 1, 1], "embed_dims": [16, 24, 32, 48]}

_OF_SWIFT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^stem", "swiftformer.patch_embed.patch_embedding"),
        *(
            (rf"^stages\.{n}\.{own}", f"swiftformer.encoder.network.{2 * n - less}{new}")
            for n in range(4)
            for own, less, new in (("downsample", 1, ""), ("blocks", 0, ".blocks"))
        ),
        (r"dwconv", "depth_wise_conv"),
        (r"pwconv", "point_wise_conv"),
        (r"\.gamma$", ""),
        (r"^head_dist", "dist_head"),
    ),
)

_TEXT_NET: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^0\.", "textnet.stem.conv."),
        (r"^1\.", "textnet.stem.batch_norm."),
        *((rf"^{n + 3}\.(\d)\.", rf"textnet.encoder.stages.{n}.stage.\1.") for n in range(4)),
        (r"^7\.\d\.", "fc."),
        (r"\.conv\.(weight)", r".main_conv.\1"),
        (r"\.bn\.", ".main_batch_norm."),
        (r"\.ver_conv", ".vertical_conv"),
        (r"\.hor_conv", ".horizontal_conv"),
        (r"\.ver_bn", ".vertical_batch_norm"),
        (r"\.hor_bn", ".horizontal_batch_norm"),
        (r"stem\.main_conv", "stem.conv"),
    ),
)

_OF_GMLP: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^to_patch_embed\.1", "stem.proj"),
        (r"^layers\.(\d)\.fn\.norm", r"blocks.\1.norm"),
        (r"^layers\.(\d)\.fn\.fn\.proj_in\.0", r"blocks.\1.mlp_channels.fc1"),
        (r"^layers\.(\d)\.fn\.fn\.sgu\.norm", r"blocks.\1.mlp_channels.gate.norm"),
        (r"^layers\.(\d)\.fn\.fn\.sgu\.", r"blocks.\1.mlp_channels.gate.proj."),
        (r"^layers\.(\d)\.fn\.fn\.proj_out", r"blocks.\1.mlp_channels.fc2"),
        (r"^to_logits\.0", "norm"),
        (r"^to_logits\.2", "head"),
    ),
    changed(r"gate\.proj", lambda array: array[0]),
    reshaped(r"^stem\.proj\.weight", 48, 3, 8, 8),
)

_FILM: Final[Shapes] = {"x": (1, 3, 5, 32, 32)}


def _r3d(before: str, name: str, package: str, **settings: Any) -> Net:
    return torch(package, before, call(name, num_classes=7, **settings), _FILM)


_OF_R3D: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^stem\.0", "conv1"),
        (r"^stem\.1", "bn1"),
        (r"\.conv(\d)\.0", r".conv\1"),
        (r"\.conv(\d)\.1", r".bn\1"),
    ),
)


def _monai_r3d(stride: int) -> Net:
    return _r3d(
        "from monai.networks.nets import resnet18",
        "resnet18",
        "monai",
        spatial_dims=3,
        n_input_channels=3,
        conv1_t_size=(3, 7, 7),
        conv1_t_stride=(1, 2, stride),
        no_max_pool=True,
        bias_downsample=False,
    )


_TV_R3D: Final = _r3d("import torchvision", "torchvision.models.video.r3d_18", "torchvision")

PAIRS: Final = (
    Published(
        "FocalNet",
        _TIMM_FOCAL,
        _focal(),
        "the same; Conv of 1 in A, Gemm with the channels last in B",
        _OF_FOCAL,
    ),
    Published(
        "FocalNet, means of contexts",
        _TIMM_FOCAL,
        _focal(normalize_modulator=True),
        "the sum of the three contexts of each of the five blocks over 3 only in B",
        _OF_FOCAL,
        kind="different",
    ),
    Published(
        "Hiera",
        _TIMM_HIERA,
        _hiera((True, True, False, False)),
        "the same; queries pooled where a stage begins, attention within windows in two stages",
        _OF_HIERA,
    ),
    Published(
        "Hiera, other windows",
        _TIMM_HIERA,
        _hiera((True, False, False, False)),
        "attention of two blocks, the last of the second stage and the first of the third: within "
        "windows in A, over the image in B",
        _OF_HIERA,
        kind="different",
    ),
    Published(
        "SwiftFormer",
        torch(
            "timm",
            "from timm.models.swiftformer import SwiftFormer",
            call("SwiftFormer", **_SWIFT),
        ),
        torch(
            "transformers",
            _HF,
            "transformers.SwiftFormerForImageClassification({})".format(
                call(
                    "transformers.SwiftFormerConfig",
                    depths=_SWIFT["layers"],
                    embed_dims=_SWIFT["embed_dims"],
                    num_labels=7,
                    image_size=64,
                )
            ),
        ),
        "what the queries are weighted with in the attention of all four stages: normalized over "
        "the positions in A (LpNormalization), a Softmax over one number in B, which is always 1",
        _OF_SWIFT,
        kind="different",
    ),
    Published(
        "TextNet",
        torch(
            "python-doctr",
            "from doctr.models.classification.textnet.pytorch import textnet_tiny",
            call("textnet_tiny", pretrained=False, num_classes=7),
        ),
        torch(
            "transformers",
            _HF,
            "transformers.TextNetForImageClassification(transformers.TextNetConfig(num_labels=7))",
        ),
        "the same; sums of Conv of several shapes",
        _TEXT_NET,
    ),
    Published(
        "gMLP",
        torch(
            "g_mlp_pytorch",
            "from g_mlp_pytorch import gMLPVision",
            call("gMLPVision", image_size=32, patch_size=8, num_classes=7, dim=48, depth=2),
            {"x": (1, 3, 32, 32)},
        ),
        torch(
            "timm",
            "import torch\nfrom timm.layers import GatedMlp\n"
            "from timm.models.mlp_mixer import MlpMixer, SpatialGatingBlock",
            "MlpMixer(img_size=32, patch_size=8, num_classes=7, embed_dim=48, num_blocks=2, "
            "mlp_ratio=4, block_layer=SpatialGatingBlock, mlp_layer=GatedMlp, "
            "norm_layer=torch.nn.LayerNorm)",
            {"x": (1, 3, 32, 32)},
        ),
        "the same; patches by a Gemm in A, by a Conv in B",
        _OF_GMLP,
    ),
    Published(
        "R3D-18",
        _TV_R3D,
        _monai_r3d(2),
        "the same; films",
        _OF_R3D,
    ),
    Published(
        "R3D-18, other stride",
        _TV_R3D,
        _monai_r3d(1),
        "stride of the first Conv along the width: 2 in A, 1 in B",
        _OF_R3D,
        kind="different",
    ),
)
