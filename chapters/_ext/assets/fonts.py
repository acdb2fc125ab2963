"""Fonts: of each, the book carries only what its pages show."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from pathlib import Path


def cut(font: Path, folder: Path, characters: Iterable[int], **options) -> Path:
    """Write the part of a font that has these characters, as WOFF2, and return where it is.

    Another set of characters is another file name, so no browser keeps an old one; other parts of
    the same font are removed from the folder.
    """
    wanted = sorted(set(characters))
    digest = hashlib.sha256(str(wanted).encode()).hexdigest()[:8]
    target = folder / f"{font.stem}-{digest}.woff2"
    for unused in set(folder.glob(f"{font.stem}*")) - {target}:
        unused.unlink()
    if not target.exists():
        # fontTools is loaded, and tells of each table, only in a build that shows something new
        from fontTools.subset import Options, Subsetter
        from fontTools.ttLib import TTFont

        logging.getLogger("fontTools").setLevel(logging.WARNING)
        whole = TTFont(font, recalcTimestamp=False)
        cutter = Subsetter(Options(notdef_outline=True, **options))
        cutter.populate(unicodes=wanted)
        cutter.subset(whole)
        whole.flavor = "woff2"
        whole.save(target)
    return target
