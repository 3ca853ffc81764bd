"""Faults planted in generated programs: whether the proof finds each."""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Final

from rich.console import Console

from evaluation.program_faults.faults import Fault, faults
from modeldocs import generators, sources
from modeldocs.errors import ModeldocsError
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.programs import ProgramGenerator
from modeldocs.tasks.store import Store

FOLDER: Final = Path(__file__).parent
NETWORKS: Final = ("images.py:Images", "tokens.py:Tokens")


def main() -> None:
    """Plant faults in the programs of each network, and print what the proof says of each."""
    asked = _arguments()
    console = Console(width=200, highlight=False)
    found, survived = 0, 0
    for name in asked.to or [one for one in generators.targets() if one != "onnx"]:
        for network in NETWORKS:
            for fault, reason in _judged(name, network, asked.limit, asked.seed):
                found, survived = found + (reason is not None), survived + (reason is None)
                told = reason or "PROVEN"
                console.print(f"{name} | {network} | {fault.told} | {told}", markup=False)
    console.print(f"{found} of {found + survived} faults were found.")


def _judged(target: str, network: str, limit: int, seed: int) -> list[tuple[Fault, str | None]]:
    """Faults of a network's program in a target, with why the proof refuses it."""
    store = Store(FOLDER.parents[1] / ".modeldocs")
    judged = []
    with sources.resolve(str(FOLDER / network), FOLDER) as port:
        ports = Ports(store)
        programs = ProgramGenerator(ports, generators.target(target))
        loaded = ports.load({network: port})[network]
        made = programs.generate(network, port, loaded)
        if made.proof is None or made.proof.reason is not None:
            raise ModeldocsError(f"{network} has no proven program in {target}")
        planted = list(faults(made.code))
        chosen = random.Random(seed).sample(planted, min(limit, len(planted)))
        draft = programs.draft(network, loaded)
        for fault in chosen:
            proof = programs.prove(network, port, loaded, draft, fault.code.encode())
            judged.append((fault, proof.reason))
    return judged


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-program_faults", description=__doc__)
    parser.add_argument("--to", action="append", choices=generators.targets(), help="the target")
    parser.add_argument("--limit", type=int, default=30, help="faults of each program")
    parser.add_argument("--seed", type=int, default=0, help="which faults are chosen")
    return parser.parse_args()


if __name__ == "__main__":
    main()
