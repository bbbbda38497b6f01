"""Cores, folders, commits, umask, time zone, language of the system and hash seed change no byte."""

import os

from tests.workflow.conftest import GIT, clone


def test_one_and_two_cores_another_folder_and_a_commit(built, house):
    old = os.umask(0o077)
    done = house.snakemake("laplace_lab", cores=1, PYTHONHASHSEED="1", TZ="Asia/Tokyo", LC_ALL="C")
    os.umask(old)
    assert done.returncode == 0, done.stdout + done.stderr
    assert house.outputs() == built.outputs()


def test_a_commit_in_between(built, tmp_path):
    other = clone(tmp_path / "second")
    assert other.snakemake("laplace_lab_lab").returncode == 0
    assert other.run(*GIT, "commit", "--allow-empty", "-qm", "Nothing").returncode == 0
    assert other.snakemake("laplace_lab").returncode == 0
    assert other.outputs() == built.outputs()
