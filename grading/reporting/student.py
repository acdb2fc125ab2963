"""A student's row in the report on an assignment."""

from __future__ import annotations

from dataclasses import dataclass, field

from grading.course.identities import CANVAS, Origin


@dataclass
class Student:
    """A row of the gradebook.

    Attributes:
        score: the final one, ``None`` if nothing was handed in.
        waits: for a person to grade an answer.
        sort_name: by which a list is in order.
        points: of each answer, by its name; ``None`` while it waits.
        penalty: for being late.
        due: until when, in the course's time; ``extended`` if that is later than for the others.
        handed_in: when, as far as it is known; ``handed_in_utc``: as a standard writes it.
        late_by: how much later than that, if at all.
        attempts: how many submissions of the student were graded.
        problem: why the submission could not be graded.
        origin: where it came from, if a platform's archive was collected.
    """

    id: str
    name: str
    email: str
    lms_id: str
    score: float | None
    waits: bool
    sort_name: str = ""
    points: dict[str, float | None] = field(default_factory=dict)
    penalty: float = 0.0
    due: str = ""
    extended: bool = False
    handed_in: str = ""
    handed_in_utc: str = ""
    late_by: str = ""
    attempts: int = 0
    problem: str = ""
    origin: Origin | None = None

    @property
    def status(self) -> str:
        """What is to be known before the score is used."""
        if self.score is None:
            return "not handed in"
        if self.problem:
            return f"could not be graded: {self.problem}"
        late = ", late" if self.penalty or (self.origin and self.origin.late) else ""
        late = f", {self.late_by} late" if self.late_by else late
        return f"waits for a person{late}" if self.waits else f"graded{late}"

    def number(self, platform: str) -> str:
        """The platform's number of the student, as far as it is known."""
        if self.origin and self.origin.platform == platform:
            return self.origin.number
        return self.lms_id if platform == CANVAS else ""

    @property
    def own_id(self) -> str:
        """The id, unless it is only what an archive calls the student."""
        return "" if self.origin and self.id.startswith(self.origin.name) else self.id

    @property
    def address(self) -> str:
        """The address that is known."""
        return self.email or (self.origin.email if self.origin else "")
