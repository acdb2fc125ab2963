"""Tables of pandas, as the book frames them."""

import xml.etree.ElementTree as ElementTree

import pandas as pd

from _ext.pages.tables import TABLE, framed


def test_a_table_of_pandas_names_its_rows_and_columns_for_a_screen_reader():
    table = pd.DataFrame([[0.9, 0.1], [0.25, 0.75]], ["time", "flies"], ["key <1>", "key 2"])
    root = ElementTree.fromstring(TABLE.sub(framed, table._repr_html_()))
    assert [cell.text for cell in root.iter("th")] == ["key <1>", "key 2", "time", "flies"]
    assert [cell.get("scope") for cell in root.iter("th")] == ["col", "col", "row", "row"]
    assert [cell.text for cell in root.iter("td")] == [None, "0.90", "0.10", "0.25", "0.75"]
    assert root.get("tabindex") == "0"  # what scrolls can be reached by keyboard
    assert root.get("aria-label") == "Table: key <1>, key 2"


def test_columns_of_words_are_marked_and_columns_of_numbers_are_not():
    columns = {"German": ["Zeit", "12"], "score": [0.5, -1e-9], "share": ["7%", "12%"]}
    table = pd.DataFrame(columns, ["time", "flies"])
    root = ElementTree.fromstring(TABLE.sub(framed, table._repr_html_()))
    rows = [[cell.get("class") for cell in row] for row in root.iter("tr")]
    assert rows == [["words", "words", None, None]] * 3


def test_what_is_no_table_of_pandas_stays():
    page = '<div><table class="course-table"><thead></thead><tbody></tbody></table></div>'
    assert TABLE.sub(framed, page) == page
