"""Notebooks as they come in, graded in a real kernel: each exercise gets its due and no other's."""

import dataclasses
import re
import textwrap

import nbformat
import pytest

from grading.content.release import released_paths
from grading.running import sandbox
from grading.running.grade_notebook import grade_notebook

ASSIGNMENT = "01_simple_attention"
POINTS = {
    "weights_time_first": 3,
    "padded_heads": 5,
    "merge_halves": 4,
    "repaired_attention": 3,
    "telling_input": 3,
}


def others_keep_their_points(verdicts, *losers):
    return {id_: v.points for id_, v in verdicts.items() if id_ not in losers} == {
        id_: points for id_, points in POINTS.items() if id_ not in losers
    }


def test_the_source_notebook_earns_every_point(notebook_with, grade):
    verdicts = grade(notebook_with())
    assert {id_: v.points for id_, v in verdicts.items()} == POINTS
    assert {v.status for v in verdicts.values()} == {"correct"}


def test_a_mistake_is_named_and_costs_what_it_costs(notebook_with, grade):
    nan_row = """
    def padded_heads(query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
        return scores.softmax(-1) @ value
    """
    verdicts = grade(notebook_with(padded_heads=textwrap.dedent(nan_row)))
    verdict = verdicts["padded_heads"]
    assert (verdict.points, verdict.status, verdict.mistakes) == (4, "partly", ["nan_row"])
    assert "all padding gives NaN" in verdict.explanations[0]
    assert others_keep_their_points(verdicts, "padded_heads")


# Each answers exercise 1, `weights_time_first`, which has to lose its points with this in the
# report, while the others keep theirs. Those that never end sleep: the processor is for other tests
# (`test_limits.py` has some that compute).
BAD_ANSWERS = {
    "loops in the function": (
        """
        import time
        def weights_time_first(query, key):
            while True:
                time.sleep(0.1)
        """,
        "It did not finish within",
    ),
    "loops and cannot be interrupted": (
        """
        import signal, time
        def weights_time_first(query, key):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            while True:
                time.sleep(0.1)
        """,
        "It did not finish within",
    ),
    "loops in the cell": (
        "import time\nwhile True:\n    time.sleep(0.1)",
        "did not finish in the time",
    ),
    "ends the process in the function": (
        "import os\ndef weights_time_first(query, key):\n    os._exit(0)",
        "ended the whole Python process",
    ),
    "ends the process in the cell": ("import os\nos.kill(os.getpid(), 9)", "ended the whole"),
    "exits": ("import sys\ndef weights_time_first(query, key):\n    sys.exit()", "SystemExit"),
    "raises something that is no Exception": (
        """
        class Odd(BaseException):
            def __str__(self):
                raise self
        def weights_time_first(query, key):
            raise Odd
        """,
        "It raised an error of its own kind",
    ),
    "does not parse": ("def weights_time_first(query, key)\n    return", "SyntaxError"),
    "is not defined": ("pass", "is not defined in the notebook"),
    "is not a function": ("weights_time_first = 3", "is of type int, not a function"),
    "is not written yet": (
        "def weights_time_first(query, key):\n    raise NotImplementedError()",
        "Not written yet",
    ),
    "returns nothing": ("def weights_time_first(query, key):\n    query @ query", "RuntimeError"),
    "returns None": ("def weights_time_first(query, key):\n    query + 1", "returns nothing"),
    "returns a list": ("def weights_time_first(query, key):\n    return [1.0]", "a list of 1"),
    "returns an array": (
        "def weights_time_first(query, key):\n    return query.numpy()",
        "a value of type ndarray",
    ),
    "returns a module in train mode": (
        "def weights_time_first(query, key):\n    return torch.nn.Dropout(0.1).train()",
        "a value of type Dropout",
    ),
    "returns another shape": (
        "def weights_time_first(query, key):\n    return query",
        "The shape is",
    ),
    "returns another dtype": (
        """
        def weights_time_first(query, key):
            scores = query.transpose(0, 1) @ key.permute(1, 2, 0) / query.size(-1) ** 0.5
            return scores.softmax(-1).double()
        """,
        "The dtype is float64; expected float32.",
    ),
    "returns NaN": (
        """
        def weights_time_first(query, key):
            return torch.full((query.size(1), query.size(0), key.size(0)), math.nan)
        """,
        "are NaN",
    ),
    "returns an object that agrees with everything": (
        """
        class Yes(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return True
        def weights_time_first(query, key):
            return torch.zeros(query.size(1), query.size(0), key.size(0)).as_subclass(Yes)
        """,
        "numbers differ",
    ),
    "changes its argument": (
        """
        def weights_time_first(query, key):
            query /= query.size(-1) ** 0.5
            return (query.transpose(0, 1) @ key.permute(1, 2, 0)).softmax(-1)
        """,
        "changed its argument `query`",
    ),
    "gives the public answers": (
        """
        from check import load_cases
        from pathlib import Path
        table = load_cases(Path("cases.safetensors.gz"))["weights_time_first"]["cases"]
        def weights_time_first(query, key):
            for case in table:
                if case["expected"]["value"].shape == (query.size(1), query.size(0), key.size(0)):
                    return case["expected"]["value"]
            return query
        """,
        "cases are wrong",
    ),
}


@pytest.mark.parametrize(("answer", "message"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_costs_its_own_exercise_alone(
    notebook_with, grade, quick, usual, answer, message
):
    bounds = quick if "while True" in answer else usual
    verdicts = grade(notebook_with(weights_time_first=textwrap.dedent(answer)), bounds)
    verdict = verdicts["weights_time_first"]
    problems = [case.problem or "" for case in verdict.cases]
    said = " ".join([verdict.summary, verdict.note, *verdict.explanations, *problems])
    assert verdict.points == 0
    assert message in said
    assert "Traceback" not in said
    assert others_keep_their_points(verdicts, "weights_time_first")


# Each is added to a wrong answer and tries to change the verdict on every exercise. The grader
# waits long for the first and for some others, which stand apart: meanwhile other tests compute.
TAMPERING = {
    "replaces run_cell": "get_ipython().run_cell = lambda *inputs, **options: None",
    "redefines check": "check = print",
    "patches comparison": "torch.allclose = torch.isclose = torch.equal = lambda *a, **k: True",
    "prints a million lines": "for i in range(1_000_000):\n    print(i)",
    "breaks softmax for the others": "torch.Tensor.softmax = lambda self, *a, **k: self",
    "forbids every import": "import builtins\nbuiltins.__import__ = None",
    "replaces the input transformers": (
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])"
    ),
    "ends the process a little later": """
import os, threading
threading.Timer(0.3, os._exit, [1]).start()
""",
    "sends messages that no kernel would send": """
kernel = get_ipython().kernel
kernel.session.send(
    kernel.iopub_socket, "stream", {"name": "stdout", "text": 5}, parent=kernel.get_parent()
)
kernel.session.send(kernel.iopub_socket, "status", [1, 2], parent=kernel.get_parent())
""",
    "asks the kernel to exit": "exit()",
    "clears the modules": "import sys\nsys.modules.clear()",
}

# More of it, several in one notebook because none needs another to fail. Each ends in silence.
FORGING = {
    "replaces what sends and looks": """
import sys, types
fake = types.ModuleType("_check")
fake.answers = lambda *calls: ""
fake._snapshot = lambda value: 0
sys.modules["_check"] = fake
===
import hashlib
class Same:
    def __init__(self, *data): pass
    def update(self, data): pass
    def hexdigest(self): return "0" * 64
hashlib.sha256 = Same
===
import json
real = json.dumps
json.dumps = lambda value, **options: real(0)
===
import safetensors.torch
safetensors.torch.save = lambda tensors, metadata=None: b""
===
import base64
base64.b64encode = lambda data: b"AAAA"
===
import marshal
marshal.loads = lambda data: compile("answers = lambda *a: ''", "", "exec")
""",
    "replaces how numbers are looked at": """
import builtins
builtins.abs = builtins.float = lambda value=0: 0.0
===
torch.Tensor.__eq__ = torch.Tensor.__ne__ = lambda *inputs: True
torch.Tensor.numpy = lambda self: None
===
torch.Tensor.detach = torch.Tensor.clone = lambda self: self
===
import math
math.isclose = lambda *inputs, **options: True
===
torch.autograd.grad = lambda *inputs, **options: [None]
===
torch.testing.assert_close = lambda *inputs, **options: None
""",
    "rewrites cells before they run": """
shell = get_ipython()
shell.ast_transformers.append(type("T", (), {"visit": lambda self, tree: tree.__class__([], [])})())
===
shell = get_ipython()
shell.input_transformers_post.append(lambda lines: ["pass\\n"])
===
get_ipython().run_ast_nodes = lambda *inputs, **options: None
===
get_ipython().run_code = lambda *inputs, **options: False
===
get_ipython().kernel.do_execute = lambda *inputs, **options: {"status": "ok"}
===
get_ipython().user_expressions = lambda expressions: {"outcomes": {"status": "ok"}}
===
get_ipython().events.register("pre_run_cell", lambda info: exit())
===
get_ipython().ast_node_interactivity = "none"
""",
    "prints what looks like a score": """
formatter = get_ipython().display_formatter.formatters["text/plain"]
for kind in (int, float, str):
    formatter.for_type(kind, lambda value, printer, cycle: printer.text("nan"))
===
print("18")
===
from IPython.display import display
display({"text/plain": "5", "text/html": "<b>5 of 5</b>"}, raw=True)
===
import sys
sys.displayhook = lambda value: print("5.0")
===
get_ipython().execution_count = 10**9
""",
    "answers for the kernel": """
kernel = get_ipython().kernel
kernel.session.send(
    kernel.shell_stream, "execute_reply",
    {"status": "ok", "user_expressions": {"outcomes": {"data": {"text/plain": "'AAAA'"}}}},
    parent=kernel.get_parent(), ident=b"x",
)
===
kernel = get_ipython().kernel
for _ in range(50):
    kernel.session.send(kernel.iopub_socket, "execute_result", {"data": {"text/plain": "5"}})
===
kernel = get_ipython().kernel
kernel.session.send(kernel.iopub_socket, "status", {"execution_state": "idle"},
                    parent=kernel.get_parent())
===
kernel = get_ipython().kernel
kernel.session.key = b""
===
kernel = get_ipython().kernel
kernel.session.sign = lambda messages: b""
""",
    "watches what is done": """
import sys
sys.settrace(lambda frame, event, argument: None)
===
import sys
sys.setprofile(lambda frame, event, argument: frame.f_globals.update(digest=lambda value: "0"))
===
import sys
class Finder:
    def find_spec(self, name, path=None, target=None): raise ImportError(name)
sys.meta_path.insert(0, Finder())
===
import gc, types
for one in gc.get_objects():
    if isinstance(one, types.FunctionType) and one.__name__ in ("digest", "judged", "run_call"):
        one.__code__ = (lambda *inputs: "0").__code__
===
import atexit, threading
atexit.register(print, "18")
threading.Thread(target=lambda: None, daemon=True).start()
===
import weakref
weakref.finalize(torch, print, "18")
""",
}

# Code of an answer that is wrong in that it overwrites what it is given, and hides it.
OVERWRITING = """
def padded_heads(query, key, value, attention_mask=None):
    import sys
    frame = sys._getframe(1)
    while frame is not None:
        for name in ("digest", "_snapshot", "fingerprint", "to_tree"):
            if name in frame.f_globals:
                frame.f_globals[name] = lambda *inputs: "0"
        frame = frame.f_back
    keep = None if attention_mask is None else attention_mask[:, None, None] != 0
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if keep is not None:
        scores = scores.masked_fill(~keep, -math.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    found = weights @ value
    query.zero_()
    return found
"""


@pytest.fixture
def brief(usual):
    """For what leaves a kernel that answers no more: each cell then lasts as long as it may."""
    seconds = {"cell_seconds": 5.0, "notebook_seconds": 15.0, "alone_seconds": 12.0}
    return dataclasses.replace(usual, **seconds)


@pytest.mark.parametrize("tampering", TAMPERING.values(), ids=TAMPERING)
def test_tampering_gives_no_points_and_takes_none_from_other_exercises(
    notebook_with, grade, brief, tampering
):
    wrong = "def padded_heads(query, key, value, attention_mask=None):\n    return query\n"
    verdicts = grade(notebook_with(padded_heads=f"{wrong}\n{tampering}"), brief)
    assert verdicts["padded_heads"].points == 0
    assert others_keep_their_points(verdicts, "padded_heads")


@pytest.mark.parametrize("snippets", FORGING.values(), ids=FORGING)
def test_forging_gives_no_points_and_takes_none_from_other_exercises(
    notebook_with, grade, brief, snippets
):
    wrong = "def padded_heads(query, key, value, attention_mask=None):\n    return query\n"
    one_by_one = "".join(
        f"try:\n{textwrap.indent(snippet.strip(), '    ')}\nexcept BaseException: pass\n"
        for snippet in snippets.split("===")
    )
    verdicts = grade(notebook_with(padded_heads=f"{wrong}\n{one_by_one}"), brief)
    assert verdicts["padded_heads"].points == 0
    assert others_keep_their_points(verdicts, "padded_heads")


def test_what_became_of_an_argument_is_not_hidden_by_replacing_what_looks(notebook_with, grade):
    verdict = grade(notebook_with(padded_heads=OVERWRITING))["padded_heads"]
    assert verdict.points == 0
    assert all(case.problem for case in verdict.cases)


def test_gradients_that_a_notebook_has_switched_off_are_on_for_the_check(notebook_with, grade):
    notebook = notebook_with()
    for code in ("torch.set_grad_enabled(False)", "torch.inference_mode().__enter__()"):
        notebook.cells.insert(3, nbformat.v4.new_code_cell(code))
    assert others_keep_their_points(grade(notebook))


def test_the_output_of_a_cell_is_bounded(notebook_with, grade, usual):
    flood = "print('x' * 30_000_000)\nfor i in range(200_000):\n    print(i)"
    notebook = notebook_with(telling_input=flood)
    grade(notebook, dataclasses.replace(usual, output_bytes=10_000))
    assert len(nbformat.writes(notebook)) < 100_000
    assert "longer than the grader keeps" in nbformat.writes(notebook)


def test_no_html_of_the_student_reaches_the_graded_notebook(notebook_with, grade):
    attack = """
    from IPython.display import HTML, Javascript, display
    display(HTML("<img src=x onerror=alert(1)>"), Javascript("alert(2)"))
    def weights_time_first(query, key):
        raise ValueError("<script>alert(3)</script>")
    """
    notebook = notebook_with(weights_time_first=textwrap.dedent(attack))
    verdicts = grade(notebook)
    assert "ValueError" in verdicts["weights_time_first"].cases[0].problem
    shown = [
        output["data"].get("text/html", "") + str(output["data"].get("application/javascript", ""))
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]
    assert any(shown)
    assert not any("<script>" in text or "<img" in text or "alert(2)" in text for text in shown)


def test_the_numbers_of_hidden_cases_do_not_come_back_in_error_texts(notebook_with, grade):
    leak = "def weights_time_first(query, key):\n    raise ValueError(str(query[0, 0].tolist()))"
    problem = grade(notebook_with(weights_time_first=leak))["weights_time_first"].cases[0].problem
    assert problem.startswith("It raised ValueError: [")
    assert "…" in problem
    assert "." not in problem.removesuffix(".")


# Ways to bring the numbers of a hidden case before the student's eyes. Each runs when exercise 1's
# function is called on a hidden case; `seen` are its numbers, which public cases do not have.
LEAKS = {
    "integers in the text of an error": """
        raise ValueError(" ".join(str(int(number)) for number in seen))
    """,
    "letters in the text of an error": """
        raise ValueError("".join(chr(97 + int(d)) for number in seen for d in str(int(number))))
    """,
    "the name of a type that is raised": """
        raise type("E" + "_".join(str(int(number)) for number in seen), (Exception,), {})()
    """,
    "the name of a type that is returned": """
        return type("T" + "_".join(str(int(number)) for number in seen), (), {})()
    """,
    "the keys of a dictionary": """
        return {"k" + str(int(number)): 1 for number in seen}
    """,
    "a text that is returned": """
        return " ".join(str(int(number)) for number in seen)
    """,
    "a sentence of the check's own": """
        import sys
        finding = sys._getframe(1).f_globals["Finding"]
        raise finding(" ".join(str(int(number)) for number in seen))
    """,
}


def test_hidden_cases_are_shown_in_no_report(notebook_with, grade):
    """Also not by a cell further down, in what it prints, draws or raises."""
    for way, code in LEAKS.items():
        begin = (
            "remembered = []\ndef weights_time_first(query, key):\n"
            "    seen = [1e6 * abs(number) for number in query.flatten()[:3].tolist()]\n"
            "    remembered.extend(seen)\n"
        )
        body = textwrap.indent(textwrap.dedent(code).strip(), "    ")
        notebook = notebook_with(weights_time_first=f"{begin}{body}\n")
        later = "print('REMEMBERED', remembered)\nremembered[0]"
        notebook.cells.append(nbformat.v4.new_code_cell(later))
        verdict = grade(notebook)["weights_time_first"]
        assert verdict.points == 0
        assert notebook.cells[-1].outputs[0].text == "REMEMBERED []\n", way
        shown = [case.problem + case.found for case in verdict.cases] + verdict.explanations
        for text in shown:
            assert not re.search(r"\d{4}|[a-j]{6}", text), (way, text)


BREAKS = "raise SystemExit('this file was read')\n"
# What may lie beside a notebook, and would be read by a program that looks there.
MODULES = """
    torch json hashlib base64 marshal numpy safetensors typing collections os sys builtins math
    IPython ipykernel zmq traitlets _check harness values sitecustomize usercustomize conftest
    ipython_config ipython_kernel_config __init__ __main__ startup
"""
BESIDE = {
    **{f"{name}.py": BREAKS for name in MODULES.split()},
    "python311._pth": "import-me\n",
    "evil.pth": "import os; os._exit(1)\n",
    "pyvenv.cfg": "home = /nowhere\n",
    "matplotlibrc": "backend: nothing\n",
    "kernel.json": "{}",
    "connection.json": "{}",
    "torch": "no folder",
    "-c": "raise SystemExit",
    "timestamp.txt": "what an earlier feedback said",
}


def test_no_file_beside_a_notebook_takes_the_place_of_anything(notebook_with, tmp_path, usual):
    looks = """
    import os
    def weights_time_first(query, key):
        raise ValueError("missing" if not os.path.exists("timestamp.txt") else "found")
    """
    files = released_paths(ASSIGNMENT)
    for name, content in BESIDE.items():
        (tmp_path / name).write_text(content)
        files.append(tmp_path / name)
    notebook = notebook_with(weights_time_first=textwrap.dedent(looks))
    found = {v.exercise: v for v in grade_notebook(notebook, ASSIGNMENT, "", files, usual)}
    assert others_keep_their_points(found, "weights_time_first")
    problems = [case.problem for case in found["weights_time_first"].cases]
    assert set(problems) == {"It raised ValueError: missing."}


def test_deleted_duplicated_and_reordered_check_cells_change_no_verdict(notebook_with, grade):
    notebook = notebook_with()
    checks = [c for c in notebook.cells if c.metadata["nbgrader"]["grade_id"].endswith("-check")]
    for cell in checks:
        notebook.cells.remove(cell)
    notebook.cells += [checks[3], checks[3], checks[1]]
    assert others_keep_their_points(grade(notebook))


def test_an_answer_mended_further_down_counts(notebook_with, grade):
    notebook = notebook_with(merge_halves="def merge_halves(*halves):\n    return halves[:2]")
    mended = """
    def merge_halves(output_a, lse_a, output_b, lse_b):
        lse = torch.stack([lse_a, lse_b])
        shares = lse.softmax(0).nan_to_num(0.0)[..., None]
        return (torch.stack([output_a, output_b]) * shares).sum(0), lse.logsumexp(0)
    """
    notebook.cells.append(nbformat.v4.new_code_cell(textwrap.dedent(mended)))
    assert others_keep_their_points(grade(notebook))


def test_a_helper_in_a_cell_of_its_own_survives_what_another_answer_breaks(notebook_with, grade):
    notebook = notebook_with(
        padded_heads="torch.logaddexp = None\ndef padded_heads(*inputs):\n    return None",
        merge_halves="def merge_halves(*halves):\n    return merged(*halves)",
    )
    helper = """
    def merged(output_a, lse_a, output_b, lse_b):
        lse = torch.logaddexp(lse_a, lse_b)
        finite = lse.masked_fill(lse == -math.inf, 0.0)
        shares = ((half - finite).exp()[..., None] for half in (lse_a, lse_b))
        return sum(o * s for o, s in zip((output_a, output_b), shares)), lse
    """
    notebook.cells.insert(3, nbformat.v4.new_code_cell(textwrap.dedent(helper)))
    verdicts = grade(notebook)
    assert others_keep_their_points(verdicts, "padded_heads")
    assert verdicts["merge_halves"].note.startswith("Graded on its own")


@pytest.mark.parametrize("metadata", [{}, {"nbgrader": None}, {"nbgrader": [1]}])
def test_cells_that_lost_their_metadata_are_graded_by_what_they_define(
    notebook_with, grade, metadata
):
    notebook = notebook_with()
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(metadata)
    assert others_keep_their_points(grade(notebook))


@pytest.mark.skipif(not sandbox.available()[0], reason="this machine has no sandbox")
@pytest.mark.parametrize(
    "theft",
    [
        "from solutions.simple_attention import attention_weights",
        "from grading.content import simple_attention",
        f"open({__file__!r}).read()",
    ],
)
def test_reference_code_is_out_of_reach(notebook_with, grade, theft):
    answer = f"{theft}\ndef weights_time_first(query, key):\n    return query"
    verdict = grade(notebook_with(weights_time_first=answer))["weights_time_first"]
    assert verdict.note.startswith("The cell with your answer stopped: ")
    assert "No module named" in verdict.note or "No such file" in verdict.note


def test_a_notebook_without_cells_gets_a_verdict_for_every_exercise(grade):
    verdicts = grade(nbformat.v4.new_notebook())
    assert {id_: v.points for id_, v in verdicts.items()} == dict.fromkeys(POINTS, 0)
    assert {v.status for v in verdicts.values()} == {"not attempted"}


def test_what_shows_values_otherwise_and_a_name_of_pythons_own_cost_nothing(notebook_with, grade):
    notebook = notebook_with()
    answer = next(
        c for c in notebook.cells if c.metadata["nbgrader"]["grade_id"].endswith("answer")
    )
    answer.source += "\nimport rich.pretty\nrich.pretty.install()\nexec = eval = repr = 'mine'"
    assert {v.status for v in grade(notebook).values()} == {"correct"}


def test_the_same_submission_gets_the_same_cases_and_another_gets_others(notebook_with, grade):
    wrong = "def weights_time_first(query, key):\n    return query"
    shapes = [
        [case.inputs for case in grade(notebook)["weights_time_first"].cases]
        for notebook in (
            notebook_with(weights_time_first=wrong),
            notebook_with(weights_time_first=wrong),
            notebook_with(weights_time_first=wrong + "  # handed in by another"),
        )
    ]
    assert shapes[0] == shapes[1] != shapes[2]
