"""The process that computes edits, from the server's side; its own side is `worker`."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import msgspec

from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site.serving.editing import work
from modeldocs.site.serving.editing.work import EditWork, WorkDone

MAX_SECONDS = 120.0
"""Time of one answer."""

MAX_WAITING = 4
"""Requests that wait for an answer at the same time: one process gives them, one by one."""

IDLE_SECONDS = 600.0
"""Time after which a process that nobody asks ends; the next request starts another."""

_STOP_SECONDS = 10.0


class BusyError(ModeldocsError):
    """No further request can be taken now."""


class EditProcess:
    """A process that computes edits, started when it is first asked; it ends with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = threading.BoundedSemaphore(MAX_WAITING)
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self._idle: threading.Timer | None = None
        self._closed = False

    def ask(self, wanted: EditWork) -> bytes:
        """What is computed.

        Raises:
            BusyError: others wait already.
            ModeldocsError: it cannot be computed, with place, reason and fix.
        """
        if not self._waiting.acquire(blocking=False):
            raise BusyError(
                f"{MAX_WAITING} requests wait for their answers already",
                fix="wait until they have them, and try again",
            )
        try:
            with self._lock:
                done = self._ask(wanted)
        finally:
            self._waiting.release()
        if done.failure is not None:
            raise done.failure.error()
        return done.content

    def _ask(self, wanted: EditWork) -> WorkDone:
        if self._closed:
            return WorkDone(failure=Failure(reason="the server ends", fix="start it again"))
        if self._idle is not None:
            self._idle.cancel()
        process = self._process = self._running() or self._start()
        assert process.stdin is not None and process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(MAX_SECONDS, stop)
        timer.start()
        answer: bytes | None = None
        try:
            with contextlib.suppress(OSError):
                work.send(process.stdin, msgspec.msgpack.encode(wanted))
                answer = work.receive(process.stdout)
        finally:
            timer.cancel()
        if answer is not None:
            self._idle = threading.Timer(IDLE_SECONDS, self._end_if_idle)
            self._idle.daemon = True
            self._idle.start()
            return msgspec.msgpack.decode(answer, type=WorkDone)
        self._end()
        how = f"was stopped after {MAX_SECONDS:g} s" if late.is_set() else "ended without an answer"
        return WorkDone(
            failure=Failure(
                reason=f"the process that computes edits {how}; it may have run out of memory",
                fix="undo the last edit, or use modeldocs edit on the command line",
            )
        )

    def _running(self) -> subprocess.Popen[bytes] | None:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        folder = self._folder = Path(tempfile.mkdtemp(prefix="modeldocs-edit-")).resolve()
        (folder / "tmp").mkdir()
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "modeldocs.site.serving.editing.worker", str(folder)],
            env=os.environ | {"TMPDIR": str(folder / "tmp")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def _end_if_idle(self) -> None:
        if self._lock.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._lock.release()

    def _end(self) -> None:
        """Close its pipe, at which it ends; kill it where it does not; delete its folder."""
        process, folder = self._process, self._folder
        self._process = self._folder = None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """End it, and start none again; what it computes is stopped."""
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        process = self._process
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError):
                process.terminate()  # a request that waits for it holds the lock
        with self._lock:
            self._end()
