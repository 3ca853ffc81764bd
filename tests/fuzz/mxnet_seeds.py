"""Symbols of many operators, in the dialects that MXNet has had."""

from __future__ import annotations

from typing import Any

from tests.loaders.mxnet.nets import node, symbol


def symbols() -> list[dict[str, Any]]:
    """Symbols as MXNet writes them."""
    return [_pictures(), _rows(), _recurrent(), _old()]


def _pictures() -> dict[str, Any]:
    return symbol(
        node("null", "data", __shape__="(1, 4, 8, 8)"),
        node("null", "w"),
        node("Deconvolution", "up", 0, 1, kernel="(4, 4)", stride="(2, 2)", pad="(1, 1)",
             num_filter="3", no_bias="True", adj="(0, 0)"),
        node("UpSampling", "larger", 2, scale="2", sample_type="nearest", num_args="1"),
        node("Pad", "padded", 3, mode="constant", pad_width="(0, 0, 0, 0, 1, 1, 2, 2)"),
        node("LRN", "lrn", 4, nsize="5", alpha="0.0001"),
        node("L2Normalization", "l2", 5, mode="channel"),
        node("null", "gamma"),
        node("LeakyReLU", "leaky", 6, 7, act_type="prelu", slope="0.25"),
        node("Crop", "cropped", 8, 0, num_args="2", offset="(1, 1)", center_crop="False"),
        node("null", "g"),
        node("null", "b"),
        node("InstanceNorm", "in", 9, 10, 11, eps="0.001"),
        node("_contrib_BilinearResize2D", "bil", 12, height="5", width="11"),
        node("Pooling", "global", 13, global_pool="True", pool_type="avg", kernel="(1, 1)"),
        node("_contrib_MultiBoxPrior", "anchors", 13, sizes="(0.2, 0.3)", ratios="(1, 2)"),
        node("Flatten", "flat", 14),
        heads=[[16, 0, 0], [15, 0, 0]],
    )  # fmt: skip


def _rows() -> dict[str, Any]:
    return symbol(
        node("null", "data", __shape__="(2, 5, 6)"),
        node("null", "table"),
        node("LayerNorm", "ln", 0, 1, 1, axis="-1"),
        node("expand_dims", "wide", 0, axis="1"),
        node("slice_axis", "part", 3, axis="2", begin="1", end="None"),
        node("broadcast_add", "sum", 4, 4),
        node("_mul_scalar", "twice", 5, scalar="2.0"),
        node("transpose", "turned", 6, axes="(0, 2, 1, 3)"),
        node("Reshape", "flat", 7, shape="(0, -3, -2)"),
        node("batch_dot", "dot", 8, 8, transpose_b="True"),
        node("softmax", "prob", 9, axis="-1", temperature="1.0"),
        node("sum", "summed", 10, axis="(1,)", keepdims="True"),
        node("tile", "tiled", 11, reps="(1, 1, 3)"),
        node("clip", "clipped", 12, a_min="0", a_max="6"),
        node("SwapAxis", "swapped", 13, dim1="0", dim2="1"),
        node("stack", "stacked", 14, 14, axis="1", num_args="2"),
        node("squeeze", "squeezed", 15, axis="(0,)"),
        node("mean", "mean", 16, axis="-1", exclude="True"),
        node("_zeros", "zeros", shape="(2, 3)", dtype="float32"),
        heads=[[17, 0, 0], [18, 0, 0]],
        attrs={"mxnet_version": ["int", 10901]},
    )


def _recurrent() -> dict[str, Any]:
    return symbol(
        node("null", "steps", __shape__="(5, 2, 4)"),
        node("null", "weights"),
        node("null", "state"),
        node("null", "cell"),
        node("RNN", "lstm", 0, 1, 2, 3, mode="lstm", state_size="3", num_layers="2", p="0.1"),
        node("null", "ids", __shape__="(2, 7)"),
        node("null", "words"),
        node("Embedding", "embed", 5, 6, input_dim="20", output_dim="8"),
        node("SequenceLast", "last", 4),
        node("Dropout", "drop", 8, p="0.5"),
        node("Concat", "both", 9, 9, dim="1", num_args="2"),
        node("BlockGrad", "stop", 7),
        heads=[[10, 0, 0], [11, 0, 0]],
    )


def _old() -> dict[str, Any]:
    """The dialect before 0.9: `param` for settings, `attr` for the rest."""
    held = symbol(
        node("null", "data", key="param"),
        node("null", "w", key="param"),
        node("null", "b", key="param"),
        node("Convolution", "conv", 0, 1, 2, key="param", kernel="(3, 3)", num_filter="8",
             workspace="512"),
        node("null", "gamma", key="param"),
        node("null", "beta", key="param"),
        node("BatchNorm", "bn", 3, 4, 5, key="param", momentum="0.9"),
        node("Activation", "relu", 6, key="param", act_type="relu"),
        node("SliceChannel", "halves", 7, key="param", num_outputs="2"),
        node("_Plus", "sum", [8, 0], [8, 1], key="param"),
        node("Cast", "cast", 9, key="param", dtype="float32"),
        node("null", "label", key="param"),
        node("SoftmaxOutput", "softmax", 10, 11, key="param"),
    )  # fmt: skip
    held["nodes"][0]["attr"] = {"__shape__": "(1, 3, 12, 12)", "ctx_group": "dev1"}
    held["nodes"][3]["backward_source_id"] = -1
    return held
