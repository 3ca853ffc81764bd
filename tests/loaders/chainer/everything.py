"""A link that applies every function that the loader knows, with an output for each."""

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

INPUTS = {"x": (2, 8, 9, 9)}


class Everything(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(8, 6, (3, 2), stride=(2, 1), pad=(1, 0))
            self.grouped = L.Convolution2D(8, 8, 3, pad=2, dilate=2, groups=4, nobias=True)
            self.lazy = L.Convolution2D(None, 4, 3)
            self.volume = L.ConvolutionND(1, 8, 5, 3, stride=2, pad=1)
            self.dilated = L.DilatedConvolution2D(8, 4, 3, pad=2, dilate=2)
            self.depthwise = L.DepthwiseConvolution2D(8, 2, 3, pad=1)
            self.deconv = L.Deconvolution2D(8, 5, 4, stride=2, pad=1)
            self.deconv_sized = L.Deconvolution2D(8, 4, 3, stride=2, pad=1, outsize=(18, 18))
            self.deconv_volume = L.DeconvolutionND(1, 8, 4, 3, stride=2)
            self.linear = L.Linear(None, 12)
            self.batch = L.BatchNormalization(8)
            self.batch_features = L.BatchNormalization((9, 9), use_gamma=False)
            self.batch_axis = L.BatchNormalization(axis=(0, 1, 2), eps=1e-3)
            self.layer = L.LayerNormalization(12)
            self.group = L.GroupNormalization(4)
            self.prelu = L.PReLU((8,))
            self.swish = L.Swish(None)
            self.scale = L.Scale(axis=1, W_shape=(8,), bias_term=True)
            self.embed = L.EmbedID(20, 7)
            self.embed_ignoring = L.EmbedID(20, 7, ignore_label=-1)
            self.lstm = L.LSTM(12, 6)
            self.gru = L.StatefulGRU(12, 6)

    def forward(self, x):
        flat = self.linear(x)
        rows = F.reshape(x, (2, 8, 81))
        ids = np.array([[1, 2, -1], [4, 5, 6]], np.int32)
        return {
            **self.convolutions(x, rows),
            **self.pools(x, rows),
            **self.norms(x, flat),
            **self.activations(x),
            **self.arithmetic(x, flat),
            **self.arrangement(x, flat),
            **self.reductions(x),
            "embed": self.embed(abs(ids)),
            "embed_ignoring": self.embed_ignoring(ids),
            "lstm": self.lstm(self.lstm(flat)[:, [0, 1, 2, 3, 4, 5] * 2]),
            "gru": self.gru(self.gru(flat)[:, [0, 1, 2, 3, 4, 5] * 2]),
        }

    def convolutions(self, x, rows):
        return {
            "conv": self.conv(x),
            "grouped": self.grouped(x),
            "lazy": self.lazy(x),
            "volume": self.volume(rows),
            "dilated": self.dilated(x),
            "depthwise": self.depthwise(x),
            "covering": F.convolution_2d(x, self.conv.W, stride=2, cover_all=True),
            "deconv": self.deconv(x),
            "deconv_sized": self.deconv_sized(x),
            "deconv_volume": self.deconv_volume(rows),
        }

    def pools(self, x, rows):
        return {
            "max": F.max_pooling_2d(x, 2),
            "max_floor": F.max_pooling_2d(x, 2, cover_all=False),
            "max_overlapping": F.max_pooling_2d(x, 3, stride=2, pad=1),
            "max_far": F.relu(F.max_pooling_2d(x, 2, stride=4, pad=1)),
            "max_volume": F.max_pooling_nd(rows, 4),
            "average": F.average_pooling_2d(x, 3, stride=2, pad=1),
            "average_volume": F.average_pooling_nd(rows, 3, pad=1, pad_value=None),
            "regions": F.roi_pooling_2d(
                x, np.array([[0, 0, 0, 6, 6], [1, 2, 2, 8, 8]], np.float32), 2, 2, 1.0
            ),
            "pyramid": F.spatial_pyramid_pooling_2d(x, 3, "max"),
            "unpooling": F.unpooling_2d(x, 2),
            "unpooling_whole": F.unpooling_2d(x, 2, cover_all=False),
            "resized": F.resize_images(x, (14, 5)),
            "resized_half": F.resize_images(x, (14, 5), align_corners=False),
            "resized_nearest": F.resize_images(x, (14, 5), mode="nearest"),
        }

    def norms(self, x, flat):
        return {
            "batch": self.batch(x),
            "batch_features": self.batch_features(F.reshape(x, (16, 9, 9))),
            "batch_axis": self.batch_axis(x),
            "layer": self.layer(flat),
            "group": self.group(x),
            "lrn": F.local_response_normalization(x, n=5, k=1, alpha=1e-2),
            "lrn_even": F.local_response_normalization(x, n=4),
            "l2": F.normalize(x, eps=0.1, axis=1),
        }

    def activations(self, x):
        return {
            "relu": F.relu(x),
            "leaky": F.leaky_relu(x),
            "prelu": self.prelu(x),
            "elu": F.elu(x, alpha=0.7),
            "selu": F.selu(x),
            "crelu": F.crelu(x),
            "clipped": F.clipped_relu(x, z=0.5),
            "relu6": F.relu6(x),
            "sigmoid": F.sigmoid(x),
            "hard_sigmoid": F.hard_sigmoid(x),
            "tanh": F.tanh(x),
            "softplus": F.softplus(x),
            "softplus_steep": F.softplus(x, beta=2.0),
            "swish": self.swish(x),
            "maxout": F.maxout(x, 2),
            "softmax": F.softmax(x),
            "log_softmax": F.log_softmax(x, axis=3),
            "dropout": F.dropout(x, ratio=0.3),
        }

    def arithmetic(self, x, flat):
        other = F.tanh(x)
        return {
            "sums": F.add(x, other, x) - 2.0 + x,
            "differences": (1.0 - x) - other,
            "products": x * other * 0.5,
            "quotients": x / (F.exp(other) + 1.0) + 3.0 / F.exp(x),
            "powers": F.exp(x) ** other + x**2 + 2.0**x,
            "signs": -abs(x) + F.sign(x),
            "roots": F.sqrt(F.square(x) + 1.0) + F.log(F.exp(x)),
            "extremes": F.maximum(x, other) + F.minimum(x, other),
            "clip": F.clip(x, -0.5, 0.5),
            "where": F.where(np.arange(9) > 3, x, other),
            "interpolated": F.linear_interpolate(F.sigmoid(other), x, other),
            "scale": self.scale(x),
            "matmul": F.matmul(x, other, transb=True),
            "matmul_turned": F.matmul(flat, flat, transa=True),
            "batch_matmul": F.batch_matmul(x[:, 0], other[:, 1], transa=True),
            "constant": x + np.arange(9, dtype=np.float32),
        }

    def arrangement(self, x, flat):
        first, second, third = F.split_axis(x, [2, 5], axis=1)
        left, right = F.separate(x, axis=0)
        return {
            "concat": F.concat([second, third, first]),
            "stack": F.stack([left, right], axis=-1),
            "beside": F.hstack([flat, flat]) + F.vstack([flat[:1], flat[1:]])[:, [0] * 24],
            "transpose": F.transpose(x, (0, 2, 3, 1)),
            "turned": flat.T,
            "rolled": F.rollaxis(x, 3, 1),
            "moved": F.moveaxis(x, 1, -1),
            "swapped": F.swapaxes(x, 1, 3),
            "expanded": F.squeeze(F.expand_dims(x, 1), 1),
            "flatten": F.flatten(x),
            "tile": F.tile(flat, (2, 1, 3)),
            "broadcast": F.broadcast_to(flat[:, :, None], (2, 12, 4)),
            "pad": F.pad(x, ((0, 0), (0, 0), (1, 2), (0, 1)), "constant", constant_values=0.5),
            "pad_edge": F.pad(x, ((0, 0), (0, 0), (1, 1), (2, 2)), "reflect"),
            "flip": F.flip(x, 2) + F.fliplr(x) + F.flipud(x),
            "slices": x[:, 1:-1:2, ::-1, ..., 3:],
            "element": x[0, -1, None],
            "depth": F.depth2space(x, 2),
            "space": F.space2depth(x[:, :, :8, :8], 2),
            "cast": F.cast(x, np.float64),
        }

    def reductions(self, x):
        return {
            "sum": F.sum(x),
            "sum_axes": F.sum(x, axis=(1, -1), keepdims=True),
            "mean": F.mean(x, axis=(2, 3)),
            "max_axis": F.max(x, axis=1) + F.min(x, axis=1),
            "argmax": F.argmax(x, axis=1),
            "logsumexp": F.logsumexp(x, axis=1),
        }
