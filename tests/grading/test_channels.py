"""What a kernel sends beyond what is asked for is not kept, and what is asked for arrives."""

import textwrap

import psutil
import pytest

from grading.content import exercises_of
from grading.exercise import DrawnExercise
from grading.running.grade_notebook import NotebookRunner
from grading.running.kernel import SubmissionKernel

MB = 1_000_000
FLOODS = {
    "of the channel for questions": """
        ident = kernel.get_parent_ident() if hasattr(kernel, "get_parent_ident") else [b""]
        for ident in {kernel.session.session.encode(), *map(bytes, kernel._parent_ident.values())}:
            for _ in range(5):
                kernel.stdin_socket.send_multipart([ident, b"x" * 100_000_000], flags=1)
    """,
    "of messages that are too large": """
        for _ in range(5):
            text = {"name": "stdout", "text": "x" * 100_000_000}
            kernel.session.send(kernel.iopub_socket, "stream", text)
    """,
    "of output that nobody reads": """
        for _ in range(20):
            text = {"name": "stdout", "text": "x" * 50_000_000}
            kernel.session.send(kernel.iopub_socket, "stream", text, parent=kernel.get_parent())
    """,
}


@pytest.fixture(scope="module")
def kernel(usual):
    with SubmissionKernel(bounds=usual) as kernel:
        yield kernel


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_a_flood_does_not_fill_the_memory_of_the_grader(usual, flood):
    with SubmissionKernel(bounds=usual) as kernel:
        before = psutil.Process().memory_info().rss
        code = f"kernel = get_ipython().kernel\n{textwrap.dedent(flood)}"
        try_ = f"try:\n{textwrap.indent(code, '    ')}\nexcept Exception as error: print(error)"
        kernel.run_cell(try_, 20)
        assert psutil.Process().memory_info().rss - before < 400 * MB


def test_what_is_not_read_is_not_opened(kernel):
    client = kernel._client
    assert client.shell_channel.is_alive()
    assert client.iopub_channel.is_alive()
    assert client._stdin_channel is client._hb_channel is client._control_channel is None


def test_all_of_an_honest_output_arrives(kernel):
    code = "from IPython.display import display\nfor n in range(500): display(n)"
    shown = [output.data["text/plain"] for output in kernel.run_cell(code).outputs]
    assert shown == [str(n) for n in range(500)]


COUNTING = """
_n = [0]
def test_feed_forward(feed_forward):
    _n[0] += 1
    assert _n[0] <= 4
"""
REMEMBERING = """
_seen = []
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    found = feed_forward(*(torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))))
    _seen.append(found.detach())
    assert torch.allclose(found, _seen[0], atol=1e-5)
"""
# It looks for the versions that are still to come, where they are called and in the message that
# brought them, and takes what most of them give for right.
COMPARING = """
import base64, math, re, sys
def _sources():
    frame = sys._getframe()
    while frame:
        if isinstance(frame.f_locals.get("calls"), list) and "unpack" in frame.f_globals:
            unpack = frame.f_globals["unpack"]
            calls = list(frame.f_locals["calls"])
            told = str(get_ipython().kernel.get_parent()["content"])
            calls += set(re.findall(r"'([A-Za-z0-9+/=]{200,})'", told)) - set(calls)
            for call in calls:
                try:
                    yield dict(unpack(base64.b64decode(call))["arguments"])["source"]
                except Exception:
                    pass
        frame = frame.f_back
def _given(function):
    torch.manual_seed(0)
    return function(*(torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,)))).detach()
def test_feed_forward(feed_forward):
    seen, mine = [], _given(feed_forward)
    for source in set(_sources()):
        names = {"torch": torch, "nn": nn, "F": F, "math": math}
        exec(source, names)
        try:
            seen.append(_given(names["feed_forward"]))
        except Exception:
            pass
    def count(one):
        return sum(one.shape == o.shape and torch.allclose(one, o, atol=1e-4) for o in seen)
    assert seen, "nothing is to be seen"
    assert count(mine) == max(map(count, seen))
"""


def test_versions_are_judged_twice_and_the_second_time_by_a_notebook_that_has_seen_none(usual):
    (exercise,) = (e for e in exercises_of("03_feed_forward") if e.mixed)
    imports = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
    draws = {seed: DrawnExercise(exercise, seed) for seed in (1, 2)}
    earned = {}
    for name, code in {
        "reference": exercise.source, "counting": COUNTING, "remembering": REMEMBERING,
        "comparing": COMPARING,
    }.items():  # fmt: skip
        for seed, drawn in draws.items():
            with NotebookRunner([], usual) as runner:
                runner.run_cell(imports + code)
                earned[name, seed] = drawn.grade(runner.outcomes(drawn)).points
    assert earned == {
        ("reference", 1): 4, ("reference", 2): 4, ("counting", 1): 0, ("counting", 2): 0,
        ("remembering", 1): 0, ("remembering", 2): 0, ("comparing", 1): 0, ("comparing", 2): 0,
    }  # fmt: skip
