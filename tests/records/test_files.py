"""A file is there whole or not at all."""

import os

import pytest

from dpthesis.records.files import replacing, sha256, write_text


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "t.csv"
    write_text(path, "old\n")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old\n"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_the_folder_is_made_and_the_umask_kept(tmp_path):
    old = os.umask(0o077)
    try:
        write_text(tmp_path / "a" / "b.txt", "é\n")
    finally:
        os.umask(old)
    assert (tmp_path / "a" / "b.txt").stat().st_mode & 0o777 == 0o600
    # sha256 of the UTF-8 bytes of "é\n", by the command sha256sum
    assert sha256(tmp_path / "a" / "b.txt") == "edd3a863872a04239eb29ad4bc12fc892b3d4ae57cc7e786a3697816f8e141c2"
