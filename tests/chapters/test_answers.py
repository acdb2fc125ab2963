"""The solutions to the chapters' exercises: all are there, and what they say holds.

Most take longer than a test should; `pytest -m answers` runs them all, and so does
`make solutions-book`.
"""

import pytest

from _ext.exports import solutions_book

FAST = ("02_whole_module", "03_feed_forward", "05_positions", "08_decoder")
PAGES = [name.removeprefix("chapters/") for name in solutions_book.pages()]
WITH_EXERCISES = [name for name in PAGES if name[:2].isdigit() and solutions_book.exercises(name)]


def test_exercises_are_found_on_the_pages():
    assert len(WITH_EXERCISES) > 20
    first = solutions_book.exercises("04_training")
    assert len(first) == 3
    assert first[1].startswith("*(25 minutes, medium)* Some models compute attention")
    assert first[1][-1] in ".?"  # nothing of the next one
    assert solutions_book.exercises("01_simple_attention") == []


@pytest.mark.parametrize("name", WITH_EXERCISES)
def test_each_exercise_of_a_page_is_answered_in_words_and_by_code(name):
    cells = solutions_book.read(solutions_book.SOLUTIONS / f"{name}.py")
    at = [i for i, cell in enumerate(cells) if cell.kind == "exercise"]
    assert [cells[i].number for i in at] == [
        number for number, _ in enumerate(solutions_book.exercises(name), 1)
    ]
    for i, end in zip(at, [*at[1:], len(cells)], strict=True):
        assert len(cells[i].source.split()) >= 15
        assert any(cell.kind == "code" for cell in cells[i + 1 : end])


@pytest.mark.parametrize(
    "name",
    [
        name if name in FAST else pytest.param(name, marks=pytest.mark.answers)
        for name in WITH_EXERCISES
    ],
)
def test_what_a_solution_says_holds(name):
    cells = solutions_book.read(solutions_book.SOLUTIONS / f"{name}.py")
    with solutions_book.as_in_a_chapter():
        solutions_book.run(cells, name)
    assert any(cell.outputs for cell in cells)


def test_a_file_is_read_cell_by_cell_and_shows_what_a_notebook_would(tmp_path):
    file = tmp_path / "page.py"
    file.write_text(
        '"""Docstring."""\n\n# %%\nx = 2\nprint("two")\nx\n\n'
        "# %% [exercise 1]\n# It *is*\n#\n# 2.\n\n"
        "# %% [markdown]\n# Text.\n\n# %%\nassert x == 2\n"
    )
    cells = solutions_book.read(file)
    assert [cell.kind for cell in cells] == ["code", "exercise", "markdown", "code"]
    assert cells[1].source == "It *is*\n\n2."
    solutions_book.run(cells, "page")
    assert cells[0].outputs == [{"text": "two\n"}, {"data": {"text/plain": "2"}}]
    cells[3].source = "assert x == 3"
    with pytest.raises(AssertionError):
        solutions_book.run(cells, "page")


def test_only_what_names_depend_on_is_taken_from_a_page():
    with solutions_book.as_in_a_chapter():
        from chapter import take

        found = take("04_normalization", "rms", "sizes_in_a_stack")
        assert found["sizes_in_a_stack"](1.0, layers=2)
        assert not {"model", "checkpoint", "table", "search"} & set(found)
        with pytest.raises(KeyError, match="defines no rms_of_nothing"):
            take("04_normalization", "rms_of_nothing")
