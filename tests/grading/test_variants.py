"""Variants: each is proved as the exercise itself is, and differs in nothing but what it says."""

import ast
from collections import Counter
from dataclasses import replace

import nbformat
import pytest

from grading.content import (
    assignments,
    chosen,
    exercises_of,
    mistakes_of,
    variant_count,
    variants_of,
)
from grading.content.release import EXERCISES_FOLDER
from grading.course.assigned_variants import cells_in_file, put_in_place
from grading.exercise import PUBLIC_SEED, DrawnExercise
from grading.exercise.edits import EditError
from grading.exercise.variants import (
    Variant,
    as_described,
    cells_of,
    dealt,
    letter,
    number_of,
    replaced,
    rewritten,
    varied,
)
from grading.proof import matrix

VARIED = [
    (assignment, number, exercise)
    for assignment in assignments()
    for number in range(1, variant_count(assignment))
    for exercise in exercises_of(assignment, number)
    if chosen(assignment, exercise.id, number)
]


def named(value) -> str | None:
    return value.id if hasattr(value, "id") else letter(value) if type(value) is int else None


each_variant = pytest.mark.parametrize(("assignment", "number", "exercise"), VARIED, ids=named)


def of_the_exercise(name):
    return next(e.mistakes for es in assignments().values() for e in es if e.id == name)


@pytest.fixture(scope="module")
def drawn():
    """A variant with the mistakes that it alone has, and its public cases, drawn once."""
    made = {}

    def draw(number, exercise):
        if (number, exercise.id) not in made:
            touched = tuple(m for m in exercise.mistakes if m not in of_the_exercise(exercise.id))
            made[number, exercise.id] = DrawnExercise(
                replace(exercise, mistakes=touched), PUBLIC_SEED
            )
        return made[number, exercise.id]

    return draw


def cells_of_notebook(assignment):
    (path,) = (EXERCISES_FOLDER / assignment).glob("*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in cells}


def cells_of_variant(assignment, number, exercise):
    cells = cells_of_notebook(assignment)
    own = {name: cells[name] for name in cells_of(exercise, list(cells))}
    return rewritten(own, chosen(assignment, exercise.id, number), exercise)


@each_variant
def test_every_implementation_that_a_variant_touches_gets_its_due(
    assignment, number, exercise, drawn
):
    """The others are the exercise's own; `python -m grading matrix --variant B` runs them all."""
    of = drawn(number, exercise)
    assert [row for row in matrix.rows(of.exercise, [of]) if not row.right] == []


@each_variant
def test_a_variant_is_as_much_work_for_as_many_points(assignment, number, exercise):
    (plain,) = (e for e in exercises_of(assignment) if e.id == exercise.id)
    for name in ("minutes", "difficulty", "title", "signature", "section"):
        assert getattr(plain, name) == getattr(exercise, name)
    assert [(p.id, p.points) for p in plain.parts] == [(p.id, p.points) for p in exercise.parts]
    assert set(plain.alternatives) == set(exercise.alternatives)


@each_variant
def test_the_cells_of_a_variant_are_its_own(assignment, number, exercise):
    new = cells_of_variant(assignment, number, exercise)
    old = cells_of_notebook(assignment)
    changed = {name for name, text in new.items() if text != old[name]}
    assert f"{exercise.id}-text" in changed
    assert old[exercise.check_cell] == new[exercise.check_cell]
    for word in ("published", "people used", "others used", "Phi-3"):
        assert word not in new[f"{exercise.id}-text"]


@pytest.mark.parametrize(
    ("assignment", "number", "exercise"), [v for v in VARIED if v[2].broken], ids=named
)
def test_the_released_code_of_a_hunt_runs_and_has_its_bugs_and_no_others(
    assignment, number, exercise, drawn
):
    cells = cells_of_variant(assignment, number, exercise)
    setup = cells_of_notebook(assignment)["setup"]
    imports = [line for line in setup.splitlines() if "from check import" not in line]
    names = list(cells)
    given = cells[names[names.index(f"{exercise.id}-hints") - 1]]
    assert '"""' not in given
    namespace = {}
    exec("\n".join(imports), namespace)
    exec(given, namespace)
    broken = namespace[exercise.id.replace("Repaired", "Broken").replace("repaired", "broken")]
    of = drawn(number, exercise)
    verdict = of.grade(of.outcomes(broken))
    assert verdict.mistakes == ["_and_".join(exercise.broken)]
    count = len(exercise.broken)
    assert verdict.points == max(0, exercise.points - count)
    assert "All" in verdict.explanations[0]
    assert "bugs are still there: " in verdict.explanations[0]


def test_every_bug_hunt_has_three_variants_and_so_have_other_exercises():
    for assignment, exercises in assignments().items():
        for exercise in exercises:
            if exercise.broken:
                assert len(variants_of(assignment)[exercise.id]) == 2, exercise.id
    others = {e.id for _, _, e in VARIED if not e.broken}
    assert others == {"move_weights", "PackedSwiGLU"}


def test_no_two_variants_of_a_hunt_have_the_same_bugs():
    for assignment, exercises in assignments().items():
        for exercise in exercises:
            if exercise.broken:
                plain = {bug for name in exercise.broken for bug in name.split("_and_")}
                of = variants_of(assignment)[exercise.id]
                hunted = {frozenset(bugs) for bugs in (plain, *(v.bugs for v in of))}
                assert len(hunted) == 3
                assert {len(bugs) for bugs in hunted} == {len(plain)}


def test_what_is_released_to_all_knows_nothing_of_variants():
    for assignment in assignments():
        for number in range(1, variant_count(assignment)):
            for plain, other in zip(
                exercises_of(assignment), exercises_of(assignment, number), strict=True
            ):
                assert (plain is other) != bool(chosen(assignment, plain.id, number))
    known = mistakes_of("06_encoder")
    assert known["RepairedEncoder", "relu"].message.startswith("One bug is still there")
    assert ("RepairedEncoder", "tanh_form_and_added") in known


def test_who_gets_which_hangs_on_the_secret_and_stays():
    students = [f"student{n}" for n in range(7)]

    def given(assignment, secret):
        return dealt(students, {}, assignment, 3, secret)

    one = given("06_encoder", b"a" * 32)
    assert one == given("06_encoder", b"a" * 32)
    assert sorted(Counter(one.values()).values()) == [2, 2, 3]
    assert one not in (given("06_encoder", b"b" * 32), given("07_head", b"a" * 32))
    more = dealt([*students, "late", "later"], one, "06_encoder", 3, b"a" * 32)
    assert {student: more[student] for student in one} == one
    assert sorted(Counter(more.values()).values()) == [3, 3, 3]
    unknown = [number_of(f"s{n}", "06_encoder", 3, b"a" * 32) for n in range(40)]
    assert set(unknown) == {0, 1, 2}


def test_nbgrader_is_given_the_cells_that_it_knows_and_the_student_those_of_the_variant(tmp_path):
    cell = nbformat.v4.new_markdown_cell("B", metadata={"nbgrader": {"grade_id": "x-text"}})
    own = nbformat.v4.new_code_cell("mine", metadata={"nbgrader": {"grade_id": "x-answer"}})
    notebook = nbformat.v4.new_notebook(cells=[cell, own, nbformat.v4.new_markdown_cell("added")])
    known = {
        "x-text": ("A", {"grade_id": "x-text", "locked": True, "checksum": "1"}),
        "x-answer": ("YOUR CODE HERE", {"grade_id": "x-answer", "locked": False}),
    }
    put_in_place(notebook, known)
    assert [cell.source for cell in notebook.cells] == ["A", "mine", "added"]
    nbformat.write(notebook, tmp_path / "released.ipynb")
    again = cells_in_file(tmp_path / "released.ipynb")
    assert again["x-text"] == known["x-text"]


def test_two_names_can_be_exchanged():
    assert (
        replaced("gate, up = up, gate", [("gate", "up"), ("up", "gate")]) == "up, gate = gate, up"
    )


def test_an_edit_that_finds_nothing_is_refused():
    (exercise,) = (e for e in exercises_of("03_feed_forward") if e.id == "move_weights")
    with pytest.raises(EditError, match="are none of its description"):
        varied(exercise, Variant(edits=[("no such words", "others")]), 1)
    cells = {f"{exercise.id}-text": "one two one"}
    for text in ("one", "three"):
        with pytest.raises(EditError, match="have not once"):
            rewritten(cells, Variant(text=[(text, "")]), exercise)


def test_an_answer_is_compared_under_the_names_of_the_description():
    variant = variants_of("03_feed_forward")["move_weights"][0]
    answer = "moved = {'fc1.weight': 1, 'contract.bias': 2, 'fc12': 3}"
    assert as_described(answer, variant) == (
        "moved = {'intermediate.weight': 1, 'back.bias': 2, 'fc12': 3}"
    )
    hunt = variants_of("06_encoder")["RepairedEncoder"][0]
    assert as_described(answer, hunt) == answer


def test_a_variant_of_names_is_the_same_program_under_other_names():
    plain = exercises_of("03_feed_forward")
    for number in (1, 2):
        for one, other in zip(plain, exercises_of("03_feed_forward", number), strict=True):
            if one.id == "move_weights":
                names = {
                    n.value for n in ast.walk(ast.parse(other.source)) if type(n) is ast.Constant
                }
                assert not names & {"intermediate", "output", "wider", "back"}
                assert len(one.mistakes) == len(other.mistakes)
