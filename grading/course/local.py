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
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from grading.course.assignment import ReleasedAssignment
from grading.course.grade_submission import Result, explained
from grading.course.submissions import Submission
from grading.limits import PatienceLimits
from grading.running import sandbox
from grading.running.forks import AS_A_FORK
from grading.running.kernel import Bounds

_anew = multiprocessing.get_context("spawn")


def _serve(connection: Connection, bounds: Bounds, parent: sandbox.SharedParent | None) -> None:
    """Grade what comes in until the connection is closed. Runs in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the writer, who ends us
    threading.Thread(target=_end_with_the_writer, daemon=True).start()
    import torch

    from grading.course.grade_submission import grade

    torch.set_num_threads(1)
    try:
        if parent is not None:
            sandbox.warm_parent.adopt(parent)
        connection.send_bytes(b"")
        released = connection.recv()
        while True:
            submission = connection.recv()
            connection.send_bytes(_graded(grade, submission, released, bounds).to_bytes())
    except (EOFError, BrokenPipeError):
        pass
    except sandbox.SandboxError as error:
        connection.send_bytes(str(error).encode())


def _graded(
    grade: Callable[[Submission, ReleasedAssignment, Bounds], Result],
    submission: Submission,
    released: ReleasedAssignment,
    bounds: Bounds,
) -> Result:
    try:
        return grade(submission, released, bounds)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
        return explained(submission, released, f"The grader itself failed: {reason}", failed=True)


def _end_with_the_writer() -> None:
    """A worker whose writer was killed has nobody to grade for."""
    writer = multiprocessing.parent_process()
    assert writer is not None  # this is no main process
    wait([writer.sentinel])
    os._exit(1)


class Worker:
    """A worker process, started again when it has died."""

    def __init__(self, bounds: Bounds):
        self._bounds = bounds
        self._process: Any = None
        self._connection: Any = None  # to the process, while there is one
        self._released: ReleasedAssignment | None = None  # what the process knows of
        self._ended = False

    def grade(self, released: ReleasedAssignment, submission: Submission) -> Result:
        """Have a submission graded; a second death of the worker is its explanation."""
        for _ in range(2):
            answer = self._ask(released, submission)
            if answer is not None:
                return Result.from_bytes(answer)
            if self._ended:
                raise InterruptedError("The run was ended.")
            self._kill()
        problem = "The process that graded it ended twice, perhaps because memory ran out."
        return explained(submission, released, problem, failed=True)

    def _ask(self, released: ReleasedAssignment, submission: Submission) -> bytes | None:
        if self._process is None:
            self.start(_anew)
        try:
            if self._released is None:
                self._connection.send(released)
                self._released = released
            self._connection.send(submission)
            if self._connection.poll(_max_seconds(self._bounds)):
                answer: bytes = self._connection.recv_bytes()
                return answer
        except (EOFError, OSError):
            pass
        return None

    def start(self, context: Any) -> None:
        """Start the process, as a fork or anew, and wait until it is ready.

        Raises:
            SandboxError: if this machine cannot confine a kernel.
        """
        parent = sandbox.warm_parent.share() if self._bounds.forked else None
        self._released = None
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, self._bounds, parent), name="grading-worker"
        )
        self._process.start()
        theirs.close()
        if parent is not None:
            parent.line.close()
        try:
            if self._connection.poll(PatienceLimits.worker_start_seconds):
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


def _max_seconds(bounds: Bounds) -> float:
    """More than any submission takes: the notebook's time, and that of each exercise alone."""
    return 3 * bounds.notebook_seconds + PatienceLimits.worker_margin_seconds


class LocalWorkers:
    """Several workers side by side; use as a context manager.

    Enter it before there are threads and open files: where the system allows, workers are forked
    from this process, which has imported all that they need.
    """

    def __init__(self, bounds: Bounds, jobs: int):
        self._workers = [Worker(bounds) for _ in range(jobs)]
        self._stop = threading.Event()

    def __enter__(self) -> LocalWorkers:
        try:
            for worker in self._workers:
                worker.start(AS_A_FORK)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for worker in self._workers:
            worker.close()

    def results(
        self, released: ReleasedAssignment, submissions: Iterator[Submission]
    ) -> Iterator[tuple[Submission, Result]]:
        """Yield each submission with its result, in the order in which they are ready."""
        lock = threading.Lock()
        done: queue.Queue[Any] = queue.Queue(maxsize=len(self._workers))

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
                    put((submission, worker.grade(released, submission)))
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
