"""What mistakes of different exercises have in common: misconceptions that can outlive a chapter.

A mistake's name belongs to its exercise, and the same name can mean other things in another one
(`inverted` is a mask here and dropout there). So a theme lists the mistakes that are signs of it,
with the assignments in which they are. A mistake without a theme belongs to its exercise alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import nbformat
from docutils.nodes import make_id  # type: ignore[import-untyped]

from grading.content import assignments

CHAPTERS = Path(__file__).parents[1] / "chapters"


@dataclass(frozen=True)
class Theme:
    """A misconception.

    Attributes:
        title: what it is about.
        signs: names of mistakes; behind a colon, the numbers of the assignments in which the name
            means this (all, if there are none).
    """

    title: str
    signs: str

    @cached_property
    def places(self) -> dict[str, list[str]]:
        """Names of mistakes, and the numbers of their assignments, if not all."""
        pairs = (sign.partition(":") for sign in self.signs.split())
        return {name: where.split(",") if where else [] for name, _, where in pairs}

    def has(self, assignment: str, mistake: str) -> bool:
        """Whether a mistake of an assignment is a sign of it."""
        where = self.places.get(mistake)
        return where is not None and (not where or assignment[:2] in where)


THEMES = (
    Theme(
        "By what the scores are divided",
        "no_scale:01,02,08 scale_keys scale_multiplied scale_heads scale_tokens:02 scale_hidden "
        "scale_all_heads no_root:08",
    ),
    Theme(
        "Over which axis the softmax runs",
        "softmax_over_queries softmax_over_batch softmax_over_heads",
    ),
    Theme(
        "Query, key and value exchanged", "roles_exchanged:01,02 key_first value_second value_first"
    ),
    Theme(
        "Which value of a mask hides",
        "inverted:01,02,06,07,08 causal_inverted padding_only:07 padding_counted:05",
    ),
    Theme(
        "How a score is hidden: minus infinity, before the softmax",
        "zero_score added_mask zeroed_after_softmax small_fill",
    ),
    Theme("A mask that has no effect", "mask_ignored no_padding:08"),
    Theme("On which axis a mask lies", "mask_at_heads mask_at_queries no_head_axis:08"),
    Theme("Rows that may see nothing", "nan_row nan_gradient finite_fill"),
    Theme("A causal mask where none is asked for", "causal:01,02,06"),
    Theme("Dropout in training, and not in evaluation", "dropout alive no_dropout not_dropped"),
    Theme("Axes are moved with transpose, not with reshape", "reshaped"),
    Theme("How the hidden axis is cut into heads", "interleaved:02,08"),
    Theme("A sum that loses its axis", "no_keepdim"),
    Theme("Where a residual connection belongs", "residual no_residual"),
    Theme("Norm before or behind", "always_post always_pre norms_exchanged"),
    Theme("The formula of the norm", "eps_outside eps_ignored unbiased no_root:04"),
    Theme("Which position a token has", "first_row:05,06 from_one:05,08 no_positions"),
    Theme("One too few, or one too many", "one_less:06,08 one_more:06,08 one_short:05"),
    Theme("Cut off from autograd", "no_gradient detached"),
    Theme("An argument is changed", "changed_argument changed_state changed_input in_place"),
    Theme("Something is kept from call to call", "kept"),
    Theme(
        "The result has the dtype of what came in",
        "float32 float32_zeros float32_result always_float16:04",
    ),
    Theme("The layout of weights", "side_by_side not_transposed:02,03 names_kept"),
    Theme(
        "A test that rejects too much, or speaks by its result",
        "rejects_everything exact says_false",
    ),
)


def of(assignment: str, mistakes: Iterable[str]) -> set[Theme]:
    """The themes of mistakes that were named, two at once among them."""
    named = {part for mistake in mistakes for part in mistake.split(" + ")}
    return {theme for theme in THEMES if any(theme.has(assignment, name) for name in named)}


@cache
def exercises_with(theme: Theme) -> dict[str, set[str]]:
    """The assignments, and their exercises, in which a theme can show."""
    found: dict[str, set[str]] = {}
    for assignment, exercises in assignments().items():
        for exercise in exercises:
            if any(theme.has(assignment, mistake.id) for mistake in exercise.mistakes):
                found.setdefault(assignment, set()).add(exercise.id)
    return found


@cache
def known(assignment: str, exercise: str) -> frozenset[str]:
    """The mistakes of an exercise that have a name; a verdict may also say that errors agree."""
    found = [e.mistakes for e in assignments().get(assignment, []) if e.id == exercise]
    return frozenset(mistake.id for mistakes in found for mistake in mistakes)


@cache
def section(assignment: str, exercise: str, mistake: str) -> str:
    """Where to read about a mistake, in the words of the report."""
    for each in assignments().get(assignment, []):
        if each.id == exercise:
            known = {m.id: m.section for m in each.mistakes}
            return known.get(mistake.split(" + ")[0], "") or each.section
    return ""


# ---- The sections of the book --------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A section: its title, the chapter's number, and its address within the book."""

    title: str
    chapter: int
    address: str


def places(section: str) -> Iterator[Place]:
    """Find the sections that a sentence such as “A” and “B” in chapter 1 names."""
    number = re.search(r"in chapter (\d+)", section)
    if number:
        known = _headings(int(number[1]))
        for title in re.findall("“(.*?)”", section):
            if title in known:
                yield Place(title, int(number[1]), known[title])


@cache
def _headings(chapter: int) -> dict[str, str]:
    """The headings of a chapter's pages, and their addresses as Sphinx makes them."""
    found: dict[str, str] = {}
    for path in sorted(CHAPTERS.glob(f"{chapter:02}_*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                for title in re.findall(r"^##+ (.+?) *$", cell.source, re.MULTILINE):
                    found.setdefault(title, f"chapters/{path.stem}.html#{make_id(title)}")
    return found


def commonest(sections: Counter[str], most: int = 3) -> list[Place]:
    """The sections that were named most often, each once."""
    found: dict[Place, None] = {}
    for sentence, _ in sections.most_common():
        for place in places(sentence):
            found.setdefault(place)
    return list(found)[:most]
