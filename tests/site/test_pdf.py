"""The PDF of the book: some of its pages are printed and joined as `make pdf` does with all."""

import functools
import re
import unicodedata

import pytest
from pages import SITE, pages
from pdf import leave_no_link_to_this_disk, make
from pypdf import PageObject, PdfReader
from pypdf.annotations import Link
from pypdf.generic import ArrayObject

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


def leads_to(book, number):
    numbers = {page.indirect_reference.idnum: i for i, page in enumerate(book.pages)}
    links = [note.get_object() for note in book.pages[number].annotations]
    return [numbers[link["/Dest"][0].idnum] for link in links if "/Dest" in link]


def test_links_between_pages_stay_in_the_book(book, outline):
    (start,) = (n for title, n in outline.items() if "Feed-forward: what" in title)
    assert start in leads_to(book, outline["The Transformer from scratch"])


def test_the_contents_name_the_page_of_each_chapter_and_section(book, outline):
    begin = outline["The Transformer from scratch"]
    contents = " ".join(text(book, number) for number in range(1, begin))
    assert "The Transformer from scratch" in text(book, 0)
    for title in ("3. Feed-forward: what", "Glossary", "Activations"):
        number = next(n for name, n in outline.items() if title in name)
        assert re.search(rf"{title}[^0-9]* {number + 1} ", contents + " "), title
        assert any(number in leads_to(book, page) for page in range(1, begin))


def test_a_page_says_in_which_chapter_it_is_unless_one_begins_there(book, outline):
    title, start = next(each for each in outline.items() if "Feed-forward: what" in each[0])
    assert text(book, start + 1).count(title) == 1
    assert text(book, start).count(title) == 1  # the heading itself


def test_links_within_a_page_lead_to_their_place(book, outline):
    numbers = {page.indirect_reference.idnum: i for i, page in enumerate(book.pages)}
    (start,) = (n for title, n in outline.items() if "Feed-forward: what" in title)
    references = next(n for title, n in outline.items() if title.endswith("References"))
    places = [
        numbers[note.get_object()["/Dest"][0].idnum]
        for note in book.pages[start].annotations
        if "/Dest" in note.get_object()
    ]
    assert any(number >= references for number in places)  # a citation


def addresses(page):
    actions = [note.get_object().get("/A", {}) for note in page.annotations or ()]
    return [action["/URI"] for action in actions if "/URI" in action]


def test_links_to_archives_lead_to_the_published_site(book):
    found = [address for page in book.pages for address in addresses(page)]
    assert f"{ADDRESS}/assignments/01_simple_attention.zip" in found
    assert not [address for address in found if address.startswith("file:")]


def test_without_a_published_site_such_a_link_is_text():
    page = PageObject.create_blank_page(width=100, height=100)
    archive = f"{SITE.as_uri()}/assignments/01_simple_attention.zip"
    elsewhere = "https://arxiv.org/abs/1706.03762"
    links = [Link(rect=(0, 0, 9, 9), url=address) for address in (archive, elsewhere)]
    page.annotations = ArrayObject(links)
    leave_no_link_to_this_disk(page, "")
    assert addresses(page) == [elsewhere]


def test_what_is_folded_is_printed_and_what_navigates_is_not(book, outline):
    whole = " ".join(text(book, i) for i in range(len(book.pages)))
    assert "Try it yourself first; the box will wait" in whole
    for word in ("Copyright", "Search", "Contents"):
        assert word not in text(book, outline["The Transformer from scratch"])
