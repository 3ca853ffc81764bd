"""A run of a network in OpenCV's dnn module, which has its own implementation of Caffe's layers.

OpenCV is imported only here, in the environment that has it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format import blobs
from modeldocs.loaders.caffe.opencv import definition
from modeldocs.loaders.caffe.opencv.definition import DefinedLayer, Inputs

MAX_MESSAGE = 300
"""Characters of OpenCV's messages that are passed on."""


class OpenCvRunner:
    """A network of some layers, read by OpenCV from the two files that Caffe reads.

    Raises:
        ModeldocsError: OpenCV lacks a layer, or cannot read it.
    """

    def __init__(self, inputs: Inputs, units: Sequence[DefinedLayer], file: str) -> None:
        import cv2

        self.file = file
        self.software = f"OpenCV {cv2.__version__}"
        with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
            text, weights = Path(folder, "net.prototxt"), Path(folder, "net.caffemodel")
            text.write_text(definition.write(inputs, units))
            with weights.open("wb") as out:
                blobs.write(out, ((u.name, u.layer.type, u.blobs) for u in units))
            try:
                self.net: Any = cv2.dnn.readNetFromCaffe(str(text), str(weights))
            except cv2.error as error:
                raise self._refused(error) from None
        known = set(self.net.getLayerNames())
        # OpenCV calls some layers by their first top.
        self.names = {u.name: u.name if u.name in known else u.layer.tops[0] for u in units}
        # Layers are compared one by one, so they must not be fused.
        self.net.enableFusion(False)
        self.net.enableWinograd(False)
        self.net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
        self.net.setPreferableTarget(cv2.dnn.DNN_TARGET_CPU)

    def run(
        self, inputs: Mapping[str, np.ndarray], names: Sequence[str]
    ) -> dict[str, list[np.ndarray]]:
        """The outputs of the layers of these names."""
        import cv2

        try:
            for name, array in inputs.items():
                self.net.setInput(array, name)
            outputs = self.net.forwardAndRetrieve([self.names[name] for name in names])
        except cv2.error as error:
            raise self._refused(error) from None
        arrays = ([np.array(array) for array in of_layer] for of_layer in outputs)
        return dict(zip(names, arrays, strict=True))

    def sizes(self, name: str) -> list[int]:
        """Numbers of values in the blobs of a layer, as OpenCV holds them."""
        return [int(np.asarray(blob).size) for blob in self.net.getLayer(self.names[name]).blobs]

    def _refused(self, error: Exception) -> ModeldocsError:
        message = " ".join(str(error).split())[:MAX_MESSAGE]
        return ModeldocsError(f"{self.software} cannot run it: {message}", file=self.file)
