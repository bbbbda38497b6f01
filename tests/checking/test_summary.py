"""The lines that end a run."""

from dpthesis.checking.promote import promote
from dpthesis.checking.summary import run_summary
from dpthesis.checking.verification import verify

CLAIMS = (
    "id,measured,bounds,verdict,note\n"
    'a,0.95,"[0.9, 1]",reproduced,\n'
    'b,0.5,"[0.9, 1]",not reproduced,known\n'
    'c,0.6,"[0.9, 1]",not reproduced,\n'
    "d,,,not run,results/x.csv is not there\n"
)


def summed_up(run, name="thesis"):
    return run_summary(verify(run.root, run.verified, name, run.expected), chapter=None)


def test_a_good_run_is_summed_up_in_a_few_lines(run):
    run.write("results/claims.csv", CLAIMS)
    promote(run.root, run.verified, "thesis", run.expected, repository=run.repository)
    assert summed_up(run) == [
        "verification: passed, 10 files: 10 same",
        "claims: 4, of which 1 reproduced, 0 reproduced with a note, 2 not reproduced, 1 not run",
        "  not reproduced: b: measured 0.5, needed [0.9, 1] (known)",
        "  not reproduced: c: measured 0.6, needed [0.9, 1]",
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


def test_of_a_chapter_only_the_verification_is_told(run):
    verification = verify(run.root, run.verified, "tiny", run.expected)
    assert run_summary(verification, "lab") == ["chapter lab: nothing was compared, this run has no verified files"]
