import sys
from pathlib import Path

from dpthesis.checking.promote import PromoteError, promote

comparison = snakemake.params.comparison
expected = comparison["expected"]
stamps = [f"{file}.stamp.json" for file in expected if file.endswith(".csv")]
try:
    if comparison["language"] != "en":
        raise PromoteError("verified/ holds the English outputs; set language: en, run again, then promote")
    root, run = Path(comparison["root"]), comparison["run"]
    files = promote(root, Path("verified"), run, [*expected, *stamps], repository=Path("."))
except PromoteError as error:
    sys.exit(f"promote: {error}")
print(f"{len(files)} files are now verified/{run}; look at `git diff verified` and commit it", file=sys.stderr)
