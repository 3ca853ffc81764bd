"""Resampling to the size that the input has: the identity, or not quite."""

from __future__ import annotations

import numpy as np
import pytest

from .nets import Net

GRID = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
BY_SIZE = """net (float[1,2,5,7] x) => (y) {{
  r = Resize <mode = "{mode}", coordinate_transformation_mode = "{grid}"{more}> (x, , , sizes)
  y = Tanh (r)
}}"""
BY_SCALE = """net (float[1,2,5,7] x) => (y) {
  r = Resize <mode = "linear"> (x, , scales)  y = Tanh (r)
}"""


@pytest.mark.parametrize("grid", GRID)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resizing_to_the_same_size_is_no_layer(mode: str, grid: str):
    net = Net(BY_SIZE.format(mode=mode, grid=grid, more=""), 19, sizes=np.array([1, 2, 5, 7]))
    assert net.layers() == ["Tanh"]


def test_it_is_none_with_antialiasing_either():
    text = BY_SIZE.format(mode="cubic", grid="half_pixel", more=", antialias = 1")
    assert Net(text, 19, sizes=np.array([1, 2, 5, 7])).layers() == ["Tanh"]


def test_coordinates_of_half_a_pixel_aside_are_kept():
    text = BY_SIZE.format(mode="nearest", grid="tf_half_pixel_for_nn", more="")
    assert Net(text, 19, sizes=np.array([1, 2, 5, 7])).layers() == ["Resize", "Tanh"]


def test_a_scale_of_a_little_more_is_kept():
    scales = np.array([1, 1, 1.1, 1.1], np.float32)
    assert Net(BY_SCALE, 19, scales=scales).layers() == ["Resize", "Tanh"]


def test_a_scale_of_one_is_none():
    assert Net(BY_SCALE, 19, scales=np.ones(4, np.float32)).layers() == ["Tanh"]
