"""The picture of the rooms in CONTRIBUTING.md is that of the imports."""

import runpy
from graphlib import CycleError
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / ".ci" / "rooms.py"))


def test_the_picture_of_the_rooms_is_that_of_the_imports(script):
    (drawn,) = script["PICTURE"].findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert drawn == script["picture"](), "`make rooms` draws it anew"


@pytest.fixture
def house():
    graph = grimp.ImportGraph()
    for importer, imported in (("a.x", "b"), ("a", "c"), ("b", "c.y")):
        graph.add_import(importer=importer, imported=imported)
    return graph


def test_an_arrow_that_follows_from_others_is_not_drawn(script, house):
    found = script["arrows_between"](["a", "b", "c"], house)
    assert found == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_a_circle_is_an_error(script, house):
    house.add_import(importer="c", imported="a.x")
    with pytest.raises(CycleError):
        script["arrows_between"](["a", "b", "c"], house)
