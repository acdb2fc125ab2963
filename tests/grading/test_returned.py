"""What comes back from a kernel may be anything: it is read in time, and judged without harm."""

import base64
import json
import math
import re
import signal
import struct
import textwrap
import time
from pathlib import Path

import numpy
import pytest
import safetensors.torch
import torch

from grading import check, content
from grading.check.judging import steady
from grading.check.values import Tensors, describe, to_tree
from grading.content import assignments
from grading.exercise import PUBLIC_SEED, DrawnExercise
from grading.limits import ReturnedLimits
from grading.running.kernel import _trusted
from grading.running.time_limit import TooLongError, processor_seconds

EXERCISES = [exercise for exercises in assignments().values() for exercise in exercises]


def sent(tree, tensors=None) -> str:
    """The bytes that a kernel would send for a tree in JSON, or for a text that is no JSON."""
    text = tree if isinstance(tree, str) else json.dumps(tree)
    return base64.b64encode(safetensors.torch.save(tensors or {}, {"tree": text})).decode()


def outcome(value, after=(), gradients=None, **more) -> str:
    """An outcome whose value, written as a tree, is this."""
    entries = {
        "status": {"plain": "value"},
        "value": value,
        "after": {"list": [{"plain": text} for text in after]},
        "gradients": {"plain": None} if gradients is None else gradients,
    }
    return sent({"dict": [[key, item] for key, item in {**entries, **more}.items()]})


def raised(text, type="ValueError") -> str:
    entries = {"status": "error", "type": type, "text": text}
    return sent({"dict": [[key, {"plain": item}] for key, item in entries.items()]})


def deep(depth: int) -> str:
    return '{"list":[' * depth + "]}" * depth


FORGED = {
    "nothing": "",
    "no base64": "%%%",
    "half of it": outcome({"plain": 1})[:-9],
    "not ASCII": "ä" * 50,
    "no safetensors": base64.b64encode(b"x" * 100).decode(),
    "a header without end": base64.b64encode(struct.pack("<Q", 2**63) + b"{").decode(),
    "a header of 2**64 - 1": base64.b64encode(b"\xff" * 64).decode(),
    "no tree": base64.b64encode(safetensors.torch.save({}, {"tree": ""})).decode(),
    "a tree that is a number": sent("1"),
    "a tree that is a list": sent([1, 2]),
    "a tree of two kinds": sent({"plain": 1, "float": "1"}),
    "a tree of no kind": sent({}),
    "an unknown kind": sent({"code": "print()"}),
    "an outcome that is a list": sent({"list": []}),
    "an outcome that is a text": sent({"plain": "value"}),
    "an unknown status": sent({"dict": [["status", {"plain": "correct"}]]}),
    "a status that is a list": sent({"dict": [["status", {"list": []}]]}),
    "no value": sent({"dict": [["status", {"plain": "value"}]]}),
    "an integer of 400 digits": outcome('{"plain": 1}').replace("x", "x"),
    "a plain list": outcome({"plain": [1, 2, 3]}),
    "a plain dictionary": outcome({"plain": {"tensor": "x"}}),
    "a plain float": outcome({"plain": 0.5}),
    "a float that is a number": outcome({"float": 1.5}),
    "a float that is a word": outcome({"float": "one"}),
    "a float of a million digits": outcome({"float": "1" * 1_000_000}),
    "NaN": outcome({"float": "nan"}),
    "infinity": outcome({"float": "-inf"}),
    "a tensor that is not there": outcome({"tensor": "x"}),
    "a tensor whose name is a list": outcome({"tensor": ["x"]}),
    "pairs that are none": outcome({"dict": [1, 2]}),
    "keys that are lists": outcome({"dict": [[[], {"plain": 1}]]}),
    "a text of 300,000 digits": outcome({"plain": "1" * 300_000}),
    "an error of 300,000 digits": raised("1" * 300_000),
    "an error of 300,000 points": raised("1." * 300_000),
    "an error of blank space": raised(" \t" * 300_000),
    "an error of quotes": raised("'" * 300_000),
    "an error in colours": raised("\x1b[2J\x1b]0;owned\x07\x1b[31m" * 1000),
    "an error whose type is a page": raised("x", "<script>alert(1)</script>\n" * 1000),
    "deep lists": sent(deep(100_000)),
    "deep, but not too deep to be read": sent(deep(200)),
    "a million small values": sent('{"list":[' + '{"plain":1},' * 999_999 + '{"plain":1}]}'),
    "ten million spaces": sent(" " * 10_000_000 + '{"plain":1}'),
    "an after that is a text": outcome({"plain": 1}, after="").replace("list", "list"),
    "gradients that are a list": outcome({"plain": 1}, gradients={"list": []}),
    "gradients with texts": outcome(
        {"plain": 1}, gradients={"dict": [["query", {"plain": "right"}]]}
    ),
    "a message that is no result": None,
    "an outcome that is a tensor": sent({"tensor": "x"}, {"x": torch.zeros(3)}),
    "an error whose place is a tensor": sent(
        {"dict": [["status", {"plain": "error"}], ["type", {"plain": "ValueError"}],
                  ["text", {"plain": "x"}], ["where", {"tensor": "x"}]]},
        {"x": torch.tensor(1.0)},
    ),
    "a tensor of 70 axes": sent(
        {"dict": [["status", {"plain": "value"}], ["value", {"list": [{"tensor": "x"}] * 2}],
                  ["after", {"list": []}], ["gradients", {"plain": None}]]},
        {"x": torch.zeros([1] * 70)},
    ),
}  # fmt: skip
FORGED["an integer of 400 digits"] = sent(
    json.dumps(
        {"dict": [["status", {"plain": "value"}], ["value", {"plain": 7}],
                  ["after", {"list": []}], ["gradients", {"plain": None}]]}
    ).replace("7", "9" * 400)
)  # fmt: skip


def unlike_any_tensor(shape: list[int]) -> str:
    """An outcome whose tensor has this shape, and no numbers."""
    tree = base64.b64decode(outcome({"tensor": "x"}))
    header = json.loads(tree[8:])
    header["x"] = {"dtype": "U8", "shape": shape, "data_offsets": [0, 0]}
    written = json.dumps(header).encode()
    written += b" " * (-len(written) % 8)
    return base64.b64encode(struct.pack("<Q", len(written)) + written).decode()


FORGED["strides that no number holds"] = unlike_any_tensor([0, 2**62, 2**62])
FORGED["100,000 axes"] = unlike_any_tensor([0] * 100_000)

# Kinds of numbers that safetensors sends, and that hardly any function of PyTorch can compute with.
DTYPES = ["float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64"]


def result(text):
    """A reply of the kernel's that holds this."""
    if text is None:
        return {"status": "error", "data": 5}
    return {"status": "ok", "data": {"text/plain": text}}


@pytest.fixture(scope="module")
def drawn():
    """An exercise whose outcomes are tensors, and one with numbers, lists and texts."""
    wanted = ("padded_heads", "repaired_fit")
    return [DrawnExercise(e, PUBLIC_SEED) for e in EXERCISES if e.id in wanted]


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_reply_costs_points_and_little_time(drawn, name):
    begin = time.process_time()
    (found,) = _trusted(result(FORGED[name]), 1)
    assert time.process_time() - begin < 5
    assert found["status"] in ("value", "error", "unusable")
    assert all(len(text) <= 300 and text.isprintable() for text in strings(found))
    for one in drawn:
        outcomes = [found] * len(one.cases)
        verdict = check.grade_outcomes(one.record, outcomes, dict)
        assert verdict.points == 0


def strings(value):
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else ():
        yield from strings(item)


def test_within_a_list_a_text_arrives_letter_by_letter():
    text = " two spaces, \t a tab\nand more than one line \n" * 20
    (found,) = _trusted(result(outcome({"list": [{"plain": text}]})), 1)
    assert found["value"] == [text]


def test_a_tensor_that_stands_there_many_times_is_read_once():
    value = [[torch.zeros(1_000_000)] * 9_000] * 10
    begin = time.process_time()
    tensors = Tensors()
    to_tree(value, tensors)
    assert time.process_time() - begin < 5  # by itself, each takes some milliseconds
    assert len(tensors) == 1


def test_a_test_that_says_something_else_than_a_verdict_is_judged():
    said = [torch.ones(2), math.nan, [torch.zeros(2)], "accepted"]
    found = [{"status": "value", "value": value} for value in said]
    assert [o["status"] for o in steady(found, found)] == ["value"] * 4
    assert [o["status"] for o in steady(found, found[::-1])] == ["finding"] * 4


def test_more_or_fewer_replies_than_calls_are_told_apart():
    one = outcome({"plain": 1})
    assert len(_trusted(result(",".join([one] * 5)), 3)) == 3
    found = _trusted(result(one), 3)
    assert [o["status"] for o in found] == ["value", "unusable", "unusable"]
    many = result("," * 5_000_000)
    assert [o["status"] for o in _trusted(many, 2)] == ["unusable"] * 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_cannot_be_computed_with_are_unusable(dtype):
    numbers = torch.zeros(8, dtype=torch.uint8).view(getattr(torch, dtype))
    text = sent({"tensor": "x"}, {"x": numbers})
    with pytest.raises(check.UnpackError):
        check.unpack(base64.b64decode(text))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_function_that_returns_such_numbers_is_told_so(dtype):
    numbers = torch.zeros(8, dtype=torch.uint8).view(getattr(torch, dtype))
    found = check.as_sent({"x": numbers})
    assert describe(found["x"]) == f"a tensor of torch.{dtype}"


def test_a_header_is_refused_before_it_is_read():
    text = outcome({"plain": "x" * (ReturnedLimits.header_bytes + 1)})
    assert _trusted(result(text), 1)[0]["status"] == "unusable"


def test_odd_tensors_are_judged(drawn):
    """Of every shape and dtype that can come back, also empty ones and those of many axes."""
    odd = [
        torch.zeros(0), torch.zeros(0, 10**12), torch.zeros([1] * 32), torch.tensor(True),
        torch.tensor(math.nan), torch.full((2, 3), math.inf), torch.tensor(1 + 1j),
        torch.tensor(2**63 - 1), torch.zeros(2, 3, 4, 5, 6), torch.zeros(1_000_000),
        torch.zeros(3, dtype=torch.uint8), torch.zeros(2, 2, dtype=torch.bfloat16),
    ]  # fmt: skip
    for one in drawn:
        for tensor in odd:
            for value in (tensor, [tensor] * 3, {"x": tensor}, {"state": tensor}):
                found = {"status": "value", "value": value, "after": [], "gradients": None}
                verdict = check.grade_outcomes(one.record, [found] * len(one.cases), dict)
                assert verdict.points == 0


def endless():
    while True:
        pass


def test_work_on_a_reply_is_stopped_after_some_seconds_of_processor_time():
    before = signal.getsignal(signal.SIGVTALRM)
    begin = time.process_time()
    with pytest.raises(TooLongError), processor_seconds(0.2):
        endless()
    assert time.process_time() - begin < 5
    assert signal.getsignal(signal.SIGVTALRM) is before
    with processor_seconds(5):
        pass
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0


def test_each_judge_has_a_harness_that_is_used():
    for name in assignments():
        package = Path(content.__file__).parent / name.partition("_")[2]
        judges = package / "judges.py"
        if not judges.exists():
            continue
        harnesses = (package / "harnesses.py").read_text()
        exercises = "".join(path.read_text() for path in package.rglob("*.py"))
        for harness in re.findall(r"^def judge_(\w+)", judges.read_text(), re.MULTILINE):
            assert f"def {harness}(" in harnesses
            assert f"harnesses.{harness}" in exercises


# ---- Objects that fight being looked at --------------------------------------------------------

FIGHTING = {
    "a list that lies about its length": """
        class L(list):
            __len__ = lambda self: 3
            __iter__ = lambda self: iter([query])
        return L()
    """,
    "a list of another length each time": """
        class L(list):
            __len__ = lambda self: id(object()) % 7
            __iter__ = lambda self: iter([query] * (id(object()) % 7))
        return L()
    """,
    "a list that holds itself": "found = []; found.append(found); return found",
    "a dictionary that lies": """
        class D(dict):
            def items(self): raise SystemExit
        return D(x=1)
    """,
    "keys that fight": """
        class K:
            __hash__ = lambda self: 1
            __str__ = lambda self: 1 / 0
        return {K(): 1}
    """,
    "a text that is equal to all": """
        class S(str):
            __eq__ = lambda self, other: True
            __hash__ = str.__hash__
        return S("x")
    """,
    "an integer that is equal to all": """
        return type("I", (int,), {"__eq__": lambda self, other: True, "__hash__": int.__hash__})(1)
    """,
    "a number that is near to all": """
        return type("F", (float,), {"__sub__": lambda self, other: 0.0,
                                    "__rsub__": lambda self, other: 0.0})(1.0)
    """,
    "an integer of 400 digits": "return 10 ** 400",
    "an object that is whatever is asked for": """
        class Any:
            __getattr__ = lambda self, name: self
            __call__ = lambda self, *inputs, **options: self
            __class__ = property(lambda self: torch.Tensor)
        return Any()
    """,
    "an object whose class is a tensor's": """
        return type("X", (), {"__class__": torch.Tensor, "shape": query.shape})()
    """,
    "a type without a name": """
        class M(type):
            __name__ = property(lambda cls: 1 / 0)
        return M("X", (), {})()
    """,
    "a type with another's name": """
        return type("a tensor, all of it right", (), {})()
    """,
    "a type whose name is a page": "return type('<script>alert(1)</script>', (), {})()",
    "a tensor without memory": "return torch.empty(query.shape, device='meta')",
    "a tensor of a trillion numbers": "return torch.zeros(1).expand(10**12)",
    "a sparse tensor": "return query.to_sparse()",
    "a compressed tensor": "return query.flatten(1).to_sparse_csr()",
    "a quantised tensor": "return torch.quantize_per_tensor(query, 0.1, 0, torch.qint8)",
    "a nested tensor": "return torch.nested.nested_tensor([query[0], query[1][:, :1]])",
    "a complex tensor": "return torch.complex(query, query)",
    "a conjugate, which is not computed": "return torch.complex(query, query).conj()",
    "a negative, which is not computed": "return torch.complex(query, query).conj().imag",
    "a parameter that has no numbers yet": """
        return torch.nn.parameter.UninitializedParameter()
    """,
    "a tensor that raises": """
        class T(torch.Tensor):
            __torch_function__ = classmethod(lambda cls, *inputs: 1 / 0)
        return torch.zeros(query.shape).as_subclass(T)
    """,
    "a tensor that dispatches to itself": """
        class T(torch.Tensor):
            @staticmethod
            def __new__(cls): return torch.Tensor._make_wrapper_subclass(cls, (2, 3))
            @classmethod
            def __torch_dispatch__(cls, function, types, inputs=(), options=None): return cls()
        return T()
    """,
    "the right shape in numbers of its own": "return numpy.zeros(query.shape)",
    "a generator": "return (number for number in [1])",
    "a coroutine": """
        async def later(): pass
        found = later(); found.close()
        return found
    """,
    "a module that calls itself right": """
        class M(torch.nn.Module):
            __repr__ = lambda self: "all 10 cases are right"
        return M()
    """,
    "the grader's word for what cannot be sent": """
        import sys
        return sys.modules["grading.check.values"].Opaque("a tensor; expected a tensor.")
    """,
    "an outcome as if it were sent": """
        return {"status": "value", "value": query, "changed": [], "gradients": None}
    """,
    "an error that is no text": """
        class E(Exception):
            def __str__(self): return 5
        raise E
    """,
    "an error whose text is a report": """
        raise ValueError("</td></table><b>All 10 cases are right.</b><script>alert(1)</script>")
    """,
    "an error in a group": "raise BaseExceptionGroup('x', [SystemExit(0), KeyboardInterrupt()])",
    "an error that is its own cause": """
        error = ValueError("x"); error.__cause__ = error
        raise error
    """,
    "the end of a generator": "raise StopIteration",
    "an error without an end": """
        def deeper(): return deeper()
        return deeper()
    """,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FIGHTING)
def test_an_object_that_fights_costs_points_and_no_more(drawn, name):
    one = drawn[0]
    names = {"torch": torch, "numpy": numpy}
    head = "def padded_heads(query, key, value, attention_mask=None):\n"
    body = textwrap.dedent(FIGHTING[name].strip("\n"))
    exec(head + textwrap.indent(body, "    "), names)
    replies = []
    for case in one.cases:
        try:
            replies.append(base64.b64encode(check.packed_call(names, case["call"])).decode())
        except Exception:  # the kernel then has no answer
            replies.append("")
    verdict = one.grade(_trusted(result(",".join(replies)), len(replies)))
    assert verdict.points == 0
    assert verdict.status == "wrong"
    page = check.Report(verdict)._repr_html_()
    assert "<script" not in page
    assert "<b>" not in page
