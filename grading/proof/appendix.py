"""The book's pages on what the grader knows: each known mistake, its sentence, and what it changes.

Made from the content modules by `make exercises`, never committed; a test runs all that they list.
"""

from __future__ import annotations

import html
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from grading.content import assignments
from grading.exercise import Exercise, Mistake
from grading.exercise.edits import difference
from grading.proof.matrix import SEEDS

CHAPTERS = Path(__file__).parents[2] / "chapters"
OVERVIEW = CHAPTERS / "appendix_matrix.md"
FOLDER = CHAPTERS / "appendix_matrix"  # a page for each assignment

_INTRODUCTION = """# What the grader knows

A grader is a program, and a program that nobody has tested does not work. Ours is tested with
answers: for each exercise there is a bank of wrong programs, as students write them, and several
right ones in different style. Each wrong one must lose the points that it should lose and get *its
own* sentence; each right one must earn everything. That is checked on {draws} draws of the cases
whenever the tests run; `python -m grading matrix` prints the whole table.

## The mistakes of each assignment

| assignment | exercises | mistakes | accepted programs |
| --- | --- | --- | --- |
{rows}

{mistakes} mistakes of {exercises} exercises are listed on these pages, with the sentence that a
student reads. Most are shown as what they are: an edit of the right program, a line of it replaced
by another. So these pages give the solutions away; look at them after you have done the exercises.

## What nobody has listed

A mistake that nobody has listed fails as well. It gets no guess, but a description: which case,
which shape, how far off, and what the wrong numbers have to do with the right ones, if anything.
For the usual mistakes, two that were made at once are recognised, too.
"""


def write_pages(differences: bool = True) -> list[Path]:
    """Write the overview and a page for each assignment.

    Args:
        differences: show what each mistake changes; it gives the solutions away.
    """
    FOLDER.mkdir(exist_ok=True)
    pages = {FOLDER / f"{name}.md": page_of(name, differences) for name in assignments()}
    pages[OVERVIEW] = overview()
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    return list(pages)


def overview() -> str:
    """Write the page that leads to the others, in Markdown."""
    every = [exercise for exercises in assignments().values() for exercise in exercises]
    rows = [
        f"| [{_title(name)}](appendix_matrix/{name}.md) | {len(exercises)} "
        f"| {sum(len(e.mistakes) for e in exercises)} "
        f"| {sum(1 + len(e.alternatives) for e in exercises)} |"
        for name, exercises in assignments().items()
    ]
    return _INTRODUCTION.format(
        draws=len(SEEDS),
        rows="\n".join(rows),
        mistakes=sum(len(exercise.mistakes) for exercise in every),
        exercises=len(every),
    )


def page_of(assignment: str, differences: bool = True) -> str:
    """Write the page of an assignment, in Markdown."""
    parts = [f"# {_title(assignment)}\n"]
    for exercise in assignments()[assignment]:
        parts.append(f"## {exercise.title}\n")
        accepted = "; ".join(["the reference", *exercise.alternatives])
        parts.append(f"`{exercise.id}`, {exercise.points} points. Accepted: {accepted}.\n")
        parts += [_of(exercise, mistake, differences) for mistake in exercise.mistakes]
    return "\n".join(parts)


def _title(assignment: str) -> str:
    number, _, name = assignment.partition("_")
    return f"Assignment {int(number)}: {name.replace('_', ' ')}"


def _of(exercise: Exercise, mistake: Mistake, differences: bool) -> str:
    points = f" ({mistake.points} of {exercise.points} points)" if mistake.points else ""
    sentence = f"{_code(mistake.message)}{points}"
    shown = "\n\n".join(_shown(exercise, mistake)) if differences else ""
    if not shown:
        return f"<p class='mistake'>{sentence}</p>\n"
    return f"<details class='mistake'><summary>{sentence}</summary>\n\n{shown}\n\n</details>\n"


def _shown(exercise: Exercise, mistake: Mistake) -> Iterator[str]:
    """What a mistake changes in the reference, or the program that it is."""
    mutation = mistake.mutation
    if not callable(mutation):
        yield f"```diff\n{difference(exercise.source, mutation)}\n```"
    elif mutation.__name__ != "<lambda>" and "<locals>" not in mutation.__qualname__:
        yield f"```python\n{textwrap.dedent(inspect.getsource(mutation)).rstrip()}\n```"


def _code(text: str) -> str:
    """A sentence as HTML, with its `code` and its *emphasis*."""
    return re.sub(
        r"`([^`]+)`|\*(\w[^*`]*)\*",
        lambda found: f"<code>{found[1]}</code>" if found[1] else f"<em>{found[2]}</em>",
        html.escape(text, quote=False),
    )
