"""Diagrams of graphs: DOT, laid out by Graphviz in a process of its own."""

from __future__ import annotations

from modeldocs.diagram.drawing import Drawing, LevelDrawing, draw, draw_levels
from modeldocs.diagram.labels import COLOURS

__all__ = ["COLOURS", "Drawing", "LevelDrawing", "draw", "draw_levels"]
