"""Tables for spreadsheets, in which nothing that a student chose is taken for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

# Full width, too: a spreadsheet of an East Asian system takes these for the others.
FORMULA = "=+-@\t\r＝＋－＠"
# A spreadsheet that is told to separate by one of these begins a cell behind it, quoted or not.
_BEGINS = re.compile(rf'([;,\t]"*)(?=[{re.escape(FORMULA)}])')
COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip


def harmless(cell: str) -> str:
    """Make of a text one line that is no formula; ``-`` alone is what Moodle calls empty."""
    line = _BEGINS.sub(r"\1'", cell.replace("\r", " ").replace("\n", " "))
    return f"'{line}" if len(cell) > 1 and cell[0] in FORMULA else line


def write_table(rows: Iterable[Iterable[str]], stream: TextIO, end: str = "\n") -> None:
    """Write rows as comma-separated values, none of which is a formula."""
    csv.writer(stream, lineterminator=end).writerows([map(harmless, row) for row in rows])


def as_csv(rows: Iterable[list[str]]) -> str:
    """Return rows as a platform reads them."""
    text = io.StringIO()
    write_table(rows, text, end="\r\n")
    return text.getvalue()


class HarmlessExport(ExportPlugin):  # type: ignore[misc]  # nbgrader has no types
    """`nbgrader export` with nbgrader's own columns, each value quoted where it must be."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the scores of all students, or of those that are asked for."""
        path = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", path)
        try:
            with open(path, "w", newline="", encoding="utf-8") as stream:
                write_table([COLUMNS, *self._rows(gradebook)], stream)
        except OSError as error:
            raise SystemExit(
                f"{path} cannot be written ({error.strerror}): expected a file in a folder that "
                "there is; name another one with --to."
            ) from error

    def _rows(self, gradebook: Gradebook) -> Iterator[list[str]]:
        students, assignments = set(map(str, self.student)), set(map(str, self.assignment))
        for assignment in gradebook.assignments:
            if assignments and assignment.name not in assignments:
                continue
            for student in gradebook.students:
                if students and student.id not in students:
                    continue
                scores = self._scores(gradebook, assignment, student)
                row = [assignment.name, assignment.duedate, *scores]
                yield ["" if value is None else str(value) for value in row]

    def _scores(self, gradebook: Gradebook, assignment: Any, student: Any) -> list[Any]:
        name, id_ = assignment.name, student.id
        try:
            found = gradebook.find_submission(name, id_)
            penalty = found.late_submission_penalty
            when, scores = found.timestamp, [found.score, penalty, max(0.0, found.score - penalty)]
        except MissingEntry:  # nothing was handed in
            when, scores = None, [0.0, 0.0, 0.0]
        person = [id_, student.last_name, student.first_name, student.email]
        return [when, *person, *scores, assignment.max_score]
