"""The lines that end a run."""

import io

from dpthesis.checking.promote import promote
from dpthesis.checking.summary import summary_lines
from dpthesis.checking.tables import read_table
from dpthesis.checking.verification import verify

CLAIMS = read_table(
    io.StringIO(
        "id,measured,bounds,verdict,note\n"
        'a,0.95,"[0.9, 1]",reproduced,\n'
        'b,0.5,"[0.9, 1]",not reproduced,known\n'
        'c,0.6,"[0.9, 1]",not reproduced,\n'
        "d,,,not run,results/x.csv is not there\n"
    )
)


def summary(run, name="thesis", claims=CLAIMS):
    verification = verify(run.root, run.verified, name, run.expected)
    return summary_lines(verification, claims, report=run.root / "report/index.html")


def test_a_good_run_is_summed_up_in_a_few_lines(run):
    promote(run.root, run.verified, "thesis", run.expected, repository=run.repository)
    assert summary(run) == [
        f"verification: passed, 10 files against {run.verified.as_posix()}/thesis: 10 same",
        "claims: 4, of which 1 reproduced, 0 reproduced with a note, 2 not reproduced, 1 not run",
        "  not reproduced: b: measured 0.5, needed [0.9, 1] (known)",
        "  not reproduced: c: measured 0.6, needed [0.9, 1]",
        f"report: {run.root.as_posix()}/report/index.html",
    ]


def test_a_bad_run_is_called_failed_with_counts(run):
    promote(run.root, run.verified, "thesis", run.expected, repository=run.repository)
    run.edit("results/lab/lab.csv", "9.91", "9.92")
    (run.root / "results/lab/lab.txt").unlink()
    assert "FAILED, 10 files against" in summary(run)[0]
    assert summary(run)[0].endswith(": 8 same, 1 differ, 1 missing")


def test_a_run_without_verified_folder_claims_or_report_says_so(run):
    (run.root / "report/index.html").unlink()
    lines = summary(run, "tiny", claims=None)
    assert "nothing was compared" in lines[0] and lines[1:] == ["report: not made by this run"]
    assert "FAILED" in summary(run, "smoke")[0] and "does not exist" in summary(run, "smoke")[0]
