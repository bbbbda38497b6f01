"""An origin-destination table of one's own, from config to results, and its refusals as a user meets them."""

import hashlib

import pandas as pd

GOOD = "origem;destino;viagens\nSé;Graça;1.200\nGraça;Sé;7\n"
ENTRY = """
metro:
  path: {path}
  sha256: {sha256}
  zones: [Sé, Graça, Rossio]
  columns: {{origin: origem, destination: destino, count: viagens}}
  encoding: latin-1
  separator: ";"
  decimal: ","
  thousands: "."
"""


def use_table(house, text):
    """Put a table into the house, describe it, and name it in the config."""
    data = text.encode("latin-1")
    (house.folder / "trips.csv").write_bytes(data)
    described = ENTRY.format(path="trips.csv", sha256=hashlib.sha256(data).hexdigest())
    (house.folder / "config/datasets.yaml").write_text(described, encoding="utf-8")


def test_a_table_of_ones_own_ends_in_the_errors_and_its_faults_in_one_message(house):
    house.edit("tests/workflow/tiny.yaml", "datasets: [lab, city]", "datasets: [lab, od_table]")
    done = house.snakemake("small_cells_errors")
    printed = done.stdout + done.stderr
    assert done.returncode != 0 and "small_cells.data.od_table: the name is empty" in printed
    assert "write 'od_table: flights_airport', or take od_table off datasets" in printed

    house.edit("tests/workflow/tiny.yaml", 'od_table: ""', "od_table: metro")
    use_table(house, GOOD + "Graça;Sé;2\n")
    done = house.snakemake("small_cells_errors")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 pair stood in several lines and was summed (the first: Graça -> Sé)" in done.stderr
    table = pd.read_csv(house.folder / "tiny/results/small_cells/errors.csv")
    cells = table[table["dataset"] == "od_table"].set_index("stratum").loc[["small", "large", "zero"], "cells"]
    assert set(cells.groupby(level=0).first().items()) == {("small", 1), ("large", 1), ("zero", 7)}

    use_table(house, GOOD + "Sé;Rossio;-3\nSé;Belém;1\n")
    done = house.snakemake("small_cells_errors")
    printed = done.stdout + done.stderr
    assert done.returncode != 0 and "Traceback" not in printed
    assert "trips.csv: line 4: count '-3' is negative" in printed and "line 5: destination 'Belém'" in printed
    assert not (house.folder / "tiny/results/small_cells/errors.csv").exists() and not house.unfinished()
