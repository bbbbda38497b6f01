"""Two languages, en and pt: every published word is written in both, side by side, or it is an error."""

from __future__ import annotations

from collections.abc import Mapping

LANGUAGES = ("en", "pt")
#: Between groups of three digits, in both languages.
THIN_SPACE = "\u202f"

#: A word list: the name used in results -> (English, Portuguese).
Words = Mapping[str, tuple[str, str]]


class Speaker:
    """Says the names used in results in one language.

    Parameters
    ----------
    language : str
        ``en`` or ``pt``.
    *words : Words
        Word lists; later ones win.

    Raises
    ------
    KeyError
        When a name is in no list: the cure is to add it to the chapter's WORDS in both languages.
    """

    def __init__(self, language: str, *words: Words) -> None:
        self.language = language
        self._index = LANGUAGES.index(language)
        self._words = {name: pair for part in words for name, pair in part.items()}

    def say(self, name: str) -> str:
        """Return the word for a name."""
        if name not in self._words:
            raise KeyError(f"no word for '{name}'; add it to the chapter's WORDS as '{name}': (English, Portuguese)")
        return self._words[name][self._index]

    def knows(self, name: str) -> bool:
        """Whether there is a word for a name."""
        return name in self._words

    def number(self, text: str) -> str:
        """Write a number with the language's decimal mark."""
        return text.replace(".", ",") if self.language == "pt" else text


def grouped(value: int) -> str:
    """Write a whole number, from 10 000 on in groups of three."""
    return f"{value:,}".replace(",", THIN_SPACE) if abs(value) >= 10_000 else str(value)
