"""Run Keras programs: `python keras_programs.py FOLDER`, in the interpreter that has Keras.

For each `NAME.py` in the folder there is `NAME.npz`, with inputs `input:0`, … and weights
`weight:LAYER:ATTRIBUTE` in ONNX's order of axes. What the model computes is written to
`NAME.out.npz`; why it cannot be run, to `NAME.error`.
"""

import importlib.util
import sys
import traceback
from pathlib import Path

import numpy as np


def main(folder: Path) -> None:
    for file in sorted(folder.glob("*.py")):
        try:
            np.savez(file.with_suffix(".out.npz"), *_run(file))
        except Exception:
            file.with_suffix(".error").write_text(traceback.format_exc())


def _run(file: Path) -> list[np.ndarray]:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.model()
    inputs = []
    for key, array in np.load(file.with_suffix(".npz")).items():
        kind, *path = key.split(":")
        if kind == "input":
            inputs.append(array)
            continue
        layer, attribute = path
        variable = getattr(model.get_layer(layer), attribute or "value")
        variable.assign(_placed(array, tuple(variable.shape), attribute))
    found = model(inputs[0] if len(inputs) == 1 else inputs, training=False)
    return [np.asarray(one) for one in (found if isinstance(found, list | tuple) else [found])]


def _placed(array: np.ndarray, shape: tuple[int, ...], attribute: str) -> np.ndarray:
    """A weight in Keras' order of axes."""
    if attribute == "kernel" and array.ndim > 2:
        return array.transpose(*range(2, array.ndim), 1, 0).reshape(shape)
    full = array.reshape((1,) * (len(shape) - array.ndim) + array.shape)
    if full.shape == shape:
        return full
    if full.ndim > 2:
        return full.transpose(0, *range(2, full.ndim), 1).reshape(shape)
    return full.T if full.T.shape == shape else full.reshape(shape)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
