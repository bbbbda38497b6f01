"""Folders that cannot be written are refused; looking makes none."""

import os

import pytest

from dpthesis.records.writable import Unwritable, check_writable


def test_folders_that_are_there_or_can_be_made_pass_and_none_is_made(tmp_path):
    (tmp_path / "results").mkdir()
    check_writable(["results", "figures/a/b"], tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["results"]


@pytest.mark.parametrize("folder", ["results", "results/lab/deep"])
def test_a_file_in_the_place_of_a_folder_is_named(folder, tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(Unwritable, match=f"folder {folder} cannot be written .a file is in its place.*output_root"):
        check_writable([folder], tmp_path)


def test_a_link_that_leads_nowhere_is_refused(tmp_path):
    (tmp_path / "results").symlink_to(tmp_path / "gone")
    with pytest.raises(Unwritable, match="results"):
        check_writable(["results/lab"], tmp_path)


def test_a_folder_without_rights_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root has all rights
    with pytest.raises(Unwritable, match="Permission denied.*Make it a folder that you may write to"):
        check_writable(["results"], tmp_path)
