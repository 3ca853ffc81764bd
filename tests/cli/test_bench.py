"""`modeldocs bench run`: what it refuses before it measures anything."""

from __future__ import annotations


def test_a_port_that_is_not_there(folder, refused):
    assert "did you mean net/caffe?" in refused("bench", "run", "net/cafe")


def test_no_catalog(tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    assert "the catalog's folder does not exist" in refused("bench", "run", "net/caffe")


def test_a_batch_of_none(folder, refused):
    assert "0 is not in the range x>=1" in refused("bench", "run", "net/caffe", "--batch", "0")
