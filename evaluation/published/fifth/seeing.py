"""Networks of attention that see images and films."""

from __future__ import annotations

from typing import Any, Final

from ...pairs.nets import Net, Shapes
from ..pairs import Published, call, torch
from ..rules import Rule, as_gemm, changed, copied, dropped, renamed, reshaped, split
from ..wrapper import FEATURES, HF, wrapped

_CVT: Final = torch(
    "vit_pytorch",
    "from vit_pytorch.cvt import CvT",
    "CvT(num_classes=7, s1_emb_dim=64, s2_emb_dim=64, s3_emb_dim=64, s2_heads=1, s3_heads=1, "
    "s3_depth=3).layers",
)


def _hf_cvt(heads: int) -> Net:
    config = call(
        "transformers.CvtConfig",
        embed_dim=[64, 64, 64],
        num_heads=[1, heads, heads],
        depth=[1, 2, 3],
        cls_token=[False, False, False],
        patch_padding=[3, 1, 1],
        qkv_bias=[False, False, False],
    )
    return torch("transformers", HF, f"transformers.CvtModel({config})")


_OF_CVT: Final[tuple[Rule, ...]] = (
    reshaped(r"\.[gb]$", 64),
    as_gemm(r"to_q\.net\.2|to_kv\.net\.2|to_out\.0\.weight|1\.net\.[14]\.weight"),
    renamed(
        (r"\.g$", ".weight"),
        (r"\.b$", ".bias"),
        (r"^(\d)\.0\.", r"\1.embedding.convolution_embeddings.projection."),
        (r"^(\d)\.1\.", r"\1.embedding.convolution_embeddings.normalization."),
        (r"^(\d)\.2\.layers\.(\d)\.0\.norm", r"\1.layers.\2.layernorm_before"),
        (r"^(\d)\.2\.layers\.(\d)\.1\.net\.0", r"\1.layers.\2.layernorm_after"),
        (r"^(\d)\.2\.layers\.(\d)\.1\.net\.1", r"\1.layers.\2.intermediate.dense"),
        (r"^(\d)\.2\.layers\.(\d)\.1\.net\.4", r"\1.layers.\2.output.dense"),
        (r"^(\d)\.2\.layers\.(\d)\.0\.to_out\.0", r"\1.layers.\2.attention.output.dense"),
        (r"^(\d)\.2\.layers\.(\d)\.0\.", r"\1.layers.\2.attention.attention."),
        (r"^", "encoder.stages."),
        (r"to_(k?[qv])\.net\.0", r"to_\1.convolution"),
        (r"to_(k?[qv])\.net\.1", r"to_\1.normalization"),
        (r"to_q\.net\.2", "projection_query"),
        (r"to_q\.", "convolution_projection_query.convolution_projection."),
    ),
    split(r"^(.*)to_kv\.net\.2(.*)", r"\1projection_key\2", r"\1projection_value\2"),
    copied(
        r"^(.*)to_kv\.(.*)",
        *(rf"\1convolution_projection_{one}.convolution_projection.\2" for one in ("key", "value")),
    ),
)

_DAVIT: Final = {"depths": (1, 1, 2, 1), "num_heads": (2, 2, 4, 4), "window_size": 4}

_FLORENCE: Final = """
from transformers.models.florence2.configuration_florence2 import Florence2VisionConfig
from transformers.models.florence2.modeling_florence2 import Florence2VisionBackbone
"""


def _florence(groups: tuple[int, ...]) -> Net:
    config = call("Florence2VisionConfig", **_DAVIT, embed_dim=(16, 32, 48, 64), num_groups=groups)
    return torch("transformers", _FLORENCE, f"Florence2VisionBackbone({config})")


_TIMM_DAVIT: Final = torch(
    "timm",
    wrapped("from timm.models.davit import DaVit", FEATURES),
    "Of({})".format(
        call(
            "DaVit",
            **_DAVIT,
            embed_dims=(16, 32, 48, 64),
            down_kernel_size=3,
            channel_attn_v2=True,
            num_classes=0,
        )
    ),
)

_OF_DAVIT: Final[tuple[Rule, ...]] = (
    dropped(r"head\.norm"),
    renamed(
        (r"^network\.", ""),
        (r"^stem", "convs.0"),
        (r"^stages\.(\d)\.downsample", r"convs.\1"),
        (r"^stages\.(\d)\.blocks\.(\d)\.0\.", r"blocks.\1.\2.spatial_block.window_"),
        (r"^stages\.(\d)\.blocks\.(\d)\.1\.", r"blocks.\1.\2.channel_block.channel_"),
        (r"_block\.(window|channel)_(cpe|norm|mlp)", r"_block.\2"),
        (r"\.cpe(\d)\.proj", r".conv\1"),
        (r"\.mlp\.", ".ffn."),
    ),
)


def _hiera_det(**settings: Any) -> Net:
    config = call(
        "transformers.Sam2HieraDetConfig",
        hidden_size=16,
        num_attention_heads=1,
        image_size=[64, 64],
        blocks_per_stage=[1, 2, 2, 1],
        embed_dim_per_stage=[16, 32, 64, 128],
        num_attention_heads_per_stage=[1, 2, 4, 8],
        window_size_per_stage=[4, 4, 2, 2],
        window_positional_embedding_background_size=[7, 7],
        **settings,
    )
    before = (
        "import transformers\nfrom transformers.models.sam2.modeling_sam2 import Sam2HieraDetModel"
    )
    return torch("transformers", before, f"Sam2HieraDetModel({config})")


_TIMM_HIERA_DET: Final = torch(
    "timm",
    wrapped("from timm.models.hieradet_sam2 import HieraDet", FEATURES),
    "Of({})".format(
        call(
            "HieraDet",
            embed_dim=16,
            stages=(1, 2, 2, 1),
            global_att_blocks=(4,),
            window_spec=(4, 4, 2, 2),
            num_classes=0,
        )
    ),
)

_OF_HIERA_DET: Final[tuple[Rule, ...]] = (
    dropped(r"head\.norm"),
    renamed(
        (r"^network\.", ""),
        (r"patch_embed\.proj", "patch_embed.projection"),
        (r"\.norm", ".layer_norm"),
        (r"mlp\.fc1", "mlp.proj_in"),
        (r"mlp\.fc2", "mlp.proj_out"),
    ),
)

_VOLUME: Final[Shapes] = {"x": (1, 24, 8, 8, 8)}

_TV_SWIN: Final = torch(
    "torchvision",
    wrapped(
        "from torchvision.models.video.swin_transformer import SwinTransformer3d",
        "self.network(x.permute(0, 2, 3, 4, 1)).permute(0, 4, 1, 2, 3)",
    ),
    "Of(SwinTransformer3d([2, 2, 2], 24, [2], [2], [4, 4, 4]).features[0])",
    _VOLUME,
)


def _monai_swin(shifted: bool) -> Net:
    build = call("BasicLayer", 24, 2, 2, (4, 4, 4), [0.0, 0.0], qkv_bias=True)
    before = """
from monai.networks.nets.swin_unetr import BasicLayer


def unshifted(layer):
    layer.blocks[1].shift_size = (0, 0, 0)
    return layer
"""
    return torch("monai", before, build if shifted else f"unshifted({build})", _VOLUME)


_OF_SWIN: Final[tuple[Rule, ...]] = (
    renamed((r"^network\.", "blocks."), (r"mlp\.0", "mlp.linear1"), (r"mlp\.3", "mlp.linear2")),
)

_CLIP: Final[Shapes] = {"x": (1, 3, 4, 32, 32)}

_TV_MVIT: Final = torch(
    "torchvision",
    """
from torchvision.models.video.mvit import MSBlockConfig, MViT

BLOCKS = [
    MSBlockConfig(1, 24, 48, [], [3, 3, 3], [], [1, 4, 4]),
    MSBlockConfig(2, 48, 48, [3, 3, 3], [3, 3, 3], [1, 2, 2], [1, 2, 2]),
]
""",
    "MViT((32, 32), 4, BLOCKS, residual_pool=False, residual_with_cls_embed=True, "
    "rel_pos_embed=False, proj_after_attn=False, num_classes=7)",
    _CLIP,
)

_VIDEO_MVIT: Final = torch(
    "pytorchvideo",
    "from pytorchvideo.models.vision_transformers import create_multiscale_vision_transformers",
    call(
        "create_multiscale_vision_transformers",
        spatial_size=32,
        temporal_size=4,
        depth=2,
        patch_embed_dim=24,
        conv_patch_embed_kernel=(3, 7, 7),
        conv_patch_embed_stride=(2, 4, 4),
        conv_patch_embed_padding=(1, 3, 3),
        embed_dim_mul=[[1, 2.0]],
        atten_head_mul=[[1, 2.0]],
        pool_q_stride_size=[[1, 1, 2, 2]],
        pool_kv_stride_adaptive=[1, 4, 4],
        pool_kvq_kernel=[3, 3, 3],
        head_num_classes=7,
        head_activation=None,
    ),
    _CLIP,
)

_OF_MVIT: Final[tuple[Rule, ...]] = (
    changed(r"^pos_encoding\.(spatial|temporal)", lambda array: array[None]),
    changed(r"^pos_encoding\.class", lambda array: array[None, None]),
    split(r"^(.*attn\.)qkv\.(\w+)", *(rf"\1{one}.\2" for one in "qkv")),
    renamed(
        (r"^conv_proj", "patch_embed.patch_model"),
        (r"^pos_encoding\.class_token", "cls_positional_encoding.cls_token"),
        (r"^pos_encoding\.(\w+)_pos", r"cls_positional_encoding.pos_embed_\1"),
        (r"attn\.project\.0", "attn.proj"),
        (r"pool_([qkv])\.pool", r"pool_\1"),
        (r"pool_([qkv])\.norm_act\.0", r"norm_\1"),
        (r"mlp\.0", "mlp.fc1"),
        (r"mlp\.3", "mlp.fc2"),
        (r"(blocks\.\d)\.project", r"\1.proj"),
        (r"^norm\.", "norm_embed."),
        (r"^head\.1", "head.proj"),
    ),
)

PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "CvT",
        _CVT,
        _hf_cvt(1),
        "the same; one Conv for keys and values in A, twice in B; channels last within blocks in B",
        _OF_CVT,
    ),
    Published(
        "CvT, other heads",
        _CVT,
        _hf_cvt(2),
        "heads of the five attentions of the second and third stage: 1 in A, 2 in B; equal scale",
        _OF_CVT,
        kind="different",
    ),
    Published(
        "DaViT",
        _TIMM_DAVIT,
        _florence((2, 2, 4, 4)),
        "the same; attention within windows, then of channels; A's last norm is not reached",
        _OF_DAVIT,
    ),
    Published(
        "DaViT, other groups",
        _TIMM_DAVIT,
        _florence((2, 2, 2, 4)),
        "groups of the attention of channels of the two blocks of the third stage: 4 in A, 2 in B",
        _OF_DAVIT,
        kind="different",
    ),
    Published(
        "Hiera of SAM 2",
        _TIMM_HIERA_DET,
        _hiera_det(global_attention_blocks=[4]),
        "the same; A's last norm is not reached, B returns the output of each stage as well",
        _OF_HIERA_DET,
    ),
    Published(
        "Swin in 3-D",
        _TV_SWIN,
        _monai_swin(shifted=True),
        "the same: two blocks of the first stage, the second of shifted windows; tokens last in A",
        _OF_SWIN,
    ),
    Published(
        "Swin in 3-D, windows not shifted",
        _TV_SWIN,
        _monai_swin(shifted=False),
        "shift of the windows of the second block: 2 in A along all axes, none in B",
        _OF_SWIN,
        kind="different",
    ),
    Published(
        "MViT",
        _TV_MVIT,
        _VIDEO_MVIT,
        "the same up to epsilon of the five norms of pooled queries, keys and values (1e-6 in A, "
        "1e-5 in B), which moves the outputs by less than 1e-5; films; query, key and value in one "
        "weight in A",
        _OF_MVIT,
    ),
)
