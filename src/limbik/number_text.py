"""Read numbers as files and command lines write them."""

from __future__ import annotations

import math


def number_from(text: str) -> float:
    """The decimal number of a text, nan for other texts.

    `float` alone also takes 1_0 for 10, and the digits of other alphabets.
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
