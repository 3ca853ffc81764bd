"""Transformers and the like that see; networks that segment and that make images."""

from __future__ import annotations

from typing import Final

from ...pairs.nets import Net, Shapes
from ..first import generating
from ..pairs import Published, call, torch
from ..rules import Rule, changed, dropped, joined, renamed, reshaped, split, transposed

_LARGE: Final[Shapes] = {"x": (1, 3, 224, 224)}
_TIMM: Final = "import timm"
_QKV: Final = ("q", "k", "v")
_SMP: Final = "import segmentation_models_pytorch as smp"

_TINY: Final[tuple[Rule, ...]] = (
    renamed(
        (r"\.c\.weight", ".conv.weight"),
        (r"^patch_embed\.seq\.0", "patch_embed.conv1"),
        (r"^patch_embed\.seq\.2", "patch_embed.conv2"),
        (r"^layers\.0\.downsample", "stages.1.downsample"),
        (r"^layers\.1\.downsample", "stages.2.downsample"),
        (r"^layers\.2\.downsample", "stages.3.downsample"),
        (r"^layers", "stages"),
        (r"^norm_head", "head.norm"),
        (r"^head\.(weight|bias)", r"head.fc.\1"),
    ),
)

_MOBILE: Final[tuple[Rule, ...]] = (
    renamed(
        (r"^mobilevitv2\.conv_stem", "stem"),
        (r"^mobilevitv2\.encoder\.layer\.(\d)\.layer\.(\d)", r"stages.\1.\2"),
        (r"^mobilevitv2\.encoder\.layer\.(\d)\.downsampling_layer", r"stages.\1.0"),
        (r"^mobilevitv2\.encoder\.layer\.(\d)\.", r"stages.\1.1."),
        (r"expand_1x1", "conv1_1x1"),
        (r"conv_3x3", "conv2_kxk"),
        (r"reduce_1x1", "conv3_1x1"),
        (r"\.conv_1x1\.convolution", ".conv_1x1"),
        (r"transformer\.layer\.", "transformer."),
        (r"layernorm_before", "norm1"),
        (r"layernorm_after", "norm2"),
        (r"attention\.(\w+)\.convolution", r"attn.\1"),
        (r"ffn\.conv(\d)\.convolution", r"mlp.fc\1"),
        (r"\.1\.layernorm\.", ".1.norm."),
        (r"conv_projection", "conv_proj"),
        (r"\.convolution\.", ".conv."),
        (r"\.normalization\.", ".bn."),
        (r"^classifier", "head.fc"),
    ),
)

_DINO: Final[tuple[Rule, ...]] = (
    dropped("mask_token"),
    joined(
        r"^model\.layer\.(\d+)\.attention\.(?P<part>[qkv])_proj\.weight",
        r"blocks.\1.attn.qkv.weight",
        _QKV,
    ),
    renamed(
        (r"^model\.layer\.(\d+)\.attention\.([qv])_proj\.bias", r"blocks.\1.attn.\2_bias"),
        (r"^embeddings\.cls_token", "cls_token"),
        (r"^embeddings\.register_tokens", "reg_token"),
        (r"^embeddings\.patch_embeddings", "patch_embed.proj"),
        (r"^model\.layer\.", "blocks."),
        (r"attention\.o_proj", "attn.proj"),
        (r"layer_scale(\d)\.lambda1", r"gamma_\1"),
        (r"mlp\.up_proj", "mlp.fc1"),
        (r"mlp\.down_proj", "mlp.fc2"),
    ),
)

_CLIP: Final[tuple[Rule, ...]] = (
    split(
        r"^transformer\.resblocks\.(\d)\.attn\.in_proj_(\w+)",
        *(rf"vision_model.encoder.layers.\1.self_attn.{part}_proj.\2" for part in "qkv"),
    ),
    renamed(
        (r"^transformer\.resblocks\.", "vision_model.encoder.layers."),
        (r"attn\.out_proj", "self_attn.out_proj"),
        (r"self_self_attn", "self_attn"),
        (r"\.ln_(\d)", r".layer_norm\1"),
        (r"mlp\.c_fc", "mlp.fc1"),
        (r"mlp\.c_proj", "mlp.fc2"),
        (r"^class_embedding", "vision_model.embeddings.class_embedding"),
        (r"^positional_embedding", "vision_model.embeddings.position_embedding.weight"),
        (r"^conv1", "vision_model.embeddings.patch_embedding"),
        (r"^ln_pre", "vision_model.pre_layrnorm"),
        (r"^ln_post", "vision_model.post_layernorm"),
        (r"^proj$", "visual_projection.weight"),
    ),
    transposed("^visual_projection"),
)
_OPEN_CLIP: Final = torch(
    "open_clip",
    "from open_clip.transformer import VisionTransformer",
    call(
        "VisionTransformer",
        image_size=64,
        patch_size=16,
        width=96,
        layers=2,
        heads=3,
        mlp_ratio=2.0,
        output_dim=48,
    ),
)


def _clip(activation: str) -> Net:
    config = call(
        "transformers.CLIPVisionConfig",
        hidden_size=96,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=3,
        image_size=64,
        patch_size=16,
        projection_dim=48,
        hidden_act=activation,
    )
    build = f"transformers.CLIPVisionModelWithProjection({config})"
    return torch("transformers", "import transformers", build)


_SEGFORMER: Final[tuple[Rule, ...]] = (
    joined(
        r"^segformer\.stages\.(\d)\.blocks\.(\d)\.attention\.(?P<part>[kv])_proj\.(\w+)",
        r"segformer.stages.\1.blocks.\2.attn.kv.\4",
        ("k", "v"),
    ),
    renamed(
        (r"^segformer\.", ""),
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
        *(
            (rf"^decode_head\.\w+\.{n}\.proj", f"decoder.mlp_stage.{3 - n}.linear")
            for n in range(4)
        ),
        (r"^decode_head\.linear_fuse", "decoder.fuse_stage.0"),
        (r"^decode_head\.batch_norm", "decoder.fuse_stage.1"),
        (r"^decode_head\.classifier", "segmentation_head.0"),
    ),
)

_TAMING: Final[tuple[Rule, ...]] = (
    renamed(
        (r"nin_shortcut", "conv_shortcut"),
        (r"^mid\.block_1", "mid_block.resnets.0"),
        (r"^mid\.block_2", "mid_block.resnets.1"),
        (r"^mid\.attn_1\.norm", "mid_block.attentions.0.group_norm"),
        (r"^mid\.attn_1\.proj_out", "mid_block.attentions.0.to_out.0"),
        (r"^mid\.attn_1\.([qkv])", r"mid_block.attentions.0.to_\1"),
        (r"^norm_out", "conv_norm_out"),
        (r"^down\.(\d)\.block\.", r"down_blocks.\1.resnets."),
        (r"^down\.(\d)\.downsample\.", r"down_blocks.\1.downsamplers.0."),
        (r"^up\.1\.block\.", "up_blocks.0.resnets."),
        (r"^up\.0\.block\.", "up_blocks.1.resnets."),
        (r"^up\.1\.upsample\.", "up_blocks.0.upsamplers.0."),
    ),
    changed(r"attentions\.0\.to_.*weight", lambda array: array.reshape(array.shape[:2])),
)
_TAMED: Final = {
    "ch": 32,
    "out_ch": 3,
    "ch_mult": (1, 2),
    "num_res_blocks": 1,
    "attn_resolutions": [],
    "in_channels": 3,
    "resolution": 16,
    "z_channels": 4,
}
_DIFFUSED: Final = {"block_out_channels": (32, 64), "layers_per_block": 1}


def _unet(encoder: str, **settings: object) -> Net:
    build = call("smp.Unet", encoder, encoder_weights=None, classes=2, **settings)
    return torch("segmentation_models_pytorch", _SMP, build)


PAIRS: Final = (
    Published(
        "TinyViT",
        torch(
            "kornia",
            "from kornia.models.tiny_vit import TinyViT",
            "TinyViT.from_config('5m', num_classes=10)",
            _LARGE,
        ),
        torch("timm", _TIMM, call("timm.create_model", "tiny_vit_5m_224", num_classes=10), _LARGE),
        "the same; attention in windows",
        _TINY,
        batched=False,
    ),
    Published(
        "MobileViT v2",
        torch(
            "transformers",
            "import transformers",
            "transformers.MobileViTV2ForImageClassification("
            "transformers.MobileViTV2Config(width_multiplier=0.5, num_labels=10))",
            {"x": (1, 3, 64, 64)},
        ),
        torch("timm", _TIMM, call("timm.create_model", "mobilevitv2_050", num_classes=10)),
        "the same; linear attention over patches",
        _MOBILE,
    ),
    Published(
        "DINOv3",
        torch(
            "transformers",
            "import transformers",
            "transformers.DINOv3ViTModel(transformers.DINOv3ViTConfig(hidden_size=96, "
            "intermediate_size=192, num_hidden_layers=2, num_attention_heads=3, "
            "num_register_tokens=4, image_size=64))",
        ),
        torch(
            "timm",
            _TIMM,
            call(
                "timm.create_model",
                "vit_small_patch16_dinov3_qkvb",
                depth=2,
                embed_dim=96,
                num_heads=3,
                mlp_ratio=2,
                img_size=64,
                global_pool="",
            ),
        ),
        "the same; rotary positions in two dimensions; A returns the class token as well",
        _DINO,
    ),
    Published(
        "CLIP's image side",
        _OPEN_CLIP,
        _clip("gelu"),
        "the same; B also returns the tokens; query, key and value in one weight in A",
        _CLIP,
    ),
    Published(
        "CLIP's image side, other activation",
        _OPEN_CLIP,
        _clip("quick_gelu"),
        "activation of the two blocks: Gelu in A, x · Sigmoid(1.702 x) in B",
        _CLIP,
        kind="different",
    ),
    Published(
        "ResMLP",
        torch(
            "res_mlp_pytorch",
            "from res_mlp_pytorch import ResMLP",
            call("ResMLP", image_size=64, patch_size=16, dim=64, depth=2, num_classes=10),
        ),
        torch(
            "timm",
            """
from functools import partial

from timm.models.mlp_mixer import Affine, MlpMixer, ResBlock
""",
            "MlpMixer(num_classes=10, img_size=64, patch_size=16, num_blocks=2, embed_dim=64, "
            "mlp_ratio=4, block_layer=ResBlock, norm_layer=Affine)",
        ),
        "the same; tokens mixed by a Conv of kernel 1 in A; patches cut by a Reshape in A",
        (
            renamed(
                (r"^1\.", "stem.proj."),
                (r"^([23])\.([01])\.scale", r"blocks.\1.ls-\2"),
                (r"^([23])\.([01])\.affine\.g", r"blocks.\1.norm-\2.alpha"),
                (r"^([23])\.([01])\.affine\.b", r"blocks.\1.norm-\2.beta"),
                (r"-1", "2"),
                (r"-0", "1"),
                (r"^([23])\.0\.fn\.", r"blocks.\1.linear_tokens."),
                (r"^([23])\.1\.fn\.0", r"blocks.\1.mlp_channels.fc1"),
                (r"^([23])\.1\.fn\.2", r"blocks.\1.mlp_channels.fc2"),
                (r"blocks\.2", "blocks.0"),
                (r"blocks\.3", "blocks.1"),
                (r"^4\.g", "norm.alpha"),
                (r"^4\.b", "norm.beta"),
                (r"^6\.", "head."),
            ),
            reshaped(r"^stem\.proj\.weight", 64, 16, 16, 3),
            transposed(r"^stem\.proj\.weight", 0, 3, 1, 2),
            reshaped(r"\.ls\d", 64),
            changed(r"linear_tokens\.weight", lambda array: array[..., 0]),
        ),
    ),
    Published(
        "ViT, MONAI",
        torch(
            "monai",
            "from monai.networks.nets import ViT",
            call(
                "ViT",
                in_channels=3,
                img_size=(64, 64),
                patch_size=(16, 16),
                hidden_size=96,
                mlp_dim=192,
                num_layers=2,
                num_heads=3,
                spatial_dims=2,
                qkv_bias=True,
            ),
        ),
        torch(
            "timm",
            "import torch\nfrom timm.models.vision_transformer import VisionTransformer",
            "VisionTransformer(img_size=64, embed_dim=96, depth=2, num_heads=3, mlp_ratio=2, "
            "num_classes=0, class_token=False, global_pool='', norm_layer=torch.nn.LayerNorm)",
        ),
        "the same; A returns the tokens of every block as well, and holds a norm that it does not "
        "use",
        (
            dropped("norm_cross_attn|cross_attn"),
            renamed(
                (r"^patch_embedding\.position_embeddings", "pos_embed"),
                (r"^patch_embedding\.patch_embeddings", "patch_embed.proj"),
                (r"mlp\.linear(\d)", r"mlp.fc\1"),
                (r"attn\.out_proj", "attn.proj"),
            ),
        ),
    ),
    Published(
        "ConvNeXt and ConvNeXt v2",
        torch(
            "transformers",
            "import transformers",
            "transformers.ConvNextModel(transformers.ConvNextConfig(depths=[1, 1, 2, 1], "
            "hidden_sizes=[16, 32, 64, 128]))",
        ),
        torch(
            "transformers",
            "import transformers",
            "transformers.ConvNextV2Model(transformers.ConvNextV2Config(depths=[1, 1, 2, 1], "
            "hidden_sizes=[16, 32, 64, 128]))",
        ),
        "response normalization (GRN) in each of the five blocks only in B; layer scale only in A",
        (dropped("layer_scale_parameter"),),
        kind="different",
        unset=r"\.grn\.",
    ),
    Published(
        "SegFormer",
        torch(
            "transformers",
            "import transformers",
            "transformers.SegformerForSemanticSegmentation("
            "transformers.SegformerConfig(num_labels=5, decoder_hidden_size=32))",
        ),
        torch(
            "segmentation_models_pytorch",
            _SMP,
            call(
                "smp.Segformer",
                "mit_b0",
                encoder_weights=None,
                decoder_segmentation_channels=32,
                classes=5,
                upsampling=1,
            ),
        ),
        "the same but for the epsilon of 20 norms (1e-5 in A, 1e-6 in B), which moves outputs by "
        "less than 1e-5; keys and values in one Gemm in B",
        _SEGFORMER,
    ),
    Published(
        "UNet on ResNet-18",
        _unet("resnet18"),
        _unet("tu-resnet18"),
        "the same; the encoder is torchvision's in A, timm's in B",
        (renamed((r"^encoder\.", "encoder.model.")),),
        unset=r"\.fc\.",
    ),
    Published(
        "UNet, other resizing",
        _unet("resnet18"),
        _unet("resnet18", decoder_interpolation="bilinear"),
        "the five Resize of the decoder: nearest in A, linear in B",
        kind="different",
    ),
    Published(
        "LPIPS",
        torch(
            "lpips",
            "import lpips",
            call(
                "lpips.LPIPS",
                net="alex",
                pretrained=False,
                pnet_rand=True,
                pnet_tune=True,
                verbose=False,
            ),
            {"in0": (1, 3, 64, 64), "in1": (1, 3, 64, 64)},
        ),
        torch(
            "torchmetrics",
            "from torchmetrics.functional.image.lpips import _LPIPS",
            call("_LPIPS", net="alex", pretrained=False, pnet_rand=True, pnet_tune=True),
            {"in0": (1, 3, 64, 64), "in1": (1, 3, 64, 64)},
        ),
        "the same; AlexNet on two images, distances of its features",
    ),
    Published(
        "UNet of latent diffusion, other heads",
        generating.UNET,
        generating.unet(1e-6, heads=16),
        "the eight attentions: 4 heads of 16 channels in A, 16 heads of 4 in B",
        generating.OF_UNET,
        kind="different",
    ),
    Published(
        "Encoder of VQGAN",
        torch(
            "taming",
            "from taming.modules.diffusionmodules.model import Encoder",
            call("Encoder", double_z=False, **_TAMED),
            {"x": (1, 3, 16, 16)},
        ),
        torch(
            "diffusers",
            "from diffusers.models.autoencoders.vae import Encoder",
            call(
                "Encoder",
                in_channels=3,
                out_channels=4,
                down_block_types=("DownEncoderBlock2D",) * 2,
                double_z=False,
                **_DIFFUSED,
            ),
            {"x": (1, 3, 16, 16)},
        ),
        "the same; query, key and value are Conv of kernel 1 in A, Gemm in B",
        _TAMING,
    ),
    Published(
        "Decoder of VQGAN",
        torch(
            "taming",
            "from taming.modules.diffusionmodules.model import Decoder",
            call("Decoder", **_TAMED),
            {"x": (1, 4, 8, 8)},
        ),
        torch(
            "diffusers",
            "from diffusers.models.autoencoders.vae import Decoder",
            call(
                "Decoder",
                in_channels=4,
                out_channels=3,
                up_block_types=("UpDecoderBlock2D",) * 2,
                **_DIFFUSED,
            ),
            {"x": (1, 4, 8, 8)},
        ),
        "the same; query, key and value are Conv of kernel 1 in A, Gemm in B",
        _TAMING,
    ),
)
