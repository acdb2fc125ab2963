"""A course of ten weeks: what is read, what is handed in when, what is worth stressing.

The chapter for instructors has it as a table, which a test compares with this module; and the file
of due dates is made from it.
"""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from grading.errors import ExplainedError


class StartError(ExplainedError):
    """The first day of a course cannot be used; the sentence says why."""


@dataclass(frozen=True)
class Week:
    """A week of the course.

    Attributes:
        read: chapters.
        due: assignments, each with the number of the weekday until whose end it is due.
        stress: what students get wrong without noticing.
    """

    read: str
    due: tuple[tuple[str, int], ...]
    stress: str


WEDNESDAY, SUNDAY = 3, 7
_DAYS = {WEDNESDAY: "Wednesday", SUNDAY: "Sunday"}

WEEKS = (
    Week(
        "1", (("01_simple_attention", SUNDAY),),
        "Along which axis the softmax runs; what True means in a mask; a score is hidden before "
        "the softmax.",
    ),
    Week(
        "2", (("02_multi_head", SUNDAY),),
        "Divide by the root of one head's size; cut into heads with `view`, then `transpose`, and "
        "never with `reshape` alone.",
    ),
    Week(
        "3, 4", (("03_feed_forward", SUNDAY),),
        "Dropout is off in `eval()`; the norm's ε stands inside the root; a residual sum makes a "
        "new tensor.",
    ),
    Week(
        "5", (("04_normalization", WEDNESDAY), ("05_positions", SUNDAY)),
        "Each sentence has its own positions, whichever side the padding is on; two conventions "
        "of rotary pairs.",
    ),
    Week(
        "6", (("06_encoder", SUNDAY),),
        "“Alone = in a batch” as the test of every mask; PyTorch's mask is True where ours is "
        "False.",
    ),
    Week(
        "7", (("07_head", SUNDAY),),
        "Padding stays out of the mean; `[batch]` and `[batch, 1]` broadcast without an error; "
        "always compare with counting words.",
    ),
    Week(
        "8", (("08_decoder", SUNDAY),),
        "Which token predicts which: logits and labels are shifted by one; what a cache must keep.",
    ),
    Week(
        "9", (("09_tokenizers", SUNDAY),),
        "The order of merges decides; characters are not tokens, and a space belongs to the word "
        "behind it.",
    ),
    Week(
        "10", (("10_modern_decoder", SUNDAY),),
        "`repeat_interleave`, not `repeat`; weights that load into almost the right model raise "
        "no error.",
    ),
    Week(
        "11", (("11_looking_inside", SUNDAY),),
        "A finding needs its control: another seed, other words, a probe on shuffled labels.",
    ),
)  # fmt: skip


def table() -> str:
    """The weeks as a table in Markdown."""
    rows = ["| week | read | hand in | stress |", "| --- | --- | --- | --- |"]
    for number, week in enumerate(WEEKS, 1):
        due = ", ".join(
            f"assignment {int(name[:2])}" + f" on {_DAYS[day]}" * (day != SUNDAY)
            for name, day in week.due
        )
        chapters = "chapters" if "," in week.read else "chapter"
        rows.append(f"| {number} | {chapters} {week.read} | {due} | {week.stress} |")
    return "\n".join(rows)


def dates_file(monday: datetime.date, zone: str, known: Collection[str]) -> str:
    """The file of due dates for a course that begins in a week.

    Args:
        monday: of the first week.
        zone: the time zone, as in the file.
        known: the assignments that there are; others are left out.

    Raises:
        StartError: if it is no Monday, or too late for ten weeks.
    """
    if monday.weekday():
        raise StartError(f"--start: {monday} is a {monday:%A}, expected the Monday of week 1.")
    lines = [f'time_zone = "{zone}"', "", "[due]"]
    try:
        for number, week in enumerate(WEEKS):
            for name, day in _known(week.due, known):
                due = monday + datetime.timedelta(weeks=number, days=day - 1)
                lines.append(f"{name} = {due}  # {_DAYS[day]} of week {number + 1}")
    except OverflowError as error:
        raise StartError(f"--start: {monday} is too late for ten weeks.") from error
    lines += ["", "# More time for single students:", "# [extensions.01_simple_attention]"]
    return "\n".join([*lines, f"# ada = {monday + datetime.timedelta(days=9)}", ""])


def write_dates_file(path: Path, monday: datetime.date, zone: str, known: Collection[str]) -> Path:
    """Write the file of due dates, where there is none.

    Raises:
        ExplainedError: if there is one, or the dates or their zone cannot be used.
    """
    try:
        key = zoneinfo.ZoneInfo(zone).key
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise ExplainedError(f"--zone: {zone!r} is no time zone.") from None
    text = dates_file(monday, key, known)
    try:
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise ExplainedError(f"{path} is there already: move it away first.") from None
    return path


def _known(due: Iterable[tuple[str, int]], known: Collection[str]) -> list[tuple[str, int]]:
    return [(name, day) for name, day in due if name in known]
