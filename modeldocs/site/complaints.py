"""What MkDocs complains of, as one error of ours instead of its log and its own exceptions."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click
import jinja2

from modeldocs.errors import ModeldocsError


@contextmanager
def told(file: str | None = None) -> Iterator[None]:
    """Raise what MkDocs, a plugin or a template of one's own complains of as a sentence.

    Warnings go to the error stream as they come. `file` is what a complaint is about.

    Raises:
        ModeldocsError: with all errors that MkDocs logged before it gave up.
    """
    heard = _Heard(level=logging.WARNING)
    log = logging.getLogger("mkdocs")
    log.addHandler(heard)
    try:
        yield
    except click.ClickException as error:
        raise _own(error) or _error(heard.errors or [error.format_message()], file) from None
    except jinja2.TemplateError as error:
        raise ModeldocsError(
            f"is not a template that can be filled: {error.message}",
            file=getattr(error, "name", None) or "templates",
            line=getattr(error, "lineno", None),
            fix="correct it, or remove it to have the one that comes with modeldocs",
        ) from None
    finally:
        log.removeHandler(heard)


def _own(error: BaseException) -> ModeldocsError | None:
    """The error of ours that MkDocs gave up on, if it was one."""
    cause = error.__cause__ or error.__context__
    while cause is not None and not isinstance(cause, ModeldocsError):
        cause = cause.__cause__ or cause.__context__
    return cause


def _error(said: list[str], file: str | None) -> ModeldocsError:
    """MkDocs puts every error on lines of its own."""
    return ModeldocsError(" ".join("; ".join(said).split()), file=file)


class _Heard(logging.Handler):
    """Keeps errors, passes warnings on."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            self.errors.append(record.getMessage())
        else:
            click.echo(f"warning: {record.getMessage()}", err=True)
