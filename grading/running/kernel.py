"""Run a notebook's cells in a kernel of its own, at arm's length and within bounds.

A submission's code may loop, print without end, kill its process or lie. This room keeps such a
kernel apart: it bounds time and output, notices when the process is gone, and takes back nothing
but plain values. It knows nothing of exercises; ``grade`` does.
"""

from __future__ import annotations

import base64
import functools
import inspect
import marshal
import queue
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import zmq

from grading import check
from grading.check import bundle
from grading.check.call import MOST_LINES
from grading.check.values import MAX_SENTENCE
from grading.limits import NotebookLimits, PatienceLimits, ReturnedLimits, SandboxLimits
from grading.running.launch import start_kernel
from grading.running.time_limit import TooLongError, processor_seconds


@dataclass(frozen=True)
class Bounds(NotebookLimits):
    """What a submission may use: time and output, and ``sandbox`` what its kernels may.

    ``confined`` means in the sandbox, or in a container of the image that ``container`` names;
    without it, it can use the whole machine.
    """

    sandbox: SandboxLimits = field(default_factory=SandboxLimits)
    confined: bool = True
    container: str = ""

    @property
    def forked(self) -> bool:
        """Whether kernels come from the sandbox's warm parent."""
        return self.confined and not self.container

    def limits(self) -> dict[str, Any]:
        """All numbers as plain values, without what confines."""
        return asdict(NotebookLimits.of(self)) | asdict(self.sandbox)


@dataclass
class CellResult:
    """How an execution ended: ``ok``, ``error``, ``timeout`` or ``died``; what it put out."""

    status: str
    outputs: list[nbformat.NotebookNode] = field(default_factory=list)
    error: str = ""
    expressions: dict[str, Any] = field(default_factory=dict)


# Runs in the kernel before any cell of the submission: it imports what calls need while nothing of
# the submission stands in the way, and puts a `check.py` that lies beside the notebook where it is
# read only if it is really called, since check cells are not executed.
_BOOTSTRAP = """
import base64 as _b, marshal as _l, os as _o, sys as _s, types as _t
_p = _s.path[:]; _s.path[:] = [p for p in _p if p not in ("", _o.getcwd())]  # no torch.py of theirs
exec(_l.loads(_b.b64decode({code!r})), {{"__name__": "__main__"}})
_s.path[:] = _p
if beside:
    def _read(_s=_s, _path=_o.path.abspath("check.py")):
        import importlib.util
        spec = importlib.util.spec_from_file_location("check", _path)
        module = _s.modules["check"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    _k = _t.ModuleType("check"); _s.modules["check"] = _k
    _k.check = lambda name, _read=_read: _read().check(name)
    _k.check.case = lambda *given, _read=_read: _read().check.case(*given)
    _k.__getattr__ = lambda name, _read=_read: getattr(_read(), name)
import torch
torch.set_num_threads(1)
"""

# What runs beside a student's code comes anew with each message, in a namespace that no module is,
# so that nothing of it can be put in place of something else beforehand. It comes compiled, which
# saves most of its time, and in an expression, because IPython hashes the text of cells, slowly.
# Calls arrive and outcomes leave as text; what the function prints meanwhile goes nowhere, because
# it could be the numbers of a hidden case.
_ANSWERS = """
import base64, contextlib, os

class Sent:
    # shown as this text, whatever shows other values: rich, say, would colour it
    def __init__(self, text):
        self.text = text

    def _repr_mimebundle_(self, **_):
        return {"text/plain": self.text}

def answers(names, calls):
    with open(os.devnull, "w") as null:
        with contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
            given = (unpack(base64.b64decode(call), own=True) for call in calls)
            found = [packed_call(names, call) for call in given]
    return Sent(",".join(base64.b64encode(outcome).decode() for outcome in found))
"""
_EXPRESSION = """\
(lambda run, code, names, beside: [run(code, beside), beside["answers"](names, {calls!r})][1])(
    __import__("builtins").exec,  # a notebook may call something of its own `exec`
    __import__("marshal").loads(__import__("base64").b64decode({code!r})),
    (lambda: 0).__globals__,
    {{"__name__": "__main__"}},
)"""


class SubmissionKernel:
    """A running kernel; use it as a context manager, so that no process is left behind."""

    def __init__(self, files: Iterable[Path] = (), bounds: Bounds | None = None):
        self.bounds = bounds or Bounds()
        files = list(files)
        self._started = start_kernel(
            files, self.bounds.sandbox, self.bounds.confined, self.bounds.container
        )
        self._manager, self._client = self._started.manager, self._started.client
        self.alive = True
        bootstrap = _bootstrap(any(file.name == "check.py" for file in files))
        seconds = PatienceLimits.kernel_start_seconds
        first = self._execute("", seconds, silent=True, expressions={"bootstrap": bootstrap})
        result = first.expressions.get("bootstrap", {})
        if first.status != "ok" or result.get("status") != "ok":
            self.close()
            reason = result.get("evalue") or first.error or first.status
            raise RuntimeError(f"The kernel does not run: {reason}.")

    def __enter__(self) -> SubmissionKernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the kernel at once and remove its folder."""
        self.alive = False
        self._started.close()

    def run_cell(self, source: str, seconds: float | None = None) -> CellResult:
        """Execute a cell; a kernel that does not stop when told to is killed."""
        return self._execute(source, seconds or self.bounds.cell_seconds)

    def call(self, call: check.Call) -> check.CallResult:
        """Do one call of :func:`grading.check.run_call` beside the submission's code.

        Returns:
            Its outcome, or one whose ``status`` is ``timeout``, ``died`` or ``unusable`` and whose
            ``text`` says so in a sentence.
        """
        status, outcomes = self._calls([call], self.bounds.call_seconds)
        if outcomes is not None:
            return outcomes[0]
        if status == "timeout":
            seconds = self.bounds.call_seconds
            return {"status": "timeout", "text": f"It did not finish within {seconds:g} seconds."}
        return {
            "status": "died",
            "text": "It ended the whole Python process (an exit, a crash, or no memory left).",
        }

    def calls(self, calls: list[check.Call]) -> list[check.CallResult] | None:
        """Do several calls in one message, in half the time that one may take.

        A message costs more than what a function does with a small tensor.

        Returns:
            Their outcomes; None if one of them did not come to an end, whichever it was.
        """
        return self._calls(calls, self.bounds.call_seconds / 2)[1]

    def _calls(
        self, calls: list[check.Call], seconds: float
    ) -> tuple[str, list[check.CallResult] | None]:
        packed = [base64.b64encode(check.pack(_portable(call))).decode() for call in calls]
        expression = _EXPRESSION.format(code=_beside(), calls=packed)
        run = self._execute("", seconds, silent=True, expressions={"outcomes": expression})
        if run.status in ("timeout", "died"):
            return run.status, None
        return run.status, _trusted(run.expressions.get("outcomes"), len(calls))

    def _execute(
        self,
        source: str,
        seconds: float,
        silent: bool = False,
        expressions: dict[str, str] | None = None,
    ) -> CellResult:
        client = self._client
        request = client.execute(
            source,
            silent=silent,
            store_history=not silent,
            user_expressions=expressions,
            allow_stdin=False,
            stop_on_error=False,
        )
        collected = _Outputs(0 if silent else self.bounds.output_bytes)
        deadline, grace = time.monotonic() + seconds, PatienceLimits.interrupt_seconds
        reply, idle, interrupted = None, False, False
        next_look = time.monotonic() + 0.2
        while reply is None or not idle:
            for channel in self._wait(0.05):
                kind, content = _receive(channel, request)
                if kind == "execute_reply":
                    reply = content
                    # output that is still on its way gets a moment, an endless stream does not
                    deadline = min(deadline, time.monotonic() + grace)
                elif kind == "status":
                    idle = idle or content.get("execution_state") == "idle"
                else:
                    collected.add(kind, content)
            now = time.monotonic()
            if now > next_look:
                next_look = now + 0.2
                if not self._manager.is_alive():
                    self.alive = False
                    return CellResult("died", collected.outputs)
            if now > deadline:
                if reply is not None:
                    break
                if interrupted:
                    self.close()
                    return CellResult("timeout", collected.outputs)
                interrupted, deadline = True, now + grace
                self._manager.interrupt_kernel()
        if interrupted:
            return CellResult("timeout", collected.outputs)
        error = "" if reply.get("status") == "ok" else _one_line(reply)
        found = reply.get("user_expressions")
        found = found if isinstance(found, dict) else {}
        return CellResult("error" if error else "ok", collected.outputs, error, found)

    def _wait(self, seconds: float) -> list[Any]:
        channels = [self._client.shell_channel, self._client.iopub_channel]
        poller = zmq.Poller()
        for channel in channels:
            poller.register(channel.socket, zmq.POLLIN)
        ready = dict(poller.poll(round(seconds * 1000)))
        return [channel for channel in channels if channel.socket in ready]


@functools.cache
def _beside() -> bytes:
    """What runs beside a student's code, compiled, as text."""
    text = bundle.one_file("", bundle.RUNS_BESIDE) + _ANSWERS
    return base64.b64encode(marshal.dumps(compile(text, "check.py", "exec")))


@functools.cache
def _bootstrap(beside: bool) -> str:
    return f"exec({_BOOTSTRAP.format(code=_beside())!r}, {{'beside': {beside}}})"


def _portable(call: check.Call) -> check.Call:
    """Return a call as plain values: its harness's name, and the text that defines it.

    What every assignment may need is there already.
    """
    harness = call.get("harness")
    if harness is None:
        return call
    module = inspect.getmodule(harness)
    source = "" if module in bundle.RUNS_BESIDE else bundle.alone(module, imports=True)
    return {**call, "harness": harness.__name__, "source": source}


def _receive(channel: Any, request: str) -> tuple[str, dict[str, Any]]:
    """Take an answer to a request; a message that is malformed or not signed counts as none."""
    try:
        message = channel.get_msg(timeout=0)
        kind, content = message["msg_type"], message["content"]
        if message["parent_header"]["msg_id"] == request and isinstance(content, dict):
            return str(kind), content
    except (queue.Empty, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    return "", {}


def _one_line(reply: dict[str, Any]) -> str:
    name, text = str(reply.get("ename", "error")), str(reply.get("evalue", ""))
    return check.printable(f"{name}: {text.strip()}").rstrip(": ")


_new_output: Any = nbformat.v4.new_output  # has no types
# Pictures and text; HTML and scripts of a submission would run in the instructor's browser.
_PICTURES = ("image/png", "image/jpeg")


class _Outputs:
    """Collects a cell's outputs up to a number of bytes, and says where it stopped.

    A submission can send any message in its kernel's name, so only text is taken over.
    """

    def __init__(self, max_bytes: int):
        self.outputs: list[nbformat.NotebookNode] = []
        self._left = max_bytes

    def add(self, kind: str, content: dict[str, Any]) -> None:
        """Take a message of the kernel over, if it is one that shows something."""
        if self._left <= 0:
            return
        output = _output(kind, content)
        if output is None:
            return
        pictures = sum(len(output.get("data", {}).get(mime, "")) for mime in _PICTURES)
        size = len(str(output)) - min(pictures, 10 * self._left)
        if size > self._left:
            begin = output.text[: self._left] if "text" in output else ""
            text = f"{begin}\n[The output ends here: it is longer than the grader keeps.]\n"
            output = _new_output("stream", name="stdout", text=text)
        self._left -= size
        last = self.outputs[-1] if self.outputs else output
        if last is not output and "name" in output and output["name"] == last.get("name"):
            last.text += output.text  # the same stream goes on
        else:
            self.outputs.append(output)


def _output(kind: str, content: dict[str, Any]) -> nbformat.NotebookNode | None:
    output: nbformat.NotebookNode | None = None
    if kind == "stream":
        name = "stderr" if content.get("name") == "stderr" else "stdout"
        output = _new_output("stream", name=name, text=str(content.get("text", "")))
    elif kind in ("display_data", "execute_result"):
        found = content.get("data")
        found = found if isinstance(found, dict) else {}
        data = {m: found[m] for m in ("text/plain", *_PICTURES) if isinstance(found.get(m), str)}
        output = _new_output("display_data", data) if data else None
    elif kind == "error":
        lines = content.get("traceback")
        lines = [str(line) for line in lines] if isinstance(lines, list) else []
        ename, evalue = str(content.get("ename", "")), str(content.get("evalue", ""))
        output = _new_output("error", ename=ename, evalue=evalue, traceback=lines)
    return output


def _trusted(result: Any, count: int) -> list[check.CallResult]:
    """Turn what came from the kernel into so many outcomes that have the promised form.

    What has not the form, or takes longer to be read than an honest one could, is said to be
    unusable.
    """
    try:
        texts = result["data"]["text/plain"].split(",", count)
    except (KeyError, TypeError, AttributeError):
        texts = []
    texts += [""] * (count - len(texts))
    try:
        with processor_seconds(ReturnedLimits.judging_seconds):
            return [_trusted_outcome(text) for text in texts[:count]]
    except TooLongError:
        return [_unusable() for _ in range(count)]


def _unusable() -> check.CallResult:
    return {"status": "unusable", "text": "No usable result came back from the notebook."}


def _trusted_outcome(text: str) -> check.CallResult:
    try:
        data = base64.b64decode(text, validate=True)
        outcome = check.unpack(data, ReturnedLimits.header_bytes)
        if not isinstance(outcome, dict):
            return _unusable()
        status = outcome["status"]
        if status == "missing":
            found = outcome["found"]
            return {
                "status": status,
                "found": None if found is None else check.printable(found, 60),
            }
        if status == "finding":
            return {"status": status, "text": check.printable(outcome["text"], MAX_SENTENCE)}
        if status == "error":
            type_ = check.printable(outcome["type"], 60)
            failed: check.CallResult = {
                "status": status, "type": type_, "text": check.printable(outcome["text"])
            }  # fmt: skip
            where = [
                [number, check.printable(name, 80), check.printable(text, 200)]
                for number, name, text in outcome.get("where", [])[:MOST_LINES]
                if type(number) is int
            ]
            return {**failed, "where": where} if where else failed
        after, gradients = outcome["after"], outcome["gradients"]
        if status != "value" or not isinstance(after, list):
            return _unusable()
        if gradients is not None and not isinstance(gradients, dict):
            return _unusable()
        value = outcome["value"]
        if isinstance(value, str):
            value = check.printable(value)
        return {"status": status, "value": value, "after": after, "gradients": gradients}
    except TooLongError:
        raise
    except Exception:  # of a reply that nobody thought of
        return _unusable()
