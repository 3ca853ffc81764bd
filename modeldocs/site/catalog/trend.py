"""What the catalog's ports were found to be, build by build, and what is new in the last one.

The store keeps it as changes from build to build. A catalog that is built with another store has
another past.
"""

from __future__ import annotations

import contextlib
import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from modeldocs import digest
from modeldocs.site.catalog.listing import ListedModel
from modeldocs.site.catalog.port_states import STATES
from modeldocs.struct import Struct
from modeldocs.tasks.store import Store
from modeldocs.verdict import BY_ID

_FOLDER = "trend"

MOST = 1000
"""Entries that are kept."""

WEEK: Final = datetime.timedelta(days=7)


class PortStanding(Struct, frozen=True):
    """A port: one of `port_states.STATES`, and how it compares with the reference of its model.

    `step` is an id of `verdict.STEPS`, empty for a reference and for what is not compared.
    """

    state: str
    step: str = ""

    @property
    def words(self) -> str:
        """Both in words: `✓ verified, ≠ different results`."""
        known = BY_ID.get(self.step)
        parts = [f"{STATES[self.state].sign} {self.state}"]
        return ", ".join([*parts, f"{known.sign} {known.word}"] if known else parts)


class TrendDay(Struct, frozen=True):
    """A day, and the ports by name that its last build found to be something else than before.

    None is a port that is gone.
    """

    date: str
    ports: dict[str, PortStanding | None]


class Standing(Struct, frozen=True):
    """All ports of the last build of a day, by name."""

    date: str
    ports: dict[str, PortStanding]

    @property
    def states(self) -> Counter[str]:
        """The number of ports in each state."""
        return Counter(one.state for one in self.ports.values())

    @property
    def steps(self) -> Counter[str]:
        """The number of ports by how they compare with their reference."""
        return Counter(one.step for one in self.ports.values() if one.step)


class News(Struct, frozen=True):
    """A port that is something else than in an earlier build; None where it is not there."""

    port: str
    before: PortStanding | None
    after: PortStanding | None


def ports(models: Iterable[ListedModel]) -> dict[str, PortStanding]:
    """The ports of a catalog as this build finds them."""
    return dict(_ports(models))


def past(store: Store, root: str) -> list[Standing]:
    """The catalog in a folder at the end of each day on which it changed, the oldest first."""
    return _standings(_read(_file(store, root)))


def _standings(entries: Iterable[TrendDay]) -> list[Standing]:
    found: dict[str, PortStanding] = {}
    standings = []
    for entry in entries:
        found = _after(found, entry)
        standings.append(Standing(date=entry.date, ports=found))
    return standings


def note(store: Store, root: str, now: Mapping[str, PortStanding], today: str) -> list[Standing]:
    """Note what this build found, if it is something else than the last; the past with it."""
    file = _file(store, root)
    entries = _read(file)
    standings = _standings(entries)
    if standings and standings[-1].ports == now:
        return standings
    if standings and standings[-1].date == today:
        entries.pop()
        standings.pop()
    before = standings[-1].ports if standings else {}
    gone: dict[str, PortStanding | None] = dict.fromkeys(before.keys() - now.keys())
    changed = {name: one for name, one in now.items() if before.get(name) != one} | gone
    if changed or not standings:
        entries.append(TrendDay(date=today, ports=dict(sorted(changed.items()))))
        standings.append(Standing(date=today, ports=dict(now)))
    _write(file, entries, standings)
    return standings


def news(before: Standing, after: Standing) -> list[News]:
    """The ports that are something else, by name."""
    names = sorted(before.ports.keys() | after.ports.keys())
    every = (News(name, before.ports.get(name), after.ports.get(name)) for name in names)
    return [one for one in every if one.before != one.after]


def compared(standings: Sequence[Standing]) -> list[Standing]:
    """The earlier days that the last is compared with: the one before, and one of a week before."""
    if len(standings) < 2:
        return []
    *earlier, last = standings
    limit = (datetime.date.fromisoformat(last.date) - WEEK).isoformat()
    of_week = [one for one in earlier if one.date <= limit]
    return [earlier[-1], *(of_week[-1:] if of_week and of_week[-1] is not earlier[-1] else [])]


def _ports(models: Iterable[ListedModel]) -> Iterator[tuple[str, PortStanding]]:
    for model in models:
        steps = {name: family.step for family in model.families for name in family.ports}
        for port in model.ports:
            is_reference = port.name == model.reference or len(model.ports) == 1
            state = port.verification if port.verification in STATES else "not verified"
            yield (
                f"{model.id}/{port.name}",
                PortStanding(
                    state="not loaded" if port.status == "failed" else state,
                    step="" if is_reference else steps.get(port.name, ""),
                ),
            )


def _after(before: Mapping[str, PortStanding], entry: TrendDay) -> dict[str, PortStanding]:
    changed = {**before, **entry.ports}
    return {name: one for name, one in changed.items() if one is not None}


def _file(store: Store, root: str) -> Path:
    return store.folder / _FOLDER / f"{digest.of(root.encode())[:16]}.json"


def _read(file: Path) -> list[TrendDay]:
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(file.read_bytes(), type=list[TrendDay])
    return []


def _write(file: Path, entries: list[TrendDay], standings: Sequence[Standing]) -> None:
    """Write the entries; of too many the oldest become one."""
    if len(entries) > MOST:
        first = standings[-MOST]
        entries = [TrendDay(date=first.date, ports={**first.ports}), *entries[-MOST + 1 :]]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(msgspec.json.encode(entries))
