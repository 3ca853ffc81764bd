"""Run by `modeldocs.isolation` in tests: code that is given to it, in place of a port's."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Code(msgspec.Struct, frozen=True):
    """What to run; `folder` is then the folder of the run."""

    text: str
    result: bool = True


def main(folder: Path) -> None:
    code = msgspec.json.decode((folder / "request.json").read_bytes(), type=Code)
    exec(compile(code.text, "code.py", "exec"), {"folder": folder})
    if code.result:
        (folder / "result.json").write_text("{}")
