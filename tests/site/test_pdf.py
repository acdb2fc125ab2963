"""The PDF of the book: some of its pages are printed and joined as `make pdf` does with all."""

import functools
import re
import unicodedata

import pytest
from pypdf import PdfReader

from _ext.exports.pdf import make
from _ext.site.contents import pages

INDEX, CHAPTER, GLOSSARY, STUDENTS = (
    pages()[0],
    "chapters/03_feed_forward",
    "chapters/glossary",
    "chapters/students",
)
ADDRESS = "https://ann.github.io/course"


@pytest.fixture(scope="module")
def book(site, tmp_path_factory):
    file = tmp_path_factory.mktemp("pdf") / "book.pdf"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOK_ADDRESS", ADDRESS)
        count = make(file, [INDEX, CHAPTER, GLOSSARY, STUDENTS])
    with PdfReader(file) as reader:
        assert len(reader.pages) == count > 10
        yield reader


@pytest.fixture(scope="module")
def outline(book):
    """The number of the page, from 0, of each heading in the outline."""

    def flat(items):
        for item in items:
            yield from flat(item) if isinstance(item, list) else [item]

    _title_page, *inside = flat(book.outline)  # bears the same title as the first page of the book
    found = {each.title: book.get_destination_page_number(each) for each in inside}
    assert len(found) > 10
    return found


@functools.cache
def read(book, number):
    """The text of a page, and the words that stand lowest on it."""
    found = []

    def note(words, around, own, *_):
        if words.strip():
            found.append((own[4] * around[1] + own[5] * around[3] + around[5], words.strip()))

    letters = book.pages[number].extract_text(visitor_text=note)
    return " ".join(unicodedata.normalize("NFKC", letters).split()), min(found)[1]  # no ligatures


def text(book, number):
    return read(book, number)[0]


def test_outline_leads_to_the_page_of_each_heading(book, outline):
    for title, number in outline.items():
        assert title.split(". ")[-1][:20] in text(book, number), title
    assert list(outline.values()) == sorted(outline.values())


def test_every_page_has_its_number(book):
    for i in range(1, len(book.pages)):  # the title page has none
        _, foot = read(book, i)
        assert foot == str(i + 1)


def leads_to(book, number):
    links = [note.get_object() for note in book.pages[number].annotations]
    places = [book.named_destinations[link["/Dest"]] for link in links if "/Dest" in link]
    return [book.get_destination_page_number(place) for place in places]


def test_links_between_pages_stay_in_the_book(book, outline):
    (start,) = (n for title, n in outline.items() if "Feed-forward: what" in title)
    first = range(outline["The Transformer from scratch"], start)
    assert any(start in leads_to(book, number) for number in first)


def test_the_contents_name_the_page_of_each_chapter_and_section(book, outline):
    begin = outline["The Transformer from scratch"]
    contents = " ".join(text(book, number) for number in range(1, begin))
    assert "The Transformer from scratch" in text(book, 0)
    for title in ("3. Feed-forward: what", "Glossary", "Activations"):
        number = next(n for name, n in outline.items() if title in name)
        assert re.search(rf"{title}[^0-9]* {number + 1} ", contents + " "), title
        assert any(number in leads_to(book, page) for page in range(1, begin))


def test_a_page_says_above_in_which_chapter_it_is(book, outline):
    title, start = next(each for each in outline.items() if "Feed-forward: what" in each[0])
    assert text(book, start + 1).count(title) == 1
    assert text(book, start).count(title) == 2  # the heading itself, too
    assert title not in text(book, start - 1)


def test_links_within_a_page_lead_to_their_place(book, outline):
    (start,) = (n for title, n in outline.items() if "Feed-forward: what" in title)
    references = next(n for title, n in outline.items() if title.endswith("References"))
    assert references in leads_to(book, start)  # a citation


def addresses(page):
    actions = [note.get_object().get("/A", {}) for note in page.annotations or ()]
    return [action["/URI"] for action in actions if "/URI" in action]


def test_links_to_archives_lead_to_the_published_site(book):
    found = [address for page in book.pages for address in addresses(page)]
    assert f"{ADDRESS}/assignments/01_simple_attention.zip" in found
    assert not [address for address in found if address.startswith("file:")]


def test_without_a_published_site_such_a_link_is_text(site, tmp_path, monkeypatch):
    monkeypatch.delenv("BOOK_ADDRESS", raising=False)
    make(tmp_path / "book.pdf", [STUDENTS])
    with PdfReader(tmp_path / "book.pdf") as reader:
        found = [address for page in reader.pages for address in addresses(page)]
        assert "01_simple_attention.zip" in "".join(page.extract_text() for page in reader.pages)
    assert not [address for address in found if address.startswith("file:")]


def elements(book):
    """All elements of the structure that a screen reader goes by."""
    waiting = [book.trailer["/Root"]["/StructTreeRoot"]]
    while waiting:
        element = waiting.pop().get_object()
        if isinstance(element, list):
            waiting.extend(element)
        elif isinstance(element, dict):
            yield element
            if "/K" in element:
                waiting.append(element["/K"])


def test_the_book_is_tagged_and_its_drawings_have_words(book):
    assert book.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert book.trailer["/Root"]["/Lang"] == "en"
    kinds = [element.get("/S") for element in elements(book)]
    assert {"/H1", "/H2", "/Table", "/TH", "/TD", "/LI", "/Link", "/Figure"} <= set(kinds)
    told = [
        element["/Alt"]
        for element in elements(book)
        if element.get("/S") == "/Figure" and "/Alt" in element
    ]
    assert len(told) >= 4
    assert all(len(words.split()) >= 5 for words in told)


def test_what_is_folded_is_printed_and_what_navigates_is_not(book, outline):
    whole = " ".join(text(book, i) for i in range(len(book.pages)))
    assert "Try it yourself first; the box will wait" in whole
    for word in ("Copyright", "Search", "Contents"):
        assert word not in text(book, outline["The Transformer from scratch"])
