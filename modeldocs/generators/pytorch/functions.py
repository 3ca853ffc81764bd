"""Activations, arithmetic, reductions and movements of data in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import settings as settings_of
from modeldocs.generators import syntax
from modeldocs.generators.cuts import cuts
from modeldocs.generators.pytorch.layers import pad
from modeldocs.generators.pytorch.moves import cast, sliced
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import function, mean, remainder, variadic

Settings = dict[str, object]


def _activation(function: str, member: str, **attributes: str) -> Lowering:
    """A function that is also a layer; `attributes` are ONNX's names by PyTorch's."""

    def lowering(site: Site) -> ast.expr:
        settings = {ours: site.layer.number(name, 0) for ours, name in attributes.items()}
        site.alone = call(member, **settings)
        return call(function, site.data(), **settings)

    return lowering


def gelu(site: Site) -> ast.expr:
    """`F.gelu`, exact or by tanh."""
    form = str(site.attributes.get("approximate", "none"))
    site.alone = call("nn.GELU", approximate=form)
    return call("F.gelu", site.data(), approximate=form)


def swish(site: Site) -> ast.expr:
    """`F.silu`, or x · sigmoid(alpha · x)."""
    alpha = site.layer.number("alpha", 1.0)
    if alpha == 1:
        site.alone = call("nn.SiLU")
        return call("F.silu", site.data())
    return syntax.expression("x * torch.sigmoid(alpha * x)", x=site.data(), alpha=alpha)


def hard_sigmoid(site: Site) -> ast.expr:
    """`F.hardsigmoid`, or a line between 0 and 1."""
    alpha, beta = site.layer.number("alpha", 0.2), site.layer.number("beta", 0.5)
    if beta == 0.5 and abs(alpha - 1 / 6) < 1e-6:
        site.alone = call("nn.Hardsigmoid")
        return call("F.hardsigmoid", site.data())
    line = syntax.expression("alpha * x + beta", alpha=alpha, x=site.data(), beta=beta)
    return call("torch.clamp", line, min=0, max=1)


def prelu(site: Site) -> ast.expr:
    """`nn.PReLU`."""
    shape = site.shape(1)
    channels = site.shape(0)[1] if len(site.shape(0)) > 1 else 1
    count = max(shape, default=1)
    if not site.has_parameter(1) or count not in (1, channels):
        slope = site.operand(1)
        return syntax.expression("torch.where(x < 0, slope * x, x)", x=site.data(), slope=slope)
    return call(site.member(call("nn.PReLU", num_parameters=count), weight=1), site.data())


def clip(site: Site) -> ast.expr:
    """`F.relu6`, `F.hardtanh` or `torch.clamp`."""
    bounds = settings_of.bounds(site)
    if bounds == (0, 6):
        site.alone = call("nn.ReLU6")
        return call("F.relu6", site.data())
    if None not in bounds and site.edge(0) is not None:
        site.alone = call("nn.Hardtanh", min_val=bounds[0], max_val=bounds[1])
    known = {name: one for name, one in zip(("min", "max"), bounds, strict=True) if one is not None}
    return call("torch.clamp", site.operand(0), **known)


def softmax(name: str) -> Lowering:
    """`F.softmax` or `F.log_softmax`."""

    def lowering(site: Site) -> ast.expr:
        axis = axis_of(site, "axis", -1)
        site.alone = call("nn.LogSoftmax" if name == "log_softmax" else "nn.Softmax", dim=axis)
        return call(f"F.{name}", site.data(), dim=axis)

    return lowering


def axis_of(site: Site, name: str, default: int) -> int:
    """An axis counted from the front; the last one of three or more as -1."""
    rank = len(site.shape(0))
    axis = int(site.layer.number(name, default)) % rank
    return -1 if axis == rank - 1 > 1 else axis


def dropout(site: Site) -> ast.expr:
    """`nn.Dropout`, which does nothing in evaluation mode."""
    if site.layer.number("training_mode", 0):
        raise site.unsupported("it drops values in evaluation mode, too")
    layer = site.member(call("nn.Dropout", p=site.layer.number("ratio", 0.5)))
    return call(layer, site.data())


def concat(site: Site) -> ast.expr:
    """`torch.cat`; a parameter of batch 1 is repeated for each item of the batch."""
    axis = axis_of(site, "axis", 0)
    count = settings_of.count_of_operands(site)
    read = [slot for slot in range(count) if site.has(slot)]
    computed = next(slot for slot in read if site.edge(slot))
    if len(read) > 2:
        site.call_operands(*(f"branch{slot + 1}" for slot in read))
    items = []
    for slot in read:
        operand = site.operand(slot)
        if not site.edge(slot) and axis != 0 and site.shape(slot)[0] == 1:
            rest = [-1] * (len(site.shape(slot)) - 1)
            length = syntax.expression("len(x)", x=site.data(computed))
            operand = syntax.method(operand, "expand", length, *rest)
        items.append(operand)
    return call("torch.cat", ast.List(elts=items, ctx=ast.Load()), dim=axis)


def split(site: Site) -> ast.expr:
    """`Tensor.chunk` into equal parts, else `Tensor.split`."""
    axis = axis_of(site, "axis", 0)
    sizes = [(one.shape or ())[axis] for one in site.layer.outputs]
    if len(set(sizes)) == 1:
        return syntax.method(site.data(), "chunk", len(sizes), dim=axis)
    return syntax.method(site.data(), "split", sizes, dim=axis)


def slice_(site: Site) -> ast.expr:
    """A slice of each axis that is cut."""
    cut = cuts(site.lowered.network.nodes[site.layer.id])
    if cut is None:
        raise site.unsupported("where it cuts is computed")
    return sliced(site.data(), cut)


def extreme(function: str, bound: str) -> Lowering:
    """The larger, or the smaller, of several operands; a number is a bound."""

    def lowering(site: Site) -> ast.expr:
        count = settings_of.count_of_operands(site)
        operands = [site.operand(slot) for slot in range(count)]
        numbers = [one for one in operands if syntax.constant_of(one) is not None]
        tensors = [one for one in operands if syntax.constant_of(one) is None]
        result = tensors[0]
        for operand in tensors[1:]:
            result = call(function, result, operand)
        for number in numbers:
            result = syntax.method(result, "clamp", **{bound: number})
        return result

    return lowering


def pad_(site: Site) -> ast.expr:
    """`F.pad`."""
    modes = {"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "circular"}
    own = settings_of.padding(site)
    if own.mode not in modes:
        raise site.unsupported(f"PyTorch has no padding of mode {own.mode}")
    rank = len(site.shape(0))
    first = min((axis for axis, both in own.by_axis.items() if any(both)), default=rank - 1)
    both = [own.by_axis.get(axis, (0, 0)) for axis in range(first, rank)]
    before, after = [one[0] for one in both], [one[1] for one in both]
    if own.mode != "constant":
        padded = pad(site.data(), before, after, 0.0)
        padded.keywords = [ast.keyword(arg="mode", value=syntax.literal(modes[own.mode]))]  # type: ignore[attr-defined]
        return padded
    return pad(site.data(), before, after, own.value)


def resize(site: Site) -> ast.expr:
    """`F.interpolate`, in the modes that PyTorch has."""
    mode = str(site.attributes.get("mode", "nearest"))
    where = str(site.attributes.get("coordinate_transformation_mode", "half_pixel"))
    before, after = site.shape(0), site.layer.outputs[0].shape or ()
    rank = len(before) - 2
    names = {"linear": {1: "linear", 2: "bilinear", 3: "trilinear"}, "cubic": {2: "bicubic"}}
    factors = settings_of.scale_factors(site)
    settings: Settings = {}
    if mode == "nearest":
        rounding = str(site.attributes.get("nearest_mode", "round_prefer_floor"))
        floors = where == "asymmetric" and rounding == "floor"
        is_whole = all(factor == int(factor) for factor in factors)
        if not floors and not (is_whole and where.startswith(("half", "pytorch"))):
            raise site.unsupported("PyTorch rounds positions differently")
        settings["mode"] = "nearest"
    elif mode in names and rank in names[mode] and where in _ALIGNED:
        settings |= {"mode": names[mode][rank], "align_corners": _ALIGNED[where]}
        settings["antialias"] = bool(site.layer.number("antialias", 0))
        kernel = -0.5 if settings["antialias"] else _CUBIC
        if mode == "cubic" and site.layer.number("cubic_coeff_a", _CUBIC) != kernel:
            raise site.unsupported("PyTorch has another cubic")
        leaves_out = bool(site.layer.number("exclude_outside", 0))
        if (mode == "cubic" or settings["antialias"]) and leaves_out != settings["antialias"]:
            raise site.unsupported("PyTorch repeats edges, or leaves them out where it antialiases")
    else:
        raise site.unsupported(f"PyTorch has no resize of mode {mode}, {where}")
    return call("F.interpolate", site.data(), **_target(before, after), **settings)


_CUBIC = -0.75
"""The coefficient of PyTorch's cubic kernel, and that of ONNX's by default."""

_ALIGNED = {"half_pixel": False, "pytorch_half_pixel": False, "align_corners": True}


def _target(before: tuple[int, ...], after: tuple[object, ...]) -> Settings:
    """A scale where it is whole and the same along each axis, else the size."""
    factors = {new / old for old, new in zip(before[2:], after[2:], strict=True)}  # type: ignore[operator]
    factor = factors.pop()
    if not factors and factor == int(factor):
        return {"scale_factor": int(factor)}
    return {"size": tuple(after[2:])}


def expand(site: Site) -> ast.expr:
    """`Tensor.expand`."""
    shape = site.layer.outputs[0].shape or ()
    if not all(isinstance(dim, int) for dim in shape):
        raise site.unsupported("its size is computed")
    own = (1,) * (len(shape) - len(site.shape(0))) + site.shape(0)
    sizes = [-1 if have == want else want for have, want in zip(own, shape, strict=True)]
    return syntax.method(site.operand(0), "expand", *sizes)


def tile(site: Site) -> ast.expr:
    """`Tensor.repeat`."""
    repeats = site.integers(1)
    if repeats is None:
        raise site.unsupported("how often it repeats is computed")
    return syntax.method(site.data(), "repeat", *repeats)


def convert(site: Site) -> ast.expr:
    """A conversion that loses values."""
    return cast(site.data(), site.layer.outputs[0].dtype)


def cumsum(site: Site) -> ast.expr:
    """`Tensor.cumsum`, backwards between flips; without the value itself of what is shifted."""
    number, rank = site.number(1), len(site.shape(0))
    if number is None:
        raise site.unsupported("the axis along which it sums is computed")
    axis, source = int(number) % rank, site.data()
    is_reversed = bool(site.layer.number("reverse", 0))
    if is_reversed:
        source = syntax.method(source, "flip", axis)
    if site.layer.number("exclusive", 0):
        rest = [0] * (rank - axis - 1)
        source = pad(source, [1, *rest], [-1, *rest], 0.0)
    total = syntax.method(source, "cumsum", axis)
    return syntax.method(total, "flip", axis) if is_reversed else total


def trilu(site: Site) -> ast.expr:
    """`torch.triu` or `torch.tril`."""
    diagonal = int(site.number(1) or 0)
    name = "triu" if site.layer.number("upper", 1) else "tril"
    settings: Settings = {"diagonal": diagonal} if diagonal else {}
    return syntax.method(site.operand(0), name, **settings)


def einsum(site: Site) -> ast.expr:
    """`torch.einsum`."""
    count = settings_of.count_of_operands(site)
    equation = syntax.literal(str(site.attributes["equation"]))
    return call("torch.einsum", equation, *(site.operand(slot) for slot in range(count)))


TABLE: dict[str, Lowering] = {
    "Abs": function("a.abs()"),
    "Add": function("a + b"),
    "And": function("a & b"),
    "Atan": function("torch.atan(a)"),
    "Cast": convert,
    "Ceil": function("torch.ceil(a)"),
    "Celu": _activation("F.celu", "nn.CELU", alpha="alpha"),
    "Clip": clip,
    "Concat": concat,
    "Cos": function("torch.cos(a)"),
    "CumSum": cumsum,
    "Div": function("a / b"),
    "Dropout": dropout,
    "Einsum": einsum,
    "Elu": _activation("F.elu", "nn.ELU", alpha="alpha"),
    "Equal": function("a == b"),
    "Erf": function("torch.erf(a)"),
    "Exp": function("torch.exp(a)"),
    "Expand": expand,
    "Floor": function("torch.floor(a)"),
    "Gelu": gelu,
    "Greater": function("a > b"),
    "GreaterOrEqual": function("a >= b"),
    "HardSigmoid": hard_sigmoid,
    "HardSwish": _activation("F.hardswish", "nn.Hardswish"),
    "Identity": function("a"),
    "LeakyRelu": _activation("F.leaky_relu", "nn.LeakyReLU", negative_slope="alpha"),
    "Less": function("a < b"),
    "LessOrEqual": function("a <= b"),
    "Log": function("torch.log(a)"),
    "LogSoftmax": softmax("log_softmax"),
    "Max": extreme("torch.maximum", "min"),
    "Mean": mean,
    "Min": extreme("torch.minimum", "max"),
    "Mish": _activation("F.mish", "nn.Mish"),
    "Mod": remainder("a % b", "torch.fmod(a, b)"),
    "Mul": function("a * b"),
    "Neg": function("-a"),
    "Not": function("~a"),
    "Or": function("a | b"),
    "PRelu": prelu,
    "Pad": pad_,
    "Pow": function("a**b"),
    "Reciprocal": function("1 / a"),
    "Relu": _activation("F.relu", "nn.ReLU"),
    "Resize": resize,
    "Round": function("torch.round(a)"),
    "Selu": _activation("F.selu", "nn.SELU"),
    "Sigmoid": _activation("torch.sigmoid", "nn.Sigmoid"),
    "Sign": function("torch.sign(a)"),
    "Sin": function("torch.sin(a)"),
    "Slice": slice_,
    "Softmax": softmax("softmax"),
    "Softplus": _activation("F.softplus", "nn.Softplus"),
    "Softsign": _activation("F.softsign", "nn.Softsign"),
    "Split": split,
    "Sqrt": function("torch.sqrt(a)"),
    "Sub": function("a - b"),
    "Sum": variadic("a + b"),
    "Swish": swish,
    "Tanh": _activation("torch.tanh", "nn.Tanh"),
    "Tile": tile,
    "Trilu": trilu,
    "Where": function("torch.where(a, b, c)"),
    "Xor": function("a ^ b"),
}
