"""Reductions over axes in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators.reductions import Reductions
from modeldocs.generators.site import Lowering
from modeldocs.generators.syntax import call


def _written(source: ast.expr, name: str, axis: object, keep: bool) -> ast.expr:
    return call(f"ops.{name}", source, axis=axis, keepdims=keep)


_OPS = Reductions("ops", "Keras", _written)

TABLE: dict[str, Lowering] = _OPS.table(lambda site: _OPS.over(site, "logsumexp", site.data()))
