"""Run by TensorFlow's own interpreter: loads and proves what it is asked for, line by line.

A line holds a folder and a request as JSON; the answer is null, or the error as JSON.
"""

import contextlib
import importlib.util
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parents[2] / "modeldocs"


def adopt():
    spec = importlib.util.spec_from_file_location(
        "modeldocs", PACKAGE / "__init__.py", submodule_search_locations=[str(PACKAGE)]
    )
    sys.modules["modeldocs"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["modeldocs"])


def make(name, folder):
    """Let a function of `graphs.py` write into a folder."""
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    import graphs

    getattr(graphs, name)(folder)


def main():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    adopt()
    import msgspec
    import onnx_ir as ir

    from modeldocs.errors import ModeldocsError
    from modeldocs.loaders import LoadRequest, reference, weights
    from modeldocs.loaders.tensorflow import TensorFlowLoader
    from modeldocs.numeric.proof.design import designs

    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    loader = TensorFlowLoader()
    for line in sys.stdin:
        asked = json.loads(line)
        told = None
        try:
            if "make" in asked:
                make(asked["make"], Path(asked["folder"]))
                answers.write("null\n")
                continue
            request = msgspec.convert(asked["request"], LoadRequest)
            if asked["prove"]:
                made, held = next(loader.prove(request, designs))
                reference.write(weights.without(made), held, Path(asked["folder"]))
            else:
                made = loader.load(request)
                ir.save(made, Path(asked["folder"]) / "model.onnx")
        except ModeldocsError as error:
            told = {k: getattr(error, k) for k in ("reason", "file", "line", "fix")}
        except Exception as error:
            told = {"crash": f"{type(error).__name__}: {error}"}
            with contextlib.suppress(Exception):
                import traceback

                told["trace"] = traceback.format_exc()
        answers.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
