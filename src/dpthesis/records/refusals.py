"""What a job says when it cannot go on: one sentence where the user can cure it, a traceback where we must."""

from __future__ import annotations

import errno
import traceback
from pathlib import Path
from types import TracebackType

PACKAGE = Path(__file__).resolve().parents[1]
_CURES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some of your quota",
    errno.EROFS: "make the place writable, or choose another one with output_root in the config",
    errno.EACCES: "ask for the right to read or write there, or choose another place with output_root in the config",
}


def refusal(error: BaseException, trace: TracebackType | None) -> str | None:
    """Return the sentence that explains an error and ends in a cure, or None if only a traceback can.

    A sentence is what our own code raised as ValueError (bad settings, bad data), and a full or forbidden disk. What
    numpy or math raised from C ends in a frame of ours too, but its line is no ``raise``.
    """
    if isinstance(error, OSError) and error.errno in _CURES:
        place = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror}{place}; {_CURES[error.errno]} and run again: finished files are kept"
    if isinstance(error, ValueError) and _raised_by_us(trace):
        return str(error)
    return None


def _raised_by_us(trace: TracebackType | None) -> bool:
    frames = traceback.extract_tb(trace)
    if not frames or PACKAGE not in Path(frames[-1].filename).resolve().parents:
        return False
    return (frames[-1].line or "").startswith("raise ")
