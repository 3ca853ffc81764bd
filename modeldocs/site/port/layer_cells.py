"""The cells of the table of layers that are more than a text, as HTML."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from modeldocs import formatting
from modeldocs.ir import Parameter
from modeldocs.ir.operators import family
from modeldocs.site.line_breaks import breakable
from modeldocs.site.port.layer_row import LayerInput, LayerRow, SourcePlace

_OPERATOR = Markup('<span class="mr-op mr-op-{}">{}</span>')
_SETTING = Markup('<span title="{}">{}</span>')
_LINK = Markup('<a href="{}">{}</a>')
_TITLED_LINK = Markup('<a href="{}" title="{}">{}</a>')
_STEPS = Markup(' <abbr title="{}">↻</abbr>')
_INPUTS = Markup("<details><summary>{} tensors</summary>{}</details>")
_INPUT = Markup("<div>{} {}</div>")
_SMALL = Markup(" <small>{}</small>")
_ATTRIBUTE = Markup("<span>{} {}</span>")
_ORIGIN = Markup("<details><summary>{}{}</summary><code>{}</code></details>")


def _joined(parts: Iterable[str], separator: str = "") -> Markup:
    return Markup(separator).join(parts)


def name(row: LayerRow) -> Markup:
    """The name of a layer, which links to its row."""
    return _LINK.format(f"#{row.layer.id}", breakable(row.layer.name))


def operator(row: LayerRow) -> Markup:
    """The operator in the colour of its family."""
    return _OPERATOR.format(family(row.layer.operator), row.layer.operator)


def settings(row: LayerRow) -> Markup:
    """The settings that change what the layer computes, with their names as tooltips."""
    return _joined((_SETTING.format(one.key, one.text) for one in row.settings), " ")


def inputs(row: LayerRow) -> Markup:
    """The shape of the tensor that is read; of several the number, and a list to open."""
    if len(row.reads) == 1:
        return _tensor(row.reads[0])
    listed = (_INPUT.format(_LINK.format(f"#{r.id}", r.name), _tensor(r)) for r in row.reads)
    return _INPUTS.format(len(row.reads), _joined(listed)) if row.reads else Markup()


def _tensor(read: LayerInput) -> Markup:
    steps = _STEPS.format("; ".join(read.steps)) if read.steps else ""
    return Markup("{}{}").format(read.shape, steps)


def reads(row: LayerRow) -> Markup:
    """The layers that are read, with what is done on the way."""
    return _joined((_read(one) for one in row.reads), ", ")


def _read(read: LayerInput) -> Markup:
    steps = _SMALL.format("; ".join(read.steps)) if read.steps else ""
    return _LINK.format(f"#{read.id}", read.name) + steps


def parameters(row: LayerRow) -> Markup:
    """How many values are trained, with the arrays as a tooltip; what is shared counts once."""
    if not row.layer.parameters:
        return Markup()
    arrays = ", ".join(_array(one) for one in row.layer.parameters)
    count, shared = row.counted.parameters, row.counted.shared
    if shared and not count:
        return _SETTING.format(arrays, "shared")
    return _SETTING.format(arrays, formatting.exact(count) + (" + shared" if shared else ""))


def _array(parameter: Parameter) -> str:
    """`weight 64×3×7×7 (not trained)`."""
    text = f"{parameter.role} {formatting.dims(parameter.shape)}"
    if not parameter.trainable:
        text += " (not trained)"
    if parameter.factor != 1 or parameter.offset:
        text += f" (read as {formatting.values_read(parameter)})"
    if parameter.permutation:
        text += f" (axes {','.join(map(str, parameter.permutation))} of the source's)"
    return text


def places(row: LayerRow) -> Markup:
    """Where the layer stands in the source."""
    return _joined((_place(one) for one in row.places if one.link.text), " ")


def _place(place: SourcePlace) -> Markup:
    if place.link.href:
        return _TITLED_LINK.format(place.link.href, place.full, place.link.text)
    return _SETTING.format(place.full, place.link.text)


def attributes(row: LayerRow) -> Markup:
    """Attributes without a column of their own."""
    shown = (_ATTRIBUTE.format(key, formatting.setting(one)) for key, one in row.others.items())
    return _joined(shown, ", ")


def origins(row: LayerRow) -> Markup:
    """The source's own operators, with their attributes to open."""
    return _joined(_origin(one) for one in row.places)


def _origin(place: SourcePlace) -> Markup:
    origin = place.origin
    lines = [Markup("{}: {}<br>").format(key, value) for key, value in origin.attributes.items()]
    if origin.device:
        lines.append(Markup("device: {}").format(origin.device))
    title = _SMALL.format(origin.name) if origin.name else ""
    return _ORIGIN.format(origin.operator, title, _joined(lines))


def note(href: str, reason: str, text: str) -> Markup:
    """A link in place of a figure, to what has it."""
    return _TITLED_LINK.format(href, reason, text)


def percent(share: float | None) -> str:
    """A share with one decimal; empty where it is unknown."""
    return "" if share is None else formatting.percent(share)
