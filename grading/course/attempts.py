"""Every submission that was graded, also those that a later one has replaced.

nbgrader's gradebook keeps one submission of a student; here stands what became of each: points,
and the mistakes that were named. Whoever graded writes it, in the same transaction as the grades.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy

_tables = sqlalchemy.MetaData()
ATTEMPTS = sqlalchemy.Table(
    "grading_attempts",
    _tables,
    sqlalchemy.Column("assignment", sqlalchemy.String(128), primary_key=True),
    sqlalchemy.Column("student", sqlalchemy.String(160), primary_key=True),
    sqlalchemy.Column("submission_key", sqlalchemy.String(64), primary_key=True),
    sqlalchemy.Column("source_key", sqlalchemy.String(64), nullable=False),
    sqlalchemy.Column("status", sqlalchemy.String(16), nullable=False),
    sqlalchemy.Column("points", sqlalchemy.Float, nullable=False),
    sqlalchemy.Column("max_points", sqlalchemy.Float, nullable=False),
    sqlalchemy.Column("exercises", sqlalchemy.Text, nullable=False),
    sqlalchemy.Column("handed_in", sqlalchemy.DateTime),
    sqlalchemy.Column("first_graded", sqlalchemy.DateTime, nullable=False),
)


@dataclass
class Attempt:
    """A submission that was graded.

    Attributes:
        mistakes: of each exercise that was attempted, the mistakes that were named.
        solved: the exercises that earned all their points.
    """

    assignment: str
    student: str
    submission_key: str
    points: float
    max_points: float
    handed_in: datetime.datetime | None
    first_graded: datetime.datetime
    mistakes: dict[str, list[str]] = field(default_factory=dict)
    solved: set[str] = field(default_factory=set)


def make_table(engine: sqlalchemy.Engine) -> None:
    """Make the table if there is none."""
    _tables.create_all(engine)


def write(connection: Any, values: dict[str, Any], exercises: Iterable[dict[str, Any]]) -> None:
    """Write an attempt down, in place of what is known of these very bytes.

    Args:
        connection: or a session; whoever has it ends the transaction.
        values: of the columns, without ``exercises`` and ``first_graded``.
        exercises: the verdicts as plain values.
    """
    key = [ATTEMPTS.c[name] == values[name] for name in ("assignment", "student", "submission_key")]
    known = connection.execute(sqlalchemy.select(ATTEMPTS.c.first_graded).where(*key)).first()
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    connection.execute(ATTEMPTS.delete().where(*key))
    kept = [{name: each[name] for name in _OF_AN_EXERCISE} for each in exercises]
    connection.execute(
        ATTEMPTS.insert().values(
            **values, exercises=json.dumps(kept), first_graded=known[0] if known else now
        )
    )


_OF_AN_EXERCISE = ("exercise", "points", "max_points", "verdict", "mistakes")


OUTDONE = "outdone"  # the status of an attempt that another one was better than


def outdone(connection: Any, assignment: str, source_key: str) -> set[tuple[str, str]]:
    """Students and submissions that do not count, as judged by this version of the assignment."""
    c = ATTEMPTS.c
    query = sqlalchemy.select(c.student, c.submission_key).where(
        c.assignment == assignment, c.status == OUTDONE, c.source_key == source_key
    )
    return {(row[0], row[1]) for row in connection.execute(query)}


def read(engine: sqlalchemy.Engine, **where: str) -> list[Attempt]:
    """Read attempts in the order in which they were handed in; those of a student, for example.

    Args:
        engine: of the gradebook.
        **where: columns and the values that are wanted.
    """
    if not sqlalchemy.inspect(engine).has_table(ATTEMPTS.name):
        return []
    query = sqlalchemy.select(ATTEMPTS).where(*(ATTEMPTS.c[n] == v for n, v in where.items()))
    with engine.connect() as connection:
        found = [of_row(dict(row)) for row in connection.execute(query).mappings()]
    found.sort(key=lambda a: (a.assignment, a.student, a.handed_in or a.first_graded))
    return found


def of_row(row: dict[str, Any]) -> Attempt:
    """Make an attempt of a row of this table, or of the ledger, which knows the last one only."""
    verdicts = json.loads(row["exercises"])
    return Attempt(
        row["assignment"], row["student"], row["submission_key"], row["points"],
        row["max_points"], row.get("handed_in"), row.get("first_graded") or row["graded_at"],
        {v["exercise"]: v["mistakes"] for v in verdicts if v["verdict"] != "not attempted"},
        {v["exercise"] for v in verdicts if v["points"] == v["max_points"]},
    )  # fmt: skip
