"""How the numbers and letters of an origin-destination file are written, and what to declare when they differ.

Transport authorities that write Portuguese send semicolons, decimal commas, Latin-1, byte-order marks and thousands
points. Nothing is guessed: what is not declared is refused, with the line to write in config/datasets.yaml.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "utf-16")
SEPARATORS = (",", ";", "\t", "|")
_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_DECLARE = "write `{line}` for this data set in config/datasets.yaml"


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """Declared form of a file.

    Parameters
    ----------
    encoding : str
        utf-8, utf-8-sig (with a byte-order mark), latin-1 or utf-16.
    separator : str
        Comma, semicolon, tab or bar.
    decimal : str
        Point or comma.
    thousands : str
        Empty, point, comma, space or apostrophe; another mark than `decimal`.

    Raises
    ------
    ValueError
        If a value is none of these or two marks are the same.
    """

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        allowed = {
            "encoding": ENCODINGS,
            "separator": SEPARATORS,
            "decimal": (".", ","),
            "thousands": ("", ".", ",", " ", "'"),
        }
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} must be one of {list(values)}, got {getattr(self, name)!r}")
        if self.decimal == self.thousands:
            raise ValueError(f"decimal and thousands mark are both {self.decimal!r}; a number could not be read")

    def separator_cure(self, header: list[str], wanted: list[str]) -> str | None:
        """Return what to write when another separator would give the wanted columns, else None."""
        line = self.separator.join(header)
        for separator in SEPARATORS:
            if separator != self.separator and set(wanted) <= {name.strip(' "') for name in line.split(separator)}:
                shown = {"\t": "\\t"}.get(separator, separator)
                return _DECLARE.format(line=f'separator: "{shown}"')
        return None


def decode(path: Path, data: bytes, dialect: Dialect) -> str:
    """Return the text of a file in its declared encoding.

    Raises
    ------
    ValueError
        If the file is empty, or its bytes are not of that encoding: with the line and what to declare.
    """
    if not data.strip():
        raise ValueError(f"{path} is empty; a table has a header line and one line a pair")
    mark = next((name for bytes_, name in _BOMS.items() if data.startswith(bytes_)), None)
    if mark is not None and mark != dialect.encoding:
        raise ValueError(f"{path} starts with a byte-order mark; {_DECLARE.format(line=f'encoding: {mark}')}")
    try:
        text = data.decode(dialect.encoding)
    except UnicodeError as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        cure = _DECLARE.format(line="encoding: latin-1")
        raise ValueError(
            f"{path}, line {line}: this is not {dialect.encoding} text; if it is Latin-1, {cure}"
        ) from error
    if "\x00" in text:
        raise ValueError(f"{path} holds zero bytes and is no {dialect.encoding} text; export the table as CSV text")
    return text


def parse_count(text: str, dialect: Dialect) -> tuple[str | None, int]:
    """Return (None, count), or (what is wrong and what to do, 0).

    A count is a whole number of at least 0. `853.000` is never read without a declared thousands mark: it
    would be 853 to one reader and 853,000 to another.
    """
    if not text:
        return "the count is missing; write 0 or leave the line out", 0
    number = _plain_number(text, dialect)
    if number is None:
        return _why_not_a_number(text, dialect), 0
    whole, _, decimals = number.partition(".")
    if decimals.strip("0"):
        return f"count '{text}' is fractional; trips are whole numbers", 0
    if whole.startswith("-") and int(whole):
        return f"count '{text}' is negative; trips are at least 0", 0
    if int(whole) > 10**12:
        return f"count '{text}' is above 10^12 trips; check the column", 0
    return None, abs(int(whole))


def _plain_number(text: str, dialect: Dialect) -> str | None:
    """Return the number with a decimal point and no thousands marks, or None if it is not of the dialect."""
    mark, decimal = re.escape(dialect.thousands), re.escape(dialect.decimal)
    grouped = rf"\d{{1,3}}(?:{mark}\d{{3}})+" if dialect.thousands else r"\d+"
    if not re.fullmatch(rf"[+-]?(?:\d+|{grouped})(?:{decimal}\d+)?", text, flags=re.ASCII):
        return None
    if not dialect.thousands and re.fullmatch(rf"[+-]?\d{{1,3}}{decimal}\d{{3}}", text):
        return None
    plain = text.replace(dialect.thousands, "") if dialect.thousands else text
    return plain.replace(dialect.decimal, ".")


def _why_not_a_number(text: str, dialect: Dialect) -> str:
    for thousands, decimal in ((".", ","), (",", "."), (" ", ","), (" ", ".")):
        if not re.fullmatch(rf"[+-]?\d{{1,3}}({re.escape(thousands)}\d{{3}})+({re.escape(decimal)}\d+)?", text):
            continue
        lines = [f'thousands: "{thousands}"'] + ([f'decimal: "{decimal}"'] if decimal != dialect.decimal else [])
        reason = f"count '{text}' could hold thousands marks, and {dialect.decimal!r} is the declared decimal mark"
        return f"{reason}; if it does, {_DECLARE.format(line='` and `'.join(lines))}"
    other = "," if dialect.decimal == "." else "."
    if re.fullmatch(rf"[+-]?\d+{re.escape(other)}\d+", text):
        cure = _DECLARE.format(line=f'decimal: "{other}"')
        return f"count '{text}' has the decimal mark {other!r}; {cure}"
    return f"count '{text}' is not a number"
