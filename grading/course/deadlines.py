"""Due dates, more time for single students, and what being late costs.

The dates stand in one file of the course, ``due_dates.toml``, and are written into nbgrader's
gradebook, so that formgrader and nbgrader's export know them. TOML, for it has dates of its own: a
table that somebody opens in a spreadsheet comes back with dates of another form. What is taken off
is decided by nbgrader's plugin for late submissions; :class:`LatePenalty` is one with a rule.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Assignment, Gradebook
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties, latesubmissions
from traitlets import Enum, Float
from traitlets.config import Configurable

from grading.errors import ExplainedError

FILE = "due_dates.toml"
_KEYS = ("time_zone", "due", "extensions")
_WANTED = "expected a date such as 2026-10-12, or with a time, 2026-10-12 18:00:00"


class DatesError(ExplainedError):
    """The file of due dates is wrong; the sentence says in which line, and how."""


@dataclass(frozen=True)
class DueDates:
    """What the file says, in UTC without saying so, as nbgrader has it.

    Attributes:
        zone: in which the file's dates are meant, and shown.
        due: assignments to dates.
        extended: assignments to the students who have more time, and until when.
    """

    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    due: dict[str, datetime.datetime] = field(default_factory=dict)
    extended: dict[str, dict[str, datetime.datetime]] = field(default_factory=dict)

    def extension(self, assignment: str, student: str) -> datetime.timedelta | None:
        """How much more time than the others a student has, if any."""
        until = self.extended.get(assignment, {}).get(student)
        return until - self.due[assignment] if until else None

    def until(self, assignment: str, student: str) -> datetime.datetime | None:
        """The student's own date, if the file has one for the assignment."""
        return self.extended.get(assignment, {}).get(student) or self.due.get(assignment)

    def students(self) -> set[str]:
        """Everybody who is given more time."""
        return {student for students in self.extended.values() for student in students}

    def shown(self, when: datetime.datetime) -> str:
        """A time for people, in the course's time zone."""
        utc = when.replace(tzinfo=datetime.UTC)
        try:
            return utc.astimezone(self.zone).strftime("%Y-%m-%d %H:%M %Z")
        except OverflowError:  # a student may claim the last day of the year 9999
            return utc.isoformat(" ", "minutes")


def due_dates(root: Path, known: Collection[str] = ()) -> DueDates:
    """Read the course's file; no dates if there is none.

    Args:
        root: the course's folder.
        known: the assignments that there are; if given, others are refused.

    Raises:
        DatesError: if anything in it is not as it should be.
    """
    path = root / FILE
    try:
        text = path.read_text(encoding="utf-8-sig")  # as editors on Windows write it
    except FileNotFoundError:
        return DueDates()
    except (OSError, UnicodeDecodeError) as error:
        raise DatesError(f"{FILE} cannot be read: {error}.") from error
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        line = re.search(r"line (\d+)", str(error))
        number = line[1] if line else text.rstrip().count("\n") + 1  # "at end of document"
        reason = re.sub(r" ?\(at [^)]*\)", "", str(error))
        raise DatesError(f"{FILE}, line {number}: {reason}; {_WANTED}.") from error
    return _Reader(text, found, known).dates()


class _Reader:
    """Makes dates of what stands in the file."""

    def __init__(self, text: str, found: dict[str, Any], known: Collection[str]):
        self._text = text
        self._found = found
        self._known = known

    def dates(self) -> DueDates:
        for key in self._found:
            if key not in _KEYS:
                self._refuse((key,), f"there is no setting {key!r}, only {', '.join(_KEYS)}")
        due = {
            name: self._time(("due", name), value, self._assignment)
            for name, value in self._table("due")
        }
        extended: dict[str, dict[str, datetime.datetime]] = {}
        for name, students in self._table("extensions"):
            place = ("extensions", name)
            if name not in due:
                self._refuse(place, f"{name} has no due date in [due] that could be extended")
            if not isinstance(students, dict):
                self._refuse(place, f"expected a table [extensions.{name}] of students and dates")
            for student, value in students.items():
                until = self._time((*place, student), value)
                if until <= due[name]:
                    self._refuse((*place, student), f"{student!r} would get no more time than all")
                extended.setdefault(name, {})[student] = until
        return DueDates(self._zone, due, extended)

    def _table(self, key: str) -> list[tuple[str, Any]]:
        table = self._found.get(key, {})
        if not isinstance(table, dict):
            self._refuse((key,), f"expected a table [{key}]")
        return list(table.items())

    @cached_property
    def _zone(self) -> ZoneInfo:
        name = self._found.get("time_zone", "UTC")
        try:
            return ZoneInfo(name)
        except Exception:  # of many kinds: a name that is none, or leads out of the folder
            self._refuse(("time_zone",), f"found {name!r}, expected a time zone such as "
                                         "'Europe/Berlin'")  # fmt: skip

    def _assignment(self, place: tuple[str, ...]) -> None:
        if self._known and place[-1] not in self._known:
            names = ", ".join(sorted(self._known))
            self._refuse(place, f"there is no assignment {place[-1]!r}; there are {names}")

    def _time(
        self,
        place: tuple[str, ...],
        value: object,
        check: Callable[[tuple[str, ...]], None] = lambda place: None,
    ) -> datetime.datetime:
        """A date is meant to its last minute; a time without a zone is one of the course's."""
        check(place)
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            value = datetime.datetime.combine(value, datetime.time(23, 59, 59))
        if not isinstance(value, datetime.datetime):
            self._refuse(place, f"found {value!r} for {place[-1]!r}, {_WANTED}")
        try:
            return (value if value.tzinfo else value.replace(tzinfo=self._zone)).astimezone(
                datetime.UTC
            ).replace(tzinfo=None)  # fmt: skip
        except OverflowError:
            self._refuse(place, f"found {value} for {place[-1]!r}, {_WANTED}")

    def _refuse(self, place: tuple[str, ...], sentence: str) -> NoReturn:
        raise DatesError(f"{FILE}, line {self._line(place)}: {sentence}.")

    def _line(self, place: tuple[str, ...]) -> int:
        """The line with which a key comes into the file."""
        lines = self._text.split("\n")
        for number in range(1, len(lines) + 1):
            try:
                found: Any = tomllib.loads("\n".join(lines[:number]))
                for key in place:
                    found = found[key]
                return number
            except (ValueError, KeyError, TypeError):  # in the middle of a value, or before it
                continue
        return len(lines)


# ---- What is taken off ---------------------------------------------------------------------------


class LatePenalty(LateSubmissionPlugin):  # type: ignore[misc]  # nbgrader has no types
    """Take a share of what was earned for each day that has begun."""

    percent_a_day = Float(
        0.0, min=0, max=100,
        help="Percent of the points earned that a day begun costs; 0: nbgrader's penalty_method.",
    ).tag(config=True)  # fmt: skip
    most_percent = Float(
        100.0, min=0, max=100, help="Percent that being late costs at most, however late."
    ).tag(config=True)
    grace_minutes = Float(
        0.0,
        min=0,
        help="Minutes after the due date that cost nothing.",
    ).tag(config=True)

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """Say what a submission loses: None if nothing."""
        if not self.percent_a_day:
            penalty: float | None = super().late_submission_penalty(
                student_id, score, total_seconds_late
            )
            return penalty
        if total_seconds_late <= 60 * self.grace_minutes:
            return None
        days = math.ceil(total_seconds_late / 86_400)
        return round(score * min(self.percent_a_day * days, self.most_percent) / 100, 2)

    def rule(self) -> str:
        """The rule as a sentence for those whom it costs something."""
        if not self.percent_a_day:
            return "A late submission gets no points." if self.penalty_method == "zero" else ""
        most = f", at most {self.most_percent:g}%" if self.most_percent < 100 else ""
        grace = self.grace_minutes
        free = f" The first {grace:g} minutes are free." if grace else ""
        percent = f"{self.percent_a_day:g}% of the points earned{most}"
        return f"Each day that has begun costs {percent}.{free}"


class PenaltiesByDate(AssignLatePenalties):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's own step, after the dates of the course's file were put into the gradebook."""

    @cached_property
    def dates(self) -> DueDates:
        """Those of the course that this is a part of."""
        holder = self.parent  # a command, or an exporter whose parent is one
        while holder is not None and not hasattr(holder, "coursedir"):
            holder = getattr(holder, "parent", None)
        return due_dates(Path(holder.coursedir.root)) if holder else DueDates()

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Write the student's date, then whether it was kept, and what it costs if not."""
        assignment = resources["nbgrader"]["assignment"]
        if assignment in self.dates.due:
            with latesubmissions.Gradebook(resources["nbgrader"]["db_url"]) as gradebook:
                student = resources["nbgrader"]["student"]
                submission = gradebook.find_submission(assignment, student)
                submission.assignment.duedate = self.dates.due[assignment]
                submission.extension = self.dates.extension(assignment, student)
                gradebook.db.commit()
        done: tuple[NotebookNode, ResourcesDict] = super().preprocess(nb, resources)
        return done

    @cached_property
    def plugin(self) -> LateSubmissionPlugin:
        """What decides about penalties."""
        self.init_plugin()
        return self.plugin_inst

    def rule(self) -> str:
        """What being late costs, in a sentence; nothing if only the instructor knows."""
        return self.plugin.rule() if isinstance(self.plugin, LatePenalty) else ""

    def penalty(self, student: str, score: float, seconds: float) -> float:
        """What being late takes from a score, and nothing more than that."""
        if not seconds > 0:
            return 0.0
        penalty = self.plugin.late_submission_penalty(student, score, seconds)
        return min(max(penalty or 0.0, 0.0), score)


class Attempts(Configurable):
    """Which of several submissions of a student counts."""

    counts = Enum(
        ("last", "best"),
        "last",
        help="Of several submissions of a student: the last, or the one with the most points.",
    ).tag(config=True)


@dataclass
class Change:
    """What new dates, a new rule or new points change about a penalty."""

    assignment: str
    student: str
    before: float
    now: float


@contextlib.contextmanager
def _undone_if_it_fails(gradebook: Gradebook) -> Iterator[None]:
    try:
        yield
    except BaseException:
        gradebook.db.rollback()
        raise


def changes(
    gradebook: Gradebook,
    dates: DueDates,
    step: PenaltiesByDate,
    assignments: Collection[str] = (),
    write: bool = False,
) -> list[Change]:
    """Compare the penalties in the gradebook with what they should be.

    Args:
        gradebook: of the course.
        dates: of the course's file; for other assignments, the gradebook's count.
        step: nbgrader's, which asks the plugin.
        assignments: which; all if there are none.
        write: put dates and penalties into the gradebook, all at once.
    """
    found = []
    with _undone_if_it_fails(gradebook):
        if write:
            have = {each.name for each in gradebook.assignments}
            for name in sorted(dates.due.keys() - have):
                gradebook.db.add(Assignment(name, course_id=gradebook.course_id))
            gradebook.db.flush()
        for each in gradebook.assignments:
            name = each.name
            if assignments and name not in assignments:
                continue
            due = dates.due.get(name, each.duedate)
            if write:
                each.duedate = due
            for submission in each.submissions:
                student = submission.student_id
                extension = submission.extension
                if name in dates.due:
                    extension = dates.extension(name, student)
                until = due + extension if due and extension else due
                seconds = 0.0
                if until and submission.timestamp:
                    seconds = max(0.0, (submission.timestamp - until).total_seconds())
                if write:
                    submission.extension = extension
                for notebook in submission.notebooks:
                    before = notebook.late_submission_penalty or 0.0
                    now = step.penalty(student, notebook.score, seconds)
                    if abs(now - before) > 1e-6:
                        found.append(Change(name, student, before, now))
                        if write:
                            notebook.late_submission_penalty = now or None
        if write:
            gradebook.db.commit()
    return found


def late_by(seconds: float) -> str:
    """A time for people: ``2 days 4 h``, ``35 min``."""
    minutes = math.ceil(seconds / 60)
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{days} day{'' if days == 1 else 's'}"] * bool(days) + [f"{hours} h"] * bool(hours)
    if not days and minutes:
        parts.append(f"{minutes} min")
    return " ".join(parts)
