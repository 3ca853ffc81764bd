"""The process that computes edits: `python -m modeldocs.site.serving.editing.worker FOLDER`.

It answers the messages on its standard input one after the other. When that closes, since the
server ended in any way, it stops and deletes the folder.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from pathlib import Path

import msgspec

from modeldocs import lazy_import
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site.serving import lifetime
from modeldocs.site.serving.editing import work
from modeldocs.site.serving.editing.work import EditWork, WorkDone


def main(folder: Path) -> None:
    """Answer until the input ends."""
    lifetime.limit_memory()
    lazy_import.defer_symbolic()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    with lifetime.deleted_if_stopped(folder):
        messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(messages,), daemon=True).start()
        from modeldocs.site.serving.editing import computing  # while the first message is written

        while True:
            done = _done(computing.compute, messages.get())
            work.send(answers, msgspec.msgpack.encode(done))


def _listen(messages: queue.SimpleQueue[bytes]) -> None:
    stream = os.fdopen(0, "rb", closefd=False)
    while (message := work.receive(stream)) is not None:
        messages.put(message)
    os.kill(os.getpid(), signal.SIGTERM)


def _done(compute: work.Compute, message: bytes) -> WorkDone:
    try:
        return WorkDone(content=compute(msgspec.msgpack.decode(message, type=EditWork)))
    except ModeldocsError as error:
        return WorkDone(failure=Failure.of(error))
    except Exception as error:
        return WorkDone(failure=Failure.of_defect(error, "the port and the edits"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
