"""The book's page on what the grader knows: every exercise, its known mistakes and their sentences.

Made from the content modules by ``python -m grading release`` and committed, so that the book needs
no grader to be built; a test compares the two, and another runs all that the page lists.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from grading.content import assignments
from grading.exercise import Exercise
from grading.matrix import SEEDS

PAGE = Path(__file__).parents[1] / "chapters" / "appendix_matrix.md"
_INTRODUCTION = """# What the grader knows

<!-- Written by `python -m grading release`. -->

A grader is a program, and a program that nobody has tested does not work. Ours is tested with
answers: for each exercise there is a bank of wrong implementations, as students write them, and
several right ones in different style. Each wrong one must lose the points that it should lose and
get *its own* sentence; each right one must earn everything. That is checked on {draws} draws of
the cases whenever the tests run; `python -m grading matrix` prints the whole table.

{mistakes} wrong implementations and {correct} correct ones of {exercises} exercises are listed
here. The sentences are those that a student reads, so this page gives some solutions away by what
it warns of: look at it after you have done the exercises.

A mistake that nobody has listed fails as well. It gets no guess, but a description: which case,
which shape, how far off, and what the wrong numbers have to do with the right ones, if anything.
Where an exercise can, it also recognises two listed mistakes that were made at once.
"""


def matrix_page() -> str:
    """Write the page in Markdown."""
    every = [exercise for exercises in assignments().values() for exercise in exercises]
    parts = [
        _INTRODUCTION.format(
            draws=len(SEEDS),
            mistakes=sum(len(exercise.mistakes) for exercise in every),
            correct=sum(1 + len(exercise.alternatives) for exercise in every),
            exercises=len(every),
        )
    ]
    for assignment, exercises in assignments().items():
        number, _, name = assignment.partition("_")
        title = name.replace("_", " ")
        parts.append(f"## Assignment {int(number)}: [{title}]({assignment}.ipynb)\n")
        parts += [_of(exercise) for exercise in exercises]
    return "\n".join(parts)


def _of(exercise: Exercise) -> str:
    rows = "\n".join(
        f"<tr><td>{_code(mistake.message)}</td><td>{mistake.points} of {exercise.points}</td></tr>"
        for mistake in exercise.mistakes
    )
    correct = "; ".join(["the reference", *exercise.alternatives])
    return (
        f"<details><summary>{_code(exercise.title)}: <code>{exercise.id}</code>, "
        f"{len(exercise.mistakes)} mistakes</summary>\n"
        f"<p>Accepted: {_code(correct)}.</p>\n"
        '<table class="table"><thead><tr><th scope="col">what the student reads</th>'
        '<th scope="col">points</th></tr></thead>\n'
        f"<tbody>{rows}</tbody></table>\n</details>\n"
    )


def _code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
