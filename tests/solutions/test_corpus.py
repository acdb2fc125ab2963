from collections import Counter
from itertools import pairwise

import pytest

from solutions.corpus import (
    LIBRARIES,
    load_docstrings,
    load_sentences,
    read_csv,
    swap_neighbours,
)


@pytest.fixture(scope="module")
def corpus():
    return load_docstrings(["matplotlib", "sqlalchemy"], limit=500)


def test_each_text_stands_there_once_with_its_library(corpus):
    texts, labels = corpus
    assert len(texts) == len(labels) == len(set(texts))
    assert set(labels) == {"matplotlib", "sqlalchemy"}
    assert all(480 <= count <= 500 for count in Counter(labels).values())


def test_texts_are_sentences_that_do_not_name_their_library(corpus):
    for text, label in zip(*corpus, strict=True):
        assert 4 <= len(text.split()) <= 30
        assert not any(name in text.lower() for name in LIBRARIES[label])
        assert text == " ".join(text.split())
        assert not set("`*~\\") & set(text)


def test_the_order_mixes_the_libraries_and_is_always_the_same(corpus):
    texts, labels = corpus
    assert (texts, labels) == load_docstrings(["sqlalchemy", "matplotlib"], limit=500)
    changes = sum(a != b for a, b in pairwise(labels))
    assert 0.4 < changes / len(labels) < 0.6


def test_there_are_a_thousand_sentences_and_none_twice():
    sentences = load_sentences()
    assert len(sentences) == len(set(sentences)) == 1000
    assert [len(s) for s in sentences] == sorted(len(s) for s in sentences)
    assert all(s == s.strip() and s[-1] in ".!?" for s in sentences)


def test_an_unknown_library_is_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"No library 'numpy' .* expected matplotlib, sqlalchemy"):
        load_docstrings(["numpy"])


def test_a_csv_file_is_read_by_the_names_of_its_columns(tmp_path):
    file = tmp_path / "news.csv"
    file.write_text('\ufefftitle,category\n"Wall St. falls, again",Business\nGoal!,Sports\n')
    texts, labels = read_csv(file, text="title", label="category")
    assert texts == ["Wall St. falls, again", "Goal!"]
    assert labels == ["Business", "Sports"]


def test_a_csv_file_without_the_columns_is_refused_with_those_it_has(tmp_path):
    file = tmp_path / "news.csv"
    file.write_text("title,category\na,b\n")
    with pytest.raises(ValueError, match=r"columns \['title', 'category'\], expected \['text'"):
        read_csv(file, label="category")


def test_a_row_with_a_hole_is_refused_by_its_line(tmp_path):
    file = tmp_path / "news.csv"
    file.write_text("text,label\na,b\nc,\n")
    with pytest.raises(ValueError, match="line 3: expected something in 'text' and 'label'"):
        read_csv(file)


def test_swapped_texts_have_the_same_words_and_half_of_them_are_swapped(corpus):
    texts, labels = swap_neighbours(corpus[0])
    assert 0.45 < sum(labels) / len(labels) < 0.55
    for text, label in zip(texts, labels, strict=True):
        words = text.split()
        same_words = [t.split() for t in corpus[0] if sorted(t.split()) == sorted(words)]
        changed = min(
            ([i for i, word in enumerate(words) if word != other[i]] for other in same_words),
            key=len,
        )
        assert len(changed) == 2 * label
        if label:
            assert changed[1] == changed[0] + 1
            assert changed[0] > 0
            assert changed[1] < len(words) - 1


def test_a_text_without_two_plain_neighbours_inside_is_left_out():
    assert swap_neighbours(["Return the axes.", "Return True if X, else False."]) == ([], [])
    texts = {swap_neighbours(["Return a new list."], seed)[0][0] for seed in range(9)}
    assert texts == {"Return a new list.", "Return new a list."}
