"""Errors and warnings of MkDocs as a `ModeldocsError` and lines on the error stream."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click
import jinja2

from modeldocs.errors import ModeldocsError


@contextmanager
def as_errors(file: str | None = None) -> Iterator[None]:
    """Turn errors of MkDocs, of a plugin or of a template within the block into one sentence.

    Warnings are printed to the error stream at once. `file` is the file that errors are about.

    Raises:
        ModeldocsError: MkDocs stopped; with all errors that it logged before.
    """
    handler = _Handler(level=logging.WARNING)
    log = logging.getLogger("mkdocs")
    log.addHandler(handler)
    try:
        yield
    except click.ClickException as error:
        raise _cause(error) or _error(handler.errors or [error.format_message()], file) from None
    except jinja2.TemplateError as error:
        raise ModeldocsError(
            f"is not a valid template: {error.message}",
            file=getattr(error, "name", None) or "templates",
            line=getattr(error, "lineno", None),
            fix="correct it, or remove it to use the template of modeldocs",
        ) from None
    finally:
        log.removeHandler(handler)


def _cause(error: BaseException) -> ModeldocsError | None:
    """The `ModeldocsError` that made MkDocs stop, None where it was another error."""
    cause = error.__cause__ or error.__context__
    while cause is not None and not isinstance(cause, ModeldocsError):
        cause = cause.__cause__ or cause.__context__
    return cause


def _error(messages: list[str], file: str | None) -> ModeldocsError:
    """One error of several messages of MkDocs, each of which may have several lines."""
    return ModeldocsError(" ".join("; ".join(messages).split()), file=file)


class _Handler(logging.Handler):
    """Collects errors and prints warnings."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            self.errors.append(record.getMessage())
        else:
            click.echo(f"warning: {record.getMessage()}", err=True)
