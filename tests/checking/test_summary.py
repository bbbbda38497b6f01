"""The lines that end a run."""

import os

import pandas as pd

from dpthesis.checking.promote import promote
from dpthesis.checking.summary import made_line, run_summary, summary_lines
from dpthesis.checking.verification import verify

CLAIMS = (
    "id,source,measured,bounds,verdict,note\n"
    'a,000,0.95,"[0.9, 1]",reproduced,\n'
    'b,001,0.5,"[0.9, 1]",not reproduced,known\n'
    'c,own,0.6,"[0.9, 1]",not reproduced,\n'
    "d,004,,,not run,results/x.csv is not there\n"
)


def summed_up(run, name="thesis"):
    return run_summary(verify(run.root, run.verified, name, run.expected), chapter=None)


def test_a_good_run_is_summed_up_in_a_few_lines(run):
    run.write("results/claims.csv", CLAIMS)
    promote(run.root, run.verified, "thesis", run.expected, repository=run.repository)
    assert summed_up(run) == [
        "verification: passed, 10 files: 10 same",
        "claims: 1 of 4 hold (sources: 1 of 3; 0 with a note), 2 do not, 1 not run",
        "  not reproduced: b: measured 0.5, needed [0.9, 1] (known)",
        "  not reproduced: c: measured 0.6, needed [0.9, 1]",
        "  not run: d (results/x.csv is not there)",
        f"report: {run.root.as_posix()}/report/index.html",
    ]


def test_a_bad_run_is_called_failed_with_counts(run):
    promote(run.root, run.verified, "thesis", run.expected, repository=run.repository)
    run.edit("results/lab/lab.csv", "9.91", "9.92")
    (run.root / "results/lab/lab.txt").unlink()
    assert summed_up(run)[0] == "verification: FAILED, 10 files: 8 same, 1 differ, 1 missing"


def test_a_run_without_verified_folder_or_report_says_so(run):
    (run.root / "report/index.html").unlink()
    lines = summed_up(run, "tiny")
    assert "nothing was compared" in lines[0] and lines[-1] == "report: not made by this run"
    assert summed_up(run, "smoke")[0] == "verification: FAILED, 10 files: 10 missing"


def test_a_run_without_claims_says_so(run):
    (run.root / "results/claims.csv").unlink()
    assert summed_up(run)[1] == "claims: not judged"


def test_many_claims_that_were_not_run_are_counted_and_long_notes_cut(run):
    shared = {"source": "001", "measured": "", "bounds": "", "verdict": "not run", "note": "why " * 90}
    rows = [{"id": f"c{i}"} | shared for i in range(5)]
    verification = verify(run.root, run.verified, "tiny", run.expected).frame()
    lines = summary_lines(verification, pd.DataFrame(rows), run.root / "report/index.html")
    assert lines[1] == "claims: 0 of 5 hold (sources: 0 of 5; 0 with a note), 0 do not, 5 not run"
    assert [line.split(" (")[0] for line in lines[2:5]] == [f"  not run: c{i}" for i in range(3)]
    assert lines[5] == "  not run: 2 more, see results/claims.csv"
    assert all(line.endswith("why …)") and len(line) < 270 for line in lines[2:5])


def test_a_file_that_the_run_itself_made_is_told(run):
    files = ["figures/lab/error.pdf", "results/lab/lab.csv", "results/lab/lab.txt"]
    for file in files:
        os.utime(run.root / file, (1000, 1000))
    assert made_line(run.root, files, 2000) == ["made by this run before it compared: none of these files"]
    os.utime(run.root / files[1], (3000, 3000))
    (line,) = made_line(run.root, files, 2000)
    assert line == f"made by this run before it compared: 1 of 3 files: {(run.root / files[1]).as_posix()}"
    for file in files:
        os.utime(run.root / file, (3000, 3000))
    assert made_line(run.root, files, 2000) == ["made by this run before it compared: 3 of 3 files"]
    assert made_line(run.root, [], 2000) == []
    (run.root / files[0]).unlink()  # a missing file was made by nobody
    (line,) = made_line(run.root, files, 2000)
    assert "2 of 3 files" in line and line.index("lab.csv") < line.index("lab.txt")


def test_of_a_chapter_only_the_verification_is_told(run):
    verification = verify(run.root, run.verified, "tiny", run.expected)
    assert run_summary(verification, "lab") == ["chapter lab: nothing was compared, this run has no verified files"]
