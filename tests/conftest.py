"""What a run says of itself before it starts, and how its tests are shared among processes."""

import gc
import re
from types import SimpleNamespace

import jaxtyping
import torch
from xdist.scheduler import LoadScopeScheduling

# A module's tests stay in one process, where they share what took long to make. These modules are
# divided: into the exercises, or pages, that their tests are about, and into single tests.
BY_EXERCISE = ("test_matrix", "test_corpus")  # both need the same draws of its cases
BY_PAGE = ("test_pages",)
BY_TEST = ("test_submissions",)
# Begun first, so that no process is left alone with one of them at the end.
LONG = ("/batch/", "test_code", "test_build", "test_nbgrader", "/test_training", "miniature")
# These come next, and take turns: some compute, and some wait for kernels and browsers. One
# after the other, all processes would compute at once, and then all wait. Those that wait are
# spread over the first part of the time: at the end all processes compute.
COMPUTE = "exercise "
WAIT = ("/site/", "/sandbox/", "test_tampering", "test_forging", "test_submissions")
WAIT_UNTIL = 0.7

gc.disable()  # until all is imported: what lives on anyway would be gone through again and again

# For each kind of device that is not there `torch.manual_seed` writes down the whole stack: that
# takes a millisecond, and students' tests, of which the grader's tests run many, seed each time.
for device in (torch.cuda, torch.mtia, torch.xpu):
    device.traceback = SimpleNamespace(format_stack=list)


def pytest_addoption(parser):
    parser.addoption("--answer", metavar="NAME", help="only this answer of the corpus")


def pytest_report_header():
    if torch.cuda.is_available():
        return "devices: cpu and cuda"
    return "devices: cpu only. NOT TESTED ON A GPU, because this machine has none"


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item):
    # The grader's tests call `solutions` a million times; its own tests check its shapes.
    jaxtyping.config.update("jaxtyping_disable", "grading" in item.path.parts)


def piece(test: str) -> str:
    """Return the name of the tests that run in the same process as this one."""
    path, _, name = test.partition("::")
    if path.endswith(tuple(f"{each}.py" for each in BY_TEST)):
        return test
    if path.endswith(tuple(f"{each}.py" for each in (*BY_PAGE, *BY_EXERCISE))):
        found = re.search(r"\[(?:.*-)?(.*)\]$", name)  # the last parameter
        subject = found[1] if found else ""
        return f"{path} {subject}" if path.endswith("test_pages.py") else f"exercise {subject}"
    return path


def pytest_collection_modifyitems(items):
    pieces = {}
    for item in items:
        pieces.setdefault(piece(item.nodeid), []).append(item)

    turns = {}  # of several words that stand in a name, the first counts
    for word in (*reversed(WAIT), COMPUTE):
        group = [name for name in pieces if word in name]
        end = 1 if word == COMPUTE else WAIT_UNTIL
        turns |= {name: (i + 0.5) / len(group) * end for i, name in enumerate(group)}

    def rank(name):
        long = next((i for i, word in enumerate(LONG) if word in name), None)
        last = (len(LONG), turns[name]) if name in turns else (len(LONG) + 1, 0)
        return last if long is None else (long, 0)

    def view(item):  # a page changes its colours as seldom as can be
        parameters = item.callspec.params if BY_PAGE[0] in item.nodeid and "[" in item.name else {}
        width, scheme = parameters.get("width", 1366), parameters.get("scheme", "light")
        opened_in = "light" if width < 600 else "dark"
        return width, scheme != opened_in

    items[:] = [
        item for name in sorted(pieces, key=rank) for item in sorted(pieces[name], key=view)
    ]


class InPieces(LoadScopeScheduling):
    """Hands the next piece to the process that has finished one."""

    def _split_scope(self, nodeid):
        return piece(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return InPieces(config, log)
