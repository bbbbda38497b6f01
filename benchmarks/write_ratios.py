"""Write benchmarks/ratios.md: ratios and exponents only, all measured side by side in this one run."""

import os

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

from pathlib import Path  # noqa: E402

from benchmarks import growth, overhead, peers  # noqa: E402

PAGE = Path(__file__).with_name("ratios.md")
HEAD = """# Speed, as ratios

Written by `make benchmark`, everything measured side by side in one run, on one core with one BLAS thread. Both sides
of a ratio do the same task and are checked to agree first. Times are CPU seconds, the best of three rounds, or one
call where it takes more than two seconds; a ratio above 1 means that the peer needs so many times our time. No figure
here enters a result.
"""


def table(heads: tuple[str, ...], rows: list[tuple]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def compared() -> str:
    rows = []
    for task, peer, ratio in peers.ratios():
        print(f"{task}; {peer}: {ratio:.3g} times our time", flush=True)
        rows.append((task, peer, f"{ratio:.2g}" if ratio < 100 else f"{ratio:.0f}"))
    return "\n## Against peers\n\n" + table(("task", "peer", "peer's time / ours"), rows)


def grown() -> str:
    rows = []
    for task, unit, seconds, memory in growth.growths():
        print(f"{task}; {unit}: time^{seconds:.2f}, memory^{memory:.2f}", flush=True)
        rows.append((task, unit, f"{seconds:.2f}", f"{memory:.2f}"))
    heads = ("task", "grows with", "exponent of time", "exponent of memory")
    note = "\nThe fit is cost = c · size^exponent: 1 is linear, 0 does not grow.\n\n"
    return "\n## Growth\n" + note + table(heads, rows)


def spent() -> str:
    run = overhead.jobs()
    if run.empty:
        return "\n## The thesis run\n\nNot measured: logs/ holds no thesis run; `make reproduce` first.\n"
    shares = [(what, f"{share:.0%}") for what, share in overhead.shares(run, overhead.start_up())]
    rows = [
        (chapter, str(jobs), f"{share:.0%}", longest, f"{most:.0%}")
        for chapter, jobs, share, longest, most in overhead.chapters(run)
    ]
    heads = ("chapter", "jobs", "share of job time", "longest job", "its share")
    return "\n## The thesis run\n\n" + table(("share", ""), shares) + "\n" + table(heads, rows)


if __name__ == "__main__":
    PAGE.write_text(HEAD + compared() + grown() + spent(), encoding="utf-8", newline="\n")
    print(f"written: {PAGE.name}")
