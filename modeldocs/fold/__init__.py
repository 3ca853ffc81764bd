"""Folds: a graph as nested groups, so that one screen shows the whole of it."""

from __future__ import annotations

from modeldocs.fold.architecture import Architecture, Stage, architecture
from modeldocs.fold.description import describe
from modeldocs.fold.folding import fold
from modeldocs.fold.group import Group, Variation

__all__ = ["Architecture", "Group", "Stage", "Variation", "architecture", "describe", "fold"]
