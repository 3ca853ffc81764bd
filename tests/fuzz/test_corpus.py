"""What broken files once brought down stays fixed: each loads, or is refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from .parsers import PARSERS
from .trials import Trials

CORPUS = Path(__file__).parent / "corpus"
MOST_BYTES = 20_000


@pytest.mark.parametrize("parser", sorted(folder.name for folder in CORPUS.iterdir()))
def test_what_was_found_stays_fixed(parser):
    with Trials(parser) as trials:
        told = {
            path.name: trials.file(path, "net" + "".join(path.suffixes))
            for path in sorted((CORPUS / parser).iterdir())
        }
    failed = {name: one for name, one in told.items() if one["outcome"] in ("crashed", "hung")}
    assert not failed
    assert told


@pytest.mark.parametrize("name", [name for name, held in PARSERS.items() if not held.environment])
def test_seeds_are_whole(name, tmp_path):
    parser = PARSERS[name]
    for seed in parser.seeds():
        path = tmp_path / seed.name
        path.write_bytes(seed.data)
        parser.read(tmp_path, path)
        path.unlink()


def test_an_input_is_told_by_its_number():
    parser = PARSERS["caffe text"]
    made = [parser.broken("caffe text", 1, number) for number in range(20)]
    assert made == [parser.broken("caffe text", 1, number) for number in range(20)]
    assert len({one.data for one in made}) > 15


def test_files_are_small():
    assert all(path.stat().st_size < MOST_BYTES for path in CORPUS.rglob("*.*"))
