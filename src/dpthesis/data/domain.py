"""Declared domains: which labels an attribute may take, decided before anybody answers.

A domain taken from the data would give away which labels occur, and drop those with count 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Domain:
    """The labels of one attribute in their declared order.

    Raises
    ------
    ValueError
        If there is no label or a label stands twice.
    """

    name: str
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        if not self.labels:
            raise ValueError(f"attribute '{self.name}' declares no category; give it at least one")
        repeated = sorted({label for label in self.labels if self.labels.count(label) > 1})
        if repeated:
            raise ValueError(f"attribute '{self.name}' declares {repeated} more than once; category names must differ")

    def encode(self, values: Sequence[str]) -> np.ndarray:
        """Return the codes 0 .. r − 1 of the values.

        Raises
        ------
        ValueError
            If a value is missing or not in the declared domain.
        """
        codes = {label: code for code, label in enumerate(self.labels)}
        out = np.empty(len(values), dtype=np.int64)
        for row, value in enumerate(values):
            if value is None or value != value:
                raise ValueError(
                    f"record {row} has no value for attribute '{self.name}'; drop it or declare a category for missing"
                )
            if value not in codes:
                raise ValueError(
                    f"record {row} has '{value}' for attribute '{self.name}', outside its declared domain "
                    f"{list(self.labels)}; declare the category or correct the record"
                )
            out[row] = codes[value]
        return out
