"""A small exercise stays small: a reference, two cases and one mistake; the rest is usual."""

import dataclasses
import importlib
import types
from pathlib import Path

import pytest

from grading import check
from grading.content.folder import exercise_of
from grading.exercise import PUBLIC_SEED, DrawnExercise
from grading.exercise.variants import Variant, varied
from grading.proof import matrix

FOLDER = Path(__file__).parent / "small"


@pytest.fixture(scope="module")
def small():
    """The folder as a teacher has it: anywhere, and known to nobody."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        yield importlib.import_module("masked_mean")


def test_it_has_at_most_sixty_lines():
    files = (FOLDER / "masked_mean").glob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in files) <= 60


def test_the_matrix_finds_nothing_wrong_with_it(small):
    rows = list(matrix.rows(small.EXERCISE, matrix.drawn(small.EXERCISE)))
    assert [row for row in rows if not row.right] == []
    assert [row.name for row in rows] == [
        "the reference",
        "padding_counted",
        "kept",
        "changed_argument",
        "needs_contiguous",
        "no_gradient",
        "always_float32",
    ]


def refusing(small, *names, mistakes=()):
    question = dataclasses.replace(small.question.QUESTION, without=names)
    bank = types.SimpleNamespace(MISTAKES=(*small.mistakes.MISTAKES, *mistakes))
    return exercise_of(types.SimpleNamespace(QUESTION=question), bank)


@pytest.mark.parametrize("name", ["again", "views", "gradients", "float64"])
def test_what_it_refuses_is_neither_a_case_nor_a_mistake(small, name):
    without = refusing(small, name)
    cases = [len(DrawnExercise(e, PUBLIC_SEED).cases) for e in (small.EXERCISE, without)]
    assert cases == [6, 5]
    assert len(without.mistakes) == len(small.EXERCISE.mistakes) - 1
    assert all(row.right for row in matrix.rows(without, matrix.drawn(without)))


def test_a_mistake_of_its_bank_stands_in_for_a_usual_one(small):
    (usual,) = (m for m in small.EXERCISE.mistakes if m.id == "no_gradient")
    own = dataclasses.replace(usual, message="Nothing can be learned from this.")
    named = {m.id: m.message for m in refusing(small, mistakes=[own]).mistakes}
    assert named["no_gradient"] == own.message
    assert len(named) == len(small.EXERCISE.mistakes)


def test_what_is_asked_without_numbers_has_no_gradients(small):
    def counted(words):
        return len(words)

    question = dataclasses.replace(
        small.question.QUESTION,
        id="counted",
        reference=counted,
        draw=lambda generator: {"words": ["a", "b"]},
        cases=lambda generator: [],
        without=("again",),
    )
    bank = types.SimpleNamespace(MISTAKES=())
    exercise = exercise_of(types.SimpleNamespace(QUESTION=question), bank)
    assert exercise.mistakes == ()
    assert exercise.cases(None) == []


def test_it_has_variants(small):
    other = Variant(edits=[("masked_mean", "mean_of_real"), ("attention_mask", "is_real")])
    exercise = varied(small.EXERCISE, other, 1)
    assert exercise.reference.__module__ == "masked_mean_B.question"
    assert exercise.signature == "mean_of_real(hidden_states, is_real)"
    assert all(row.right for row in matrix.rows(exercise, matrix.drawn(exercise)))


def test_it_is_released_as_any_other(small):
    public = DrawnExercise(small.EXERCISE, PUBLIC_SEED).public()
    assert check.pack({small.EXERCISE.id: public})
