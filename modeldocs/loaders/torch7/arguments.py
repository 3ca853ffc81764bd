"""Arguments that a definition takes from the script that trains it, and their usual values.

The value of such a name (`nClasses`, `opt.depth`) is an argument of the request, else a default
of this file, which the graph's notes list. Where there is neither, an error names it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

DEFAULTS: Final[dict[str, Any]] = {
    # the data
    "nclasses": 1000, "nclass": 1000, "nbclasses": 1000, "dataset": "imagenet", "nchannels": 3,
    "nc": 3, "inputnc": 3, "outputnc": 3, "imagesize": 224, "cropsize": 224, "finesize": 256,
    "batchsize": 1,
    # the machine
    "ngpu": 1, "ngpus": 1, "gpu": 1, "gpus": 1, "gpuid": 0, "backend": "cudnn",
    "tensortype": "torch.FloatTensor",
    # residual networks and similar ones
    "depth": 50, "shortcuttype": "B", "widenfactor": 10, "width": 2, "cardinality": 32,
    "basewidth": 4, "bottlenecktype": "resnext_C", "growthrate": 12, "droprate": 0, "dropout": 0,
    "reduction": 0.5, "alpha": 48,
    # generators, discriminators, hourglasses
    "ngf": 64, "ndf": 64, "nz": 100, "nstack": 8, "nfeats": 256, "nmodules": 1, "nnlib": "cudnn",
    # recurrent networks
    "rnnsize": 128, "nlayers": 2,
}  # fmt: skip
"""Usual values by plain name: `nClasses`, `num_classes` and `n_classes` are `nclasses`."""

ALTERNATIVES: Final[dict[str, tuple[Any, ...]]] = {
    "depth": (50, 40, 110, 121),
    "dataset": ("imagenet", "cifar10"),
}
"""Values to try where a definition refuses a default: some depths must be of a form like 6n + 4."""

_QUOTED = re.compile(r"'(\w+)'")
_NOTHING = re.compile(r"\bnil\b|\bnothing\b|must be a number|attempt to compare")


class UnknownArgument(Struct, frozen=True, array_like=True):
    """A name without a value; `within` is `opt` for a field of the options."""

    name: str
    within: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.within}.{self.name}" if self.within else self.name


class Lookups(Struct, frozen=True):
    """What a run of a definition looked up outside of itself.

    `assumed` are names and the defaults that they got, `wanted` are files by who asked for them,
    `notes` what else a reader must know of the run.
    """

    assumed: tuple[tuple[str, Any], ...] = ()
    unknown: tuple[UnknownArgument, ...] = ()
    wanted: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def plain(self) -> set[str]:
        """The assumed names, spelled as the keys of `DEFAULTS`."""
        return {re.sub(r"^num", "n", name.lower().replace("_", "")) for name, _ in self.assumed}

    def sentences(self) -> list[str]:
        """The assumptions and notes, for the notes of the graph."""
        assumptions = [
            f"assumed {name} = {_lua(value)}; give another with --args"
            for name, value in self.assumed
        ]
        return [*assumptions, *self.notes]

    def explain(self, error: ModeldocsError, text: str = "") -> ModeldocsError:
        """The error with its likely cause: a name without a value, or an assumed value.

        `text` is the line of code that it is about.
        """
        missing = self._missing(error, text)
        if missing is not None:
            reason = f"{error.reason}: nothing gives {missing}"
            fix = f"give it with {example([missing.name])}"
        elif self.assumed:
            assumed = ", ".join(f"{name} = {_lua(value)}" for name, value in self.assumed)
            reason = error.reason
            fix = (
                f"{error.fix or 'correct it there'}, or give others than were assumed ({assumed}) "
                f"with {example(name for name, _ in self.assumed)}"
            )
        else:
            return error
        return ModeldocsError(reason, file=error.file, line=error.line, fix=fix)

    def _missing(self, error: ModeldocsError, text: str) -> UnknownArgument | None:
        """The name that an error is about: one that it quotes, else one that its line reads."""
        if not _NOTHING.search(error.reason):
            return None
        quoted, read = _QUOTED.findall(error.reason), re.findall(r"\w+", text)
        for names in (quoted, read):
            for one in reversed(self.unknown):
                same_line = (one.file, one.line) == (error.file, error.line)
                if one.name in names or (same_line and names is read):
                    return one
        return None


def example(names: Iterable[str]) -> str:
    """How to pass arguments of these names on the command line."""
    return "--args '{" + ", ".join(f"{json.dumps(name)}: …" for name in names) + "}'"


def _lua(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else f"{value}"
