import numpy as np
import pytest

from dpthesis.data.od_dialect import Dialect
from dpthesis.data.od_table import read_od_table, read_zones

ZONES = ["Sé", "Rossio", "Graça"]
GOOD = "origin,destination,count\nSé,Rossio,12\nRossio,Sé,0\nSé,Sé,3\n"


@pytest.fixture
def table(tmp_path):
    def read(text, encoding="utf-8", **options):
        path = tmp_path / "trips.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return read_od_table(path, **{"zones": ZONES, **options})

    return read


def test_unlisted_pairs_are_zero_and_every_ordered_pair_is_a_cell(table):
    read = table(GOOD)
    assert read.counts.tolist() == [[3, 12, 0], [0, 0, 0], [0, 0, 0]]
    assert (read.listed_pairs, read.duplicates) == (3, ())
    assert read.note == "3 of 9 declared pairs are listed, the others are 0"


def test_duplicates_are_summed_and_reported(table):
    read = table(GOOD + "Sé,Rossio,5\n\nSé,Rossio,1\n")
    assert read.counts[0, 1] == 18
    assert read.duplicates == (("Sé", "Rossio"),)
    assert "1 pair stood in several lines and was summed (the first: Sé -> Rossio)" in read.note


def test_the_portuguese_dialect(table):
    text = "origem;destino;viagens\nSé;Graça;1.234\nGraça;Rossio;17,0\nRossio;Rossio;2.001.000,00\n"
    columns = {"origin": "origem", "destination": "destino", "count": "viagens"}
    for encoding in ("latin-1", "utf-8-sig", "utf-16"):
        dialect = Dialect(encoding=encoding, separator=";", decimal=",", thousands=".")
        read = table(text, encoding=encoding, columns=columns, dialect=dialect)
        assert (read.counts[0, 2], read.counts[2, 1], read.counts[1, 1]) == (1234, 17, 2_001_000)


def test_windows_line_ends_quotes_and_more_columns(table):
    read = table('count,note,origin,destination\r\n"7","a, b",Sé,"Graça"\r\n')
    assert read.counts[0, 2] == 7


BAD_ROWS = (
    ("Sé,Rossio,-1", "line 3: count '-1' is negative"),
    ("Sé,Rossio,2.5", "line 3: count '2.5' is fractional"),
    ("Sé,Rossio,", "line 3: the count is missing"),
    ("Sé,Rossio,many", "line 3: count 'many' is not a number"),
    ("Sé,Rossio,nan", "line 3: count 'nan' is not a number"),
    ("Sé,Rossio,1e3", "line 3: count '1e3' is not a number"),
    ("Sé,Rossio,inf", "line 3: count 'inf' is not a number"),
    ("Sé,Rossio,99999999999999", "line 3: count '99999999999999' is above"),
    ("Sé,Belém,3", "line 3: destination 'Belém' is not among the 3 declared zones"),
    (",Sé,3", "line 3: origin '' is not among"),
    ("Sé,Rossio", "line 3: 2 fields"),
    ("Sé,Rossio,1,2", "line 3: 4 fields"),
    ('Sé,Rossio,"12,0"', "has the decimal mark ','; write `decimal: \",\"`"),
    ("Sé,Rossio,1.234", 'write `thousands: "."` and `decimal: ","` for this data set in config/datasets.yaml'),
    ("Sé,Rossio,853.000", "could hold thousands marks"),
    ('Sé,Rossio,"1,234"', 'write `thousands: ","` for this data set'),
    ('Sé,Rossio,"1.234,5"', 'write `thousands: "."` and `decimal: ","`'),
)


@pytest.mark.parametrize(("row", "words"), BAD_ROWS)
def test_a_bad_row_is_refused_with_its_line_number(table, row, words):
    with pytest.raises(ValueError) as caught:
        table(f"origin,destination,count\nSé,Sé,1\n{row}\n")
    assert words in str(caught.value)
    assert "trips.csv" in str(caught.value)


def test_many_bad_rows_are_counted_and_the_first_are_shown(table):
    with pytest.raises(ValueError) as caught:
        table("origin,destination,count\n" + "Sé,Sé,-1\n" * 9)
    assert str(caught.value).count("negative") == 5
    assert "and 4 more lines" in str(caught.value)


BAD_FILES = (
    (GOOD.replace(",", ";"), {}, 'write `separator: ";"` for this data set in config/datasets.yaml'),
    (GOOD.replace(",", "\t"), {}, 'write `separator: "\\t"`'),
    (GOOD.replace("count", "viagens"), {}, "columns: {origin: ..., destination: ..., count: ...}"),
    (GOOD.replace("origin,destination", "origin,origin"), {}, "expected once each"),
    (GOOD.encode("latin-1"), {}, "line 2: this is not utf-8 text; if it is Latin-1, write `encoding: latin-1`"),
    (GOOD.encode("utf-8-sig"), {}, "write `encoding: utf-8-sig`"),
    (GOOD.encode("utf-16"), {}, "write `encoding: utf-16`"),
    (GOOD.encode("utf-16-le"), {"dialect": Dialect(encoding="latin-1")}, "byte"),
    (b"\x00\x01\x02", {}, "zero bytes"),
    ("", {}, "is empty"),
    (" \n \n", {}, "is empty"),
    ("origin,destination,count\n", {}, "no row below"),
    ("origin,destination,count\nSé,Sé,0\n", {}, "every count is 0"),
    (GOOD, {"domain": "listed_pairs"}, "not differentially private at any epsilon"),
    (GOOD, {"domain": "everything"}, "domain must be declared_pairs"),
    (GOOD, {"zones": ["Sé"]}, "at least two declared zones"),
    (GOOD, {"zones": ["Sé", "Sé", "Rossio"]}, "zones declared twice: ['Sé']"),
)


@pytest.mark.parametrize(("text", "options", "words"), BAD_FILES)
def test_a_bad_file_is_refused_with_the_cure(table, text, options, words):
    with pytest.raises(ValueError) as caught:
        table(text, **options)
    assert words in str(caught.value)


def test_latin_1_read_as_utf_8_of_another_zone_name_is_refused(table):
    # UTF-8 text declared as Latin-1 decodes without an error; the zone names betray it.
    with pytest.raises(ValueError, match="'SÃ©' is not among"):
        table(GOOD, dialect=Dialect(encoding="latin-1"))


@pytest.mark.parametrize(
    ("options", "words"),
    (
        ({"encoding": "utf8"}, "encoding must be one of"),
        ({"separator": ";;"}, "separator must be one of"),
        ({"decimal": ",", "thousands": ","}, "both ','"),
    ),
)
def test_a_dialect_that_cannot_be_read_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Dialect(**options)


def test_a_missing_file_and_a_missing_zone_list_are_said(tmp_path):
    with pytest.raises(ValueError, match="no file"):
        read_od_table(tmp_path / "none.csv", zones=ZONES)
    with pytest.raises(ValueError, match="no zone list"):
        read_zones(tmp_path / "none.txt")


def test_zone_list_from_a_file(tmp_path):
    path = tmp_path / "zones.txt"
    path.write_text("# zones\nSé\n\n Rossio \n", encoding="utf-8")
    assert read_zones(path) == ["Sé", "Rossio"]


def test_a_large_table_reads_back(table):
    zones = [f"Z{i}" for i in range(60)]
    counts = np.random.Generator(np.random.PCG64DXSM(1)).poisson(3.0, size=(60, 60))
    lines = [f"Z{i},Z{j},{counts[i, j]}" for i in range(60) for j in range(60)]
    assert np.array_equal(table("origin,destination,count\n" + "\n".join(lines), zones=zones).counts, counts)
