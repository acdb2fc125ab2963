"""What a run says of itself before it starts, and how its tests are shared among processes."""

import pytest
import torch

# A module's tests stay in one process, where they share what took long to make; but these are
# divided by a parameter, and those into single tests.
DIVIDED_BY = {"test_matrix": "exercise", "test_corpus": "exercise", "test_pages": "page"}
DIVIDED = ("test_submissions",)
# Begun first, so that no process is left alone with one of them at the end.
LONG = ("batch", "test_matrix", "test_build", "sandbox", "test_submissions", "test_nbgrader")


def pytest_report_header():
    if torch.cuda.is_available():
        return "devices: cpu and cuda"
    return "devices: cpu only. NOT TESTED ON A GPU, because this machine has none"


def rank(item) -> int:
    names = (item.path.stem, item.path.parent.name)
    return next((i for i, name in enumerate(LONG) if name in names), len(LONG))


def group(item) -> str:
    if item.path.stem in DIVIDED:
        return item.nodeid
    values = item.callspec.params if hasattr(item, "callspec") else {}
    value = values.get(DIVIDED_BY.get(item.path.stem), "")
    return f"{item.path} {getattr(value, 'id', value)}"


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    groups = {}
    for item in items:
        groups.setdefault(group(item), []).append(item)
    for number, together in enumerate(groups.values()):
        for item in together:
            item.add_marker(pytest.mark.xdist_group(str(number)))
    items[:] = [item for each in sorted(groups.values(), key=lambda g: rank(g[0])) for item in each]
