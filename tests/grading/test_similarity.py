"""Answers that are alike: copies are found through what is usually changed, usual ways are not."""

import ast

import nbformat
import pytest

from grading.content import exercises_of, variants_of
from grading.content.release import EXERCISES_FOLDER
from grading.exercise.variants import replaced
from grading.proof import corpus
from grading.reporting import similarity

ASSIGNMENT = "01_simple_attention"
SOURCE = EXERCISES_FOLDER / ASSIGNMENT / "simple_attention.ipynb"


def right_answers(assignment: str, exercise: str) -> dict[str, str]:
    return {each.name: each.text for each in corpus.answers(assignment, exercise) if each.right}


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    """What a class of independent students wrote."""
    return right_answers(ASSIGNMENT, "padded_heads")


@pytest.fixture(scope="module")
def known() -> list[str]:
    exercise = next(e for e in exercises_of(ASSIGNMENT) if e.id == "padded_heads")
    return similarity.known_code(exercise, nbformat.read(SOURCE, as_version=4))


def renamed(source: str) -> str:
    """The same with other names, no comments, and the result in a variable."""
    tree = ast.parse(source)
    chosen = similarity._chosen(tree) - {"padded_heads"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in chosen:
            node.id = f"my_{node.id}"
        elif isinstance(node, ast.arg):
            node.arg = f"my_{node.arg}"
    text = ast.unparse(tree)
    head, _, result = text.rpartition("return ")
    return f"{head}out = {result}\n    return out"


def test_a_copy_with_other_names_is_found_and_nothing_else(answers, known):
    copied = "flattened_heads_and_bmm"
    before = similarity.alike(answers, known)
    found = similarity.alike({**answers, "copy": renamed(answers[copied])}, known)
    (pair,) = (pair for pair in found if "copy" in pair.students)
    assert set(pair.students) == {copied, "copy"}
    assert pair.share > 0.9
    assert all(piece in similarity.fragments(answers[copied]) for piece in pair.shared)
    assert len(before) <= 1  # of so many pairs of independent answers
    assert len(answers) > 10


def test_what_everybody_was_given_or_we_wrote_is_no_likeness(answers, known):
    same = dict.fromkeys(("ada", "ben"), known[0])
    found = similarity.alike({**answers, **same}, known)
    assert not any({"ada", "ben"} & set(pair.students) for pair in found)


def test_what_many_write_counts_little():
    usual = "def f(x):\n    return x.softmax(-1).matmul(x).sum(0)\n"
    answers = {f"s{n}": usual for n in range(10)} | {f"t{n}": f"y = {n}" for n in range(10)}
    assert similarity.alike(answers) == []
    rare = "def f(x):\n    a = x.cumsum(0).flip(1)\n    return a.roll(1, 2) - x.sort(0)[0] * a\n"
    found = similarity.alike({**answers, "ada": rare, "ben": rare.replace("x", "y")})
    assert [pair.students for pair in found] == [("ada", "ben")]


def test_those_who_hang_together_are_a_group():
    pairs = [similarity.Pair(p, 1, 20, []) for p in (("a", "b"), ("c", "d"), ("b", "e"))]
    assert similarity.Alike("x", 5, pairs).groups == [["a", "b", "e"], ["c", "d"]]


@pytest.mark.parametrize(
    "source", ["def f(:", "\0", "(" * 5_000, "x=1\n" * 50_000, "", "1" * 5_000]
)
def test_what_cannot_be_read_is_like_nothing(source):
    assert similarity.fragments(source) == set()
    assert similarity.alike({"ada": source, "ben": source}) == []


def test_a_copy_that_was_carried_over_to_another_variant_is_found(tmp_path):
    wrote = right_answers("03_feed_forward", "move_weights")
    one = max(wrote, key=lambda name: len(similarity.fragments(wrote[name])))
    variant = variants_of("03_feed_forward")["move_weights"][0]
    plain = [
        (f"{q}{old[1:-1]}{q}", f"{q}{new[1:-1]}{q}") for old, new in variant.edits for q in "\"'"
    ]
    graded = {}
    for student, text in {**wrote, "copy": replaced(wrote[one], plain)}.items():
        metadata = {"nbgrader": {"grade_id": "move_weights-answer"}}
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(text, metadata=metadata)]
        )
        graded[student] = tmp_path / f"{student}.ipynb"
        nbformat.write(notebook, graded[student])
    source = EXERCISES_FOLDER / "03_feed_forward" / "feed_forward.ipynb"

    def shares(variants):
        of = similarity.of_class("03_feed_forward", source, graded, variants)
        (found,) = (each for each in of if each.exercise == "move_weights")
        return {pair.students: pair.share for pair in found.pairs}

    pair = tuple(sorted((one, "copy")))
    assert shares({"copy": 1})[pair] == 1
    assert shares({}).get(pair, 0) < 1
