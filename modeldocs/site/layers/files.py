"""The files of all layers: as CSV, as Parquet, and as the script that gives the page the latter."""

from __future__ import annotations

import base64
import csv
import functools
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from modeldocs.site import addresses
from modeldocs.site.layers import columns
from modeldocs.site.layers.columns import CatalogLayer
from modeldocs.site.page import Page

_TYPES = {
    "parameters": "BIGINT",
    "macs": "BIGINT",
    "bytes": "BIGINT",
    "share_of_macs": "DOUBLE",
}
"""SQL types of columns that are not text."""

_ROWS_OF_A_GROUP = 2**30
"""Parquet cuts a file into groups of rows, each with its own dictionaries: here it is one."""


def pages(models: tuple[bytes, ...]) -> Iterator[Page]:
    """The files of packed layers."""
    rows, data = written(models)
    yield Page(path=f"{addresses.LAYERS}/layers.csv", content=rows)
    yield Page(path=f"{addresses.LAYERS}/layers.parquet", content=data)
    # A page that was opened from a folder may load nothing but scripts.
    script = b'receiveParquet("' + base64.b64encode(data) + b'");\n'
    yield Page(path=f"{addresses.LAYERS}/layers.js", content=script)


@functools.lru_cache(maxsize=1)
def written(models: tuple[bytes, ...]) -> tuple[bytes, bytes]:
    """All layers as CSV (RFC 4180, with a header, raw figures), and the same as Parquet."""
    rows = _csv(models)
    return rows, _parquet(rows)


def _csv(models: tuple[bytes, ...]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(names())
    writer.writerows(map(msgspec.structs.astuple, columns.unpacked(models)))
    return stream.getvalue().encode("utf-8")


def names() -> tuple[str, ...]:
    """The names of the columns."""
    return CatalogLayer.__struct_fields__


def _parquet(rows: bytes) -> bytes:
    """A CSV as Parquet, in one group of rows; the same bytes for the same rows."""
    import duckdb  # only where a site is written: it takes a while

    kinds = {name: _TYPES.get(name, "VARCHAR") for name in names()}
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        source, target = Path(folder, "layers.csv"), Path(folder, "layers.parquet")
        source.write_bytes(rows)
        with duckdb.connect(config={"threads": 1}) as database:
            table = database.read_csv(
                str(source),
                header=True,
                delimiter=",",
                quotechar='"',
                escapechar='"',
                columns=kinds,
                auto_detect=False,
                max_line_size=2**24,
            )
            table.write_parquet(str(target), compression="gzip", row_group_size=_ROWS_OF_A_GROUP)
        return target.read_bytes()
