"""Run Flax programs: `python flax_programs.py FOLDER`, in the interpreter that has Flax.

For each `NAME.py` in the folder there is `NAME.npz`, with inputs `input:0`, … and weights
`weight:PATH` as the attributes of the program's last class hold them. What it computes is written
to `NAME.out.npz`; why it cannot be run, to `NAME.error`.
"""

import sys
import traceback
from pathlib import Path

import numpy as np
from flax import nnx

sys.path.insert(0, str(Path(__file__).parents[2]))

from modeldocs.loaders.reference import Designed
from modeldocs.numeric.proof import runners
from modeldocs.numeric.proof.runners.flax import FlaxProgram


def main(folder: Path) -> None:
    for file in sorted(folder.glob("*.py")):
        try:
            np.savez(file.with_suffix(".out.npz"), *_run(file))
        except Exception:
            file.with_suffix(".error").write_text(traceback.format_exc())


def _run(file: Path) -> list[np.ndarray]:
    module = runners.imported(str(file))
    given: dict[str, dict[str, np.ndarray]] = {"input": {}, "weight": {}}
    for key, array in np.load(file.with_suffix(".npz")).items():
        kind, _, path = key.partition(":")
        given[kind][path] = array
    classes = [one for one in vars(module).values() if _is_module(one, module.__name__)]
    program = FlaxProgram(module, classes[-1].__name__)
    return program.outputs(Designed(given["weight"], given["input"]))


def _is_module(one: object, place: str) -> bool:
    return isinstance(one, type) and issubclass(one, nnx.Module) and one.__module__ == place


if __name__ == "__main__":
    main(Path(sys.argv[1]))
