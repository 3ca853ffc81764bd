"""Modules compute what Torch7's did: where PyTorch kept their rules, it tells the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.loaders.torch7.nets import graph_of, only_layer, operators, ran

torch = pytest.importorskip("torch")
F = torch.nn.functional

X = np.random.default_rng(0).standard_normal((2, 4, 9, 8)).astype(np.float32)
T = torch.from_numpy(X)
W = np.random.default_rng(1).standard_normal(4096).astype(np.float32)


def weight(*shape: int):
    return torch.from_numpy(W[: int(np.prod(shape))].reshape(shape).copy())


def padded(kind: str, *pads: int):
    return F.pad(T, pads, mode=kind)


PLAIN = {
    "nn.SpatialMaxPooling(2, 3)": lambda: F.max_pool2d(T, (3, 2)),
    "nn.SpatialMaxPooling(3, 3, 2, 2):ceil()": lambda: F.max_pool2d(T, 3, 2, ceil_mode=True),
    "nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1):ceil()": lambda: F.max_pool2d(
        T, 3, 2, 1, ceil_mode=True
    ),
    "nn.SpatialMaxPooling(2, 2, 2, 2):ceil():floor()": lambda: F.max_pool2d(T, 2, 2),
    "nn.SpatialAveragePooling(3, 3)": lambda: F.avg_pool2d(T, 3, 1),
    "cudnn.SpatialAveragePooling(3, 3)": lambda: F.avg_pool2d(T, 3, 3),
    "nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1)": lambda: F.avg_pool2d(T, 3, 2, 1),
    "nn.SpatialAveragePooling(3, 3, 2, 2):ceil()": lambda: F.avg_pool2d(T, 3, 2, ceil_mode=True),
    "nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1):ceil()": lambda: F.avg_pool2d(
        T, 3, 2, 1, ceil_mode=True
    ),
    "nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1):ceil():setCountExcludePad()": lambda: F.avg_pool2d(
        T, 3, 2, 1, ceil_mode=True, count_include_pad=False
    ),
    "nn.SpatialDilatedMaxPooling(3, 2, 2, 1, 1, 0, 2, 3)": lambda: F.max_pool2d(
        T, (2, 3), (1, 2), (0, 1), (3, 2)
    ),
    "nn.SpatialLPPooling(4, 2, 2, 3)": lambda: F.lp_pool2d(T, 2, (3, 2)),
    "inn.SpatialMaxPooling(2, 2)": lambda: F.max_pool2d(T, 2, ceil_mode=True),
    "inn.SpatialCrossResponseNormalization(3)": lambda: F.local_response_norm(T, 3, 1e-4, 0.75),
    "nn.CReLU(3)": lambda: torch.cat((T.relu(), (-T).relu()), 1),
    "nn.GatedLinearUnit(2)": lambda: F.glu(T, 1),
    "nn.GatedLinearUnit()": lambda: F.glu(T, -1),
    "nn.VolumetricDropout()": lambda: T,
    "nn.Sequential():add(nn.View(36, 8)):add(nn.TemporalMaxPooling(3, 2))": lambda: (
        F.max_pool1d(T.reshape(2, 36, 8).mT, 3, 2).mT
    ),
    "nn.SpatialAdaptiveMaxPooling(4, 3)": lambda: F.adaptive_max_pool2d(T, (3, 4)),
    "nn.SpatialAdaptiveAveragePooling(1, 1)": lambda: F.adaptive_avg_pool2d(T, 1),
    "nn.SpatialUpSamplingNearest(2)": lambda: F.interpolate(T, scale_factor=2),
    "nn.SpatialUpSamplingBilinear(2)": lambda: F.interpolate(
        T, scale_factor=2, mode="bilinear", align_corners=True
    ),
    "nn.PixelShuffle(2)": lambda: F.pixel_shuffle(T, 2),
    "nn.SpatialCrossMapLRN(3, 0.5, 0.75, 2)": lambda: F.local_response_norm(T, 3, 0.5, 0.75, 2.0),
    "nn.LeakyReLU(0.3)": lambda: F.leaky_relu(T, 0.3),
    "nn.RReLU()": lambda: F.rrelu(T),
    "nn.ELU(0.7)": lambda: F.elu(T, 0.7),
    "nn.ReLU6()": lambda: F.relu6(T),
    "nn.HardTanh(-0.5, 0.5)": lambda: F.hardtanh(T, -0.5, 0.5),
    "nn.Clamp(-1, 2)": lambda: T.clamp(-1, 2),
    "nn.Threshold(0.5, -1)": lambda: F.threshold(T, 0.5, -1),
    "nn.Threshold(0, 0)": lambda: F.relu(T),
    "nn.HardShrink()": lambda: F.hardshrink(T),
    "nn.SoftShrink()": lambda: F.softshrink(T),
    "nn.TanhShrink()": lambda: F.tanhshrink(T),
    "nn.LogSigmoid()": lambda: F.logsigmoid(T),
    "nn.SoftPlus(2)": lambda: F.softplus(T, 2),
    "nn.SoftSign()": lambda: F.softsign(T),
    "nn.SoftMax()": lambda: F.softmax(T, 1),
    "nn.SoftMin()": lambda: F.softmin(T, 1),
    "nn.SpatialLogSoftMax()": lambda: F.log_softmax(T, 1),
    "nn.Dropout(0.3)": lambda: T,
    "nn.MulConstant(3)": lambda: T * 3,
    "nn.AddConstant(3)": lambda: T + 3,
    "nn.Square()": lambda: T**2,
    "nn.Sequential():add(nn.Abs()):add(nn.Power(1.5))": lambda: T.abs() ** 1.5,
    "nn.Mean(2)": lambda: T.mean(1),
    "nn.Mean(3, 3)": lambda: T.mean(3),
    "nn.Sum(1, 3)": lambda: T.sum(1),
    "nn.Sum(-1, nil, true)": lambda: T.mean(-1),
    "nn.Max(2)": lambda: T.amax(1),
    "nn.View(-1):setNumInputDims(3)": lambda: T.reshape(2, -1),
    "nn.View(4 * 9 * 8)": lambda: T.reshape(2, -1),
    "nn.View(-1, 8)": lambda: T.reshape(-1, 8),
    "nn.View(8, 9):setNumInputDims(2)": lambda: T.reshape(8, 8, 9),
    "nn.Reshape(72, 4)": lambda: T.reshape(2, 72, 4),
    "nn.Reshape(2, 72, 4, false)": lambda: T.reshape(2, 72, 4),
    "nn.Reshape(torch.LongStorage{8, 36})": lambda: T.reshape(2, 8, 36),
    "nn.Transpose({2, 3}, {3, 4})": lambda: T.permute(0, 2, 3, 1),
    "nn.Sequential():add(nn.Narrow(2, 1)):add(nn.Squeeze(2))": lambda: T[:, 0],
    "nn.Unsqueeze(1, 3)": lambda: T[:, None],
    "nn.Narrow(3, 2, -2)": lambda: T[:, :, 1:8],
    "nn.Select(2, -1)": lambda: T[:, -1],
    "nn.Replicate(3, 1, 3)": lambda: T[:, None].expand(2, 3, 4, 9, 8),
    "nn.SpatialZeroPadding(1, 2, -1, 1)": lambda: padded("constant", 1, 2, -1, 1),
    "nn.SpatialReflectionPadding(1, 2, 3, 0)": lambda: padded("reflect", 1, 2, 3, 0),
    "nn.SpatialReplicationPadding(1)": lambda: padded("replicate", 1, 1, 1, 1),
    "nn.Padding(1, 2, 3, 0.5)": lambda: F.pad(T, (0, 0, 0, 0, 0, 2), value=0.5),
    "nn.Padding(2, -2)": lambda: F.pad(T, (0, 0, 0, 0, 2, 0)),
    "nn.Sequential():add(nn.View(-1, 8)):add(nn.Normalize(2))": lambda: F.normalize(
        T.reshape(-1, 8)
    ),
    "nn.Concat(2):add(nn.Tanh()):add(nn.ReLU())": lambda: torch.cat((T.tanh(), T.relu()), 1),
    "nn.DepthConcat(2):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2, 1, 1))": lambda: torch.cat(
        (T.relu(), F.pad(F.max_pool2d(T, 2, 1), (0, 1, 0, 1))), 1
    ),
    "nn.Parallel(3, 2)" + ":add(nn.ReLU())" * 9: lambda: (
        T.relu().permute(0, 2, 1, 3).reshape(2, 36, 8)
    ),
    "nn.Sequential():add(nn.ConcatTable():add(nn.Tanh()):add(nn.Identity()))"
    ":add(nn.ParallelTable():add(nn.Identity()):add(nn.Sigmoid())):add(nn.CMulTable())": lambda: (
        T.tanh() * T.sigmoid()
    ),
    "nn.Sequential():add(nn.SplitTable(2)):add(nn.NarrowTable(2, 3)):add(nn.JoinTable(1, 2))": (
        lambda: T[:, 1:].reshape(2, 27, 8)
    ),
    "nn.Sequential():add(nn.SplitTable(2)):add(nn.SelectTable(-1))": lambda: T[:, -1],
    "nn.Sequential():add(nn.ConcatTable():add(nn.Abs()):add(nn.ReLU()):add(nn.Tanh()))"
    ":add(nn.CAddTable())": lambda: T.abs() + T.relu() + T.tanh(),
    "nn.Sequential():add(nn.ConcatTable():add(nn.Select(2, 1)):add(nn.Select(2, 2)))"
    ":add(nn.MM(false, true))": lambda: T[:, 0] @ T[:, 1].mT,
    "nn.Bottle(nn.SoftMax())": lambda: F.softmax(T, -1),
}


@pytest.mark.parametrize("lua", PLAIN)
def test_a_module_without_parameters_computes_as_torch_does(tmp_path, lua):
    (made,) = ran(tmp_path, f"return {lua}", X)
    expected = PLAIN[lua]().numpy()
    assert made.shape == expected.shape
    np.testing.assert_allclose(made, expected, rtol=1e-4, atol=1e-5)


WEIGHTED = {
    "nn.SpatialConvolution(4, 6, 3, 2, 2, 1, 1, 0)": lambda: F.conv2d(
        T, weight(6, 4, 2, 3), weight(6), (1, 2), (0, 1)
    ),
    "nn.SpatialConvolutionMM(4, 6, 3, 3, 1, 1, 1)": lambda: F.conv2d(
        T, weight(6, 4, 3, 3), weight(6), 1, 1
    ),
    "cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2)": lambda: F.conv2d(
        T, weight(6, 2, 3, 3), weight(6), 1, 1, groups=2
    ),
    "nn.SpatialDilatedConvolution(4, 6, 3, 3, 1, 1, 2, 2, 2, 2)": lambda: F.conv2d(
        T, weight(6, 4, 3, 3), weight(6), 1, 2, 2
    ),
    "nn.SpatialDepthWiseConvolution(4, 2, 3, 3)": lambda: F.conv2d(
        T, weight(2, 4, 3, 3).transpose(0, 1).reshape(8, 1, 3, 3), weight(2, 4).T.reshape(8),
        groups=4,
    ),
    "nn.SpatialFullConvolution(4, 5, 3, 3, 2, 2, 1, 1, 1, 1)": lambda: F.conv_transpose2d(
        T, weight(4, 5, 3, 3), weight(5), 2, 1, 1
    ),
    "nn.Sequential():add(nn.View(1, 4, 9, 8))"
    ":add(nn.VolumetricFullConvolution(1, 2, 2, 3, 3, 2, 1, 1, 1, 0, 0, 1))": lambda: (
        F.conv_transpose3d(
            T[:, None], weight(1, 2, 2, 3, 3), weight(2), (2, 1, 1), (1, 0, 0), (1, 0, 0)
        )
    ),
    "nn.SpatialSubSampling(4, 2, 3, 2, 3)": lambda: (
        6 * F.avg_pool2d(T, (3, 2)) * weight(4)[:, None, None] + weight(4)[:, None, None]
    ),
    "nn.Sequential():add(nn.View(36, 8)):add(nn.TemporalConvolution(8, 5, 3, 2))": lambda: F.conv1d(
        T.reshape(2, 36, 8).mT, weight(5, 3, 8).mT, weight(5), 2
    ).mT,
    "nn.Sequential():add(nn.View(288)):add(nn.Linear(288, 7))": lambda: F.linear(
        T.reshape(2, -1), weight(7, 288), weight(7)
    ),
    "nn.PReLU()": lambda: F.prelu(T, weight(1)),
    "nn.PReLU(4)": lambda: F.prelu(T, weight(4)),
    "nn.Mul()": lambda: T * weight(1),
    "nn.Add(4)": lambda: T + weight(4)[:, None, None],
    "nn.CMul(1, 4, 1, 1)": lambda: T * weight(1, 4, 1, 1),
    "nn.CAdd(4, 1, 1)": lambda: T + weight(4, 1, 1),
    "nn.InstanceNormalization(4)": lambda: F.instance_norm(
        T, weight=weight(4), bias=weight(4)
    ),
}  # fmt: skip


@pytest.mark.parametrize("lua", WEIGHTED)
def test_a_module_with_parameters_computes_as_torch_does(tmp_path, lua):
    held = {role: W[:n] for role, n in (("bias", 0), ("weight", 0))}
    from tests.loaders.torch7.nets import model_of

    model = model_of(tmp_path, f"return {lua}", inputs={"x": X.shape})
    for name, value in model.graph.initializers.items():
        role = name.rsplit(".", 1)[-1]
        if role in held:
            held[role] = W[: int(np.prod([int(d) for d in value.shape]))]
    (made,) = ran(tmp_path, f"return {lua}", X, **held)
    np.testing.assert_allclose(made, WEIGHTED[lua]().numpy(), rtol=1e-4, atol=1e-4)


def test_batch_normalisation_keeps_its_epsilon_and_its_statistics(tmp_path):
    layer = only_layer(tmp_path, "nn.SpatialBatchNormalization(4, 1e-3)")
    assert layer.attributes["epsilon"] == 1e-3
    assert [(p.role, p.trainable) for p in layer.parameters] == [
        ("scale", True),
        ("bias", True),
        ("mean", False),
        ("var", False),
    ]


def test_batch_normalisation_without_affine_has_statistics_alone(tmp_path):
    layer = only_layer(tmp_path, "nn.SpatialBatchNormalization(4, nil, nil, false)")
    assert layer.attributes["epsilon"] == 1e-5
    assert [p.trainable for p in layer.parameters] == [False, False]


def test_a_pool_that_was_told_ceil_says_so(tmp_path):
    layer = only_layer(tmp_path, "nn.SpatialMaxPooling(2, 2, 2, 2):ceil()")
    assert layer.padding == "ceil"
    assert layer.attributes["pads"] == [0, 0, 1, 1]


def test_a_pool_of_unlike_windows_is_drawn_as_it_is(tmp_path):
    graph = graph_of(tmp_path, "return nn.SpatialAdaptiveAveragePooling(4, 4)")
    assert operators(graph) == ["torch7::SpatialAdaptiveAveragePooling"]
    assert graph.layers[0].outputs[0].shape == (1, 4, 4, 4)


def test_rows_of_a_lookup_count_from_one(tmp_path):
    ids = np.array([[1, 3]], np.float32)
    table = np.arange(8, dtype=np.float32)
    (made,) = ran(tmp_path, "return nn.LookupTable(4, 2)", ids, weight=table)
    assert made.tolist() == [[[0, 1], [4, 5]]]


def test_the_same_network_on_several_devices_is_drawn_once(tmp_path):
    body = """local net = nn.Sequential():add(nn.ReLU())
    local all = nn.DataParallelTable(1):add(net, 1):add(net:clone(), 2)
    return nn.Sequential():add(all):add(makeDataParallel(nn.Tanh(), 2))"""
    assert operators(graph_of(tmp_path, body)) == ["Relu", "Tanh"]
