"""Workers of a Dask cluster: the same tasks, on as many machines as have joined.

Submissions travel as bytes to wherever there is room, results come back as JSON to the one writer.
Each worker process keeps a warm parent of its own and grades one submission at a time, so start
one with one thread for each core: `dask worker tcp://HOST:8786 --nworkers 8 --nthreads 1`. Workers
may join, leave or die meanwhile; what they had is given to others. The course is installed on all
machines, that of the scheduler included, in the same version.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from grading import sandbox
from grading.batch.run import WorkersError
from grading.batch.source import Source, version_key
from grading.batch.submissions import Submission
from grading.batch.work import Result, explained, grade
from grading.kernel import Bounds

try:
    import distributed
except ImportError:
    distributed = None

_NAME = "course-grading"
SECONDS_TO_CONNECT = 20
AHEAD = 2  # submissions at a worker: one that is graded and one that waits


class _Grader(distributed.WorkerPlugin if distributed else object):
    """What a worker needs to know of the assignment; a worker that joins later gets it, too."""

    name = _NAME

    def __init__(self, source: Source, bounds: Bounds):
        self.source, self.bounds, self.version = source, bounds, version_key(source.assignment)
        self._one_at_a_time: threading.Lock | None = None

    def setup(self, worker: Any) -> None:
        """Run where the worker runs."""
        import torch

        torch.set_num_threads(1)
        self._one_at_a_time = threading.Lock()

    def teardown(self, worker: Any) -> None:
        """End the warm parent when the worker ends."""
        sandbox.warm_parent.stop()

    def grade(self, submission: Submission) -> Result:
        """Grade a submission in this process."""
        if version_key(self.source.assignment) != self.version:
            raise RuntimeError("this worker has another version of the course: install the same.")
        with self._one_at_a_time:
            return grade(submission, self.source, self.bounds)


def _grade(submission: Submission) -> bytes:
    return distributed.get_worker().plugins[_NAME].grade(submission).to_bytes()


class ClusterWorkers:
    """The workers of a scheduler; use as a context manager. ``say`` is told what one should know.

    Raises:
        WorkersError: if the package is missing or nobody answers.
    """

    def __init__(
        self,
        bounds: Bounds,
        address: str,
        say: Callable[[str], None] = print,
    ):
        if distributed is None:
            raise WorkersError(
                "--scheduler needs the package distributed: run "
                "`pip install -r requirements-cluster.txt` here and on every worker."
            )
        self._bounds, self._say = bounds, say
        try:
            self._client = distributed.Client(address, timeout=SECONDS_TO_CONNECT)
        except (OSError, ValueError) as error:
            raise WorkersError(
                f"No Dask scheduler answers at {address} ({error or type(error).__name__}): "
                "start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
            ) from error

    def __enter__(self) -> ClusterWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close(timeout=5)

    def results(
        self, source: Source, submissions: Iterator[Submission]
    ) -> Iterator[tuple[Submission, Result]]:
        """Yield each submission with its result, in the order in which they are ready."""
        self._client.register_plugin(_Grader(source, self._bounds), name=_NAME)
        under_way: dict[Any, Submission] = {}
        more = True
        while more or under_way:
            while more and len(under_way) < AHEAD * max(1, self._threads()):
                submission = next(submissions, None)
                if submission is None:
                    more = False
                else:
                    future = self._client.submit(_grade, submission, pure=False)
                    under_way[future] = submission
            for future in self._finished(list(under_way)):
                submission = under_way.pop(future)
                yield submission, self._result(future, source, submission)
                future.release()

    def _threads(self) -> int:
        return sum(self._client.nthreads().values())

    def _finished(self, futures: list[Any]) -> list[Any]:
        """Wait until at least one is finished; say so if nobody works on them."""
        said = 0.0
        while futures:
            done = [future for future in futures if future.done()]
            if done:
                return done
            try:
                distributed.wait(futures, timeout=2, return_when="FIRST_COMPLETED")
            except (TimeoutError, distributed.TimeoutError):
                if self._client.status != "running":
                    raise WorkersError(
                        "The Dask scheduler is gone. What is graded is kept: start it again, then "
                        "run this command again."
                    ) from None
                if not self._threads() and time.monotonic() > said + 60:
                    said = time.monotonic()
                    self._say("No Dask worker is connected; waiting for one …")
        return []

    def _result(self, future: Any, source: Source, submission: Submission) -> Result:
        try:
            return Result.from_bytes(future.result())
        except distributed.KilledWorker:
            problem = "The workers that graded it ended again and again; memory may have run out."
        except Exception as error:
            if self._client.status != "running" or future.cancelled():
                raise WorkersError(
                    "The Dask scheduler is gone. What is graded is kept: start it again, then run "
                    "this command again."
                ) from error
            problem = f"The grader itself failed: {type(error).__name__}: {error}"[:300]
        return explained(submission, source, problem, failed=True)
