import pytest

from dpthesis.data.od_description import describe_od_table


@pytest.fixture
def datasets(tmp_path):
    def write(text):
        path = tmp_path / "datasets.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_zones_are_listed_or_read_from_their_file(datasets, tmp_path):
    (tmp_path / "zones.txt").write_text("A\nB\n")
    text = f"metro: {{path: a.csv, sha256: x, zones: [1, 2]}}\nbus: {{path: b.csv, zones_file: {tmp_path}/zones.txt}}\n"
    assert describe_od_table(datasets(text), "metro")["zones"] == ["1", "2"]
    assert describe_od_table(datasets(text), "bus")["zones"] == ["A", "B"]


@pytest.mark.parametrize(
    ("entry", "words"),
    (
        ("{path: a.csv}", "write either `zones: \\[A, B, C\\]`"),
        ("{path: a.csv, zones: [A, B], zones_file: z.txt}", "write either"),
        ("{path: a.csv, zones: [A, B], seperator: ';'}", "unknown key 'seperator'; did you mean 'separator'"),
        ("{path: a.csv, zones_file: none.txt}", "no zone list none.txt"),
    ),
)
def test_a_bad_entry_is_refused_with_the_line_to_write(datasets, entry, words):
    with pytest.raises(ValueError, match=words):
        describe_od_table(datasets(f"metro: {entry}\n"), "metro")


def test_an_unknown_name_is_refused_with_the_nearest(datasets):
    with pytest.raises(ValueError, match="did you mean 'metro'"):
        describe_od_table(datasets("metro: {zones: [A, B]}\n"), "metr")
