"""A deck of slides for each chapter, made of the cells of its pages: `make slides`.

`chapters/slides/NN.toml` names, page by page, what a lecture shows. It holds no sentence, number or
drawing itself, so a deck cannot drift from its chapter: all comes from the notebooks as they are
stored, and what is named there and not found, or found twice, is an error. (The names are not tags
of the cells, because the book keeps outputs under a key to which such tags belong: each change of a
slide would run a chapter again. And a deck goes through several notebooks.)

A slide is a list of cells. `"CELL"` shows a cell: its text, or its code, if the book does not fold
it, and what it printed and drew. `"CELL: words | words"` shows the parts of it that begin with
these words: a sentence of its text, an item of a list, a formula, a statement of its code; with
` …` behind them, the whole paragraph. `"CELL: output"` and `"CELL: code"` leave the other out.
What the book folds away behind a *Predict* appears with the next key. The heading is that of the
section. All text from a slide's first cell to the next slide is in its speaker's notes.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from _ext.exports import rendering
from _ext.pages.formulas import STYLE
from _ext.site.contents import ROOT

CHAPTERS = ROOT / "chapters"
TARGET = ROOT / "_build" / "slides"
REVEAL = CHAPTERS / "slides" / "reveal"
HEADING = re.compile(r"^#+ +(.*(?:\n(?!\n|#).*)*)", re.MULTILINE)
ITEM = re.compile(r"^(?:[-*]|\d+\.) ", re.MULTILINE)
SENTENCE = re.compile(r".{10,}?(?:(?<!et al)[.!?][)”\"*]* +(?=[^a-z ])|$)", re.DOTALL)
FOLDED = re.compile(r"<details\b.*?</details>", re.DOTALL)
CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.DOTALL)
CODE_SIZE, CODE_SPACE = 19, 430  # pixels: of letters, at most; of all lines without their leading
LONG_TABLE = 10  # rows from which on a table is set in small letters
STYLE_SHEET = """
html, body { height: 100%; margin: 0; }
.reveal-viewport { background: var(--ground); color: var(--ink); }
.reveal { font-size: 30px; }
.reveal .slides { text-align: left; }
.slide { display: flex; flex-direction: column; gap: 14px; box-sizing: border-box;
         width: 1280px; height: 720px; padding: 24px 48px 36px; }
.slide h2 { margin: 0 0 6px; font-size: 36px; line-height: 1.2; color: var(--accent); }
.slide.title { justify-content: center; }
.slide.title h1 { margin: 0; font-size: 54px; line-height: 1.2; }
.slide.title p { color: var(--muted); }
.slide p { margin: 0; line-height: 1.4; }
.slide .prose { display: flex; flex-direction: column; gap: 12px; }
.slide :is(ul, ol) { margin: 0; padding-left: 1.2em; line-height: 1.4; }
.slide .citation { color: var(--muted); font-size: 0.8em; }
.slide pre { font-size: inherit; line-height: 1.35; white-space: pre; }
.slide .output > pre { font-size: 20px; white-space: pre-wrap; }
.slide .prose code { font-size: 0.88em; }
.slide table { margin: 0 auto; font-size: 24px; }
.slide table.long { font-size: 17px; }
.slide table.long :is(th, td) { padding-block: 0.12em; }
.slide div.math { text-align: center; font-size: 1.1em; }
.slide .output:has(figure) { flex: 1 1 0; min-height: 0; display: flex; flex-direction: column; }
.slide figure.course-figure { flex: 1 1 0; min-height: 0; display: flex; justify-content: center; }
.slide figure.course-figure > svg { width: 100% !important; max-width: none !important;
                                    height: 100% !important; min-height: 0; }
.slide figure.course-figure:not(:has(> svg)) { display: block; flex: none; overflow: visible; }
.reveal .slide-number, .reveal .slide-number a { background: none; color: var(--muted);
                                                font-size: 14px; text-decoration: none; }
.reveal .progress { color: var(--accent); }
.reveal aside.notes { display: none; }
"""
DECK = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="reveal/reveal.css">
<link rel="stylesheet" href="{formulas}">
<link rel="stylesheet" href="slides.css">
<div class="reveal"><div class="slides">
{slides}
</div></div>
<script src="reveal/reveal.js"></script>
<script src="reveal/notes.js"></script>
<script>
Reveal.initialize({{
  width: 1280, height: 720, margin: 0.02, center: false, hash: true,
  slideNumber: "c/t", controls: false, transition: "none",
  backgroundTransition: "none", plugins: [RevealNotes],
}});
</script>
</html>
"""
INDEX = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Slides</title>
<link rel="stylesheet" href="slides.css">
<body style="max-width: 45rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.6">
<h1>Slides</h1>
<p>Arrow keys or the space bar go on and back, S opens the speaker's notes, O shows all slides, F
fills the screen, ? lists the keys. To print a deck, add <code>?print-pdf</code> to its address.</p>
<ul>
{decks}
</ul>
</body>
</html>
"""


class DeckError(Exception):
    """A deck names something that its chapter does not have; the sentence says what."""


@dataclass
class Page:
    """A notebook, and where its cells are.

    Attributes:
        name: of the file, without suffix.
        cells: of the notebook, in order.
    """

    name: str
    cells: list

    @classmethod
    def read(cls, name: str) -> Page:
        """Read a page of the book.

        Raises:
            DeckError: if there is none with this name.
        """
        path = CHAPTERS / f"{name}.ipynb"
        if not path.is_file():
            raise DeckError(f"there is no page {name}.")
        return cls(name, nbformat.read(path, as_version=4).cells)

    def position(self, cell: str) -> int:
        """Return where a cell is.

        Raises:
            DeckError: if the page has none with this id.
        """
        for position, each in enumerate(self.cells):
            if each.id == cell:
                return position
        raise DeckError(f"{self.name} has no cell {cell}.")

    def heading(self, position: int, words: str = "") -> str:
        """Return the heading of the section that a cell, or some words of it, belong to."""
        found = ""
        for at, cell in enumerate(self.cells[: position + 1]):
            if cell.cell_type == "markdown":
                last = at == position
                end = place_of(words, cell.source) if last else len(cell.source)
                headings = [each[1] for each in HEADING.finditer(cell.source, 0, end)]
                found = headings[-1] if headings else found
        return " ".join(found.split())

    def prose(self, first: int, end: int) -> str:
        """Return the text of some cells, without quizzes and what is folded."""
        kept = [
            FOLDED.sub("", cell.source)
            for cell in self.cells[first:end]
            if cell.cell_type == "markdown" and "<div " not in cell.source
        ]
        return "\n\n".join(kept)


def place_of(words: str, source: str) -> int:
    """Return where in a text some words are; without words, behind the heading that begins it."""
    if words:
        anywhere = r"[\s*`]+".join(map(re.escape, plain(words).split()[:4]))
        found = re.search(anywhere, source)
        return found.start() if found else len(source)
    return max(source.find("\n\n"), 0) or len(source)


def blocks(text: str) -> list[str]:
    """Return the paragraphs, lists, tables and formulas of a text."""
    return [block for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]


def pieces(block: str) -> list[str]:
    """Return the sentences of a paragraph, or the items of a list; other blocks are one piece."""
    if ITEM.match(block):
        starts = [found.start() for found in ITEM.finditer(block)]
        return [block[a:b].rstrip() for a, b in zip(starts, [*starts[1:], len(block)], strict=True)]
    if block.startswith(("$$", "|", "#", "<", "```")):
        return [block]
    return [each.strip() for each in SENTENCE.findall(" ".join(block.split()))]


def plain(piece: str) -> str:
    """Return a piece as an item of a slide names it: one line, without bullet and emphasis."""
    return rendering.words(ITEM.sub("", " ".join(piece.split())))


def chosen(cell: str, source: str, words: list[str], split) -> list[str]:
    """Return the parts of a cell that begin with some words.

    Args:
        cell: its id, for messages.
        source: the cell.
        words: beginnings; ` …` at the end asks for the whole block.
        split: makes blocks of the source, each with its pieces.

    Raises:
        DeckError: if there is no such part, or more than one.
    """
    found = []
    for beginning in words:
        start, whole = plain(beginning.removesuffix(" …")), beginning.endswith(" …")
        parts = [
            block if whole else piece
            for block, inside in split(source)
            for piece in (inside[:1] if whole else inside)
            if plain(piece).startswith(start)
        ]
        if len(parts) != 1:
            many = "no part" if not parts else f"{len(parts)} parts"
            raise DeckError(f"cell {cell} has {many} that begin with {start!r}, expected one.")
        found += parts
    return found


def text_parts(source: str) -> list[tuple[str, list[str]]]:
    """Return the blocks of a text with their pieces."""
    return [(block, pieces(block)) for block in blocks(source)]


def code_parts(source: str) -> list[tuple[str, list[str]]]:
    """Return the statements of a cell, as blocks of one piece."""
    return [(each, [each]) for each in rendering.statements(source)]


def code(source: str) -> str:
    """Return code in letters that are small enough for all of its lines."""
    size = min(CODE_SIZE, CODE_SPACE / (source.count("\n") + 1))
    return f'<div style="font-size: {size:.1f}px">{rendering.code(source)}</div>'


def show(page: Page, item: str) -> tuple[str, str]:
    """Return what one item of a slide shows, and the captions of its drawings, as HTML."""
    name, _, wanted = item.partition(": ")
    cell = page.cells[page.position(name)]
    words = wanted.split(" | ") if wanted else []
    if cell.cell_type == "markdown":
        text = HEADING.sub("", cell.source)
        if words:
            text = "\n\n".join(chosen(name, text, words, text_parts))
        return f'<div class="prose">{rendering.markdown(FOLDED.sub("", text))}</div>', ""
    both = not words or words == ["output"]
    parts = []
    if words == ["code"] or (not words and rendering.shows_code(cell)):
        parts.append(code(cell.source))
    elif not both:
        parts.append(code("\n\n".join(chosen(name, cell.source, words, code_parts))))
    captions: list[str] = []
    if both:
        drawn = rendering.output(cell.outputs)
        if not drawn and words:
            raise DeckError(f"cell {name} has no output.")
        captions = CAPTION.findall(drawn)
        drawn = CAPTION.sub("", drawn)
        if drawn.count("<tr") > LONG_TABLE:
            drawn = drawn.replace('class="dataframe"', 'class="dataframe long"')
        later = "hide-output" in cell.metadata.get("tags", ())
        parts.append(drawn.replace("output", "output fragment", 1) if later else drawn)
    return "\n".join(parts), "".join(f"<p><em>{each}</em></p>" for each in captions)


def section(inner: str, notes: str, kind: str = "") -> str:
    """Return a slide with its notes."""
    return (
        f'<section><div class="slide{kind}">{inner}</div>'
        f'<aside class="notes">{notes}</aside></section>'
    )


def slides_of(page: Page, items: list[list[str]], first_page: bool) -> Iterator[str]:
    """Yield the slides of a page, its title first."""
    shown: dict[str, tuple[str, str]] = {}
    problems = []
    for item in (item for slide in items for item in slide):
        try:
            shown[item] = show(page, item)
        except (DeckError, ValueError) as error:
            problems.append(f"{page.name}: {error}")
    if problems:
        raise DeckError("\n".join(problems))
    starts = [page.position(slide[0].partition(": ")[0]) for slide in items]
    if starts != sorted(starts):
        raise DeckError(f"{page.name}: the slides are not in the order of the page.")
    title = rendering.line(page.heading(0))
    number = f"<p>Chapter {int(page.name[:2])}</p>" if first_page else ""
    opening = page.prose(0, starts[0])
    yield section(f"{number}<h1>{title}</h1>", rendering.markdown(opening), " title")
    for slide, start, end in zip(items, starts, [*starts[1:], len(page.cells)], strict=True):
        bodies, captions = zip(*(shown[item] for item in slide), strict=True)
        words = slide[0].partition(": ")[2].split(" | ")[0].removesuffix(" …")
        heading = rendering.line(page.heading(start, words))
        end = max(end, start + 1)
        summary = next((at for at in range(start + 1, end)
                        if page.cells[at].source.startswith("## Exercises")), end)  # fmt: skip
        notes = "".join(captions) + rendering.markdown(page.prose(start, summary))
        yield section(f"<h2>{heading}</h2>" + "\n".join(bodies), notes)


def deck(number: str) -> tuple[str, list[str]]:
    """Return the title of a chapter and its slides.

    Raises:
        DeckError: if something is named that is not there.
    """
    file = CHAPTERS / "slides" / f"{number}.toml"
    chapter = tomllib.loads(file.read_text(encoding="utf-8"))
    found, title, problems = [], "", []
    for name, contents in chapter.items():
        try:
            page = Page.read(name)
            title = title or page.heading(0)
            found += slides_of(page, contents["slides"], first_page=not found)
        except DeckError as error:
            problems.append(str(error))
    if problems:
        raise DeckError("\n".join([f"{file.relative_to(ROOT)}:", *problems]))
    return title, found


def decks() -> list[str]:
    """Return the numbers of the chapters that have a deck."""
    return sorted(path.stem for path in (CHAPTERS / "slides").glob("*.toml"))


def write(target: Path = TARGET) -> dict[str, int]:
    """Write all decks into a folder, and return how many slides each has."""
    target.mkdir(parents=True, exist_ok=True)
    shutil.copytree(REVEAL, target / "reveal", dirs_exist_ok=True)
    rendering.write_formula_style(target)
    (target / "slides.css").write_text(rendering.style() + STYLE_SHEET, encoding="utf-8")
    counts, lines = {}, []
    for number in decks():
        title, slides = deck(number)
        name = html.escape(plain(title))
        page = DECK.format(title=name, formulas=STYLE, slides="\n".join(slides))
        (target / f"{number}.html").write_text(page, encoding="utf-8")
        counts[number] = len(slides)
        lines.append(
            f'<li><a href="{number}.html">Chapter {int(number)}: {name}</a>, '
            f"{len(slides)} slides</li>"
        )
    (target / "index.html").write_text(INDEX.format(decks="\n".join(lines)), encoding="utf-8")
    return counts


def main() -> int:
    """Write the decks, and say where they are."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    try:
        counts = write()
    except DeckError as error:
        print(error)
        return 1
    print(f"{sum(counts.values())} slides in {len(counts)} decks: {TARGET / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
