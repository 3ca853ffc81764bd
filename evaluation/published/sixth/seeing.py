"""Networks of attention that see images."""

from __future__ import annotations

from typing import Any, Final

from ...pairs.nets import Net
from ..pairs import Published, call, torch
from ..rules import Rule, changed, dropped, renamed, reshaped, split
from ..wrapper import FEATURES, HF, wrapped

_TV_SWIN: Final = torch(
    "torchvision",
    "from torchvision.models.swin_transformer import SwinTransformer",
    call("SwinTransformer", [4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=7),
)
_TIMM_SWIN: Final = torch(
    "timm",
    "from timm.models.swin_transformer import SwinTransformer",
    call(
        "SwinTransformer",
        img_size=64,
        embed_dim=16,
        depths=(2, 2),
        num_heads=(2, 4),
        window_size=4,
        num_classes=7,
    ),
)
_TV_SWIN_2: Final = torch(
    "torchvision",
    """
from torchvision.models.swin_transformer import (
    PatchMergingV2,
    SwinTransformer,
    SwinTransformerBlockV2,
)
""",
    "SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=7, "
    "block=SwinTransformerBlockV2, downsample_layer=PatchMergingV2)",
)


def _timm_swin_2(pretrained: int) -> Net:
    build = call(
        "SwinTransformerV2",
        img_size=64,
        embed_dim=16,
        depths=(2, 2),
        num_heads=(2, 4),
        window_size=4,
        num_classes=7,
        pretrained_window_sizes=(pretrained, pretrained),
    )
    return torch("timm", "from timm.models.swin_transformer_v2 import SwinTransformerV2", build)


_HF_LEVIT: Final = torch(
    "transformers",
    HF,
    "transformers.LevitModel({})".format(
        call(
            "transformers.LevitConfig",
            image_size=64,
            hidden_sizes=[32, 48, 64],
            num_attention_heads=[2, 3, 4],
            depths=[1, 1, 1],
            key_dim=[16, 16, 16],
            patch_size=16,
        )
    ),
)
_TIMM_LEVIT: Final = torch(
    "timm",
    wrapped("from timm.models.levit import Levit", FEATURES),
    "Of({})".format(
        call(
            "Levit",
            img_size=64,
            num_classes=0,
            embed_dim=(32, 48, 64),
            key_dim=16,
            depth=(1, 1, 1),
            num_heads=(2, 3, 4),
        )
    ),
)
_TIMM_POOLING: Final = torch(
    "timm",
    wrapped(
        "from timm.layers import GroupNorm1\nfrom timm.models.metaformer import MetaFormer",
        FEATURES,
    ),
    "Of(MetaFormer(depths=(1, 1, 1, 1), dims=(8, 16, 24, 32), downsample_norm=None, "
    "mlp_act=torch.nn.GELU, mlp_bias=True, norm_layers=GroupNorm1, layer_scale_init_values=1e-5, "
    "res_scale_init_values=None, use_mlp_head=False, num_classes=0, "
    "output_norm=torch.nn.Identity))",
)


def _hf_pooling(size: int) -> Net:
    config = call(
        "transformers.PoolFormerConfig",
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        pool_size=size,
    )
    return torch("transformers", HF, f"transformers.PoolFormerModel({config})")


_TIMM_MOBILE: Final = torch(
    "timm",
    wrapped("import timm", FEATURES),
    "Of(timm.create_model('mobilevit_xxs', num_classes=0))",
)


def _hf_mobile(act: str) -> Net:
    config = call(
        "transformers.MobileViTConfig",
        hidden_act=act,
        image_size=64,
        hidden_sizes=[64, 80, 96],
        neck_hidden_sizes=[16, 16, 24, 48, 64, 80, 320],
        expand_ratio=2.0,
    )
    return torch("transformers", HF, f"transformers.MobileViTModel({config}).eval()")


_TIMM_AIM: Final = torch(
    "timm",
    wrapped("import timm", FEATURES),
    "Of({})".format(
        call(
            "timm.create_model",
            "aimv2_large_patch14_224",
            img_size=56,
            embed_dim=48,
            depth=2,
            num_heads=4,
            num_classes=0,
        )
    ),
    {"x": (1, 3, 56, 56)},
)


def _hf_aim(act: str) -> Net:
    config = call(
        "transformers.Aimv2VisionConfig",
        hidden_size=48,
        intermediate_size=132,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=56,
        patch_size=14,
        use_head=False,
        hidden_act=act,
    )
    build = f"transformers.Aimv2VisionModel({config})"
    return torch("transformers", HF, build, {"x": (1, 3, 56, 56)})


_VIT: Final = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
_TIMM_INTERN: Final = torch(
    "timm",
    wrapped("import timm", FEATURES),
    "Of({})".format(
        call(
            "timm.create_model",
            "vit_intern300m_patch14_448",
            img_size=56,
            embed_dim=48,
            depth=2,
            num_heads=4,
            num_classes=0,
            dynamic_img_size=False,
        )
    ),
    {"x": (1, 3, 56, 56)},
)
_HF_INTERN: Final = torch(
    "transformers",
    HF,
    "transformers.InternVLVisionModel({})".format(
        call(
            "transformers.InternVLVisionConfig",
            **_VIT,
            intermediate_size=192,
            image_size=[56, 56],
            patch_size=[14, 14],
            attention_bias=True,
            use_mean_pooling=True,
        )
    ),
    {"x": (1, 3, 56, 56)},
)
_TV_VIT: Final = torch(
    "torchvision",
    "from torchvision.models.vision_transformer import VisionTransformer",
    call("VisionTransformer", 64, 16, 2, 4, 48, 112, num_classes=7),
)


def _hf_vit(**settings: Any) -> Net:
    config = call(
        "transformers.ViTConfig",
        **_VIT,
        intermediate_size=112,
        image_size=64,
        patch_size=16,
        num_labels=7,
        **settings,
    )
    return torch("transformers", HF, f"transformers.ViTForImageClassification({config})")


_TIMM_BARE: Final = torch(
    "timm",
    wrapped("from timm.models.vision_transformer import VisionTransformer", FEATURES),
    "Of({})".format(
        call(
            "VisionTransformer",
            img_size=64,
            patch_size=16,
            embed_dim=48,
            depth=2,
            num_heads=4,
            num_classes=0,
            class_token=False,
            global_pool="avg",
            fc_norm=False,
        )
    ),
)
_JEPA: Final = torch(
    "transformers",
    HF,
    "transformers.IJepaModel({})".format(
        call(
            "transformers.IJepaConfig",
            **_VIT,
            intermediate_size=192,
            image_size=64,
            patch_size=16,
            layer_norm_eps=1e-6,
        )
    ),
)
_NAFLEX: Final = torch(
    "timm",
    wrapped("from timm.models.naflexvit import NaFlexVit, NaFlexVitCfg", FEATURES),
    "Of(NaFlexVit({}, num_classes=0, img_size=64))".format(
        call(
            "NaFlexVitCfg",
            patch_size=16,
            embed_dim=48,
            depth=2,
            num_heads=4,
            class_token=False,
            reg_tokens=0,
            global_pool="avg",
            fc_norm=False,
            pos_embed="learned",
            pos_embed_grid_size=(4, 4),
        )
    ),
)


def _open_clip_resnet(heads: int) -> Net:
    build = call("ModifiedResNet", (1, 1, 1, 1), 32, heads, image_size=64, width=16)
    return torch("open_clip", "from open_clip.modified_resnet import ModifiedResNet", build)


_TIMM_CLIP_RESNET: Final = torch(
    "timm",
    """
from timm.models.byobnet import ByobNet, model_cfgs
from dataclasses import replace


def small():
    config = model_cfgs['resnet50_clip']
    blocks = tuple(replace(one, d=1, c=one.c // 4) for one in config.blocks)
    return ByobNet(replace(config, blocks=blocks, stem_chs=(8, 8, 16)), num_classes=32, img_size=64)
""",
    "small()",
)

_FROM_TV_SWIN: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^features\.0\.0", "patch_embed.proj"),
        (r"^features\.0\.2", "patch_embed.norm"),
        (r"^features\.1\.", "layers.0.blocks."),
        (r"^features\.2\.", "layers.1.downsample."),
        (r"^features\.3\.", "layers.1.blocks."),
        (r"\.mlp\.0", ".mlp.fc1"),
        (r"\.mlp\.3", ".mlp.fc2"),
        (r"^head", "head.fc"),
    ),
)
_FROM_TV_SWIN_2: Final[tuple[Rule, ...]] = (
    dropped("relative_coords_table|relative_position_index"),
    *_FROM_TV_SWIN,
    split(r"^(.*)qkv\.bias", r"\1q_bias", r"\1k_bias", r"\1v_bias"),
    dropped("k_bias"),
)
_TO_LEVIT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^stem\.conv(\d)\.", r"patch_embeddings.embedding_layer_\1."),
        (r"(embedding_layer_\d)\.linear", r"\1.convolution"),
        (r"^stages\.0\.downsample\.\w+\.", "encoder.stages.0.layers.2."),
        (r"^stages\.(\d)\.blocks\.0\.attn\.", r"encoder.stages.\1.layers.0.module."),
        (r"^stages\.(\d)\.blocks\.0\.mlp\.", r"encoder.stages.\1.layers.1.module."),
        (r"^stages\.1\.downsample\.attn_downsample\.", "encoder.stages.0.layers.2."),
        (r"^stages\.2\.downsample\.attn_downsample\.", "encoder.stages.1.layers.2."),
        (r"^stages\.1\.downsample\.mlp\.", "encoder.stages.0.layers.3.module."),
        (r"^stages\.2\.downsample\.mlp\.", "encoder.stages.1.layers.3.module."),
        (r"\.qkv\.", ".queries_keys_values."),
        (r"\.kv\.", ".keys_values."),
        (r"\.q\.ln\.", ".queries."),
        (r"\.proj\.ln\.", ".projection."),
        (r"\.ln1\.", ".linear_up."),
        (r"\.ln2\.", ".linear_down."),
        (r"\.bn\.", ".batch_norm."),
    ),
)
_TO_POOLING: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^stem\.conv", "encoder.patch_embeddings.0.projection"),
        (r"^stages\.(\d)\.downsample\.conv", r"encoder.patch_embeddings.\1.projection"),
        (r"^stages\.(\d)\.blocks\.(\d)", r"encoder.block.\1.\2"),
        (r"norm1", "before_norm"),
        (r"norm2", "after_norm"),
        (r"layer_scale(\d)\.scale", r"layer_scale_\1"),
        (r"mlp\.fc", "output.conv"),
    ),
)
_TO_MOBILE: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^stem", "conv_stem"),
        (r"^final_conv", "conv_1x1_exp"),
        (r"^stages\.([01])\.(\d)", r"encoder.layer.\1.layer.\2"),
        (r"^stages\.([234])\.0", r"encoder.layer.\1.downsampling_layer"),
        (r"^stages\.([234])\.1", r"encoder.layer.\1"),
        (r"conv1_1x1", "expand_1x1"),
        (r"conv2_kxk", "conv_3x3"),
        (r"conv3_1x1", "reduce_1x1"),
        (r"conv_1x1\.weight", "conv_1x1.convolution.weight"),
        (r"\.conv\.", ".convolution."),
        (r"\.bn\.", ".normalization."),
        (r"conv_proj\.", "conv_projection."),
        (r"conv_fusion", "fusion"),
        (r"\.norm\.", ".layernorm."),
        (r"transformer\.(\d)", r"transformer.layer.\1"),
        (r"norm1", "layernorm_before"),
        (r"norm2", "layernorm_after"),
        (r"attn\.proj", "attention.output.dense"),
        (r"mlp\.fc1", "intermediate.dense"),
        (r"mlp\.fc2", "output.dense"),
    ),
    split(
        r"^(.*)attn\.qkv\.(.*)",
        *(rf"\1attention.attention.{one}.\2" for one in ("query", "key", "value")),
    ),
)
_QKV: Final = split(r"^(.*)attn\.qkv\.(.*)", *(rf"\1attention.{one}_proj.\2" for one in "qkv"))
_TO_AIM: Final[tuple[Rule, ...]] = (
    reshaped(r"pos_embed", 16, 48),
    renamed(
        (r"^network\.", ""),
        (r"^pos_embed", "embeddings.position_embedding.weight"),
        (r"^patch_embed\.proj", "embeddings.patch_embed"),
        (r"^patch_embed\.norm", "embeddings.rms_norm"),
        (r"^norm", "rms_norm"),
        (r"^blocks", "encoder.layers"),
        (r"\.norm(\d)", r".rms_norm\1"),
        (r"attn\.proj", "attention.out_proj"),
        (r"mlp\.fc1_g", "ffn.gate_proj"),
        (r"mlp\.fc1_x", "ffn.up_proj"),
        (r"mlp\.fc2", "ffn.down_proj"),
    ),
    _QKV,
)
_TO_INTERN: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^cls_token", "embeddings.cls_token"),
        (r"^pos_embed", "embeddings.position_embeddings"),
        (r"^patch_embed\.proj", "embeddings.patch_embeddings.projection"),
        (r"^blocks", "encoder.layer"),
        (r"norm1", "layernorm_before"),
        (r"norm2", "layernorm_after"),
        (r"ls(\d)\.gamma", r"lambda_\1"),
        (r"attn\.proj", "attention.projection_layer"),
    ),
    _QKV,
)
_TO_VIT: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^class_token", "vit.embeddings.cls_token"),
        (r"^encoder\.pos_embedding", "vit.embeddings.position_embeddings"),
        (r"^conv_proj", "vit.embeddings.patch_embeddings.projection"),
        (r"^encoder\.layers\.encoder_layer_", "vit.layers."),
        (r"^encoder\.ln", "vit.layernorm"),
        (r"ln_1", "layernorm_before"),
        (r"ln_2", "layernorm_after"),
        (r"self_attention\.in_proj_", "attn.qkv."),
        (r"self_attention\.out_proj", "attention.o_proj"),
        (r"mlp\.0", "mlp.fc1"),
        (r"mlp\.3", "mlp.fc2"),
        (r"^heads\.head", "classifier"),
    ),
    _QKV,
)
_TO_JEPA: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^network\.", ""),
        (r"^pos_embed", "embeddings.position_embeddings"),
        (r"^patch_embed\.proj", "embeddings.patch_embeddings.projection"),
        (r"^blocks", "layers"),
        (r"^norm", "layernorm"),
        (r"norm1", "layernorm_before"),
        (r"norm2", "layernorm_after"),
        (r"attn\.proj", "attention.o_proj"),
    ),
    _QKV,
)
_FROM_NAFLEX: Final[tuple[Rule, ...]] = (
    reshaped(r"pos_embed", 1, 16, 48),
    changed(
        r"embeds\.proj\.weight",
        lambda array: array.reshape(48, 16, 16, 3).transpose(0, 3, 1, 2),
    ),
    renamed((r"embeds\.pos_embed", "pos_embed"), (r"embeds\.", "patch_embed.")),
)
_TO_CLIP_RESNET: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^conv(\d)", r"stem.conv\1.conv"),
        (r"^bn(\d)", r"stem.conv\1.bn"),
        (r"^layer1", "stages.0"),
        (r"^layer2", "stages.1"),
        (r"^layer3", "stages.2"),
        (r"^layer4", "stages.3"),
        (r"(0)\.conv([13])\.", r"\1.conv\2_1x1.conv."),
        (r"(0)\.bn([13])\.", r"\1.conv\2_1x1.bn."),
        (r"(0)\.conv2\.", r"\1.conv2_kxk.conv."),
        (r"(0)\.bn2\.", r"\1.conv2_kxk.bn."),
        (r"downsample\.0", "shortcut.conv.conv"),
        (r"downsample\.1", "shortcut.conv.bn"),
        (r"^attnpool\.positional_embedding", "head.pos_embed"),
        (r"^attnpool\.([qkv])_proj", r"head.\1"),
        (r"^attnpool\.c_proj", "head.proj"),
    ),
)


PAIRS: Final[tuple[Published, ...]] = (
    Published(
        "Swin",
        _TV_SWIN,
        _TIMM_SWIN,
        "the same; channels last in both; a step between stages belongs to the stage behind it in "
        "B; windows are rolled and masked in A by sizes of the run, in B by those of the start",
        _FROM_TV_SWIN,
    ),
    Published(
        "Swin v2",
        _TV_SWIN_2,
        _timm_swin_2(0),
        "the same; one bias of queries, keys and values in A, whose part of keys it sets to 0; two "
        "biases in B",
        _FROM_TV_SWIN_2,
    ),
    Published(
        "Swin v2, windows of another size before",
        _TV_SWIN_2,
        _timm_swin_2(16),
        "distances within windows, before the network that makes them biases: over 3 in A, over 15 "
        "in B",
        _FROM_TV_SWIN_2,
        kind="different",
    ),
    Published(
        "LeViT",
        _TIMM_LEVIT,
        _HF_LEVIT,
        "the same; a step between stages belongs to the stage behind it in A, before it in B",
        _TO_LEVIT,
    ),
    Published(
        "PoolFormer",
        _TIMM_POOLING,
        _hf_pooling(3),
        "the same; the mean of neighbours less the place itself, in place of attention",
        _TO_POOLING,
    ),
    Published(
        "PoolFormer, other neighbours",
        _TIMM_POOLING,
        _hf_pooling(5),
        "neighbours that are averaged: 3 by 3 in A, 5 by 5 in B",
        _TO_POOLING,
        kind="different",
    ),
    Published(
        "MobileViT",
        _TIMM_MOBILE,
        _hf_mobile("silu"),
        "the same; one weight of queries, keys and values in A, three in B; places are put into "
        "patches in two ways",
        _TO_MOBILE,
    ),
    Published(
        "MobileViT, other activation",
        _TIMM_MOBILE,
        _hf_mobile("relu"),
        "activation everywhere: Silu in A, Relu in B",
        _TO_MOBILE,
        kind="different",
    ),
    Published(
        "AIMv2",
        _TIMM_AIM,
        _hf_aim("silu"),
        "the same; norms by the root of the mean of squares; positions are a weight added in A, "
        "looked up in B",
        _TO_AIM,
    ),
    Published(
        "InternVL's image side",
        _TIMM_INTERN,
        _HF_INTERN,
        "the same; one weight of queries, keys and values in A, three in B",
        _TO_INTERN,
    ),
    Published(
        "ViT, torchvision",
        _TV_VIT,
        _hf_vit(layer_norm_eps=1e-6),
        "the same; torch.nn's own attention in A, three weights and their products in B",
        _TO_VIT,
    ),
    Published(
        "ViT, torchvision, other activation",
        _TV_VIT,
        _hf_vit(layer_norm_eps=1e-6, hidden_act="quick_gelu"),
        "activation of both MLPs: Gelu by Erf in A, by a Sigmoid in B",
        _TO_VIT,
        kind="different",
    ),
    Published(
        "I-JEPA",
        _TIMM_BARE,
        _JEPA,
        "the same; no token but patches; one weight of queries, keys and values in A, three in B",
        _TO_JEPA,
    ),
    Published(
        "NaFlex ViT",
        _NAFLEX,
        _TIMM_BARE,
        "the same; patches are cut out and multiplied with channels last in A, a Conv in B; "
        "positions are resized to the image in A",
        _FROM_NAFLEX,
    ),
    Published(
        "CLIP's ResNet",
        _open_clip_resnet(8),
        _TIMM_CLIP_RESNET,
        "the same; attention in place of the last mean, by torch.nn's own in A, for all places, "
        "of which one is kept",
        _TO_CLIP_RESNET,
    ),
    Published(
        "CLIP's ResNet, other heads",
        _open_clip_resnet(4),
        _TIMM_CLIP_RESNET,
        "heads of the attention in place of the last mean: 4 in A, 8 in B",
        _TO_CLIP_RESNET,
        kind="different",
    ),
)
