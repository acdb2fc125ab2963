"""The PDF of the book: some of its pages are printed and joined as `make pdf` does with all."""

import functools
import unicodedata

import pytest
from pages import pages
from pdf import make
from pypdf import PdfReader

INDEX, CHAPTER, GLOSSARY = pages()[0], pages()[3], "chapters/glossary"


@pytest.fixture(scope="module")
def book(site, tmp_path_factory):
    file = tmp_path_factory.mktemp("pdf") / "book.pdf"
    count = make(file, [INDEX, CHAPTER, GLOSSARY])
    with PdfReader(file) as reader:
        assert len(reader.pages) == count > 10
        yield reader


@pytest.fixture(scope="module")
def outline(book):
    """The number of the page, from 0, of each heading in the outline."""

    def flat(items):
        for item in items:
            yield from flat(item) if isinstance(item, list) else [item]

    found = {each.title: book.get_destination_page_number(each) for each in flat(book.outline)}
    assert len(found) > 10
    return found


@functools.cache
def text(book, number):
    letters = unicodedata.normalize("NFKC", book.pages[number].extract_text())  # no ligatures
    return " ".join(letters.split())


def test_outline_leads_to_the_page_of_each_heading(book, outline):
    for title, number in outline.items():
        assert title.split(". ")[-1][:20] in text(book, number), title
    assert list(outline.values()) == sorted(outline.values())


def test_every_page_has_its_number(book):
    for i in range(len(book.pages)):
        assert text(book, i).endswith(str(i + 1))


def test_links_between_pages_stay_in_the_book(book, outline):
    numbers = {page.indirect_reference.idnum: i for i, page in enumerate(book.pages)}
    (start,) = (n for title, n in outline.items() if title.startswith("3. Feed-forward"))
    leads = []
    for note in book.pages[0].annotations:
        link = note.get_object()
        if "/Dest" in link:
            leads.append(numbers[link["/Dest"][0].idnum])
    assert start in leads


def test_links_within_a_page_lead_to_their_place(book, outline):
    numbers = {page.indirect_reference.idnum: i for i, page in enumerate(book.pages)}
    (start,) = (n for title, n in outline.items() if title.startswith("3. Feed-forward"))
    references = next(n for title, n in outline.items() if title.endswith("References"))
    places = [
        numbers[note.get_object()["/Dest"][0].idnum]
        for note in book.pages[start].annotations
        if "/Dest" in note.get_object()
    ]
    assert any(number >= references for number in places)  # a citation


def test_what_is_folded_is_printed_and_what_navigates_is_not(book):
    whole = " ".join(text(book, i) for i in range(len(book.pages)))
    assert "Try first; the box will wait" in whole
    for word in ("Copyright", "Search", "Contents"):
        assert word not in text(book, 0)
