"""Full, read-only and strange places, other clocks and languages: the same bytes, or one message with the cure."""

import os
import shutil

import pytest

from tests.stress.conftest import (
    assert_same_bytes,
    build,
    chapters,
    everything,
    mounted,
    needs_mount,
    of_chapter,
    printed,
    survived,
    tried,
)
from tests.workflow.conftest import GIT, clone

CHAPTER = "laplace_lab"


def tmpfs(size):
    return ("-t", "tmpfs", "-o", f"size={size}", "tmpfs")


@pytest.fixture
def fresh(tmp_path):
    return clone(tmp_path / "thesis")


# --- disks --------------------------------------------------------------------------------------------------------


@needs_mount
@pytest.mark.parametrize("part", ["results", "figures", "thesis_tables", "logs"])
def test_a_disk_that_fills_up_while_the_run_writes(calm, fresh, part):
    """A disk of a few pages at one output folder: a message, nothing half-written; with space the run resumes."""
    expected = of_chapter(calm.outputs(), "laplace_lab")
    with mounted(fresh.folder / "tiny" / part, *tmpfs("4k")):
        done = fresh.snakemake("laplace_lab")
        words = printed(done)
        assert done.returncode != 0 and "No space left on device" in words, words
        assert not fresh.unfinished()
        found = fresh.outputs()
        assert all(found[name] == expected.get(name, found[name]) for name in found if found[name])
    done = fresh.make("laplace_lab")
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), expected)
    survived()


@needs_mount
def test_make_refuses_to_start_on_a_full_disk(fresh):
    with mounted(fresh.folder / "tiny", *tmpfs("100k")):
        done = fresh.make("laplace_lab")
    assert done.returncode == 1 and "space" in done.stderr and "Traceback" not in done.stderr
    survived()


@needs_mount
@pytest.mark.parametrize("part", ["tiny", "tiny/results", "tiny/figures", "tiny/logs"])
def test_a_read_only_disk(fresh, part):
    folder = fresh.folder / part
    with mounted(folder, *tmpfs("1m"), "-o", "ro"):
        made, plain = fresh.make("laplace_lab"), fresh.snakemake("laplace_lab")
    assert made.returncode == 1 and "cannot be written" in made.stderr and "Traceback" not in made.stderr
    assert plain.returncode != 0 and "Read-only" in printed(plain)
    assert not fresh.unfinished()
    survived(2)


@needs_mount
def test_a_read_only_repository_is_refused(tmp_path):
    house = clone(tmp_path / "thesis")
    with mounted(house.folder, "--bind", str(house.folder)):
        os.system(f"mount -o remount,ro,bind '{house.folder}'")
        done = house.make("laplace_lab")
    assert done.returncode == 1 and "cannot be written" in done.stderr and "Traceback" not in done.stderr
    survived()


@needs_mount
def test_a_read_only_home(calm, fresh, tmp_path):
    home = tmp_path / "home"
    with mounted(home, *tmpfs("1m"), "-o", "ro"):
        unset = {name: "" for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR")}
        done = fresh.make(CHAPTER, HOME=str(home), **unset)
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), of_chapter(calm.outputs(), CHAPTER))
    tried()


@needs_mount
def test_another_file_system_lists_files_in_another_order(calm, tmp_path):
    with mounted(tmp_path / "memory", *tmpfs("200m")) as memory:
        found = build(clone(memory / "thesis"))
        assert os.listdir(memory / "thesis/workflow/report/laplace_lab") != os.listdir(
            calm.folder / "workflow/report/laplace_lab"
        )
        assert_same_bytes(found, calm.outputs())
    tried()


# --- places -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        " two  spaces ",
        "réplica-ação-日本",
        'it\'s "quoted"',
        "a$HOME`b`;c&d|e",
        "(x) [y] 50% #1 *?",
        "-n back\\slash",
        "a:b=c,d",
        "long" * 40,
    ],
)
def test_a_difficult_folder_name(calm, tmp_path, name):
    house = clone(tmp_path / name)
    done = house.make("laplace_lab")
    assert done.returncode == 0, printed(done)
    assert_same_bytes(house.outputs(), of_chapter(calm.outputs(), "laplace_lab"))
    tried()


def test_a_folder_name_that_snakemake_cannot_take(tmp_path):
    house = clone(tmp_path / "{x}")
    done = house.make("laplace_lab")
    assert done.returncode == 1 and "Rename the folder" in printed(done) and "Traceback" not in printed(done)
    survived()


def test_a_folder_reached_by_a_symbolic_link(calm, fresh, tmp_path):
    (tmp_path / "link").symlink_to(fresh.folder)
    house = type(fresh)(tmp_path / "link")
    done = house.make("laplace_lab")
    assert done.returncode == 0, printed(done)
    assert_same_bytes(house.outputs(), of_chapter(calm.outputs(), "laplace_lab"))
    tried()


def test_a_moved_folder_makes_nothing_anew(calm, fresh, tmp_path):
    assert fresh.make("laplace_lab").returncode == 0
    moved = type(fresh)(tmp_path / "moved")
    fresh.folder.rename(moved.folder)
    assert moved.todo("publish_laplace_lab") == set()
    tried()


def test_a_folder_without_git(calm, fresh):
    """As unpacked from an archive."""
    shutil.rmtree(fresh.folder / ".git")
    done = fresh.make("laplace_lab")
    assert done.returncode == 0, printed(done)
    assert_same_bytes(fresh.outputs(), of_chapter(calm.outputs(), "laplace_lab"))
    tried()


# --- the machine's own settings -----------------------------------------------------------------------------------

MACHINES = {
    "one core, Tokyo, matplotlib's own settings": {
        "cores": 1,
        "PYTHONHASHSEED": "4294967295",
        "TZ": "Asia/Tokyo",
        "MPLBACKEND": "pdf",
        "MATPLOTLIBRC": "tests/stress/matplotlibrc",
    },
    "C without UTF-8, Marquesas, eight threads asked for": {
        **{"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "0", "TZ": "Pacific/Marquesas"},
        **{"OMP_NUM_THREADS": "8", "OPENBLAS_NUM_THREADS": "8", "MKL_NUM_THREADS": "8"},
    },
    "Turkish, another epoch, optimised Python": {
        **{"LC_ALL": "tr_TR.UTF-8", "SOURCE_DATE_EPOCH": "1", "TZ": "Pacific/Kiritimati"},
        **{"PYTHONOPTIMIZE": "1", "PYTHONDONTWRITEBYTECODE": ""},
    },
}


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
def test_the_machines_settings_change_no_byte(calm, fresh, machine):
    assert_same_bytes(build(fresh, **machine), calm.outputs())
    tried(len(machine))


def test_four_shards_umask_077_and_a_commit_of_the_run(calm, fresh):
    """Shards are said in the config and stand in no table."""
    path = fresh.folder / "tests/workflow/tiny.yaml"
    path.write_text("shards: 4\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    before = os.umask(0o077)
    try:
        found = build(fresh)
    finally:
        os.umask(before)
    assert_same_bytes(found, calm.outputs())
    assert fresh.run(*GIT, "commit", "-qam", "Four shards").returncode == 0
    assert fresh.todo(everything(fresh)) == set()
    tried(3)


def test_chapters_in_any_order(calm, fresh):
    """Chapters one by one, last first, then the rest."""
    for chapter in reversed(chapters()):
        assert fresh.snakemake(chapter).returncode == 0
    assert_same_bytes(build(fresh), calm.outputs())
    tried()
