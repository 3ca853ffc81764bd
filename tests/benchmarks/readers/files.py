"""Files of recorded figures that the tests write, and the traces beside the repository."""

import json
from pathlib import Path

import msgspec
import pytest

from modeldocs.benchmarks import readers
from modeldocs.benchmarks.record import Record, encode
from modeldocs.errors import ModeldocsError

TRACES = (Path(__file__).parents[3] / "../shared/data/traces").resolve()


def read(folder, content, name="file"):
    """The records of a file with that content (text, bytes or what JSON is made of)."""
    path = folder / name
    if isinstance(content, str):
        content = content.encode()
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    path.write_bytes(content)
    return of(path)


def of(path):
    """The records of a file, found to be such as can be written."""
    _, recordings = readers.read(path)
    records = [recording.record for recording in recordings]
    for record in records:
        writable(record)
    return records


def writable(record: Record) -> None:
    """A record that a reader left without a date can be written with one."""
    run = msgspec.structs.replace(record.run, date=record.run.date or "2026")
    encode(msgspec.structs.replace(record, run=run))


def refusal(folder, content):
    """The reason for which a file is refused, in one line that names it."""
    with pytest.raises(ModeldocsError) as caught:
        read(folder, content)
    assert caught.value.file == str(folder / "file")
    assert "\n" not in caught.value.reason
    return str(caught.value)


def shared(name):
    """A trace beside the repository; the test is skipped where it is not there."""
    path = TRACES / name
    if not path.exists():
        pytest.skip(f"needs {name} beside the repository")
    return path
