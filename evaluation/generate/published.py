"""Networks of other packages as programs of a target: a sample, drawn at random.

They are those of the published pairs. Programs that the store holds are not made again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from random import Random
from typing import Final

from rich.console import Console

from evaluation.generate.row import Row, row_of
from evaluation.pairs import building, packages
from evaluation.pairs.nets import Net
from evaluation.published.sets import SETS
from modeldocs import generators
from modeldocs.catalog import Port
from modeldocs.generators import Target
from modeldocs.isolation import Limits
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store

_LIMITS: Final = Limits(seconds=900.0, memory_mb=12_288)


def main() -> None:
    """Generate and prove a program of each network of the sample, and print a row for each."""
    asked = _arguments()
    target = generators.target(asked.to)
    ports = Ports(Store(packages.HOME / "store"))
    console, rows = Console(width=200, highlight=False), []
    for net in _sample(asked.limit, asked.seed):
        if asked.only in net.key:
            rows.append(_row(ports, net, target))
            console.print(*rows[-1].cells, sep=" | ")
    reasons = Counter(row.reason for row in rows)
    console.print(f"{reasons[None]} of {len(rows)} networks have a proven program.")


def _sample(count: int, seed: int) -> list[Net]:
    """Networks of the published pairs, each once, as many as asked for."""
    pairs = [pair for own in SETS.values() for pair in own]
    nets = {net.key: net for pair in pairs for net in (pair.a, pair.b)}
    chosen = sorted(nets.values(), key=lambda net: net.key)
    Random(seed).shuffle(chosen)
    return chosen[:count]


def _row(ports: Ports, net: Net, target: Target) -> Row:
    port = Port(
        name=net.key, framework=net.framework, request=building.request_of(net), limits=_LIMITS
    )
    return row_of(ports, net.key, port, target)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-generate.published", description=__doc__)
    parser.add_argument("--to", default="pytorch", choices=generators.targets(), help="the target")
    parser.add_argument("--only", default="", metavar="NAME", help="networks whose name has this")
    parser.add_argument("--limit", type=int, default=150, metavar="N", help="size of the sample")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    return parser.parse_args()


if __name__ == "__main__":
    main()
