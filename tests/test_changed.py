"""The table of CONTRIBUTING.md that says which tests a change asks for."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHANGED = runpy.run_path(str(ROOT / ".ci" / "changed.py"))


def test_each_row_names_tests_that_are_there():
    for pattern, tests in CHANGED["table"]():
        for each in tests:
            for path in each.partition(" -k ")[0].split():
                if "NAME" not in path:
                    assert list(ROOT.glob(path)), f"{pattern}: {path}"


@pytest.mark.parametrize(
    ("file", "calls"),
    [
        (
            "grading/content/modern_decoder/ring_buffer/mistakes.py",
            [
                "tests/grading/test_corpus.py tests/grading/test_matrix.py "
                "-k ring_buffer or ringbuffer"
            ],
        ),
        (
            "tests/grading/corpus/10_modern_decoder/route/wrong.py",
            ["tests/grading/test_corpus.py -k route"],
        ),
        (
            "chapters/02_multi_head.ipynb",
            [
                "tests/chapters/test_notebooks.py tests/chapters/test_quizzes.py",
                "tests/chapters/test_outputs.py tests/site/test_pages.py "
                "-k 02_multi_head or 02multihead",
            ],
        ),
        ("chapters/_static/writer/writer.js", ["tests/site/test_writer.py"]),
        (
            "solutions/masks.py",
            ["tests/solutions/test_masks.py tests/solutions/test_signatures.py"],
        ),
        ("tests/test_changed.py", ["tests/test_changed.py"]),
        ("pictures/nowhere.png", []),
    ],
)
def test_a_change_asks_for_its_tests(file, calls):
    assert [" ".join(call) for call in CHANGED["commands"]([file])] == calls
