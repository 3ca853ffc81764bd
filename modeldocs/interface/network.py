"""`modeldocs.load`: a network as a graph of layers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modeldocs import formatting, loaders
from modeldocs.interface import notebook, session
from modeldocs.interface.subject import MODELS, SourceSettings
from modeldocs.ir import Layer, LayerGraph, Totals
from modeldocs.site.port import report
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct

_HEIGHT = 640
"""Height of its report in a notebook, in CSS pixels."""


class LoadedNetwork(Struct, frozen=True):
    """A network that was loaded.

    `graph` is all that is known of it (`modeldocs.ir.LayerGraph`), `framework` the name and the
    version of the framework that it was loaded with, `printed` what its source printed meanwhile.
    """

    name: str
    framework: str
    graph: LayerGraph
    printed: str = ""

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers, in an order in which they can run."""
        return self.graph.layers

    @property
    def totals(self) -> Totals:
        """Numbers of layers, parameters, MACs, and bytes of activations."""
        return self.graph.totals()

    def __repr__(self) -> str:
        totals = self.totals
        return (
            f"<LoadedNetwork {self.name}: {totals.layers} layers, "
            f"{formatting.exact(totals.parameters)} parameters, {formatting.exact(totals.macs)} "
            "MACs>"
        )

    def html(self) -> str:
        """Facts, overview and table of layers as one HTML file, which needs no other."""
        return report.html(self.name, self.framework, self.graph, Templates())

    def _repr_html_(self) -> str:
        return notebook.frame(self.name, self.html(), _HEIGHT)


def load(
    source: object,
    *,
    inputs: object = None,
    args: Mapping[str, Any] | None = None,
    framework: str | None = None,
    models: str | Path = MODELS,
) -> LoadedNetwork:
    """Load a network: its layers with shapes, settings, parameters and MACs.

    Args:
        source: what `modeldocs load` takes (`"model/port"`, a file, `"file.py:callable"`,
            `"package.module:callable"`, `"git:REF:path"`), a path, or a live object: a
            `torch.nn.Module`, a Keras model, an `onnx.ModelProto`, an `onnx_ir.Model`.
            Sources are loaded in an isolated process, live objects in this one.
        inputs: an array, several in the order of a live object's arguments, or arrays or shapes by
            name. Shapes are in elements, batch first; a shape alone is of float32. By name, or a
            single one, for a source.
        args: arguments of the source's callable, by name.
        framework: that of a source that is not recognised.
        models: the folder of the catalog.

    Raises:
        ModeldocsError: it cannot be loaded, with file, line, reason and fix.
    """
    settings = SourceSettings(inputs=inputs, args=args or {}, framework=framework, models=models)
    with session.loaded([source], settings) as one:
        (graph,), (subject,), (loaded,) = one.graphs(), one.subjects, one.loads
        title = loaders.title(subject.port.framework)
        return LoadedNetwork(
            name=subject.name,
            framework=f"{title} {loaded.version or ''}".rstrip(),
            graph=graph,
            printed=loaded.printed,
        )
