"""Which callable of a Python file builds the network, told from its text."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import callables, entry_points

BASES = ("Chain", "Module")

FOUND = {
    "the only class": ("class Net(Chain): pass", "Net"),
    "a class that others are part of": (
        "class Block(Chain): pass\nclass Stack(Chain):\n    def build(self): self.b = Block()\n"
        "class Deep(Chain):\n    def build(self): self.s = Stack()",
        "Deep",
    ),
    "a class that derives from one of the file": (
        "class Base(Chain): pass\nclass Wide(Base): pass",
        "Wide",
    ),
    "a class beside its training": (
        "class Net(Chain): pass\ndef main():\n    net = Net()\n    net.train()\n"
        "if __name__ == '__main__':\n    main()",
        "Net",
    ),
    "a class beside a helper": (
        "def double(x):\n    return 2 * x\nclass Net(Chain):\n"
        "    def forward(self, x): return double(x)",
        "Net",
    ),
    "a function that makes the class": (
        "class Net(Chain): pass\ndef small():\n    return Net(3)",
        "small",
    ),
    "the only function": ("def small():\n    return Sequential()", "small"),
    "the name of the file": ("class Other(Chain): pass\nclass MyNet(Chain): pass", "MyNet"),
    "a conventional name": ("class Net(Chain): pass\ndef build():\n    return 3", "build"),
}


@pytest.mark.parametrize("case", FOUND)
def test_the_callable_that_stands_out_is_found(tmp_path, case):
    body, wanted = FOUND[case]
    file = tmp_path / "my_net.py"
    file.write_text(body)
    assert entry_points.find(file, "my_net", BASES) == wanted


def test_candidates_that_none_stands_out_of_are_listed(tmp_path):
    file = tmp_path / "nets.py"
    file.write_text(
        "class Block(Chain): pass\nclass A(Chain):\n    def build(self): return Block()\n"
        "class B(Chain): pass\ndef main():\n    A()"
    )
    with pytest.raises(ModeldocsError) as caught:
        entry_points.find(file, "nets", BASES)
    assert "(candidates: A, B)" in caught.value.reason
    assert "give one of them as nets.py:NAME" in str(caught.value.fix)


def test_without_a_candidate_a_name_is_proposed(tmp_path):
    file = tmp_path / "nets.py"
    file.write_text("first, second = 1, 2\n")
    with pytest.raises(ModeldocsError) as caught:
        entry_points.find(file, "nets", BASES)
    assert "(candidates: none)" in caught.value.reason
    assert "call it `model`, or give its name as nets.py:NAME" in str(caught.value.fix)


def test_arguments_that_a_callable_needs_are_named(tmp_path):
    def small(width, depth=3, *, classes): ...

    request = LoadRequest(root=str(tmp_path), module="nets")
    with pytest.raises(ModeldocsError, match="missing") as caught:
        callables.call(request, small)
    assert """--args '{"width": …, "classes": …}'""" in str(caught.value.fix)
