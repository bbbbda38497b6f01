"""How the user who runs this starts Snakemake: with the environment that make made, or with one of their own."""

from __future__ import annotations

import sys
from pathlib import Path

#: Where `make` puts its environment, below the repository's folder.
ENVIRONMENT = Path(".venv")

#: Run -> what a Snakemake command of it needs besides its target, with a space before it. The real run is laid over
#: config.yaml, the others stand for themselves.
RUN_OPTIONS = {
    "thesis": "",
    "smoke": " --replace-workflow-config --configfile config/smoke.yaml",
    "tiny": " --replace-workflow-config --configfile tests/workflow/tiny.yaml",
    "real": " --configfile config/real_data.yaml",
}


def snakemake_command() -> str:
    """Return ``.venv/bin/snakemake`` if this Python is that of make's environment, else ``snakemake`` (conda).

    The present folder must be the repository's.
    """
    of_make = ENVIRONMENT.is_dir() and ENVIRONMENT.samefile(sys.prefix)
    return f"{ENVIRONMENT.as_posix()}/bin/snakemake" if of_make else "snakemake"
