"""Edited, truncated and deleted outputs, verified files, manifest and data: each is named, none is used in silence."""

import os
import random
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from dpthesis.checking.verification import is_compared, verify
from tests.stress.conftest import assert_same_bytes, chapters, everything, of_chapter, printed, survived
from tests.workflow.conftest import House

SEED = 20260217
FLIPS = 400


@pytest.fixture(scope="module")
def promoted(calm, tmp_path_factory):
    """The tiny run, with its own outputs as the verified ones."""
    folder = tmp_path_factory.mktemp("promoted") / "thesis"
    shutil.copytree(calm.folder, folder, symlinks=True)
    house = House(folder)
    done = house.snakemake("promote")
    assert done.returncode == 0, printed(done)
    done = house.snakemake("verify")
    assert done.returncode == 0, printed(done)
    return house


@contextmanager
def tampered(path: Path, change):
    """Change a file's bytes but not its times; put all back at the end."""
    before, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    after = change(before)
    assert after != before
    if after is None:
        path.unlink()
    else:
        path.write_bytes(after)
        os.utime(path, ns=times)
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=times)


def flip(place, bit):
    return lambda content: content[:place] + bytes([content[place] ^ (1 << bit)]) + content[place + 1 :]


def test_any_flipped_bit_is_noticed(promoted):
    """In outputs or in verified files, at random places: verification names the file."""
    draw = random.Random(SEED)
    root, verified = promoted.folder / "tiny", promoted.folder / "verified"
    expected = sorted(name for name in promoted.outputs() if is_compared(name))
    copies = {side: [name for name in expected if (side / name).stat().st_size] for side in (root,)}
    copies[verified / "tiny"] = [name for name in expected if (verified / "tiny" / name).is_file()]
    for number in range(FLIPS):
        side = (root, verified / "tiny")[number % 2]
        name = draw.choice(copies[side])
        place, bit = draw.randrange((side / name).stat().st_size), draw.randrange(8)
        parts = name.split("/")
        chapter = parts[1] if len(parts) > 2 else None
        with tampered(side / name, flip(place, bit)):
            found = verify(root, verified, "tiny", expected, chapter=chapter)
        wrong = [each.file for each in found.comparisons if each.verdict != "same"]
        assert found.failed and wrong == [name], f"bit {bit} of byte {place} of {side.name}/{name} went unnoticed"
    survived(FLIPS)


def half(content):
    return content[: len(content) // 2]


TAMPERING = {
    "an emptied result": ("tiny/results/laplace_lab/lab.csv", lambda _: b""),
    "a truncated result": ("tiny/results/laplace_lab/replication.csv", half),
    "a truncated text": ("tiny/results/laplace_lab/lab.txt", half),
    "line ends of another system": ("tiny/results/laplace_lab/lab.csv", lambda text: text.replace(b"\n", b"\r\n")),
    "a byte-order mark": ("tiny/results/laplace_lab/lab.csv", lambda text: b"\xef\xbb\xbf" + text),
    "a row twice": ("tiny/results/laplace_lab/lab.csv", lambda text: text + text.splitlines(keepends=True)[-1]),
    "not UTF-8": ("tiny/thesis_tables/laplace_lab/lab.tex", lambda text: text + b"\xff"),
    "a truncated table": ("tiny/thesis_tables/laplace_lab/lab.tex", half),
    "an emptied figure": ("tiny/figures/laplace_lab/small_cells_noise.png", lambda _: b""),
    "a truncated verified result": ("verified/tiny/results/laplace_lab/lab.csv", half),
    "an emptied verified result": ("verified/tiny/results/laplace_lab/lab.csv", lambda _: b""),
    "truncated verified hashes": ("verified/tiny/figures.sha256", lambda text: text[: len(text) // 3]),
    "emptied verified hashes": ("verified/tiny/figures.sha256", lambda _: b""),
    "a deleted verified result": ("verified/tiny/results/laplace_lab/lab.csv", lambda _: None),
    "a verified file that nothing makes": ("verified/tiny/results/laplace_lab/lab.csv", None),
    "tolerances that are no YAML": ("verified/tolerances.yaml", lambda text: text + b"\na: [1\n"),
    "a tolerance that is too wide": (
        "verified/tolerances.yaml",
        lambda text: text + b"\nresults/laplace_lab/lab.csv: {columns: {z: 0.5}, reason: none}\n",
    ),
}


@pytest.mark.parametrize(("file", "change"), TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_fails_verification_and_names_the_file(promoted, file, change):
    path = promoted.folder / file
    extra = path.with_name("extra.csv")
    if change is None:
        shutil.copy2(path, extra)
        done = promoted.snakemake("laplace_lab")
        extra.unlink()
    else:
        with tampered(path, change):
            done = promoted.snakemake("laplace_lab")
    named = "extra.csv" if change is None else path.name if "sha256" not in path.name else ".png"
    assert done.returncode != 0 and named in printed(done), printed(done)
    assert "Traceback" not in printed(done), printed(done)
    survived()


def test_an_edited_result_is_not_promoted(promoted):
    with tampered(promoted.folder / "tiny/results/laplace_lab/lab.csv", lambda text: text.replace(b"0.1", b"0.2")):
        done = promoted.snakemake("promote")
    assert done.returncode != 0 and "lab.csv" in printed(done) and "Traceback" not in printed(done)
    survived()


@pytest.mark.parametrize("file", ["results/manifest.json", "results/laplace_lab/lab.csv.stamp.json"])
@pytest.mark.parametrize("change", [half, lambda _: b"", lambda _: b"[]"], ids=["cut", "emptied", "replaced"])
def test_damaged_manifest_and_stamp(promoted, file, change):
    command = [sys.executable, "-m", "dpthesis.records.provenance", "tiny/results/laplace_lab/lab.csv"]
    manifest = promoted.folder / "tiny/results/manifest.json"
    kept = manifest.read_bytes()
    with tampered(promoted.folder / "tiny" / file, change):
        if "manifest" in file:
            done = promoted.run(*command)
        else:
            done = promoted.snakemake(everything(promoted), "--forcerun", "manifest")
            manifest.write_bytes(kept)  # a failed job's output is gone
    assert done.returncode != 0 and f"{file} is damaged; delete it and run again" in printed(done), printed(done)
    assert "Traceback" not in printed(done)
    survived()


def test_deleted_outputs_are_made_again(calm, promoted):
    """All but a random half of the files of a chapter."""
    draw = random.Random(SEED)
    for name in sorted(of_chapter(promoted.outputs(), "laplace_lab")):
        if draw.random() < 0.5:
            (promoted.folder / "tiny" / name).unlink()
            survived()
    done = promoted.make("laplace_lab")
    assert done.returncode == 0, printed(done)
    assert_same_bytes(of_chapter(promoted.outputs(), "laplace_lab"), of_chapter(calm.outputs(), "laplace_lab"))


def test_damaged_shared_replicates_are_named(promoted):
    """What several tables share lies in build/; a table that must be made anew from a damaged file says which."""
    arrays = sorted((promoted.folder / "tiny/build").rglob("*.npz"))
    if not arrays:
        pytest.skip("no chapter shares replicates")
    for path in {array.parent: array for array in arrays}.values():
        readers = [name for name in promoted.outputs() if name.startswith(f"results/{path.parent.name}/")]
        with tampered(path, half):
            for name in readers:
                (promoted.folder / "tiny" / name).unlink(missing_ok=True)
            done = promoted.snakemake(*(f"tiny/{name}" for name in readers), "--keep-going")
        assert done.returncode != 0 and not promoted.unfinished(), printed(done)
        assert f"{path.name} is damaged" in printed(done) or "zip" in printed(done).lower(), printed(done)
        survived()
    done = promoted.make(everything(promoted))
    assert done.returncode == 0, printed(done)


def test_data_that_is_not_what_it_was_is_refused(calm, tmp_path):
    """Another sha256 stands for an altered file: the rules that read the data refuse it, by name."""
    text = (calm.folder / "config/datasets.yaml").read_text(encoding="utf-8") if "budget" in chapters() else ""
    tiny = (calm.folder / "tests/workflow/tiny.yaml").read_text(encoding="utf-8")
    used = [line.rstrip(":") for line in text.splitlines() if line[:1].isalpha() and f" {line.rstrip(':')}" in tiny]
    if not used:
        pytest.skip("the tiny run reads no data")
    folder = tmp_path / "thesis"
    shutil.copytree(calm.folder, folder, symlinks=True)
    house = House(folder)
    lines = text.splitlines(keepends=True)
    changed = [f"  sha256: {'f' * 64}\n" if line.startswith("  sha256:") else line for line in lines]
    (folder / "config/datasets.yaml").write_text("".join(changed), encoding="utf-8")
    done = house.snakemake(everything(house), "--keep-going")
    assert done.returncode != 0 and "has sha256" in printed(done) and "Traceback" not in printed(done), printed(done)
    survived()
