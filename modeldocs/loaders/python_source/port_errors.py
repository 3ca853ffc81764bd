"""What a port's own code raises, as errors that name its line."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

from modeldocs.errors import ModeldocsError, first_line, lines
from modeldocs.loaders import LiveRequest, LoadRequest
from modeldocs.loaders.python_source.own_files import OwnFiles

_WRAPPED = "Error encountered:"
"""The end of the line before the message of an exception that Keras wraps."""

_NO_MEMORY = re.compile(r"allocate memory|not enough memory|out of memory", re.I)

_NO_NETWORK = re.compile(
    r"name resolution|resolve host|failed to resolve|Name or service not known"
    r"|Network is unreachable|urlopen error|Max retries exceeded",
    re.I,
)

_ADDRESS = re.compile(r" at 0x[0-9a-f]+\b")


@contextlib.contextmanager
def located(request: LoadRequest, doing: str) -> Iterator[None]:
    """A block that runs a port's code, of which any exception becomes a `failure`.

    Raises:
        ModeldocsError: the port's code raised; errors of this kind stay as they are.
    """
    try:
        yield
    except ModeldocsError:
        raise
    except BaseException as error:
        raise failure(request, error, doing) from None


def failure(request: LoadRequest, error: BaseException, doing: str) -> ModeldocsError:
    """A port's exception as an error that names the innermost line of the port's own files.

    Raises:
        KeyboardInterrupt: it is one.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error
    frames = traceback.extract_tb(error.__traceback__)
    files = OwnFiles(request)
    own = [frame for frame in frames if frame.filename in files]
    file: str | None = request.source
    line = None
    if isinstance(error, SyntaxError) and str(error.filename) in files:
        file, line = request.relative(str(error.filename)), error.lineno
    elif own:
        file, line = request.relative(own[-1].filename), own[-1].lineno
    message = _message(error)
    if isinstance(error, ModuleNotFoundError) and error.name:
        reason, fix = _missing_module(request, error.name)
        return ModeldocsError(reason, file=file, line=line, fix=fix)
    if isinstance(error, PermissionError):
        fix = (
            "a port may read the model's folder and the shared ones of the catalog, and write to "
            "the temporary folder, no others"
        )
    elif isinstance(error, MemoryError) or _NO_MEMORY.search(message):
        fix = "raise `limits: {memory_mb: …}` of the port in model.yml, or build a smaller one"
    elif _NO_NETWORK.search("\n".join(lines(error))):
        fix = (
            "nothing is downloaded here: turn it off, as with `args: {pretrained: false}` of the "
            "port in model.yml, or keep the file beside the port"
        )
    elif isinstance(request, LiveRequest):
        fix = "call it with these inputs, correct it, and load it again"
    else:
        fix = "run the file on its own, correct it, and build again"
    return ModeldocsError(f"{doing} raised {message[:500]}", file=file, line=line, fix=fix)


def _message(error: BaseException) -> str:
    """An exception's type and the first line of its message, or of the one that Keras wrapped."""
    kind, message = type(error).__name__, first_line(error)
    text = lines(error)
    before = next((i for i, line in enumerate(text) if line.endswith(_WRAPPED)), len(text))
    if before + 1 < len(text):
        message = text[before + 1][:300]
    elif message.endswith(":"):
        message = " ".join(text[:2])[:300]
    return f"{kind}: {_same_everywhere(message)}" if message else kind


def _same_everywhere(message: str) -> str:
    """A message without what differs from run to run: addresses of objects, the empty home."""
    message = _ADDRESS.sub("", message)
    home = os.environ.get("HOME")
    return message.replace(home, "~") if home and home != os.sep else message


def _missing_module(request: LoadRequest, module: str) -> tuple[str, str]:
    """The reason and the fix of the error for a module that cannot be found."""
    package = module.partition(".")[0]
    if module != package and importlib.util.find_spec(package) is not None:
        return (
            f"imports {module}, which the installed {package} does not have",
            f"correct the import, or list the version of {package} that has it in `environment:` "
            "of the port in model.yml",
        )
    reason = f"imports {package}, which is not installed"
    if package[0] != "_" and Path(request.root).with_name(package).is_dir():
        return reason, (
            f"if it is the folder {package} of the catalog, rename it to _{package}: ports share "
            f"those that begin with _, and no others; else install {package}"
        )
    return (
        reason,
        f"install {package}, list it in `environment:` of the port in "
        "model.yml, or keep the file it comes from beside the port",
    )
