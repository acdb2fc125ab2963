"""Numbers, as a picture and its words write them."""

from __future__ import annotations


def number(value: float, digits: int) -> str:
    """Write a number with a fixed number of digits, and zero without a sign."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text
