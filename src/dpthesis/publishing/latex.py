"""Plain text with Greek letters and signs, written for LaTeX."""

from __future__ import annotations

import re

from dpthesis.publishing.language import THIN_SPACE

_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL[THIN_SPACE] = r"\,"
_SPECIAL |= {sign: "\\" + sign for sign in "&%$#_"}
_MATHS = {
    "ε": r"\varepsilon",
    "δ": r"\delta",
    "λ": r"\lambda",
    "α": r"\alpha",
    "σ": r"\sigma",
    "τ": r"\tau",
    "ρ": r"\rho",
    "μ": r"\mu",
    "θ": r"\theta",
    "χ": r"\chi",
    "Δ": r"\Delta",
    "Π": r"\Pi",
    "Σ": r"\Sigma",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "∈": r"\in",
    "∞": r"\infty",
    "√": r"\surd",
    "×": r"\times",
    "±": r"\pm",
    "·": r"\cdot",
    "−": "-",
    "→": r"\to",
    "‖": r"\|",
    "S̃": r"\tilde{S}",
    "⁻": "^{-}",
}
_MATHS |= {sign: f"^{{{digit}}}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_MATHS |= {sign: f"_{{{digit}}}" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")}
#: Letters and marks beyond ASCII that LaTeX sets in text as they are.
_TEXT = re.compile(r"[\u00a0-\u017f–—…‘’“”]")
_SIGN = re.compile("S̃|.", re.DOTALL)


#: A citation in a caption: @key, with a key of docs/references.bib.
CITATION = re.compile(r"@([a-z]+[0-9]{3,4}[a-z]*)")


def escape(text: str) -> str:
    """Return text in which LaTeX's special signs are escaped and mathematical signs are set as mathematics.

    Raises
    ------
    ValueError
        If LaTeX would not know a sign.
    """
    return "".join(_escaped(sign) for sign in _SIGN.findall(text))


def _escaped(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign in _MATHS:
        return f"${_MATHS[sign]}$"
    if sign.isascii() or _TEXT.fullmatch(sign):
        return sign
    raise ValueError(f"LaTeX does not know the sign '{sign}' (U+{ord(sign[-1]):04X}); add it to publishing/latex.py")


def prose(text: str) -> str:
    r"""Escape a caption, in which @key is a citation: it becomes \cite{key}."""
    texts, keys = CITATION.split(text)[::2], CITATION.findall(text)
    cited = [rf"\cite{{{key}}}" for key in keys] + [""]
    return "".join(escape(part) + cite for part, cite in zip(texts, cited, strict=True))


def number(text: str) -> str:
    """Write a number: powers of ten as mathematics, infinity as its sign, a proper minus, an escaped per cent."""
    if text in ("inf", "-inf"):
        return r"$\infty$" if text == "inf" else r"$-\infty$"
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return rf"${mantissa.replace(',', '{,}')} \times 10^{{{int(exponent)}}}$"
    text = escape(text)
    return f"${text.replace(',', '{,}')}$" if text.startswith("-") else text
