"""Fork servers of this process: at most one idle one for each interpreter and set of packages.

Runs of an interpreter that name nothing but modules of modeldocs share one, which imports for each
what it lacks: they have most of their imports in common. Keras and TensorFlow share that of their
environment.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from modeldocs.isolation.forkserver import IMPORT, RUN
from modeldocs.isolation.watch import RunWatch

_BOOTSTRAP = Path(__file__).with_name("bootstrap.py")
_START_SECONDS = 120.0
"""Time that a server may take to import its packages."""
MAX_IDLE = 6
"""Idle servers that are kept; each holds its packages in memory."""

_OURS = "modeldocs."
_Key = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]
"""An interpreter, what only this server imports, and environment variables."""


class NoServerError(Exception):
    """A server cannot be started, or cannot fork safely."""


class _ServerDiedError(Exception):
    """The server ended."""


class ForkServer:
    """A server: an interpreter that has imported packages, and the pipes to it."""

    def __init__(self, python: str, variables: dict[str, str]) -> None:
        """Start it; what a run needs has to be imported before it."""
        self.home = tempfile.mkdtemp(prefix="modeldocs-server-")
        self.process = subprocess.Popen(
            [python, "-P", str(_BOOTSTRAP), "--serve"],
            cwd=self.home,
            env={**variables, "HOME": self.home, "TMPDIR": self.home},
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.imported: set[str] = set()
        self._buffer = b""

    def import_all(self, preload: Sequence[str]) -> None:
        """Import what it has not imported yet, and wait for it.

        Raises:
            NoServerError: it ended, or what it imported started threads, whose locks would be held
                in a forked process.
        """
        lacking = [name for name in preload if name not in self.imported]
        if not lacking:
            return
        try:
            self._send(f"{IMPORT} {' '.join(lacking)}")
            ready = self._line(time.monotonic() + _START_SECONDS)
        except _ServerDiedError:
            ready = None
        if ready != "ready":
            raise NoServerError
        self.imported.update(lacking)

    def run(self, folder: Path, watch: RunWatch) -> int | None:
        """The exit status of a run in `folder`; None where its time was up, after it was killed.

        Raises:
            _ServerDiedError: the server ended, or could not fork in time.
        """
        self._send(f"{RUN} {folder}")
        child = self._line(time.monotonic() + _START_SECONDS)
        if child is None:
            raise _ServerDiedError
        for moment in watch.moments(int(child)):
            status = self._line(moment)
            if status is not None:
                return int(status)
        _kill(int(child))
        if self._line(time.monotonic() + _START_SECONDS) is None:
            raise _ServerDiedError
        return None

    def _send(self, line: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        except OSError:
            raise _ServerDiedError from None

    def _line(self, deadline: float) -> str | None:
        """The next line of the server; None where there is none in time.

        Raises:
            _ServerDiedError: the server ended.
        """
        assert self.process.stdout is not None
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 4096)
            if not data:
                raise _ServerDiedError
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    def kill(self) -> None:
        """Kill it; Linux ends with it what it runs."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it, and whatever it runs."""
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        shutil.rmtree(self.home, ignore_errors=True)


def _kill(child: int) -> None:
    """Kill a run with what it started; it leads no group yet where it was kept from beginning."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(child, signal.SIGKILL)


class _Servers:
    """Servers of the process that started them: those that wait for a run, the longest idle first,
    and those that are busy with one.
    """

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.idle: list[tuple[_Key, ForkServer]] = []
        self.busy: set[ForkServer] = set()
        self.unusable: set[_Key] = set()
        self.lock = threading.Lock()

    def take(self, key: _Key) -> ForkServer | None:
        """An idle server of that key, if there is one, which is busy from now on."""
        with self.lock:
            for index, (one, server) in enumerate(self.idle):
                if one == key and server.process.poll() is None:
                    del self.idle[index]
                    self.busy.add(server)
                    return server
        return None

    def add(self, server: ForkServer) -> ForkServer:
        """Count a server as busy."""
        with self.lock:
            self.busy.add(server)
        return server

    def put(self, key: _Key, server: ForkServer) -> None:
        """Keep a busy server for the next run, and end those that are too many."""
        with self.lock:
            self.busy.discard(server)
            self.idle.append((key, server))
            surplus = self.idle[:-MAX_IDLE]
            del self.idle[:-MAX_IDLE]
        for _, old in surplus:
            old.close()

    def end(self, server: ForkServer) -> None:
        """End a busy server."""
        with self.lock:
            self.busy.discard(server)
        server.close()

    def close(self) -> None:
        """End the idle servers, and kill the busy ones, which the threads that use them notice."""
        if self.owner == os.getpid():
            with self.lock:
                idle, self.idle = self.idle, []
                for server in self.busy:
                    server.kill()
            for _, server in idle:
                server.close()


_servers = _Servers()


def available() -> bool:
    """Whether this system has what fork servers need."""
    return sys.platform.startswith("linux") and hasattr(os, "pidfd_open")


def run(
    folder: Path, watch: RunWatch, python: str, preload: Sequence[str], variables: dict[str, str]
) -> int | None:
    """The exit status of a run by a server; None where its time was up.

    Raises:
        NoServerError: no server can be started that could run it.
    """
    global _servers
    if _servers.owner != os.getpid():  # forked: the servers are the parent's
        _servers = _Servers()
    asked = (python, tuple(preload), tuple(sorted(variables.items())))
    if asked in _servers.unusable:
        raise NoServerError
    server = _prepared(asked, variables)
    try:
        status = server.run(folder, watch)
    except _ServerDiedError:  # by the run, which is the only one that it had
        _servers.end(server)
        return -signal.SIGKILL
    except BaseException:
        _servers.end(server)
        raise
    _servers.put(_shared(asked), server)
    return status


def _shared(asked: _Key) -> _Key:
    """The key of the server for a run: our own modules are imported by one for all of them."""
    python, preload, variables = asked
    ours = all(name.startswith(_OURS) for name in preload)
    return (python, () if ours else preload, variables)


def _prepared(asked: _Key, variables: dict[str, str]) -> ForkServer:
    """A busy server that has imported what is asked for.

    Raises:
        NoServerError: none can be started, or it cannot fork once it has imported that.
    """
    server = _servers.take(_shared(asked))
    if server is None:
        try:
            server = _servers.add(ForkServer(asked[0], variables))
        except OSError:  # the system may have room for one later
            raise NoServerError from None
    try:
        server.import_all(asked[1])
    except NoServerError:
        _servers.end(server)
        _servers.unusable.add(asked)
        raise
    except BaseException:
        _servers.end(server)
        raise
    return server


def close() -> None:
    """End the servers of this process, and the runs of those that are busy."""
    _servers.close()


atexit.register(close)
