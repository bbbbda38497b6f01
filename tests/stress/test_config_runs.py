"""Settings drawn from the schema, on real runs: what it admits runs, or ends in one clear error; the rest never starts.

Each example takes the tiny run, changes some settings of one chapter and makes that chapter.
"""

import copy
import random
from contextlib import suppress

import pytest
import yaml
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from dpthesis.config import ConfigError, load_yaml, validate
from dpthesis.settings.rules import check_settings
from tests.schema_values import JUNK, admitted, at, paths, schema_at
from tests.stress.conftest import chapters, printed, survived, tried
from tests.workflow.conftest import REPOSITORY, clone

SEED = 20260217
ADMITTED_A_CHAPTER = 2
REFUSED = 12
CONFIG = "tests/workflow/tiny.yaml"
SCHEMA = load_yaml(REPOSITORY / "workflow/schemas/config.schema.yaml")
TINY = load_yaml(REPOSITORY / CONFIG)
# A drawn count may cost this many times the tiny run's.
GROWTH = 2
QUIET = settings(phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck), derandomize=False)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    return clone(tmp_path_factory.mktemp("fuzzed") / "thesis")


def leaves(chapter):
    """Paths of a chapter's settings: values and whole lists."""
    found = [path for path in paths(TINY[chapter], (chapter,)) if isinstance(path[-1], str)]
    return [path for path in found if not isinstance(at(TINY, path), dict)]


def draw_value(path, draw):
    """Draw an admitted value; whole numbers stay within some times the tiny run's."""
    old = at(TINY, path)
    numbers = [value for value in (old if isinstance(old, list) else [old]) if isinstance(value, int)]
    most = GROWTH * max(numbers, default=1) + 1
    return example(admitted(schema_at(path, SCHEMA, SCHEMA), SCHEMA, most), draw)


def example(strategy, draw):
    """Draw one value from a strategy, decided by a seeded generator."""
    seen = []
    with suppress(NoSuchExample):  # a strategy of few values ends before it has given so many
        find(strategy, lambda value: seen.append(value) or len(seen) > 20, settings=QUIET, random=draw)
    return draw.choice(seen)


def write(house, config):
    (house.folder / CONFIG).write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")


def changed(draw, chapter):
    config = copy.deepcopy(TINY)
    for path in draw.sample(leaves(chapter), draw.choice([1, 1, 2, 3])):
        at(config, path[:-1])[path[-1]] = draw_value(path, draw)
    return config


@pytest.mark.parametrize("number", range(ADMITTED_A_CHAPTER))
@pytest.mark.parametrize("chapter", chapters())
def test_what_the_schema_admits_runs_or_ends_in_one_clear_error(house, chapter, number):
    draw = random.Random(f"{SEED}:{chapter}:{number}")
    config = changed(draw, chapter)
    validate(config, SCHEMA)
    write(house, config)
    done = house.snakemake(chapter)
    words = printed(done)
    assert "Traceback" not in words, (difference(config), words)
    if refused(config):
        assert done.returncode != 0 and "problem" in words and "Job stats" not in words, (difference(config), words)
    else:
        assert done.returncode == 0 or "was not made: " in words, (difference(config), words)
    assert not house.unfinished()
    tried()


def refused(config):
    """Say whether the rules between settings refuse the config before the first job."""
    try:
        check_settings(config, SCHEMA)
    except ConfigError:
        return True
    return False


def difference(config):
    """Name the changed settings."""
    return {
        ".".join(path): at(config, path)
        for path in map(tuple, paths_of_leaves(config))
        if at(TINY, path) != at(config, path)
    }


def paths_of_leaves(config):
    return [path for chapter in chapters() for path in leaves(chapter)]


def test_what_the_schema_does_not_admit_is_refused_before_the_first_job(house):
    draw, count = random.Random(SEED), 0
    before = None
    while count < REFUSED:
        chapter = draw.choice(chapters())
        path = draw.choice(leaves(chapter))
        config = copy.deepcopy(TINY)
        at(config, path[:-1])[path[-1]] = example(JUNK, draw)
        try:
            check_settings(config, SCHEMA)
        except ConfigError:
            count += 1
        else:
            continue
        write(house, config)
        before = before or house.outputs()
        done = house.snakemake(chapter)
        assert done.returncode != 0 and "problem" in printed(done) and path[0] in printed(done), printed(done)
        assert "Traceback" not in printed(done) and "Job stats" not in printed(done)
        assert house.outputs() == before
        survived()
