"""What a workflow script needs of the job it runs in: save a table with its stamp, tell how far it is."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import pandas as pd

from dpthesis.records.files import write_text
from dpthesis.records.refusals import refusal
from dpthesis.records.stamps import Stamp, write_stamp
from dpthesis.records.tables import Partly, write_table

Item = TypeVar("Item")


class Job:
    """One job of the workflow.

    Parameters
    ----------
    snakemake : object
        The object that Snakemake gives a script; its params hold settings, code, version and,
        where the rule draws random numbers, root_seed.
    """

    def __init__(self, snakemake: object) -> None:
        self.params = snakemake.params
        self.output = snakemake.output
        self._log = Path(snakemake.log[0])
        sys.excepthook = self._explain
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._log.write_text("", encoding="utf-8")

    @property
    def stamp(self) -> Stamp:
        """Origin of the job's outputs."""
        return Stamp.of(dict(self.params.items()))

    def save(
        self,
        frame: pd.DataFrame,
        path: str | None = None,
        *,
        closed_form: Collection[str] = (),
        partly: Partly | None = None,
    ) -> None:
        """Write a result table and its stamp; by default to the rule's first output. Digits: see `csv_text`."""
        path = path or self.output[0]
        write_table(path, frame, closed_form, partly)
        write_stamp(path, self.stamp)
        self.say(f"{path}: {len(frame)} rows, {len(frame.columns)} columns")

    def save_text(self, text: str, path: str) -> None:
        """Write a text result and its stamp."""
        write_text(path, text)
        write_stamp(path, self.stamp)

    def say(self, line: str) -> None:
        """Add a line to the job's log."""
        with open(self._log, "a", encoding="utf-8") as log:
            log.write(line + "\n")

    def tell(self, line: str) -> None:
        """Add a line to the job's log and print it."""
        self.say(line)
        print(line, file=sys.stderr)

    def progress(self, items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
        """Yield the items; every few seconds log how many are done, the rate and the time left."""
        began = last = time.monotonic()
        for done, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now - last > 5 or done == total:
                last, rate = now, done / max(now - began, 1e-9)
                self.say(f"{what}: {done} of {total}, {rate:.3g} a second, {(total - done) / rate:.0f} s left")
                print(f"{what}: {done} of {total}, {(total - done) / rate:.0f} s left", file=sys.stderr)

    def _explain(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """End the job with one sentence if that is enough, else with the traceback; both go to the log too."""
        sentence = refusal(error, trace)
        text = sentence or "".join(traceback.format_exception(kind, error, trace))
        with suppress(OSError):
            self.say(text)
        print(f"{self.output[0]} was not made: {text}" if sentence else text, file=sys.stderr)
