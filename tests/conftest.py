"""What a run says of itself before it starts, and how its tests are shared among processes."""

import re

import torch
from xdist.scheduler import LoadScopeScheduling

# A module's tests stay in one process, where they share what took long to make. These modules are
# divided: into the exercises, or pages, that their tests are about, and into single tests.
BY_SUBJECT = ("test_matrix", "test_corpus", "test_pages")
BY_TEST = ("test_submissions",)
# Begun first, so that no process is left alone with one of them at the end.
LONG = ("/batch/", "test_matrix", "test_build", "/sandbox/", "test_submissions", "test_nbgrader")


def pytest_report_header():
    if torch.cuda.is_available():
        return "devices: cpu and cuda"
    return "devices: cpu only. NOT TESTED ON A GPU, because this machine has none"


def piece(test: str) -> str:
    """Return the name of the tests that run in the same process as this one."""
    path, _, name = test.partition("::")
    if path.endswith(tuple(f"{each}.py" for each in BY_TEST)):
        return test
    if path.endswith(tuple(f"{each}.py" for each in BY_SUBJECT)):
        subject = re.search(r"\[(?:.*-)?(.*)\]$", name)  # the last parameter
        return f"{path} {subject[1] if subject else ''}"
    return path


def pytest_collection_modifyitems(items):
    pieces = {}
    for item in items:
        pieces.setdefault(piece(item.nodeid), []).append(item)

    def rank(name):
        return next((i for i, long in enumerate(LONG) if long in name), len(LONG))

    items[:] = [item for name in sorted(pieces, key=rank) for item in pieces[name]]


class InPieces(LoadScopeScheduling):
    """Hands the next piece to the process that has finished one."""

    def _split_scope(self, nodeid):
        return piece(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return InPieces(config, log)
