"""Files on any file system that `fsspec` reaches, by the URL of their folder."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from typing import Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.tasks.store import PART

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SECRETS = re.compile(r"(?<=://)[^/@\s]*@|\?\S*")
_READ_ONLY = ("http", "https")
_RENAMING = ("file", "local", "sftp", "ssh")
"""Protocols of file systems on which a file being written is seen unfinished, but a rename not."""

_log = logging.getLogger("modeldocs")


def is_url(location: str) -> bool:
    """Whether a location is a URL, not a folder."""
    return _URL.match(location) is not None


class RemoteFiles:
    """The files below a URL."""

    def __init__(self, url: str) -> None:
        """Check that its protocol is known; it is not connected yet.

        Raises:
            ModeldocsError: fsspec, or the package that it needs for the protocol, is missing.
        """
        self.url = url
        self.protocol = _checked_protocol(url)
        self.shown = _SECRETS.sub("", url)
        """The URL without credentials."""
        self.read_only = self.protocol in _READ_ONLY
        self.unreadable = False
        """Whether nothing could be read at the last try."""
        self._told: set[str] = set()

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Content by path, without what is not there; an error is told, not raised."""
        if self.unreadable or not paths:
            return {}
        places: dict[str, str] = {}
        found: dict[str, Any]
        try:
            files, root = self._connected()
            places = {f"{root}/{path}": path for path in paths}
            found = files.cat(list(places), on_error="return")
        except FileNotFoundError:
            return {}
        except Exception as error:
            found = dict.fromkeys(paths, error)
        errors = [
            one
            for one in found.values()
            if isinstance(one, Exception) and not isinstance(one, FileNotFoundError)
        ]
        if errors:
            self.unreadable = len(errors) == len(paths)
            self.tell("read", errors[0], "what is missing is computed")
        return {places[one]: data for one, data in found.items() if isinstance(data, bytes)}

    def write(self, path: str, data: bytes) -> None:
        """Write a file, as a whole where the file system can do that.

        Raises:
            Exception: what the file system raises.
        """
        files, root = self._connected()
        whole = f"{root}/{path}"
        written = f"{whole}{PART}{os.urandom(4).hex()}" if self._renames else whole
        try:
            files.pipe_file(written, data)
        except FileNotFoundError:  # a file system with folders
            files.makedirs(whole.rpartition("/")[0], exist_ok=True)
            files.pipe_file(written, data)
        if written != whole:
            files.mv(written, whole)

    @property
    def _renames(self) -> bool:
        return self.protocol in _RENAMING

    def _connected(self) -> tuple[Any, str]:
        """The file system, which fsspec keeps, and the path of the store on it."""
        import fsspec

        files, root = fsspec.core.url_to_fs(self.url)
        return files, root.rstrip("/")

    def tell(self, what: str, error: Exception, so: str) -> None:
        """Tell once that the store cannot be read or written, without credentials."""
        if what not in self._told:
            self._told.add(what)
            reason = _SECRETS.sub("", f"{type(error).__name__}: {first_line(error)}")
            _log.warning("warning: the store %s cannot be %s: %s; %s", self.shown, what, reason, so)


def _checked_protocol(url: str) -> str:
    match = _URL.match(url)
    protocol = match[1].lower() if match is not None else "file"
    try:
        import fsspec
        from fsspec.registry import known_implementations
    except ImportError:
        raise ModeldocsError(
            "fsspec is not installed, which reads and writes stores at URLs",
            fix="pip install 'fsspec[http]'",
        ) from None
    try:
        fsspec.get_filesystem_class(protocol)
    except ImportError:
        known = known_implementations[protocol]["class"].partition(".")[0]
        package = known if known != "fsspec" else f"'fsspec[{protocol.removesuffix('s')}]'"
        raise ModeldocsError(
            f"a store at {protocol}:// needs a package that is not installed",
            fix=f"pip install {package}",
        ) from None
    except ValueError:
        raise ModeldocsError(
            f"{protocol}:// is no protocol that fsspec knows",
            fix="use one such as s3://, gs://, abfs://, sftp://, https:// or file://",
        ) from None
    return protocol
