"""Names of the source become names of Python."""

from __future__ import annotations

import pytest

from modeldocs.generators import identifier


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("layer1.0.conv1", "layer1_0_conv1"),
        ("0_bn", "bn_0"),
        ("3x3_reduce", "reduce_3x3"),
        ("7", "conv_7"),
        ("class", "class_"),
        ("/", "conv"),
    ],
)
def test_a_variable_begins_with_a_letter(name: str, expected: str) -> None:
    assert identifier.variable(name, "conv") == expected


def test_what_all_names_begin_with_is_a_name_of_its_own() -> None:
    names = ["stage1_unit2_bn1", "stage1_unit2_conv1"]
    assert identifier.without_prefix(names) == ("stage1_unit2", ["bn1", "conv1"])
    assert identifier.without_prefix(["unit_bn", "unit"]) == ("", ["unit_bn", "unit"])
    assert identifier.without_prefix(["res2a_branch1", "bn2a_branch1"])[0] == ""
