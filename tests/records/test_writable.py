"""Folders that cannot be written are refused; looking makes none."""

import os

import pytest

from dpthesis.records.writable import Unwritable, check_files, check_writable


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


def test_the_cure_may_be_another(tmp_path):
    (tmp_path / ".cache").write_text("")
    with pytest.raises(Unwritable, match="folder .cache cannot.*Move it.$"):
        check_writable([".cache"], tmp_path, cure="Move it.")


def test_outputs_that_are_folders_or_dead_links_are_named_together_with_what_removes_them(tmp_path):
    (tmp_path / "fine").write_text("")
    (tmp_path / "link").symlink_to("fine")
    check_files(["fine", "link", "not there"], tmp_path)
    (tmp_path / "a folder").mkdir()
    (tmp_path / "dead").symlink_to("gone")
    with pytest.raises(Unwritable, match="^a folder and dead cannot be written.*: rm -rf 'a folder' dead$"):
        check_files(["fine", "a folder", "dead"], tmp_path)
