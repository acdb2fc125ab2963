"""Pages that run a model in the browser: what they load, and its weights as text inside scripts.

A page that was opened from a folder can load scripts and little else, so the weights travel as text
inside scripts, whichever way the page was opened. They are written when the book is built, and
loaded when a reader asks for them. `_static/explorer/worker.js` unpacks them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sphinx.application import Sphinx

from _ext.interactive.background import Task, add_task

PART = 7 * 175_000  # bytes in one script, before they become text
LAST = "about.js"  # the last script that is written; it says what there is


def compress(content: bytes) -> bytes:
    """Compress by how common each byte is; nothing in weights repeats."""
    work = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)
    return work.compress(content) + work.flush()


def as_text(content: bytes) -> str:
    """Write seven bits to a character; the last character may carry zeros at its end.

    The low seven bits of a character count. Five that a script cannot hold in quotes have the
    eighth set.
    """
    bits = np.unpackbits(np.frombuffer(content, np.uint8))
    bits = np.concatenate([bits, np.zeros(-len(bits) % 7, np.uint8)]).reshape(-1, 7)
    codes = np.packbits(np.pad(bits, ((0, 0), (1, 0))), axis=1)[:, 0]
    codes[np.isin(codes, list(b'\0\n\r"\\'))] |= 128
    return codes.tobytes().decode("latin-1")


def write(file: Path, name: str, content: object) -> None:
    """Write a script that gives a value to a name."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    file.write_text(f"{name} = {text};\n", encoding="utf-8")


def write_weights(folder: Path, name: str, content: bytes, about: dict, *more: Path) -> None:
    """Write bytes as scripts, and last of all the one that tells the page about them.

    Args:
        folder: where to.
        name: the variable that the last script gives its value.
        content: the weights.
        about: what else the page has to know.
        *more: scripts that are loaded together with the weights.
    """
    content, scripts = compress(content), [*more]
    for i, start in enumerate(range(0, len(content), PART)):
        text = f'WorkerModel.brought.parts[{i}] = "{as_text(content[start : start + PART])}";\n'
        scripts.append(folder / f"weights-{i:02}.js")
        scripts[-1].write_text(text, encoding="utf-8")
    sizes = {script.name: script.stat().st_size for script in scripts}
    write(folder / LAST, name, {**about, "bytes": len(content), "part": PART, "scripts": sizes})


def equip(
    app: Sphinx,
    page: str,
    files: tuple[str, ...],
    make: Callable[[Path], None],
    *sources: Path,
) -> None:
    """Let one page load scripts and styles, and write its weights into the built book.

    Args:
        app: the application.
        page: the page, and no other.
        files: what it loads, below `_static`, in this order.
        make: writes what is not in the repository into the folder of ``about.js``.
        *sources: what it is made from; if none is newer than ``about.js``, it is not made again.
    """
    about = next(file for file in files if file.endswith(LAST))

    def add_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
        if pagename != page:
            return
        for file in files:
            if file.endswith(".css"):
                app.add_css_file(file)
            else:
                app.add_js_file(file, loading_method="defer")

    app.connect("html-page-context", add_files)
    folder, _, last = about.rpartition("/")
    sources = (Path(__file__), *sources)
    add_task(app, folder, Task(make, last, sources, lambda: page in app.env.found_docs))
