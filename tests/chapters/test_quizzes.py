"""The quizzes in the chapters: a question in plain Markdown, and each choice with its explanation.

They are all written in one form, which also reads well where nothing of ours is loaded: in Jupyter,
in Colab, on GitHub.
"""

import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "chapters").glob("[01]*.ipynb"))
CHAPTERS = sorted({path.stem[:2] for path in PAGES})  # some have several pages
PART_ONE = [f"{number:02}" for number in range(1, 9)]
FRAME = re.compile(r'<div class="quiz">\n\n\*\*Check yourself\.\*\* \S[^<]+\n\n\n</div>')
CHOICE = re.compile(
    r"<details>\n<summary>((?:(?!</summary>|\n\n).)+)</summary>\n\n((?:(?!<details>).)+?)\n\n</details>\n",
    re.DOTALL,
)
RIGHT, WRONG = "**Right.** ", "**No:** "
WORDS = 5  # that an explanation has at least


def quizzes(notebook) -> list[str]:
    return [cell.source for cell in notebook.cells if "Check yourself" in cell.source]


def verdicts(quiz: str) -> list[bool]:
    """Return for each choice whether it is called right."""
    return [explanation.startswith(RIGHT) for _, explanation in CHOICE.findall(quiz)]


def problems(quiz: str) -> list[str]:
    """Say what is wrong with a quiz, one sentence for each finding."""
    found = []
    if not FRAME.fullmatch(CHOICE.sub("", quiz)):
        found.append("it is not in the form of the others")
    if len(verdicts(quiz)) not in (3, 4):
        found.append(f"it has {len(verdicts(quiz))} choices, expected 3 or 4")
    if sum(verdicts(quiz)) != 1:
        found.append(f"{sum(verdicts(quiz))} choices are right, expected 1")
    for choice, explanation in CHOICE.findall(quiz):
        words = explanation.removeprefix(RIGHT).removeprefix(WRONG)
        if words == explanation:
            found.append(f"no verdict on: {choice}")
        if len(words.split()) < WORDS:
            found.append(f"no explanation of: {choice}")
        if re.search(r"[*`]", re.sub(r"\$[^$]+\$", "", choice)):
            found.append(f"Markdown where only HTML is read: {choice}")
    return found


@pytest.fixture(params=PAGES, ids=lambda path: path.stem)
def page(request):
    return nbformat.read(request.param, as_version=4)


@pytest.fixture(params=CHAPTERS)
def chapter(request):
    """Return the quizzes of all pages of a chapter."""
    pages = [path for path in PAGES if path.stem.startswith(request.param)]
    return [quiz for path in pages for quiz in quizzes(nbformat.read(path, as_version=4))]


def test_the_chapters_are_those_of_the_contents():
    contents = (ROOT / "_toc.yml").read_text("utf-8")
    assert sorted(set(re.findall(r"chapters/(\d\d)_", contents))) == CHAPTERS
    assert CHAPTERS[:8] == PART_ONE


def test_a_chapter_of_part_one_has_two_to_four_quizzes():
    for number in PART_ONE:
        pages = [path for path in PAGES if path.stem.startswith(number)]
        found = [quiz for path in pages for quiz in quizzes(nbformat.read(path, as_version=4))]
        assert 2 <= len(found) <= 4, number


def test_a_page_of_part_two_has_two_to_four_quizzes():
    for path in PAGES:
        if path.stem[:2] not in PART_ONE:
            assert 2 <= len(quizzes(nbformat.read(path, as_version=4))) <= 4, path.stem


def test_quizzes_are_in_one_form(chapter):
    for quiz in chapter:
        assert problems(quiz) == [], quiz


def test_the_right_choice_has_no_fixed_place(chapter):
    assert len({verdicts(quiz).index(True) for quiz in chapter}) > 1


def test_quizzes_stand_where_they_help_and_not_all_at_the_end(page):
    places = [i for i, cell in enumerate(page.cells) if "Check yourself" in cell.source]
    assert places  # on each page
    summary = next(i for i, cell in enumerate(page.cells) if "## Summary" in cell.source)
    assert max(places) < summary
    assert all(b - a > 1 for a, b in pairwise(places))


# --- the check itself: each fault is put into a good quiz, and must be found ----------------------


@pytest.fixture
def good():
    first = next(path for path in PAGES if path.stem == "01_simple_attention")
    quiz = quizzes(nbformat.read(first, as_version=4))[0]
    assert problems(quiz) == []
    return quiz


def without_a_choice(quiz):
    return CHOICE.sub("", quiz, count=2)


def with_two_right_choices(quiz):
    return quiz.replace(WRONG, RIGHT, 1)


def with_no_right_choice(quiz):
    return quiz.replace(RIGHT, WRONG)


def without_a_verdict(quiz):
    return quiz.replace(WRONG, "", 1)


def without_an_explanation(quiz):
    return re.sub(r"\*\*No:\*\* .+?\n\n", "**No:** wrong.\n\n", quiz, count=1, flags=re.DOTALL)


def with_markdown_in_a_choice(quiz):
    return quiz.replace("<summary>", "<summary>*", 1)


def without_a_blank_line(quiz):
    return quiz.replace("</summary>\n\n", "</summary>\n", 1)  # the explanation becomes raw HTML


def without_its_end(quiz):
    return quiz.removesuffix("</div>")


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        (without_a_choice, "it has 2 choices"),
        (with_two_right_choices, "2 choices are right"),
        (with_no_right_choice, "0 choices are right"),
        (without_a_verdict, "no verdict on: All of them double."),
        (without_an_explanation, "no explanation of: All of them double."),
        (with_markdown_in_a_choice, "Markdown where only HTML is read: *All"),
        (without_a_blank_line, "it is not in the form of the others"),
        (without_its_end, "it is not in the form of the others"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_check_notices(good, fault, finding):
    assert any(finding in problem for problem in problems(fault(good))), problems(fault(good))
