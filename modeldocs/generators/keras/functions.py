"""Activations, arithmetic, reductions and movements of data in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import arrays, resampling, syntax, windows
from modeldocs.generators import settings as settings_of
from modeldocs.generators.arrays import axis_of
from modeldocs.generators.cuts import cuts
from modeldocs.generators.keras import pads
from modeldocs.generators.keras.moves import cast, sliced
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import function, mean, remainder, variadic


def activation(name: str) -> Lowering:
    """An activation that Keras knows by name."""

    def lowering(site: Site) -> ast.expr:
        return named(site, name)

    return lowering


def named(site: Site, name: str) -> ast.expr:
    """`layers.Activation`."""
    return call(call("layers.Activation", syntax.literal(name)), site.data())


def gelu(site: Site) -> ast.expr:
    """GELU, exact or by tanh."""
    if site.attributes.get("approximate", "none") == "tanh":
        return call("ops.gelu", site.data())
    return named(site, "gelu")


def swish(site: Site) -> ast.expr:
    """SiLU, or x · sigmoid(alpha · x)."""
    alpha = site.layer.number("alpha", 1.0)
    if alpha == 1:
        return named(site, "silu")
    return syntax.expression("x * ops.sigmoid(alpha * x)", x=site.data(), alpha=alpha)


def hard_sigmoid(site: Site) -> ast.expr:
    """Keras' hard sigmoid, or a line between 0 and 1."""
    alpha, beta = site.layer.number("alpha", 0.2), site.layer.number("beta", 0.5)
    if beta == 0.5 and abs(alpha - 1 / 6) < 1e-6:
        return named(site, "hard_sigmoid")
    template = "ops.clip(alpha * x + beta, 0, 1)"
    return syntax.expression(template, alpha=alpha, x=site.data(), beta=beta)


def slope(layer: str, setting: str) -> Lowering:
    """A rectifier with a slope or bound: `layers.LeakyReLU`, `layers.ELU`."""

    def lowering(site: Site) -> ast.expr:
        default = 0.01 if layer.endswith("LeakyReLU") else 1.0
        alpha = site.layer.number("alpha", default)
        return call(call(layer, **{setting: alpha}), site.data())

    return lowering


def celu(site: Site) -> ast.expr:
    """CELU."""
    return call("ops.celu", site.data(), alpha=site.layer.number("alpha", 1.0))


def clip(site: Site) -> ast.expr:
    """ReLU6, or a range of numbers."""
    low, high = settings_of.bounds(site)
    if (low, high) == (0, 6):
        return named(site, "relu6")
    if low is None or high is None:
        name, bound = ("minimum", high) if low is None else ("maximum", low)
        return call(f"ops.{name}", site.operand(0), syntax.literal(bound))
    return call("ops.clip", site.operand(0), syntax.literal(low), syntax.literal(high))


def softmax(name: str) -> Lowering:
    """Softmax or its logarithm along an axis."""

    def lowering(site: Site) -> ast.expr:
        axis = axis_of(site, -1)
        if axis == -1:
            return named(site, name)
        return call(f"ops.{name}", site.data(), axis=axis)

    return lowering


def dropout(site: Site) -> ast.expr:
    """`layers.Dropout`, which does nothing in evaluation mode."""
    if site.layer.number("training_mode", 0):
        raise site.unsupported("it drops values in evaluation mode, too")
    return call(call("layers.Dropout", rate=site.layer.number("ratio", 0.5)), site.data())


def concat(site: Site) -> ast.expr:
    """`layers.Concatenate`; a parameter of batch 1 is repeated for each item of the batch."""
    axis = axis_of(site, 0)
    read = [slot for slot in range(settings_of.count_of_operands(site)) if site.has(slot)]
    if len(read) > 2:
        site.call_operands(*(f"branch{slot + 1}" for slot in read))
    computed = next(slot for slot in read if site.edge(slot))
    items = []
    for slot in read:
        operand = site.operand(slot)
        if not site.edge(slot) and axis != 0 and site.shape(slot)[0] == 1:
            operand = call(call("ForEachItem"), operand, site.data(computed))
        items.append(operand)
    layer = call("layers.Concatenate", axis=axis)
    return call(layer, ast.List(elts=items, ctx=ast.Load()))


def slice_(site: Site) -> ast.expr:
    """A slice of each axis that is cut."""
    cut = cuts(site.lowered.network.nodes[site.layer.id])
    if cut is None:
        raise site.unsupported("where it cuts is computed")
    return sliced(site.data(), {site.place(axis): one for axis, one in cut.items()})


def pad(site: Site) -> ast.expr:
    """`layers.ZeroPadding2D` around images, else `ops.pad`."""
    own = settings_of.padding(site)
    rank = len(site.shape(0))
    both, source = own.added(rank), site.data()
    is_around = site.order and not any(both[0]) and not any(both[-1])
    if own.cuts:
        source = sliced(source, own.cuts)
    if own.mode == "constant" and own.value == 0 and is_around and rank in (3, 4, 5):
        return pads.zero_padding(source, tuple(both[1:-1]))
    width = syntax.literal([list(one) for one in both])
    if own.mode == "constant":
        settings = {"constant_values": own.value} if own.value else {}
        return call("ops.pad", source, width, **settings)
    if own.mode != "reflect":
        raise site.unsupported(f"Keras has no padding of mode {own.mode}")
    return call("ops.pad", source, width, mode="reflect")


def resize(site: Site) -> ast.expr:
    """`layers.UpSampling2D`, `ops.image.resize` for other factors than whole ones, or `resampled`
    for what they cannot do.
    """
    mode = str(site.attributes.get("mode", "nearest"))
    where = str(site.attributes.get("coordinate_transformation_mode", "half_pixel"))
    factors = settings_of.scale_factors(site)
    is_whole = all(factor == int(factor) for factor in factors)
    size = windows.pair([int(factor) for factor in factors])
    if mode == "nearest" and is_whole and where != "align_corners" and len(factors) in (1, 2, 3):
        return call(call(f"layers.UpSampling{len(factors)}D", size=size), site.data())
    if site.layer.number("antialias", 0):
        raise site.unsupported("it is antialiased")
    if (own := resampling.resampled(site, mode, where)) is not None:
        return own
    name = {"linear": "bilinear", "cubic": "bicubic"}.get(mode)
    if len(factors) != 2 or name is None or where not in ("half_pixel", "pytorch_half_pixel"):
        raise site.unsupported(f"Keras has no resize of mode {mode}, {where}")
    if name == "bicubic" and site.layer.number("cubic_coeff_a", -0.75) != -0.5:
        raise site.unsupported("Keras has another cubic")
    if is_whole:
        layer = call("layers.UpSampling2D", size=size, interpolation=name)
        return call(layer, site.data())
    target = tuple((site.layer.outputs[0].shape or ())[2:])
    return call("ops.image.resize", site.data(), syntax.literal(target), interpolation=name)


def depth_to_space(site: Site) -> ast.expr:
    """`ops.depth_to_space`, which has the order of ONNX's default."""
    if site.attributes.get("mode", "DCR") != "DCR" and site.layer.outputs[0].shape[1] != 1:  # type: ignore[index]
        raise site.unsupported("Keras has the order DCR only")
    factor = syntax.literal(int(site.layer.number("blocksize", 1)))
    return call("ops.depth_to_space", site.data(), factor)


def convert(site: Site) -> ast.expr:
    """A conversion that loses values."""
    return cast(site.data(), site.layer.outputs[0].dtype)


TABLE: dict[str, Lowering] = {
    "Abs": function("ops.abs(a)"),
    "Add": function("a + b"),
    "And": function("ops.logical_and(a, b)"),
    "Atan": function("ops.arctan(a)"),
    "Cast": convert,
    "Ceil": function("ops.ceil(a)"),
    "Celu": celu,
    "Clip": clip,
    "Concat": concat,
    "Cos": function("ops.cos(a)"),
    "CumSum": arrays.cumsum("ops"),
    "DepthToSpace": depth_to_space,
    "Div": function("a / b"),
    "Dropout": dropout,
    "Einsum": arrays.einsum("ops"),
    "Elu": slope("layers.ELU", "alpha"),
    "Equal": function("ops.equal(a, b)"),
    "Erf": function("ops.erf(a)"),
    "Exp": function("ops.exp(a)"),
    "Expand": arrays.expand("ops"),
    "Floor": function("ops.floor(a)"),
    "Gelu": gelu,
    "Greater": function("ops.greater(a, b)"),
    "GreaterOrEqual": function("ops.greater_equal(a, b)"),
    "HardSigmoid": hard_sigmoid,
    "HardSwish": activation("hard_silu"),
    "Identity": function("a"),
    "LeakyRelu": slope("layers.LeakyReLU", "negative_slope"),
    "Less": function("ops.less(a, b)"),
    "LessOrEqual": function("ops.less_equal(a, b)"),
    "Log": function("ops.log(a)"),
    "LogSoftmax": softmax("log_softmax"),
    "Max": variadic("ops.maximum(a, b)"),
    "Mean": mean,
    "Min": variadic("ops.minimum(a, b)"),
    "Mish": activation("mish"),
    "Mod": remainder("a % b", "ops.fmod(a, b)"),
    "Mul": function("a * b"),
    "Neg": function("-a"),
    "Not": function("ops.logical_not(a)"),
    "Or": function("ops.logical_or(a, b)"),
    "Pad": pad,
    "Pow": function("a**b"),
    "Reciprocal": function("1 / a"),
    "Relu": activation("relu"),
    "Resize": resize,
    "Round": function("ops.round(a)"),
    "Selu": activation("selu"),
    "Sigmoid": activation("sigmoid"),
    "Sign": function("ops.sign(a)"),
    "Sin": function("ops.sin(a)"),
    "Slice": slice_,
    "Softmax": softmax("softmax"),
    "Softplus": activation("softplus"),
    "Softsign": activation("softsign"),
    "Split": arrays.split("ops"),
    "Sqrt": function("ops.sqrt(a)"),
    "Sub": function("a - b"),
    "Sum": variadic("a + b"),
    "Swish": swish,
    "Tanh": activation("tanh"),
    "Tile": arrays.tile("ops"),
    "Trilu": arrays.trilu("ops"),
    "Where": function("ops.where(a, b, c)"),
    "Xor": function("ops.logical_xor(a, b)"),
}
