"""The browser that opens the book by itself: for the tests, for the PDF and for Lighthouse."""

from __future__ import annotations

import os
import shutil

# The first is Chromium without its windows, which opens a page in half the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",  # a container often runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def program() -> str:
    """Return Debian's Chromium, or the program that the variable CHROMIUM names.

    Raises:
        FileNotFoundError: if there is none, with what to do.
    """
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else NAMES
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None and len(names) == 1:
        raise FileNotFoundError(f"CHROMIUM names {names[0]}, and there is no such program.")
    if found is None:
        raise FileNotFoundError(
            "No browser found: install Chromium (`apt install chromium`), or set CHROMIUM to the "
            "path of Chromium or Chrome."
        )
    return found
