"""More than a thousand answers that the content modules do not know, wrong and right.

They run in this process, on the public cases and on hidden ones: no wrong answer earns a point that
it does not deserve, and no right one loses any. They are cells of ``wrong.py`` and ``right.py`` in
``corpus/ASSIGNMENT/EXERCISE/``; :mod:`grading.proof.corpus` says how they are written.
"""

import pytest

from grading.content import assignments
from grading.errors import ExplainedError
from grading.exercise import PUBLIC_SEED
from grading.proof import matrix
from grading.proof.corpus import CORPUS, answers, notebook_folder

SEEDS = (PUBLIC_SEED, 1, 2)
EXERCISES = [
    pytest.param(assignment, exercise, id=f"{assignment}-{exercise.id}")
    for assignment, exercises in assignments().items()
    for exercise in exercises
]


@pytest.mark.timeout(1800)  # up to 98 answers, on a machine that may be busy
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_an_answer_earns_what_it_deserves(assignment, exercise, draws_of, pytestconfig):
    wanted = pytestconfig.getoption("--answer")
    found = [a for a in answers(assignment, exercise.id) if wanted in (None, a.name)]
    assert found, f"{exercise.id} has no answer {wanted!r}"
    every = dict(zip(matrix.SEEDS, draws_of(exercise), strict=False))
    draws = {seed: every[seed] for seed in SEEDS}
    misjudged = {}  # not a subtest each: to tell of 2,383 successes takes a quarter of the time
    with notebook_folder(assignment):
        for answer in found:
            earned = {seed: answer.points(drawn) for seed, drawn in draws.items()}
            if set(earned.values()) != {answer.deserved}:
                misjudged[answer.name] = earned
    assert misjudged == {}


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_each_answer_has_a_name_of_its_own_and_only_right_ones_deserve_all_points(
    assignment, exercise
):
    found = answers(assignment, exercise.id)
    assert {answer.right for answer in found} == {True, False}
    assert len({answer.name for answer in found}) == len(found)
    for answer in found:
        assert (answer.deserved == exercise.points) == answer.right, answer.name


def test_every_answer_belongs_to_an_exercise_that_exists():
    known = {
        CORPUS / assignment / exercise.id / f"{kind}.py"
        for assignment, exercises in assignments().items()
        for exercise in exercises
        for kind in ("right", "wrong")
    }
    assert {path for path in CORPUS.rglob("*.py") if path.name != "prologue.py"} == known


@pytest.mark.parametrize(
    ("text", "line"),
    [("def f(): pass", 1), ("# %% one | points 1", 1), ("# %% a | points 0 | b\n#%% c", 2)],
)
def test_an_answer_without_its_first_line_is_not_overlooked(tmp_path, text, line):
    path = tmp_path / "05_positions" / "alibi_mask" / "wrong.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ExplainedError, match=rf"wrong\.py, line {line}: expected `# %% NAME"):
        answers("05_positions", "alibi_mask", tmp_path)
