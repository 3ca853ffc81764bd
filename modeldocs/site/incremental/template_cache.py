"""Compiled templates, kept for the next build of this process.

MkDocs makes a new environment for each build, which would compile each template of the theme again:
a quarter of a second, in which the page that was edited is waited for.
"""

from __future__ import annotations

from collections.abc import Hashable
from types import CodeType

from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket


def keep(environment: Environment) -> None:
    """Let an environment take the templates that equal ones have compiled, and keep its own."""
    if environment.bytecode_cache is None:
        environment.bytecode_cache = _OfProcess(environment)


class _OfProcess(BytecodeCache):
    """The code of templates, with the digest of the source that it was compiled from."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def load_bytecode(self, bucket: Bucket) -> None:
        """Set the code of a template, where it is known."""
        checksum, code = _codes.get(self._key(bucket), (None, None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template, in place of that of its source before."""
        _codes[self._key(bucket)] = bucket.checksum, bucket.code

    def _key(self, bucket: Bucket) -> Hashable:
        """The template, and what decides its code: filters of constants are called once."""
        of = self.environment
        settings = (of.lexer, of.sandboxed, of.autoescape, of.finalize, of.undefined)
        called = (frozenset(of.filters.items()), frozenset(of.tests.items()))
        return bucket.key, settings, called, (*of.extensions,)


_codes: dict[Hashable, tuple[str, CodeType | None]] = {}
