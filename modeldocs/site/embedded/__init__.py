"""Diagrams, tables and figures of the catalog in a project's own pages: `{{ diagram("a/b") }}`."""

from modeldocs.site.embedded.page import Embedding, embed

__all__ = ["Embedding", "embed"]
