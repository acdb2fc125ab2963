"""The secret of a course: made once, kept, needed for the draw, and told to nobody."""

import os
import stat

import nbformat
import pytest

from grading.content.release import RELEASED
from grading.course.secret import LENGTH, SecretError, course_secret, path_of, secret_if_any
from grading.exercise import PUBLIC_SEED, hidden_seed
from grading.running.grade_notebook import _key


def test_a_secret_is_made_once_and_said_to_be(tmp_path):
    said = []
    assert secret_if_any(tmp_path) == b""
    secret = course_secret(tmp_path, said.append)
    assert len(secret) == LENGTH
    assert said == [
        f"Made {path_of(tmp_path)}, from which hidden cases are drawn: keep it with the gradebook."
    ]
    assert course_secret(tmp_path, said.append) == secret_if_any(tmp_path) == secret
    assert len(said) == 1
    assert stat.S_IMODE(path_of(tmp_path).stat().st_mode) == 0o600
    assert os.listdir(path_of(tmp_path).parent) == ["secret"]


def test_two_courses_have_two_secrets(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    assert course_secret(tmp_path / "one") != course_secret(tmp_path / "other")


@pytest.mark.parametrize("content", ["", "no number", "abcd", "00" * (LENGTH - 1), "\0" * 99])
def test_what_is_no_secret_is_refused_in_one_sentence(tmp_path, content):
    path_of(tmp_path).parent.mkdir()
    path_of(tmp_path).write_text(content)
    for use in (course_secret, secret_if_any):
        with pytest.raises(SecretError, match="holds no secret of 32 bytes") as refused:
            use(tmp_path)
        assert "\n" not in str(refused.value)


def test_a_secret_that_cannot_be_read_is_refused_in_one_sentence(tmp_path):
    path_of(tmp_path).mkdir(parents=True)  # as root may read every file, a folder stands for one
    with pytest.raises(SecretError, match="cannot be read"):
        course_secret(tmp_path)


def test_a_secret_that_cannot_be_made_is_refused_in_one_sentence(tmp_path):
    path_of(tmp_path).parent.write_text("a file where the folder should be")
    with pytest.raises(SecretError, match=r"cannot be (made|read)"):
        course_secret(tmp_path)


def test_the_draw_hangs_on_the_secret_and_on_all_that_is_handed_in(tmp_path):
    def cells(*sources):
        return [nbformat.v4.new_code_cell(source) for source in sources]

    labelled = cells("x = 1")
    labelled[0].metadata["nbgrader"] = {"grade_id": "x-answer"}
    beside = tmp_path / "answers.bin"
    beside.write_bytes(b"one")
    keys = [
        _key("ada", cells("x = 1"), []),
        _key("bob", cells("x = 1"), []),
        _key("ada", cells("x = 2"), []),
        _key("ada", cells("x = 1"), [beside]),
        _key("ada", labelled, []),  # the answer's cell is run once more, and may be another
    ]
    beside.write_bytes(b"two")
    keys.append(_key("ada", cells("x = 1"), [beside]))
    assert len(set(keys)) == len(keys)
    assert keys[-1] == _key("ada", cells("x = 1"), [beside])
    seeds = {
        hidden_seed("01_x", exercise, key, secret)
        for key in keys
        for exercise in ("one", "other")
        for secret in (b"", b"a" * LENGTH, b"b" * LENGTH)
    }
    assert len(seeds) == 6 * len(keys)
    assert PUBLIC_SEED not in seeds


def test_a_new_release_of_the_same_exercise_draws_the_same_cases(tmp_path):
    keys = set()
    for content in (b"one", b"another version"):
        files = [tmp_path / name for name in RELEASED]
        for file in files:
            file.write_bytes(content)
        keys.add(_key("ada", [], files))
    assert len(keys) == 1
