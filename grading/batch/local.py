"""Workers on this machine: processes that grade one submission after another.

All have their kernels forked from one warm parent. A submission goes to a worker as bytes, its
result comes back as JSON. A worker that dies or never answers is replaced and its submission tried
once more. Nothing is read ahead: there are never more submissions in memory than workers, and as
many results.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from grading import sandbox
from grading.batch import early
from grading.batch.source import Source
from grading.batch.submissions import Submission
from grading.batch.work import Result, explained
from grading.kernel import Bounds

SECONDS_TO_START = 180.0


def _serve(
    connection: Connection, source: Source, bounds: Bounds, parent: sandbox.SharedParent | None
) -> None:
    """Grade what comes in until the connection is closed. Runs in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the writer, who ends us
    threading.Thread(target=_end_with_the_writer, daemon=True).start()
    import torch

    from grading.batch.work import grade

    torch.set_num_threads(1)
    try:
        if parent is not None:
            sandbox.warm_parent.adopt(parent)
        connection.send_bytes(b"")
        while True:
            submission = connection.recv()
            connection.send_bytes(_graded(grade, submission, source, bounds).to_bytes())
    except (EOFError, BrokenPipeError):
        pass
    except sandbox.SandboxError as error:
        connection.send_bytes(str(error).encode())


def _graded(grade: Any, submission: Submission, source: Source, bounds: Bounds) -> Result:
    try:
        return grade(submission, source, bounds)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        return explained(submission, source, f"The grader itself failed: {reason}", failed=True)


def _end_with_the_writer() -> None:
    """A worker whose writer was killed has nobody to grade for."""
    wait([multiprocessing.parent_process().sentinel])
    os._exit(1)


class Worker:
    """A worker process, started on first use and again when it has died."""

    def __init__(self, source: Source, bounds: Bounds):
        self._source, self._bounds = source, bounds
        self._process: Any = None
        self._connection: Connection | None = None
        self._ended = False

    def grade(self, submission: Submission) -> Result:
        """Have a submission graded; a second death of the worker is its explanation."""
        for _ in range(2):
            answer = self._ask(submission)
            if answer is not None:
                return Result.from_bytes(answer)
            if self._ended:
                raise InterruptedError("The run was ended.")
            self._kill()
        problem = "The process that graded it ended twice, perhaps because memory ran out."
        return explained(submission, self._source, problem, failed=True)

    def _ask(self, submission: Submission) -> bytes | None:
        if self._process is None:
            self._start()
        try:
            self._connection.send(submission)
            if self._connection.poll(_most_seconds(self._bounds)):
                return self._connection.recv_bytes()
        except (EOFError, OSError):
            pass
        return None

    def _start(self) -> None:
        self._connection, theirs = early.context.Pipe()
        parent = sandbox.warm_parent.share() if self._bounds.confined else None
        self._process = early.context.Process(
            target=_serve, args=(theirs, self._source, self._bounds, parent), name="grading-worker"
        )
        self._process.start()
        theirs.close()
        try:
            if self._connection.poll(SECONDS_TO_START):
                problem = self._connection.recv_bytes().decode()
                if not problem:
                    return
                raise sandbox.SandboxError(problem)
        except (EOFError, OSError):
            pass  # ended by somebody: the next question finds it so

    def close(self) -> None:
        """End the process for good; with it end its kernels."""
        self._ended = True
        self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            self._connection.close()


def _most_seconds(bounds: Bounds) -> float:
    """More than any submission takes: the notebook's time, and that of each exercise alone."""
    return 3 * bounds.notebook_seconds + 600


class LocalWorkers:
    """Several workers side by side; use as a context manager."""

    def __init__(self, source: Source, bounds: Bounds, jobs: int):
        self._workers = [Worker(source, bounds) for _ in range(jobs)]
        self._stop = threading.Event()

    def __enter__(self) -> LocalWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for worker in self._workers:
            worker.close()

    def results(self, submissions: Iterator[Submission]) -> Iterator[tuple[Submission, Result]]:
        """Yield each submission with its result, in the order in which they are ready."""
        lock = threading.Lock()
        done: queue.Queue = queue.Queue(maxsize=len(self._workers))

        def put(item: Any) -> None:
            while not self._stop.is_set():
                try:
                    return done.put(item, timeout=0.2)
                except queue.Full:
                    pass

        def serve(worker: Worker) -> None:
            try:
                while not self._stop.is_set():
                    with lock:
                        submission = next(submissions, None)
                    if submission is None:
                        return
                    put((submission, worker.grade(submission)))
            except Exception as error:
                put(error)
            finally:
                put(None)

        for worker in self._workers:
            threading.Thread(target=serve, args=(worker,), daemon=True).start()
        working = len(self._workers)
        while working:
            item = done.get()
            if item is None:
                working -= 1
            elif isinstance(item, Exception):
                raise item
            else:
                yield item
