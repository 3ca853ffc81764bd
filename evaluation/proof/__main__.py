"""`make bench-proof`: what proofs catch of faults planted in what was loaded, by framework.

Each port is run once in its framework. Then faults are planted in the ONNX that was made of it,
one at a time, and it is compared with the framework's numbers as `modeldocs verify` does.
"""

from __future__ import annotations

import argparse
import functools
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import onnx
import onnx_ir as ir
from rich.console import Console
from rich.table import Table

from modeldocs import sources
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loading, reference
from modeldocs.numeric.proof import Proof, comparison, parity, prover
from modeldocs.struct import Struct
from modeldocs.tasks.proof import subject

from .faults import FAULTS, OF_NAMES, plant

MODELS = Path("models")
OWN = "evaluation/proof/ports"
PORTS = {
    "caffe": (f"{OWN}/net.prototxt", "alexnet/caffe", "mobilenetv2/caffe", "ssd300-vgg16/caffe"),
    "chainer": (f"{OWN}/chainer_net.py", "googlenet/chainer", "resnet50/chainer"),
    "keras": (f"{OWN}/keras.py", "mobilenetv2/keras", "bert-base/keras"),
    "mxnet": (f"{OWN}/mxnet_net.py", "inception-bn/mxnet", "resnet50-v2/mxnet-gluon"),
    "onnx": ("mobilenetv2/onnx", "resnet50/onnx", "lenet/onnx"),
    "pytorch": (f"{OWN}/pytorch.py", "googlenet/pytorch_bn", "gpt2/pytorch", "vit-b-16/pytorch"),
    "tensorflow": (f"{OWN}/tensorflow_net.py", "alexnet/tensorflow", "resnet50/tensorflow"),
    "torch7": ("resnet50/torch7", "inception-bn/torch7", "alexnet-owt/torch7"),
}
"""Ports by framework: one of many operators that the catalog has not, and some of its own."""

OTHERS = {"resnet50/torch7": "resnet50/pytorch", "inception-bn/torch7": "inception-bn/mxnet",
          "alexnet-owt/torch7": "alexnet-owt/pytorch"}  # fmt: skip
"""The port that one is held against whose framework nothing runs."""

INPUTS = {"chainer_net.py": "x=1,6,20,20", "mxnet_net.py": "data=1,6,20,20"}


class Tried(Struct, frozen=True):
    """One fault in one port, and what came of it."""

    framework: str
    port: str
    fault: str
    everywhere: bool
    planted: int
    verdict: str

    @property
    def caught(self) -> bool:
        """Whether the port is not said to be verified."""
        return self.verdict != "verified"


def main() -> None:
    """Print the table, and every fault that was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one framework")
    only = parser.parse_args().only
    wanted = [(f, port) for f, ports in PORTS.items() if only in (None, f) for port in ports]
    with ProcessPoolExecutor(max_workers=2) as pool:
        tried = [one for made in pool.map(_tried, wanted) for one in made]
    console = Console(width=110)
    console.print(_table(tried))
    for one in tried:
        if one.fault and not one.caught:
            where = "all layers" if one.everywhere else "one layer"
            console.print(f"missed: {one.fault} in {where} of {one.port}", markup=False)
        if not one.fault and one.caught:
            console.print(f"false alarm: {one.port}: {one.verdict}", markup=False)
    sound = [one for one in tried if not one.fault]
    faults = [one for one in tried if one.fault]
    console.print(
        f"{sum(one.caught for one in faults)} of {len(faults)} faults caught; "
        f"{sum(one.caught for one in sound)} false alarms on {len(sound)} ports"
    )


def _tried(wanted: tuple[str, str]) -> list[Tried]:
    """A port without a fault, and with each that fits it."""
    framework, name = wanted
    with tempfile.TemporaryDirectory() as folder:
        compare = _comparison(name, Path(folder))
        made = [Tried(framework, name, "", False, 0, compare(None))]
        for fault in sorted(FAULTS.keys() - (OF_NAMES if name in OTHERS else set())):
            for everywhere in (False, True):
                planted: list[str] = []
                verdict = compare(functools.partial(_plant, name, fault, everywhere, planted))
                if len(planted) > everywhere:
                    made.append(Tried(framework, name, fault, everywhere, len(planted), verdict))
    return made


def _plant(name: str, fault: str, everywhere: bool, planted: list[str], model: ir.Model) -> None:
    """The same fault in each model of a port; `planted` tells in which layers."""
    chance = None if everywhere else Random(f"{name} {fault}")
    planted[:] = plant(model, fault, chance)


Change = Callable[[ir.Model], object]


def _comparison(name: str, folder: Path) -> Callable[[Change | None], str]:
    """Run a port in its framework; what then holds its graph, changed, against that."""
    if name not in OTHERS:
        _run(name, folder)

        def against_itself(change: Change | None) -> str:
            (model, held), *others = (reference.read(place) for place in sorted(folder.iterdir()))
            if change is not None:
                for one in (model, *(other.model for other in others)):
                    change(one)
            return _verdict(lambda: comparison.compare(model, held, *others))

        return against_itself
    _run(OTHERS[name], folder)
    with sources.resolve(name, MODELS) as port:
        own = loading.load(port.framework, port.request, port.limits).onnx

    def against_another(change: Change | None) -> str:
        (model, held), mine = (
            reference.read(folder / "0"),
            ir.from_proto(onnx.load_from_string(own)),
        )
        if change is not None:
            change(mine)
        return _verdict(lambda: parity.compare(model, held, mine))

    return against_another


def _run(name: str, folder: Path) -> None:
    """Keep what a port's framework computes, each run in a folder of its own."""
    asked = INPUTS.get(Path(name).name)
    inputs = sources.parse_inputs((asked,) if asked else ())
    with (
        sources.resolve(name, MODELS, inputs=inputs) as port,
        prover.reference_runs(subject(port)) as runs,
    ):
        for index, run in enumerate(runs):
            (folder / str(index)).mkdir()
            for file in (reference.MODEL, reference.ARRAYS, reference.RUN):
                shutil.copy(Path(run, file), folder / str(index))


def _verdict(compare: Callable[[], Proof]) -> str:
    try:
        return compare().verdict
    except ModeldocsError as error:
        return f"not run: {error.reason}"


def _table(tried: list[Tried]) -> Table:
    """Caught of planted, fault by framework."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("caught of planted")
    for framework in PORTS:
        table.add_column(framework, justify="right")
    for fault in FAULTS:
        cells = []
        for framework in PORTS:
            held = [one for one in tried if (one.framework, one.fault) == (framework, fault)]
            caught = sum(one.caught for one in held)
            cells.append(f"{caught}/{len(held)}" if held else "")
        table.add_row(fault, *cells)
    return table


if __name__ == "__main__":
    main()
