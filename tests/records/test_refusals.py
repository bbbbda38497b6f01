"""One sentence for what a user can cure; a traceback for what only we can."""

import errno
import os
import subprocess
import sys
import traceback

import pytest

from dpthesis.records.digests import SOURCE
from dpthesis.records.refusals import refusal
from dpthesis.settings.rule_kinds import _nearest
from dpthesis.streams import shard_blocks

SCRIPT = """
import sys
from types import SimpleNamespace
from dpthesis.records.jobs import Job
from dpthesis.streams import shard_blocks

class Params(dict):
    pass

params = Params(version="1", settings={{}}, code="0")
job = Job(SimpleNamespace(params=params, output=["table.csv"], log=["job.log"]))
{line}
"""


def caught(function):
    with pytest.raises(Exception) as info:
        function()
    return info.value, info.tb


def test_our_own_value_errors_are_sentences():
    error, trace = caught(lambda: shard_blocks(10, 5, 3, 2))
    assert refusal(error, trace) == str(error)


def test_what_is_raised_from_c_in_our_lines_is_not():
    """The least of no values is ours to mend, and its words are Python's."""
    error, trace = caught(lambda: _nearest(1.0, []))
    assert type(error) is ValueError and traceback.extract_tb(trace)[-1].filename == _nearest.__code__.co_filename
    assert refusal(error, trace) is None


@pytest.mark.parametrize("function", [lambda: int("x"), lambda: {}["x"], lambda: 1 / 0])
def test_other_errors_are_not(function):
    assert refusal(*caught(function)) is None


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_full_or_forbidden_disk_is_a_sentence_with_its_cure(number):
    words = refusal(OSError(number, "No luck", "results/table.csv"), None)
    assert "No luck (results/table.csv)" in words and "run again" in words


@pytest.mark.parametrize(
    ("line", "with_traceback"), [("shard_blocks(10, 5, 3, 2)", False), ("raise KeyError('nothing we foresaw')", True)]
)
def test_a_job_ends_so_and_keeps_it_in_its_log(line, with_traceback, tmp_path):
    command, environment = [sys.executable, "-c", SCRIPT.format(line=line)], {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert ("Traceback" in done.stderr) == with_traceback
    assert done.stderr.startswith("table.csv was not made: ") != with_traceback
    assert (tmp_path / "job.log").read_text().strip() in done.stderr
