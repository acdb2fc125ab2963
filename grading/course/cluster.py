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

from grading.course.assignment import ReleasedAssignment, version_key
from grading.course.grade_class import WorkersError
from grading.course.grade_submission import Result, explained, grade
from grading.course.submissions import Submission
from grading.limits import MachineLimits, PatienceLimits
from grading.running import sandbox
from grading.running.kernel import Bounds
from grading.running.launch import begin_parent

distributed: Any
try:
    import distributed
except ImportError:  # an optional package
    distributed = None
_WorkerPlugin: Any = distributed.WorkerPlugin if distributed else object

_NAME = "course-grading"


class _Grader(_WorkerPlugin):  # type: ignore[misc]  # it has no types
    """What a worker needs to know of the assignment; a worker that joins later gets it, too."""

    name = _NAME

    def __init__(self, released: ReleasedAssignment, bounds: Bounds):
        self.released, self.bounds = released, bounds
        self.version = version_key(released.assignment)
        self._one_at_a_time: Any = None  # a lock, which does not travel

    def setup(self, worker: Any) -> None:
        """Run where the worker runs."""
        import torch

        torch.set_num_threads(1)
        self._one_at_a_time = threading.Lock()
        if self.bounds.forked:
            begin_parent(self.released.assignment)

    def teardown(self, worker: Any) -> None:
        """End the warm parent when the worker ends."""
        sandbox.warm_parent.stop()

    def grade(self, submission: Submission) -> Result:
        """Grade a submission in this process."""
        if version_key(self.released.assignment) != self.version:
            raise RuntimeError("this worker has another version of the course: install the same.")
        with self._one_at_a_time:
            return grade(submission, self.released, self.bounds)


def _grade(submission: Submission) -> bytes:
    grader: _Grader = distributed.get_worker().plugins[_NAME]
    return grader.grade(submission).to_bytes()


class ClusterWorkers:
    """The workers of a scheduler; use as a context manager. ``log`` is told what one should know.

    Raises:
        WorkersError: if the package is missing or nobody answers.
    """

    def __init__(
        self,
        bounds: Bounds,
        address: str,
        log: Callable[[str], None] = print,
    ):
        if distributed is None:
            raise WorkersError(
                "--scheduler needs the package distributed: run "
                "`pip install -r requirements-cluster.txt` here and on every worker."
            )
        self._bounds, self._log = bounds, log
        try:
            self._client = distributed.Client(address, timeout=PatienceLimits.connect_seconds)
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
        self, released: ReleasedAssignment, submissions: Iterator[Submission]
    ) -> Iterator[tuple[Submission, Result]]:
        """Yield each submission with its result, in the order in which they are ready."""
        self._client.register_plugin(_Grader(released, self._bounds), name=_NAME)
        under_way: dict[Any, Submission] = {}
        more = True
        while more or under_way:
            room = MachineLimits.submissions_ahead * max(1, self._threads())
            while more and len(under_way) < room:
                submission = next(submissions, None)
                if submission is None:
                    more = False
                else:
                    future = self._client.submit(_grade, submission, pure=False)
                    under_way[future] = submission
            for future in self._finished(list(under_way)):
                submission = under_way.pop(future)
                yield submission, self._result(future, released, submission)
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
                    self._log("No Dask worker is connected; waiting for one …")
        return []

    def _result(self, future: Any, released: ReleasedAssignment, submission: Submission) -> Result:
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
        return explained(submission, released, problem, failed=True)
