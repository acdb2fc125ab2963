"""Real text without a download: what four Python libraries say about their own functions.

The libraries are installed with the course. The first sentence of each docstring, labelled with the
library it stands in, makes a corpus of about 11,000 short texts in four classes, as large as the
news headlines that such lessons are usually taught with. Chapter 7 classifies it, and learns to
tell whether two neighbouring words have changed places. Headlines, or texts of your own, come from
a CSV file through the second function.
"""

from __future__ import annotations

import ast
import csv
import gc
import gzip
import hashlib
import os
import random
import re
import warnings
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

# The names by which each library calls itself; a text that holds one is no riddle, so it is left
# out.
LIBRARIES = {
    "matplotlib": ("matplotlib", "pyplot", "mpl"),
    "sqlalchemy": ("sqlalchemy",),
    "sympy": ("sympy",),
    "torch": ("torch",),
}
_ROLE = re.compile(r":[\w:]+:`[~.!]?([^`<]*?)(?:\s*<[^`]*>)?`")  # :class:`~package.Name`
_DOTTED = re.compile(r"\b_?[A-Za-z]\w+(?:\.\w+)*\.(?=\w)")  # package.module. before a name
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*(])")
_DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_UNDERLINE = re.compile(r"[-=~^]{3,}")


def load_docstrings(
    libraries: Iterable[str] = tuple(LIBRARIES), limit: int = 3000
) -> tuple[list[str], list[str]]:
    """Collect first sentences of docstrings, and for each the library that it comes from.

    Sentences have 4 to 30 words, mark-up is removed, none names its library, each stands there
    once, and one that two libraries share is left out. Files are parsed and never imported.

    Args:
        libraries: of those in ``LIBRARIES``.
        limit: most texts of one library; its modules are read in a shuffled order until there are
            enough.

    Returns:
        The texts in an order that looks random and is always the same, and their labels.

    Raises:
        ValueError: if there is no such library, or it is not installed.
    """
    found: dict[str, str | None] = {}
    for library in libraries:
        for text in _sentences(library, limit):
            found[text] = library if text not in found else None
    labels = {text: label for text, label in found.items() if label}
    texts = sorted(labels, key=_chance)
    return texts, [labels[text] for text in texts]


def load_sentences(limit: int = 1000) -> list[str]:
    """Return short English sentences by members of tatoeba.org (CC BY 2.0 FR), the shortest first.

    Args:
        limit: how many, drawn the same way everywhere from those of 20 characters or more. The file
            is the one that the translator was trained on; see ``models/README.md``.
    """
    file = Path(__file__).parent.parent / "models" / "tatoeba_english_german.tsv.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        sentences = {line.split("\t")[0] for line in lines}
    drawn = sorted((s for s in sentences if len(s) >= 20), key=_chance)[:limit]
    return sorted(drawn, key=lambda sentence: (len(sentence), sentence))


def load_names(kind: str = "territories") -> dict[str, dict[str, str]]:
    """Names of countries or of languages in some five hundred languages, in all their scripts.

    They are those of Unicode's CLDR (Common Locale Data Repository), which Babel carries.

    Args:
        kind: ``"territories"``, that is countries and regions, or ``"languages"``.

    Returns:
        For the code of each language, such as ``"de"``, the names that it has for each code, such
        as ``{"GR": "Griechenland"}``. A variant (``"de_AT"``) holds only what it says differently.

    Raises:
        ValueError: if there is no such kind.
    """
    from babel.localedata import load, locale_identifiers

    if kind not in ("territories", "languages"):
        raise ValueError(f"No names of kind {kind!r}; expected 'territories' or 'languages'.")
    found = {}
    for language in sorted(locale_identifiers()):
        names = load(language, merge_inherited=False).get(kind, {})
        found[language] = {code: name for code, name in names.items() if isinstance(name, str)}
    return {language: names for language, names in found.items() if names}


def swap_neighbours(texts: Iterable[str], seed: int = 0) -> tuple[list[str], list[int]]:
    """Make a task of word order: in half of the texts two neighbouring words change places.

    A bag of words cannot tell which half (Conneau et al. 2018, section 2.2, "bigram shift"). The
    two are words of small letters and different; neither is the first or the last of its text. A
    text without such a pair is left out.

    Args:
        texts: in order.
        seed: decides which are changed, and where.

    Returns:
        The texts, and for each 1 if its words were swapped, 0 if not.
    """
    draw = random.Random(seed)
    found: list[str] = []
    labels = []
    for text in texts:
        words = text.split()
        plain = [word.isalpha() and word.islower() for word in words]
        places = [
            i
            for i in range(1, len(words) - 2)
            if plain[i] and plain[i + 1] and words[i] != words[i + 1]
        ]
        if places:
            i, swapped = draw.choice(places), draw.randrange(2)
            if swapped:
                words[i], words[i + 1] = words[i + 1], words[i]
            found.append(" ".join(words))
            labels.append(swapped)
    return found, labels


def read_csv(
    path: str | os.PathLike[str], text: str = "text", label: str = "label"
) -> tuple[list[str], list[str]]:
    """Read texts and labels from two columns of a CSV file in UTF-8.

    Args:
        path: the file; its first line names the columns.
        text: name of the column with the texts.
        label: name of the column with the labels.

    Raises:
        ValueError: if a column is missing, or a row has nothing in one of them; the message names
            the columns that are there, or the row.
    """
    with open(path, encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream)
        missing = [name for name in (text, label) if name not in (rows.fieldnames or ())]
        if missing:
            raise ValueError(
                f"{path} has the columns {rows.fieldnames}, expected {missing}: name the columns "
                "with text=… and label=…."
            )
        pairs = []
        for row in rows:
            if not (row[text] and row[label]):
                raise ValueError(
                    f"{path}, line {rows.line_num}: expected something in {text!r} and {label!r}, "
                    f"found {row[text]!r} and {row[label]!r}. Fill it in or delete the row."
                )
            pairs.append((row[text], row[label]))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _sentences(library: str, limit: int) -> set[str]:
    if library not in LIBRARIES:
        raise ValueError(f"No library {library!r} in the corpus; expected {', '.join(LIBRARIES)}.")
    package = find_spec(library)
    if package is None or package.origin is None:
        raise ValueError(
            f"{library} is not installed, and the corpus is made of its docstrings: run "
            "`pip install -r requirements.txt`."
        )
    sentences: set[str] = set()
    for file in _public_files(Path(package.origin).parent):
        for docstring in _docstrings(file):
            text = _first_sentence(docstring)
            names_itself = any(name in text.lower() for name in LIBRARIES[library])
            if 4 <= len(text.split()) <= 30 and not names_itself:
                sentences.add(text)
        if len(sentences) >= limit:  # parsing is what takes time, so not one file more
            break
    return set(sorted(sentences, key=_chance)[:limit])


def _chance(text: str) -> bytes:
    """Return a sort key that shuffles the same way everywhere, whatever else is in the list."""
    return hashlib.sha256(text.encode()).digest()


def _public_files(root: Path) -> list[Path]:
    """Return the library's modules without its tests and its private folders, shuffled."""
    files = (file.relative_to(root) for file in root.rglob("*.py"))
    public = (
        file
        for file in files
        if not any(p in ("tests", "testing") or p[0] == "_" for p in file.parent.parts)
    )
    return [root / file for file in sorted(public, key=lambda file: _chance(file.as_posix()))]


def _docstrings(file: Path) -> Iterable[str]:
    source = file.read_text(encoding="utf-8", errors="replace")
    collecting = gc.isenabled()
    gc.disable()  # a tree has no cycles; with torch loaded, looking for some doubles the time
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other people's backslashes are no news of ours
            module = ast.parse(source)
    finally:
        if collecting:
            gc.enable()
    nodes: list[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] = [module]
    while nodes:  # ast.walk would visit each expression, too, and take three times as long
        node = nodes.pop()
        docstring = ast.get_docstring(node)
        if docstring:
            yield docstring
        nodes.extend(child for child in node.body if isinstance(child, _DOCUMENTED))


def _first_sentence(docstring: str) -> str:
    paragraph = docstring.strip().split("\n\n")[0]
    if _UNDERLINE.search(paragraph):  # a heading, not a sentence
        return ""
    text = _ROLE.sub(r"\1", " ".join(paragraph.split()))
    text = _DOTTED.sub("", re.sub(r"[`*~\\]", "", text))
    return re.sub(r"(?<!\S)\.(?=\w)", "", _SENTENCE_END.split(text)[0])
