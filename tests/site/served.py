"""`modeldocs serve` of a small catalog, as a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

CONFIG = (
    "site_name: nets\ntheme: {{name: material, font: false}}\n"
    "plugins: [{{modeldocs: {{jobs: 1{}}}}}]\n"
    "markdown_extensions: [attr_list, md_in_html, tables]\n"
)


class Served(NamedTuple):
    """Its address, its project, and its folder for temporary files."""

    address: str
    project: Path
    temporary: Path


@contextlib.contextmanager
def serving(project: Path, nets: Mapping[str, str], more: str = "") -> Iterator[Served]:
    """Serve models, each of a Caffe definition, until the context ends.

    `more` are further options of the plugin.

    The server must then end by itself, leave no file and no traceback.
    """
    temporary, said = project / "temporary", project / "said.txt"
    for name, text in nets.items():
        (project / "models" / name).mkdir(parents=True)
        (project / "models" / name / "caffe.prototxt").write_text(text)
    for folder in (temporary, project / "docs"):
        folder.mkdir()
    (project / "mkdocs.yml").write_text(CONFIG.format(more))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "modeldocs", "serve", "--address", address],
            cwd=project,
            env=os.environ | {"TMPDIR": str(temporary)},
            stdout=output,
            stderr=output,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    try:
        deadline = time.monotonic() + 90
        while b"Serving on" not in said.read_bytes():
            assert process.poll() is None and time.monotonic() < deadline, said.read_text()
            time.sleep(0.1)
        yield Served(f"http://{address}", project, temporary)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(30) == 0
        # onnxruntime leaves a file named `.ses` wherever it is imported
        assert [path.name for path in temporary.iterdir() if path.name != ".ses"] == []
    finally:
        process.kill()
        process.wait()
    assert "Traceback" not in said.read_text()
