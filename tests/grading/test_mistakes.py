"""The known mistakes as data: every one, and each program is what the matrix runs."""

import json

import pytest

from grading import check
from grading.commands import main
from grading.content import assignments, exercises_of, mistakes_of
from grading.exercise import PUBLIC_SEED, DrawnExercise
from grading.exercise.edits import difference, edited
from grading.exercise.variants import LETTERS
from grading.proof.mistakes import known_mistakes


def described(known):
    """The exercise and the mistake as the content modules describe them."""
    exercises = exercises_of(known.assignment, LETTERS.index(known.variant))
    exercise = next(each for each in exercises if each.id == known.exercise)
    return exercise, next(each for each in exercise.mistakes if each.id == known.name)


def made(program: str, name: str):
    """What a program defines, run by itself."""
    names = {"__name__": "__main__"}
    exec(compile(program, "<mistake>", "exec"), names)
    return names[name]


@pytest.mark.parametrize("assignment", assignments())
def test_every_mistake_is_there_with_a_program_that_is_what_the_matrix_runs(assignment):
    found = list(known_mistakes(assignment))
    assert [(each.exercise, each.name) for each in found] == list(mistakes_of(assignment))
    draws = {}
    for known in found:
        exercise, mistake = described(known)
        assert (known.sentence, known.points) == (mistake.message, mistake.points)
        mutations = [mistake.mutation, *mistake.other_forms, *mistake.equivalent]
        forms = [{"edit": known.edit, "program": known.program}]
        forms += [*known.other_forms, *known.equivalent]
        for mutation, form in zip(mutations, forms, strict=True):
            wrong = made(form["program"], exercise.id)
            if not callable(mutation):
                text = edited(exercise.source, mutation).strip()
                assert form["program"].endswith(f"{text}\n")
                assert form["edit"] == difference(exercise.source, mutation)
                continue
            key = exercise.id, known.variant
            drawn = draws.setdefault(key, DrawnExercise(exercise, PUBLIC_SEED))
            pairs = zip(drawn.outcomes(wrong), drawn.outcomes(mutation), strict=True)
            assert all(check.agree(one, other, 0) for one, other in pairs), known.name


def test_the_command_prints_them_for_programs(capsys):
    assert main(["mistakes", "simple_attention", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == len(mistakes_of("01_simple_attention"))
    first = found[0]
    assert (first["exercise"], first["name"]) == ("weights_time_first", "no_scale")
    assert (first["points"], first["max_points"], first["variant"]) == (0, 3, "A")
    assert first["edit"].splitlines()[1] == "+    scores = query @ key.transpose(-2, -1)"
    assert "scores = query @ key.transpose(-2, -1)\n" in first["program"]


def test_and_for_people(capsys):
    assert main(["mistakes", "simple_attention"]) == 0
    said = capsys.readouterr().out
    known = next(known_mistakes("01_simple_attention"))
    assert f"{known.exercise}, {known.name}: {known.sentence}\n    -" in said
    assert said.endswith(f"{len(mistakes_of('01_simple_attention'))} known mistakes.\n")
