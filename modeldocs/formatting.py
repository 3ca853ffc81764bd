"""Numbers, shapes and layers as text, for pages, diagrams and the terminal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from modeldocs.ir import Body, Cast, Constant, Layer, Parameter, Step, TensorType, Transpose

TIMES = "×"


def is_text(name: str) -> bool:
    """Whether a file's name is UTF-8, as all that is stored and shown must be."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def printable(name: str) -> str:
    """A file's name with `�` for what is not UTF-8 in it."""
    return os.fsencode(name).decode("utf-8", "replace")


def shape(tensor: TensorType | None) -> str:
    """`1×64×56×56`; `?` for an unknown dimension, or an unknown shape."""
    if tensor is None or tensor.shape is None:
        return "?"
    return dims(tensor.shape)


def dims(values: Sequence[Any]) -> str:
    """Sizes joined by `×`; `scalar` where there are none."""
    return TIMES.join("?" if value is None else str(value) for value in values) or "scalar"


def shape_of(sizes: Sequence[Any] | None) -> str:
    """A shape as `1×64×56×56`; `unknown` where it is not known."""
    return "unknown" if sizes is None else dims(sizes)


def windowed(kernel: Sequence[int], operator: str) -> str:
    """An operator with its kernel: `3×3 Conv`."""
    return f"{window(kernel)} {operator}".strip()


def body(inside: Body) -> str:
    """The operators of a graph inside of a layer, in its order: `Conv, 3 × Relu`."""
    runs = [(name, len(list(run))) for name, run in groupby(one.operator for one in inside.layers)]
    return ", ".join(name if n == 1 else f"{n} {TIMES} {name}" for name, n in runs) or "no layers"


def count(value: float | None, unit: str = "") -> str:
    """A count with three digits and a decimal prefix: `25.6 M`, `4.09 G`."""
    if value is None:
        return "unknown"
    amount = value
    for prefix in ("", "k", "M", "G", "T"):
        rounded = _rounded(amount, 3 if prefix else 4)
        if abs(rounded) < 1000 or prefix == "T":
            break
        amount /= 1000
    return f"{_digits(rounded)} {prefix}{unit}".rstrip()


def exact(value: int | None) -> str:
    """A count with all digits: `25,557,032`."""
    return "unknown" if value is None else f"{value:,}"


def size(value: int | None) -> str:
    """Bytes in binary units: `150 MiB`."""
    if value is None:
        return "unknown"
    amount = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        rounded = _rounded(amount, 3) if abs(amount) < 1000 else float(round(amount))
        if abs(rounded) < 1024:
            return f"{_digits(rounded)} {unit}"
        amount /= 1024
    return f"{_digits(_rounded(amount, 3))} TiB"


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def _digits(value: float) -> str:
    """A number without exponent and trailing zeros, with separated thousands."""
    text = f"{Decimal(repr(value)):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def error(value: float | None) -> str:
    """A relative error with one digit: `3e-6`, `0.02`, `0`."""
    if value is None:
        return "not comparable"
    rounded = float(f"{value:.0e}")
    if not rounded or 1e-3 <= rounded < 1e3:
        return f"{rounded:g}"
    digits, _, power = f"{value:.0e}".partition("e")
    return f"{digits}e{int(power)}"


def setting(value: Any, separator: str = TIMES) -> str:
    """An attribute's value with six digits; lists as `3×3`."""
    if isinstance(value, Constant):
        return constant(value)
    if isinstance(value, list | tuple):
        return separator.join(setting(item, separator) for item in value)
    if isinstance(value, float) and abs(value) < 1e15:
        return number(float(f"{value:g}"))
    return number(value)


def number(value: Any) -> str:
    """A number with all its digits, in its shortest form: `1e-5`, `0.001`, `1`; also `true`."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, float):
        return str(value)
    digits, mark, power = str(value).removesuffix(".0").partition("e")
    return f"{digits}e{int(power)}" if mark else digits


def visible(text: str) -> str:
    """Text with characters that cannot be printed, such as control characters, replaced."""
    return "".join(char if char.isprintable() else "�" for char in text)


def visible_lines(text: str) -> str:
    """Lines of text, with such characters in each of them replaced."""
    return "\n".join(visible(line) for line in text.splitlines())


def cut(text: str, length: int = 40) -> str:
    """Text of at most so many characters."""
    return text if len(text) <= length else text[: length - 1] + "…"


def step(step_: Step) -> str:
    """A step on an edge: `Reshape 1×50×4×4 to 1×800`, `Transpose 0,2,3,1`, `Cast to float16`."""
    if isinstance(step_, Cast):
        return f"Cast to {step_.dtype or 'another type'}"
    if isinstance(step_, Transpose):
        axes = step_.permutation
        return f"Transpose {','.join(map(str, axes))}" if axes is not None else "Transpose"
    before, after = ("?" if s is None else dims(s) for s in (step_.before, step_.after))
    return f"{step_.operator} {before} to {after}"


def constant(value: Constant, *, digest: bool = True) -> str:
    """A constant by its type, shape and digest: `float32[1×50] 3f2a…`."""
    if value.shape is None:
        return f"{value.dtype} tensor"
    text = f"{value.dtype}[{TIMES.join(map(str, value.shape))}]"
    return f"{text} {value.digest}".rstrip() if digest else text


def window(values: Any) -> str:
    """A kernel or stride: `3×3`."""
    return "" if not values else setting(values)


def sizes(value: Any) -> list[Any]:
    """Strides or dilations as a list; empty where an attribute of that name is something else."""
    return list(value) if isinstance(value, list | tuple) else []


def pads(values: Any) -> str:
    """Pads in the order top, left, bottom, right: one number where all are equal."""
    if not values or not isinstance(values, list | tuple):
        return setting(values) if values else ""
    return one_or_all(values, ", ")


def one_or_all(values: Sequence[Any], separator: str) -> str:
    """One value where all are equal, else all of them."""
    texts = [*map(str, values)]
    return texts[0] if len(set(texts)) == 1 else separator.join(texts)


def values_read(parameter: Parameter) -> str:
    """What a layer computes with, of the values that are stored: `scale`, `0.5 × weight + 1`."""
    text = "operand" if parameter.role in ("A", "B") else parameter.role
    if parameter.factor != 1:
        text = f"{parameter.factor:.7g} {TIMES} {text}"
    if parameter.offset:
        text += f" {'-' if parameter.offset < 0 else '+'} {abs(parameter.offset):.7g}"
    return text


def headline(layer: Layer) -> str:
    """A layer in a few words: `Conv 3×3 /2 · 64 → 128`, `Gemm · 2048 → 1000`."""
    words = [layer.operator]
    kernel = layer.attributes.get("kernel_shape")
    strides = sizes(layer.attributes.get("strides"))
    if kernel:
        words.append(window(kernel))
    if strides and any(stride != 1 for stride in strides):
        words.append(f"/{one_or_all(strides, TIMES)}")
    group = layer.attributes.get("group", 1)
    if isinstance(group, int) and group > 1:
        words.append(f"in {group} groups")
    if layer.operator in ("Conv", "Gemm"):
        grouped = group if layer.operator == "Conv" and isinstance(group, int) else 1
        words += _channels(layer, grouped)
    return " ".join(words)


def _channels(layer: Layer, group: int) -> list[str]:
    """Input and output channels or features of a layer; empty where they are unknown."""
    weights = [p for p in layer.parameters if p.role == "weight" and len(p.shape) > 1]
    if len(weights) == 1:
        outputs, inputs = weights[0].shape[:2]
        return [f"· {inputs * group if isinstance(inputs, int) else '?'} → {dims([outputs])}"]
    # A weight in several parts: none of them has the shape of the whole.
    axis = 1 if layer.operator == "Conv" else -1
    tensors = [*(operand.type for operand in layer.inputs[:1]), *layer.outputs[:1]]
    shapes = [tensor.shape for tensor in tensors if tensor.shape]
    if not weights or len(shapes) < 2:
        return []
    return [f"· {dims([shapes[0][axis]])} → {dims([shapes[1][axis]])}"]


def percent(share: float) -> str:
    """A share with one decimal: `39.4 %`."""
    return f"{share:.1%}".replace("%", " %")


def duration(us: float) -> str:
    """Microseconds as text: `293.9 µs`, `28.27 ms`, `2.879 s`."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.4g} {unit}"
    return f"{us:.4g} µs"


def rate(per_second: float) -> str:
    """A rate with four significant digits, and as a whole number from 1,000 on."""
    return f"{per_second:,.0f}" if per_second >= 1000 else f"{per_second:,.4g}"
