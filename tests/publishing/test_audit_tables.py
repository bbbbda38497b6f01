"""The audit's tables and figures, made from small results: they fit a page and speak two languages."""

from importlib import import_module

import matplotlib.pyplot as plt
import pytest

from dpthesis.config import load_yaml
from dpthesis.experiments.audit_bounds import bounds
from dpthesis.experiments.audit_controls import controls, power
from dpthesis.experiments.audit_float import floating_point
from dpthesis.experiments.audit_rider import rider
from dpthesis.publishing import tables
from dpthesis.publishing.language import Speaker
from dpthesis.publishing.words import COMMON
from dpthesis.records.stamps import Stamp
from dpthesis.records.tables import read_table, write_table

CHAPTER = import_module("dpthesis.publishing.chapters.audit")


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    settings = load_yaml("tests/workflow/tiny.yaml")["audit"]
    broken = {key: settings["controls"][key] for key in ("error_rate", "mechanisms")}
    made = {
        "bounds": bounds(root_seed=1, **settings["bounds"]),
        "controls": controls(root_seed=1, trials=100, repeats=1, **broken),
        "power": power(root_seed=1, trials=[10, 100], repeats=2, **broken),
        "rider": rider(root_seed=1, **settings["rider"] | {"days": [1, 2, 3, 5]}),
        "float": floating_point(root_seed=1, **settings["float"]),
    }
    folder = tmp_path_factory.mktemp("results")
    for name, frame in made.items():
        write_table(folder / f"{name}.csv", frame)
    return {name: read_table(folder / f"{name}.csv") for name in made}


@pytest.mark.parametrize("language", ["en", "pt"])
def test_everything_is_published(frames, tmp_path, language):
    speaker, stamp = Speaker(language, COMMON, CHAPTER.WORDS), Stamp("1.0.0", 5, "abcd", "code")
    for table in CHAPTER.TABLES:
        tables.write(table, frames, tmp_path, "Caption.", speaker, stamp)
    for figure in CHAPTER.FIGURES:
        plt.close(figure.draw(frames, speaker))
    assert len(list(tmp_path.glob("*.tex"))) == len(CHAPTER.TABLES)
    assert "∞" in (tmp_path / "controls.md").read_text(encoding="utf-8")


def test_ex_post_claims_are_drawn_on_the_scale_of_the_others(frames):
    from dpthesis.publishing.chapters.audit_figures import share_of_claim

    shares = share_of_claim(frames["controls"])
    assert shares.notna().all() and (shares >= 0).all()
