"""Activations, arithmetic, reductions and movements of data in Flax."""

from __future__ import annotations

import ast

from modeldocs.generators import arrays, syntax
from modeldocs.generators import settings as settings_of
from modeldocs.generators.arrays import axis_of
from modeldocs.generators.cuts import cuts
from modeldocs.generators.flax.moves import cast, sliced
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import function, mean, remainder, variadic


def activation(name: str, **attributes: str) -> Lowering:
    """A function of one tensor; `attributes` are ONNX's names of its settings by JAX's."""

    def lowering(site: Site) -> ast.expr:
        settings = {ours: site.layer.number(theirs, 0) for ours, theirs in attributes.items()}
        return _applied(site, name, **settings)

    return lowering


def _applied(site: Site, name: str, **settings: object) -> ast.expr:
    """A function of what the layer reads, which can also be a member of a sequence."""
    own = syntax.expression(name)
    site.alone = call("partial", own, **settings) if settings else own
    return call(name, site.data(), **settings)


def gelu(site: Site) -> ast.expr:
    """`nnx.gelu`, exact or by tanh."""
    is_tanh = site.attributes.get("approximate", "none") == "tanh"
    return _applied(site, "nnx.gelu", **({} if is_tanh else {"approximate": False}))


def swish(site: Site) -> ast.expr:
    """`nnx.silu`, or x · sigmoid(alpha · x)."""
    alpha = site.layer.number("alpha", 1.0)
    if alpha == 1:
        return _applied(site, "nnx.silu")
    return syntax.expression("x * nnx.sigmoid(alpha * x)", x=site.data(), alpha=alpha)


def hard_sigmoid(site: Site) -> ast.expr:
    """`nnx.hard_sigmoid`, or a line between 0 and 1."""
    alpha, beta = site.layer.number("alpha", 0.2), site.layer.number("beta", 0.5)
    if beta == 0.5 and abs(alpha - 1 / 6) < 1e-6:
        return _applied(site, "nnx.hard_sigmoid")
    template = "jnp.clip(alpha * x + beta, 0, 1)"
    return syntax.expression(template, alpha=alpha, x=site.data(), beta=beta)


def clip(site: Site) -> ast.expr:
    """`nnx.relu6`, or a range of numbers."""
    low, high = settings_of.bounds(site)
    if (low, high) == (0, 6):
        return _applied(site, "nnx.relu6")
    if low is None or high is None:
        name, bound = ("minimum", high) if low is None else ("maximum", low)
        return call(f"jnp.{name}", site.operand(0), syntax.literal(bound))
    return call("jnp.clip", site.operand(0), syntax.literal(low), syntax.literal(high))


def softmax(name: str) -> Lowering:
    """Softmax or its logarithm along an axis."""

    def lowering(site: Site) -> ast.expr:
        axis = axis_of(site, -1)
        return _applied(site, f"nnx.{name}", **({} if axis == -1 else {"axis": axis}))

    return lowering


def dropout(site: Site) -> ast.expr:
    """`nnx.Dropout`, which does nothing in evaluation mode."""
    if site.layer.number("training_mode", 0):
        raise site.unsupported("it drops values in evaluation mode, too")
    layer = site.member(call("nnx.Dropout", rate=site.layer.number("ratio", 0.5)))
    return call(layer, site.data())


def concat(site: Site) -> ast.expr:
    """`jnp.concatenate`; a parameter of batch 1 is repeated for each item of the batch."""
    axis = axis_of(site, 0)
    read = [slot for slot in range(settings_of.count_of_operands(site)) if site.has(slot)]
    if len(read) > 2:
        site.call_operands(*(f"branch{slot + 1}" for slot in read))
    computed = next(slot for slot in read if site.edge(slot))
    items = []
    for slot in read:
        operand = site.operand(slot)
        if not site.edge(slot) and axis != 0 and site.shape(slot)[0] == 1:
            repeats = syntax.expression("(x.shape[0],)", x=site.data(computed))
            assert isinstance(repeats, ast.Tuple)
            repeats.elts += [syntax.literal(1)] * (len(site.shape(slot)) - 1)
            operand = call("jnp.tile", operand, repeats)
        items.append(operand)
    return call("jnp.concatenate", ast.List(elts=items, ctx=ast.Load()), axis=axis)


def slice_(site: Site) -> ast.expr:
    """A slice of each axis that is cut."""
    cut = cuts(site.lowered.network.nodes[site.layer.id])
    if cut is None:
        raise site.unsupported("where it cuts is computed")
    return sliced(site.data(), {site.place(axis): one for axis, one in cut.items()})


def convert(site: Site) -> ast.expr:
    """A conversion that loses values."""
    return cast(site.data(), site.layer.outputs[0].dtype)


TABLE: dict[str, Lowering] = {
    "Abs": function("jnp.abs(a)"),
    "Add": function("a + b"),
    "And": function("a & b"),
    "Atan": function("jnp.arctan(a)"),
    "Cast": convert,
    "Ceil": function("jnp.ceil(a)"),
    "Celu": activation("nnx.celu", alpha="alpha"),
    "Clip": clip,
    "Concat": concat,
    "Cos": function("jnp.cos(a)"),
    "CumSum": arrays.cumsum("jnp"),
    "Div": function("a / b"),
    "Dropout": dropout,
    "Einsum": arrays.einsum("jnp"),
    "Elu": activation("nnx.elu", alpha="alpha"),
    "Equal": function("a == b"),
    "Erf": function("jax.lax.erf(a)"),
    "Exp": function("jnp.exp(a)"),
    "Expand": arrays.expand("jnp"),
    "Floor": function("jnp.floor(a)"),
    "Gelu": gelu,
    "Greater": function("a > b"),
    "GreaterOrEqual": function("a >= b"),
    "HardSigmoid": hard_sigmoid,
    "HardSwish": activation("nnx.hard_swish"),
    "Identity": function("a"),
    "LeakyRelu": activation("nnx.leaky_relu", negative_slope="alpha"),
    "Less": function("a < b"),
    "LessOrEqual": function("a <= b"),
    "Log": function("jnp.log(a)"),
    "LogSoftmax": softmax("log_softmax"),
    "Max": variadic("jnp.maximum(a, b)"),
    "Mean": mean,
    "Min": variadic("jnp.minimum(a, b)"),
    "Mish": activation("jax.nn.mish"),
    "Mod": remainder("a % b", "jnp.fmod(a, b)"),
    "Mul": function("a * b"),
    "Neg": function("-a"),
    "Not": function("~a"),
    "Or": function("a | b"),
    "Pow": function("a**b"),
    "Reciprocal": function("1 / a"),
    "Relu": activation("nnx.relu"),
    "Round": function("jnp.round(a)"),
    "Selu": activation("nnx.selu"),
    "Sigmoid": activation("nnx.sigmoid"),
    "Sign": function("jnp.sign(a)"),
    "Sin": function("jnp.sin(a)"),
    "Slice": slice_,
    "Softmax": softmax("softmax"),
    "Softplus": activation("nnx.softplus"),
    "Softsign": activation("nnx.soft_sign"),
    "Split": arrays.split("jnp"),
    "Sqrt": function("jnp.sqrt(a)"),
    "Sub": function("a - b"),
    "Sum": variadic("a + b"),
    "Swish": swish,
    "Tanh": activation("nnx.tanh"),
    "Tile": arrays.tile("jnp"),
    "Trilu": arrays.trilu("jnp"),
    "Where": function("jnp.where(a, b, c)"),
    "Xor": function("a ^ b"),
}
