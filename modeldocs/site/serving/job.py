"""One comparison: its folder, the process that computes it, and its result in memory."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site.serving import request
from modeldocs.site.serving.plan import (
    DIFF,
    OUTCOME,
    REPORT,
    STAGE,
    ComparisonOutcome,
    OwnFile,
    Plan,
    StoredPort,
)
from modeldocs.site.serving.process import WaitingProcess
from modeldocs.site.serving.request import ComparisonRequest, ComparisonSide
from modeldocs.struct import Struct

MAX_SECONDS = 600.0
"""Time of a comparison from its start; loading and running have their own limits within it."""

UNATTENDED_SECONDS = 150.0
"""A comparison ends when no page has asked about it for so long. Pages in the background of a
browser ask once a minute."""

SPARE_BYTES = 256 * 2**20
"""Space that an upload leaves on the disk."""

_PART = 2**20


class Stream(Protocol):
    """A request's body."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`."""
        ...


class JobState(Struct, frozen=True):
    """What a page is told of a comparison; `stage` is a phrase, `done` or `failed` at the end."""

    stage: str
    seconds: float
    names: tuple[str, str]
    failure: Failure | None = None
    step: str = ""
    word: str = ""
    printed: tuple[dict[str, str], ...] = ()


class Job:
    """A comparison. Its folder is deleted when it ends, by its process or by this one."""

    def __init__(self, comparison: ComparisonRequest, ports: Mapping[str, StoredPort]) -> None:
        self.comparison = comparison
        self.folder = Path(tempfile.mkdtemp(prefix="modeldocs-compare-")).resolve()
        self.files: dict[str, bytes] = {}
        self._sources: dict[str, StoredPort | OwnFile] = dict(ports)
        self._outcome: ComparisonOutcome | None = None
        self._receiving: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._asked_at = time.monotonic()
        self._started: float | None = None
        self._ended: float | None = None
        self._process = WaitingProcess(self.folder)
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()
        self._start_if_complete()

    @property
    def active(self) -> bool:
        """Whether it receives files or runs."""
        return self._thread.is_alive()

    def state(self) -> JobState:
        """Its state now."""
        self._asked_at = time.monotonic()
        outcome, names = self._outcome, self.comparison.names
        now = self._ended or time.monotonic()
        seconds = now - self._started if self._started is not None else 0.0
        if outcome is None:
            return JobState(stage=self._stage(), seconds=round(seconds, 1), names=names)
        return JobState(
            stage="failed" if outcome.failure is not None else "done",
            seconds=round(seconds, 1),
            names=names,
            failure=outcome.failure,
            step=outcome.step,
            word=outcome.word,
            printed=tuple(
                {"name": name, "text": text}
                for name, text in zip(names, outcome.printed, strict=True)
            ),
        )

    def receive(self, letter: str, stream: Stream, length: int) -> None:
        """Write the file of a side, of so many bytes, to the folder.

        Raises:
            ModeldocsError: it is not expected, too large, incomplete, or there is no space for it.
        """
        side = self.comparison.sides[letter]
        with self._lock:
            if side.port or letter in self._sources or letter in self._receiving or not self.active:
                raise ModeldocsError("is not expected here", file=side.name, fix="start again")
            self._receiving.add(letter)
        try:
            path = self._write(letter, side, stream, length)
        except BaseException:
            self.stop()
            raise
        with self._lock:
            self._sources[letter] = OwnFile(
                name=self.comparison.names["ab".index(letter)],
                path=str(path),
                trusted=side.trusted,
                framework=side.framework,
                callable=side.callable,
                args=side.args,
                inputs=side.inputs,
            )
        self._start_if_complete()

    def _write(self, letter: str, side: ComparisonSide, stream: Stream, length: int) -> Path:
        if length > request.MAX_UPLOAD:
            raise request.too_large(side.name)
        if shutil.disk_usage(self.folder).free < length + SPARE_BYTES:
            raise ModeldocsError(
                f"the disk of {tempfile.gettempdir()} has no space for it",
                file=side.name,
                fix="free some space, or set TMPDIR to a folder on another disk",
            )
        path = self.folder / letter / side.name
        path.parent.mkdir()
        with path.open("xb") as target:
            while length and not self._stopped.is_set():
                part = stream.read(min(length, _PART))
                if not part:
                    raise ModeldocsError("did not arrive whole", file=side.name, fix="try again")
                target.write(part)
                length -= len(part)
                self._asked_at = time.monotonic()
        return path

    def _start_if_complete(self) -> None:
        with self._lock:
            if len(self._sources) < len(self.comparison.sides) or self._started is not None:
                return
            self._started = time.monotonic()
        plan = Plan(a=self._sources["a"], b=self._sources["b"], parity=self.comparison.parity)
        self._process.begin(plan)

    def _stage(self) -> str:
        try:
            return (self.folder / STAGE).read_text("utf-8")
        except OSError:
            return "starting" if self._started is not None else "waiting for the files"

    def stop(self) -> None:
        """Let it end soon, without a result if it has none yet."""
        self._stopped.set()

    def join(self) -> None:
        """Wait until it has ended and its folder is gone."""
        self._thread.join()

    def _follow(self) -> None:
        """Wait for the end of the process, keep what it wrote in memory, and delete the folder."""
        reason = "ended without a result; it may have run out of memory"
        while self._process.running:
            now = time.monotonic()
            if self._started is not None and now - self._started > MAX_SECONDS:
                reason = f"was stopped after {MAX_SECONDS:g} s"
            elif self._stopped.wait(0.1) or now - self._asked_at > UNATTENDED_SECONDS:
                reason = "was cancelled"
            else:
                continue
            self._process.end()
        self._ended = time.monotonic()
        try:
            self._outcome = self._read()
        except (OSError, msgspec.MsgspecError):
            fix = "compare the two with modeldocs diff on the command line"
            self._outcome = ComparisonOutcome(
                failure=Failure(reason=f"the comparison {reason}", fix=fix)
            )
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self) -> ComparisonOutcome:
        outcome = msgspec.json.decode((self.folder / OUTCOME).read_bytes(), type=ComparisonOutcome)
        if outcome.failure is None:
            self.files = {name: (self.folder / name).read_bytes() for name in (REPORT, DIFF)}
        return outcome
