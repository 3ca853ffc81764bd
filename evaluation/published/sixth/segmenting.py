"""Parts of networks that mark what an image shows."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Arrays, Rule, renamed
from ..wrapper import HF, wrapped

_FEATURES: Final[Shapes] = {"x": (1, 32, 12, 12)}
_CV_PYRAMID: Final = torch(
    "pytorchcv",
    "from pytorchcv.models.pspnet import PyramidPooling",
    call("PyramidPooling", in_channels=32, upscale_out_size=(12, 12)),
    _FEATURES,
)


def _hf_pyramid(*, aligned: bool) -> Net:
    before = wrapped(
        "from transformers.models.upernet.modeling_upernet import UperNetPyramidPoolingModule",
        "torch.cat([x, *self.network(x)], 1)",
    )
    told = call("UperNetPyramidPoolingModule", (1, 2, 3, 6), 32, 8, align_corners=aligned)
    return torch("transformers", before, f"Of({told})", _FEATURES)


_OF_PYRAMID: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^branches\.branch2", "network.0.1"),
        (r"^branches\.branch3", "network.1.1"),
        (r"^branches\.branch4", "network.2.1"),
        (r"^branches\.branch5", "network.3.1"),
        (r"\.1\.conv\.conv", ".1.conv"),
        (r"\.1\.conv\.bn", ".1.batch_norm"),
    ),
)

_MASK: Final[Shapes] = {"x": (1, 1, 32, 32)}
_SAM_MASK: Final = torch(
    "segment_anything",
    "from segment_anything.modeling.prompt_encoder import PromptEncoder",
    "PromptEncoder(32, (8, 8), (128, 128), 16).mask_downscaling",
    _MASK,
)
_HF_MASK: Final = torch(
    "transformers",
    f"{HF}\nfrom transformers.models.sam.modeling_sam import SamMaskEmbedding",
    "SamMaskEmbedding({})".format(
        call(
            "transformers.SamPromptEncoderConfig",
            hidden_size=32,
            image_size=128,
            mask_input_channels=16,
        )
    ),
    _MASK,
)

_SIZE: Final = {"img_size": 64, "patch_size": 8, "embed_dim": 48, "depth": 3, "num_heads": 4}
_SAM: Final = torch(
    "segment_anything",
    """
import torch
from segment_anything.modeling import ImageEncoderViT


def without_neck(network):
    network.neck = torch.nn.Identity()
    return network
""",
    "without_neck({})".format(
        call(
            "ImageEncoderViT",
            **_SIZE,
            use_rel_pos=True,
            window_size=3,
            global_attn_indexes=[1],
        )
    ),
)
_VIT_DET: Final = torch(
    "transformers",
    HF,
    "transformers.VitDetModel({})".format(
        call(
            "transformers.VitDetConfig",
            image_size=64,
            pretrain_image_size=64,
            patch_size=8,
            hidden_size=48,
            num_hidden_layers=3,
            num_attention_heads=4,
            use_relative_position_embeddings=True,
            window_size=3,
            window_block_indices=[0, 2],
            layer_norm_eps=1e-5,
        )
    ),
)


def _behind_a_class(arrays: Arrays) -> Arrays:
    """Positions of patches as rows behind one that nothing reads."""
    rows = arrays["pos_embed"].reshape(1, 64, 48)
    return arrays | {"pos_embed": np.concatenate([np.zeros_like(rows[:, :1]), rows], 1)}


_TO_VIT_DET: Final[tuple[Rule, ...]] = (
    _behind_a_class,
    renamed(
        (r"^pos_embed", "embeddings.position_embeddings"),
        (r"^patch_embed\.proj", "embeddings.projection"),
        (r"^blocks", "encoder.layer"),
        (r"\.attn\.", ".attention."),
        (r"mlp\.lin", "mlp.fc"),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "Pyramid of means",
        _CV_PYRAMID,
        _hf_pyramid(aligned=True),
        "the same; sizes of the results are those of the start in A, of the run in B",
        _OF_PYRAMID,
    ),
    Published(
        "Pyramid of means, corners not aligned",
        _CV_PYRAMID,
        _hf_pyramid(aligned=False),
        "resizing of all four means: corners aligned in A, not in B",
        _OF_PYRAMID,
        kind="different",
    ),
    Published(
        "SAM's masks as prompts",
        _SAM_MASK,
        _HF_MASK,
        "the same; norms over channels written out in A, an operator between two transpositions "
        "in B",
        (
            renamed(
                (r"^0\.", "conv1."),
                (r"^3\.", "conv2."),
                (r"^6\.", "conv3."),
                (r"^1\.", "layer_norm1."),
                (r"^4\.", "layer_norm2."),
            ),
        ),
    ),
    Published(
        "SAM's image encoder and ViTDet",
        _SAM,
        _VIT_DET,
        "the same; windows of three with padding; channels last throughout in A, first between "
        "layers in B; A's neck is taken out",
        _TO_VIT_DET,
    ),
)
