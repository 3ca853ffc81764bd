"""A network run by OpenCV's dnn module, which knows Caffe's format and wrote its own layers for it.

OpenCV is imported here only, in the environment that has it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe import caffemodel, definition
from modeldocs.loaders.caffe.definition import Inputs
from modeldocs.loaders.caffe.unit import Unit

MAX_SAID = 300
"""Characters of OpenCV's own words that are passed on."""


class Runner:
    """A network of some layers, read by OpenCV from the two files that Caffe reads.

    Raises:
        ModeldocsError: OpenCV lacks a layer, or cannot read it.
    """

    def __init__(self, inputs: Inputs, units: Sequence[Unit], file: str) -> None:
        import cv2

        self.file = file
        self.software = f"OpenCV {cv2.__version__}"
        with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
            text, weights = Path(folder, "net.prototxt"), Path(folder, "net.caffemodel")
            text.write_text(definition.write(inputs, units))
            with weights.open("wb") as out:
                caffemodel.write(out, ((u.name, u.source.type, u.blobs) for u in units))
            try:
                self.net: Any = cv2.dnn.readNetFromCaffe(str(text), str(weights))
            except cv2.error as error:
                raise self._refused(error) from None
        held = set(self.net.getLayerNames())
        # OpenCV calls some layers by their first top.
        self.names = {u.name: u.name if u.name in held else u.source.tops[0] for u in units}
        # What is compared is each layer as it stands, not what fusing makes of them.
        self.net.enableFusion(False)
        self.net.enableWinograd(False)
        self.net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
        self.net.setPreferableTarget(cv2.dnn.DNN_TARGET_CPU)

    def run(
        self, inputs: Mapping[str, np.ndarray], names: Iterable[str]
    ) -> dict[str, list[np.ndarray]]:
        """The outputs of the layers of these names."""
        import cv2

        wanted = list(names)
        held = [self.names[name] for name in wanted]
        try:
            for name, array in inputs.items():
                self.net.setInput(array, name)
            made = self.net.forwardAndRetrieve(held)
        except cv2.error as error:
            raise self._refused(error) from None
        return {name: [np.array(a) for a in outs] for name, outs in zip(wanted, made, strict=True)}

    def sizes(self, name: str) -> list[int]:
        """Numbers of values in the blobs of a layer, as OpenCV holds them."""
        return [int(np.asarray(blob).size) for blob in self.net.getLayer(self.names[name]).blobs]

    def _refused(self, error: Exception) -> ModeldocsError:
        said = " ".join(str(error).split())[:MAX_SAID]
        return ModeldocsError(f"{self.software} cannot run it: {said}", file=self.file)
