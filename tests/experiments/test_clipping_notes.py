"""Numbers quoted in the notes of the clipping claims, from the table that the thesis settings give."""

import re
from pathlib import Path

import pytest
import yaml

from dpthesis.checking.measures import share_significant, u_shape
from dpthesis.config import load_yaml
from dpthesis.experiments.clipping import clipping


@pytest.fixture(scope="module")
def notes():
    claims = {row["id"]: row["note"] for row in load_yaml("config/claims.yaml")["claims"] if "note" in row}
    portuguese = yaml.safe_load(Path("workflow/report/claims.pt.yaml").read_text("utf-8"))
    return lambda name: (claims[name], portuguese[name]["note"].replace(",", "."))


@pytest.fixture(scope="module")
def table():
    """The thesis's own exponential rows (same streams), and a tenth of its Poisson replicates; about 8 CPU seconds."""
    config = load_yaml("config/config.yaml")
    settings = config["exponential_families"]["clipping"]
    poisson = settings["poisson"] | {"replicates": 250}
    return clipping(root_seed=config["root_seed"], **(settings | {"data": ["exponential"], "poisson": poisson}))


def test_the_rate_is_u_shaped_in_the_curves_that_the_note_counts(notes, table):
    rows = table[(table.target == "rate") & (table.method == "plug_in")]
    curves = {key: u_shape(part.astype(str), "bias").value for key, part in rows.groupby(["n", "epsilon"])}
    flat = sorted(key for key, holds in curves.items() if not holds)
    last = rows[(rows.n == 200) & (rows.epsilon == 0.5) & (rows.radius == 32)].iloc[0]
    for note in notes("expfam.clipping.u-shape.bias"):
        named = [(int(n), float(e)) for n, e in re.findall(r"n = (\d+)[,.] \w+ ([\d.]*\d)", note)]
        assert named == flat and len(curves) == 8
        assert int(re.search(r"(\d) (?:U-shaped|em forma)", note)[1]) == sum(curves.values())
        failed, replicates = map(int, re.search(r"(\d+) (?:of|de) (\d+) (?:replicates|réplicas)", note).groups())
        assert (failed, replicates) == (last.failed, last.replicates)


def test_naive_is_not_beaten_by_any_reading_of_the_bias(notes, table):
    """144 and 36 pairs; with fewer replicates fewer differences are significant, so that a share may only fall."""
    rows = table[table.target == "poisson"].astype(str)
    shares = [
        share_significant(rows[rows.parameter != "mean"], "bias", "plug_in", "naive").value,
        share_significant(rows[rows.parameter == "mean"], "rms_bias", "plug_in", "naive").value,
    ]
    for note in notes("expfam.clipping.beats-naive"):
        quoted = [float(number) for number in re.findall(r"0\.\d\d", note)]
        assert all(share <= limit + 0.05 and limit < 0.5 for share, limit in zip(shares, quoted, strict=True))
