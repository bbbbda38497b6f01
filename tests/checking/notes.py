"""Reading what the notes of the claims say."""

import re


def said_numbers(note):
    """Decimals, percentages and counts of a note, in its order, without signs of the language."""
    return [text.replace(",", ".") for text in re.findall(r"\d+(?:[.,]\d+)?%?", note)]
