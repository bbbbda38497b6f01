import sys
from pathlib import Path

from dpthesis.checking.promote import PromoteError, promote

comparison = snakemake.params.comparison
try:
    root, run = Path(comparison["root"]), comparison["run"]
    files = promote(root, Path("verified"), run, comparison["expected"], repository=Path("."))
except PromoteError as error:
    sys.exit(f"promote: {error}")
print(f"{len(files)} files are now verified/{run}; look at `git diff verified` and commit it", file=sys.stderr)
