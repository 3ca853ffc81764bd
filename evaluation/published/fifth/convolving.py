"""Networks of convolutions that see images."""

from __future__ import annotations

from typing import Final

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, output, torch
from ..rules import Rule, dropped, renamed
from ..wrapper import FEATURES, HF, POOLED, wrapped

_SELECTED: Final = (
    (1, "branch1"),
    (2, "branch2.conv1"),
    (3, "branch2.conv2"),
    (4, "branch3.conv1"),
    (5, "branch3.conv2"),
    (6, "last_conv"),
)

_OF_SELECSLS: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^stem\.", "features.init_block."),
        *((rf"\.conv{n}\.(\d)", rf".{new}.\1") for n, new in _SELECTED),
        *((rf"^features\.{n}\.", f"features.stage{n // 2 + 1}.unit{n % 2 + 1}.") for n in range(6)),
        *((rf"^head\.{n}\.", f"features.stage{n // 2 + 4}.unit{n % 2 + 1}.") for n in range(4)),
        (r"^(features\..*)\.0\.", r"\1.conv."),
        (r"^(features\..*)\.1\.", r"\1.bn."),
        (r"^fc\.", "output."),
    ),
)

_FACES: Final[Shapes] = {"x": (1, 3, 112, 112)}

_FACENET: Final = torch(
    "facenet_pytorch",
    "from facenet_pytorch import InceptionResnetV1",
    call("InceptionResnetV1", classify=True, num_classes=7),
    _FACES,
)


def _cv_facenet(epsilon: float) -> Net:
    one = call("InceptionResNetV1", num_classes=7, bn_eps=epsilon)
    before = f"{POOLED}\nfrom pytorchcv.models.inceptionresnetv1 import InceptionResNetV1"
    return torch("pytorchcv", before, f"pooled({one})", _FACES)


_OF_FACENET: Final[tuple[Rule, ...]] = (
    renamed(
        *(
            (rf"^conv2d_{own}", f"features.init_block.conv{n}")
            for n, own in enumerate(("1a", "2a", "2b", "3b", "4a", "4b"), 1)
        ),
        (r"^block8", "repeat_3.5"),
        *(
            (rf"^repeat_{stage}\.{n}\.", f"features.stage{stage}.unit{n + 1 + (stage > 1)}.")
            for stage, count in ((1, 5), (2, 10), (3, 6))
            for n in range(count)
        ),
        (r"^mixed_6a", "features.stage2.unit1"),
        (r"^mixed_7a", "features.stage3.unit1"),
        (r"\.conv2d\.", ".conv."),
        (r"branch2\.", "branches.branch3."),
        (r"branch1\.", "branches.branch2."),
        (r"branch0\.", "branches.branch1."),
        (r"(branches\.branch\d)\.2\.", r"\1.conv_list.conv3."),
        (r"(branches\.branch\d)\.1\.", r"\1.conv_list.conv2."),
        (r"(branches\.branch\d)\.0\.", r"\1.conv_list.conv1."),
        (r"(stage2\.unit1\.branches\.branch1)\.(conv|bn)", r"\1.conv_list.conv1.\2"),
        (r"(branches\.branch1)\.(conv|bn)\.", r"\1.conv.\2."),
        (r"^last_linear", "output.fc1"),
        (r"^last_bn", "output.bn"),
        (r"^logits", "output.fc2"),
    ),
)

_OF_HGNET: Final[tuple[Rule, ...]] = (
    dropped(r"^network\.head"),
    renamed(
        (r"^network\.stem", "embedder"),
        (r"^network\.stages", "encoder.stages"),
        (r"\.conv\.", ".convolution."),
        (r"\.bn\.", ".normalization."),
    ),
)

_OF_MNASNET: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^conv_stem", "features.init_block.conv1.conv"),
        (r"^bn1", "features.init_block.conv1.bn"),
        (r"^conv_head", "features.final_block.conv2.conv"),
        (r"^bn2", "features.final_block.conv2.bn"),
        (r"^classifier", "output"),
        (r"^blocks\.0\.0\.bn1", "features.init_block.conv2.dw_conv.bn"),
        (r"^blocks\.0\.0\.bn2", "features.init_block.conv2.pw_conv.bn"),
        (r"^blocks\.0\.0\.conv_pw", "features.init_block.conv2.pw_conv.conv"),
        (r"^blocks\.0\.0\.", "features.init_block.conv2."),
        (r"^blocks\.6\.0\.", "features.final_block.conv1."),
        *(
            (rf"^blocks\.{own}\.{n}\.", f"features.stage{stage}.unit{n + first}.")
            for own, stage, first in ((1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 3, 5), (5, 4, 1))
            for n in range(4)
        ),
        *(
            (rf"(stage\d\.unit\d|block\.conv1)\.{own}", rf"\1.{new}")
            for own, new in (
                ("conv_pwl", "pw_conv.conv"),
                ("conv_pw", "exp_conv.conv"),
                ("conv_dw", "dw_conv.conv"),
                ("bn1", "exp_conv.bn"),
                ("bn2", "dw_conv.bn"),
                ("bn3", "pw_conv.bn"),
            )
        ),
        (r"conv2\.conv_dw", "conv2.dw_conv.conv"),
        (r"se\.conv_reduce", "se.conv1"),
        (r"se\.conv_expand", "se.conv2"),
    ),
)

_VOV: Final = {
    "stem_chs": [64, 64, 128],
    "stage_conv_chs": [16, 24, 32, 40],
    "stage_out_chs": [32, 48, 64, 80],
    "layer_per_block": 3,
    "block_per_stage": [1, 1, 2, 1],
    "residual": True,
    "depthwise": False,
    "attn": "",
}

_OF_VOVNET: Final[tuple[Rule, ...]] = (
    renamed(
        *((rf"^stem\.{n}\.", f"features.init_block.conv{n + 1}.") for n in range(3)),
        *(
            (rf"^stages\.{stage}\.blocks\.{n}\.", f"features.stage{stage + 1}.unit{n + 1}.")
            for stage in range(4)
            for n in range(2)
        ),
        *((rf"conv_mid\.{n}\.", f"branches.branch{n + 1}.") for n in range(3)),
        (r"conv_concat", "concat_conv"),
        (r"^head\.fc", "output"),
    ),
)

_EFFICIENT_VIT: Final = ((8, 16, 32, 64, 64), (1, 2, 2, 2, 2))

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "SelecSLS",
        torch(
            "timm",
            "import timm",
            call("timm.create_model", "selecsls42b", num_classes=7),
            {"x": (1, 3, 128, 128)},
        ),
        torch(
            "pytorchcv",
            POOLED,
            "pooled({})".format(call("get_model", "selecsls42b", num_classes=7)),
            {"x": (1, 3, 128, 128)},
        ),
        "the same",
        _OF_SELECSLS,
    ),
    Published(
        "Inception-ResNet v1",
        _FACENET,
        _cv_facenet(1e-3),
        "the same; scaled sums",
        _OF_FACENET,
    ),
    Published(
        "PP-HGNet v2",
        torch(
            "timm",
            wrapped("import timm", FEATURES),
            "Of({})".format(call("timm.create_model", "hgnetv2_b0")),
        ),
        torch(
            "transformers",
            HF,
            "transformers.HGNetV2Backbone({})".format(
                call(
                    "transformers.HGNetV2Config",
                    stem_channels=[3, 16, 16],
                    stage_in_channels=[16, 64, 256, 512],
                    stage_mid_channels=[16, 32, 64, 128],
                    stage_out_channels=[64, 256, 512, 1024],
                    stage_num_blocks=[1, 1, 2, 1],
                    stage_numb_of_layers=[3, 3, 3, 3],
                    use_learnable_affine_block=True,
                    out_features=["stage4"],
                )
            ),
        ),
        "the same; a scale and a bias of one number behind every activation; A's head is not "
        "reached",
        _OF_HGNET,
    ),
    Published(
        "MNASNet",
        torch(
            "geffnet",
            "import geffnet",
            call("geffnet.mnasnet_small", num_classes=7),
            {"x": (1, 3, 128, 128)},
        ),
        torch(
            "pytorchcv",
            POOLED,
            "pooled({})".format(call("get_model", "mnasnet_small", num_classes=7)),
            {"x": (1, 3, 128, 128)},
        ),
        "the same; two stages of A in one of B",
        _OF_MNASNET,
    ),
    Published(
        "VoVNet",
        torch(
            "timm",
            "from timm.models.vovnet import VovNet",
            call("VovNet", _VOV, num_classes=7),
            {"x": (1, 3, 128, 128)},
        ),
        torch(
            "pytorchcv",
            f"{POOLED}\nfrom pytorchcv.models.vovnet import VoVNet",
            "pooled({})".format(
                call(
                    "VoVNet",
                    channels=[[32], [48], [64, 64], [80]],
                    branch_channels=[[16], [24], [32, 32], [40]],
                    num_branches=3,
                    num_classes=7,
                )
            ),
            {"x": (1, 3, 128, 128)},
        ),
        "the same; a sum around the second block of the third stage",
        _OF_VOVNET,
    ),
    Published(
        "EfficientViT",
        torch(
            "timm",
            wrapped("from timm.models.efficientvit_mit import EfficientVit", FEATURES),
            "Of({})".format(
                call("EfficientVit", 3, *_EFFICIENT_VIT, head_dim=16, head_widths=(64, 64))
            ),
        ),
        torch(
            "kornia",
            "from kornia.models.efficient_vit.backbone import EfficientViTBackbone",
            call("EfficientViTBackbone", *map(list, _EFFICIENT_VIT), dim=16),
        ),
        "the same; attention of Relu without Softmax; B returns the output of every stage, A's "
        "head is not reached",
        (
            dropped(r"^network\.head"),
            renamed(
                (r"^network\.", ""),
                (r"^stem\.in_conv", "input_stem.op_list.0"),
                (r"^stem\.res0", "input_stem.op_list.1"),
                (r"\.blocks\.", ".op_list."),
            ),
        ),
        theirs=output(-1),
    ),
)
