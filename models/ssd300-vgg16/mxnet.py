"""SSD300 on VGG-16 with MXNet's own operators for boxes; fc6 and fc7 are convolutions."""

import mxnet as mx

INPUTS = {"data": (1, 3, 300, 300)}
STAGES = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))
SIZES = ((0.1, 0.141), (0.2, 0.272), (0.37, 0.447), (0.54, 0.619), (0.71, 0.79), (0.88, 0.961))
FEW, MANY = (1, 2, 0.5), (1, 2, 0.5, 3, 1 / 3)
RATIOS = (FEW, MANY, MANY, MANY, FEW, FEW)
STEPS = (8, 16, 32, 64, 100, 300)


def conv(x, name, filters, kernel=3, stride=1, pad=1, dilate=1):
    x = mx.sym.Convolution(
        x,
        num_filter=filters,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pad=(pad, pad),
        dilate=(dilate, dilate),
        name=f"conv{name}",
    )
    return mx.sym.Activation(x, act_type="relu", name=f"relu{name}")


def trunk(x):
    """The outputs of conv4_3 and of fc7; pool3 rounds up, pool5 keeps the size."""
    shallow = None
    for stage, (convolutions, filters) in enumerate(STAGES, start=1):
        for index in range(1, convolutions + 1):
            x = conv(x, f"{stage}_{index}", filters)
        if stage == 4:
            shallow = x
        last = stage == 5
        x = mx.sym.Pooling(
            x,
            kernel=(3, 3) if last else (2, 2),
            stride=(1, 1) if last else (2, 2),
            pad=(1, 1) if last else (0, 0),
            pool_type="max",
            pooling_convention="full",
            name=f"pool{stage}",
        )
    x = conv(x, "_fc6", 1024, pad=6, dilate=6)
    return shallow, conv(x, "_fc7", 1024, kernel=1, pad=0)


def features(x):
    """Six maps: 38, 19, 10, 5, 3 and 1 wide. The first is normalised to a learned scale."""
    shallow, x = trunk(x)
    scale = mx.sym.Variable("relu4_3_scale", shape=(1, 512, 1, 1), init=mx.init.Constant(20))
    normalised = mx.sym.L2Normalization(shallow, mode="channel", name="relu4_3_norm")
    found = [mx.sym.broadcast_mul(normalised, scale, name="relu4_3_scaled"), x]
    extra = ((256, 512, 2, 1), (128, 256, 2, 1), (128, 256, 1, 0), (128, 256, 1, 0))
    for number, (reduced, filters, stride, pad) in enumerate(extra, start=6):
        x = conv(x, f"{number}_1", reduced, kernel=1, pad=0)
        x = conv(x, f"{number}_2", filters, stride=stride, pad=pad)
        found.append(x)
    return found


def predicted(x, name, filters):
    """A 3 x 3 convolution, its numbers for each place side by side."""
    x = mx.sym.Convolution(x, num_filter=filters, kernel=(3, 3), pad=(1, 1), name=name)
    return mx.sym.Flatten(mx.sym.transpose(x, axes=(0, 2, 3, 1)))


def get_symbol(num_classes=20):
    classes, places, boxes = [], [], []
    for index, x in enumerate(features(mx.sym.Variable("data"))):
        step, count = STEPS[index] / 300, len(SIZES[index]) + len(RATIOS[index]) - 1
        classes.append(predicted(x, f"cls_{index}", count * (num_classes + 1)))
        places.append(predicted(x, f"loc_{index}", count * 4))
        box = mx.sym.contrib.MultiBoxPrior(
            x,
            sizes=SIZES[index],
            ratios=RATIOS[index],
            steps=(step, step),
            name=f"anchors_{index}",
        )
        boxes.append(mx.sym.Flatten(box))
    scores = mx.sym.Reshape(mx.sym.Concat(*classes, dim=1), shape=(0, -1, num_classes + 1))
    scores = mx.sym.transpose(scores, axes=(0, 2, 1))
    return mx.sym.contrib.MultiBoxDetection(
        mx.sym.SoftmaxActivation(scores, mode="channel", name="cls_prob"),
        mx.sym.Concat(*places, dim=1, name="loc_pred"),
        mx.sym.Reshape(mx.sym.Concat(*boxes, dim=1), shape=(0, -1, 4), name="anchors"),
        nms_threshold=0.45,
        nms_topk=400,
        variances=(0.1, 0.1, 0.2, 0.2),
        name="detection",
    )
