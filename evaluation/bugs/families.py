"""The planted bugs: what each family of ports is, and what its first line must be.

Each `cases.yml` was written from the two definitions before the diff was run on them; what was
put right afterwards says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).parent


class Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A change as far as it is known; a field left out says nothing.

    `kind` may be one of several: `attribute|region`.
    """

    kind: str | None = None
    operator: str | None = None
    attribute: str | None = None


class Answer(Line, frozen=True, kw_only=True):
    """A change in full: what it says, and of which layers.

    `a` and `b` are the layers it is told of: by the module or parameter that a layer has, or as
    the nearest of an operator behind one (`conv1 > Relu`) or before one (`head < MaxPool`).

    Where two styles have other layers, `within` and `within_b` say between which the change lies:
    behind the first ones, up to the last. `law` is what its title must say of a constant's values;
    it is counted by itself.
    """

    before: Any = None
    after: Any = None
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    within_b: tuple[str, ...] = ()
    law: str = ""


class Case(Answer, frozen=True, kw_only=True):
    """A bug, and the first line of the diff that names it; no `kind` where nothing is wrong.

    `instead` are lines that say the same as well. `also` are lines that the bug brings with it.
    `parity` are the layers of A of which one must be named as the first to diverge, where it is
    not one of `a`.
    """

    bug: str
    instead: tuple[Answer, ...] = ()
    also: tuple[Line, ...] = ()
    parity: tuple[str, ...] = ()


class Family(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A network in two styles: file `a`, which is right, and file `b`, which takes a bug.

    `inputs` are shapes by name; `inputs_b` those of B where they are others.
    """

    a: str
    b: str
    cases: tuple[Case, ...]
    inputs: dict[str, tuple[int, ...]]
    inputs_b: dict[str, tuple[int, ...]] = {}
    dtypes: dict[str, str] = {}


def read(only: str | None = None) -> dict[str, Family]:
    """Every family by the name of its folder, or those that `only` names: `residual,unet`."""
    held = {
        path.parent.name: msgspec.yaml.decode(path.read_bytes(), type=Family)
        for path in sorted(FOLDER.glob("*/cases.yml"))
    }
    return {name: held[name] for name in (only.split(",") if only else held)}
