"""Shared replicates: what was written is read, and damage is one sentence with the cure."""

import numpy as np
import pytest

from dpthesis.records.arrays import StoredArrays, read_arrays, write_arrays

ARRAYS = {"a|0": np.arange(12.0).reshape(3, 4), "a": np.array(["plug_in|none"])}


@pytest.fixture
def path(tmp_path):
    write_arrays(tmp_path / "fits_0.npz", ARRAYS)
    return tmp_path / "fits_0.npz"


def test_arrays_come_back(path):
    stored = StoredArrays(path)
    assert list(stored) == list(ARRAYS) and len(stored) == 2
    for found in (stored, read_arrays(path)):
        assert all(np.array_equal(found[name], values) for name, values in ARRAYS.items())


def read(path):
    return {name: values.tolist() for name, values in read_arrays(path).items()}


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", b"\x93NUMPY\x01\x00"])
def test_another_file_is_damaged(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="fits_0.npz is damaged; delete it and run again"):
        StoredArrays(path)


def test_wherever_a_byte_is_lost_or_changed_the_arrays_are_whole_or_the_damage_is_said(path):
    whole, expected = path.read_bytes(), read(path)
    said = 0
    for place in range(0, len(whole), 7):
        flipped = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        for content in (flipped, whole[:place]):
            path.write_bytes(content)
            try:
                assert read(path) == expected, place
            except ValueError as error:
                assert str(error) == f"{path} is damaged; delete it and run again"
                said += 1
    assert said > 100


def test_an_array_that_is_not_there_is_damage_too(path):
    with pytest.raises(ValueError, match="is damaged"):
        StoredArrays(path)["b"]


def test_a_missing_file_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        StoredArrays(tmp_path / "none.npz")
