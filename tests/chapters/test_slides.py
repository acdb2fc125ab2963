"""Decks: what they name is there, once, and nothing else is shown."""

import re

import nbformat
import pytest

from _ext.exports import slides

NOTEBOOK = nbformat.v4.new_notebook(
    cells=[
        nbformat.v4.new_markdown_cell("# A title: with *emphasis*\n\nOpening words.", id="title"),
        nbformat.v4.new_markdown_cell(
            "## First\n\nTokens look at tokens. **Predict.** What does it print, and why? Think\n"
            "of $e^0$, as Xu et al. do.\n\n- **One**: the first.\n- Two\n  lines.\n\n$$x = 1$$\n\n"
            "### Later\n\nBehind the heading.",
            id="text",
        ),
        nbformat.v4.new_code_cell(
            "# a comment\nimport math\n\n@staticmethod\ndef half(x):\n    return x / 2\n\nhalf(4)",
            id="code",
            metadata={"tags": ["hide-output"]},
            outputs=[nbformat.v4.new_output("stream", text="2.0 < 3\n")],
        ),
        nbformat.v4.new_markdown_cell('<div class="quiz">\n\nA question?\n\n</div>', id="quiz"),
        nbformat.v4.new_code_cell("x = 1", id="silent", metadata={"tags": ["hide-input"]}),
    ]
)


@pytest.fixture
def page():
    return slides.Page("01_page", NOTEBOOK.cells)


def shown(page, item):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", slides.show(page, item)[0])).strip()


def test_a_sentence_an_item_and_a_formula_are_named_by_their_first_words(page):
    assert shown(page, "text: Tokens look") == "Tokens look at tokens."
    assert shown(page, "text: Predict.") == "Predict. What does it print, and why?"
    assert shown(page, "text: Two") == "Two lines."
    assert shown(page, "text: One: | Tokens") == "One: the first. Tokens look at tokens."
    assert "<math" in slides.show(page, "text: $$x")[0]
    assert shown(page, "text: Tokens …").endswith("as Xu et al. do.")


def test_a_statement_of_the_code_is_named_in_the_same_way(page):
    assert shown(page, "code: @staticmethod") == "@staticmethod def half(x): return x / 2"
    assert shown(page, "code: code").startswith("# a comment import math")


def test_what_is_folded_away_behind_a_predict_comes_with_the_next_key(page):
    page_of_output = slides.show(page, "code: output")[0]
    assert 'class="output fragment"' in page_of_output
    assert "2.0 &lt; 3" in page_of_output


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("gone", "has no cell gone"),
        ("text: Nobody says", "no part that begin with 'Nobody says'"),
        ("text: T", "parts that begin with 'T'"),
        ("code: def third", "no part that begin with 'def third'"),
        ("silent: output", "has no output"),
    ],
)
def test_what_a_chapter_does_not_have_is_an_error(page, item, problem):
    with pytest.raises(slides.DeckError, match=re.escape(problem)):
        list(slides.slides_of(page, [[item]], first_page=True))


def test_slides_follow_the_page(page):
    with pytest.raises(slides.DeckError, match="not in the order"):
        list(slides.slides_of(page, [["code"], ["text"]], first_page=True))


def test_heading_and_notes_come_from_the_page(page):
    title, first, later, last = slides.slides_of(
        page, [["text: Tokens"], ["text: Behind"], ["code"]], first_page=True
    )
    assert "<h1>A title: with <em>emphasis</em></h1>" in title
    assert "Opening words." in title
    assert "<h2>First</h2>" in first
    assert "<h2>Later</h2>" in later
    assert "Behind the heading." in later.partition('class="notes"')[2]
    assert "A question?" not in last


@pytest.mark.parametrize("number", [f"{n:02}" for n in range(1, 12)])
def test_each_chapter_has_a_deck_of_all_its_pages(number):
    _, found = slides.deck(number)
    pages = [path.stem for path in slides.CHAPTERS.glob(f"{number}_*.ipynb")]
    titles = [slide for slide in found if '<div class="slide title">' in slide]
    assert len(titles) == len(pages)
    assert 15 <= len(found) - len(titles) <= 35
    for slide in found:
        assert re.search(r"<h([12])>.+</h\1>", slide)
        on_it, _, notes = slide.partition('<aside class="notes">')
        assert 'class="quiz"' not in slide
        assert "figcaption" not in on_it
        assert notes
