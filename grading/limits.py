"""Every limit of the grader in one place, each with its reason: seconds, bytes, numbers.

A subject has a class. Those in :data:`SETTABLE` can be set in ``nbgrader_config.py`` as traits of
the classes named there (`grading.running.settings`), and the ones that are flags on the command
line, too (`grading.commands.options`): both are made from what stands here. The others are bounds
that no honest submission comes near, or patience with the machine; whoever wants another one
changes it here. The chapter for instructors has all of them in two tables, which a test compares
with this module.

This module imports nothing of the project, so that every room can use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields
from typing import Any, Self, TypeVar

MIB, GIB = 2**20, 2**30

Number = TypeVar("Number", int, float)


def _limit(default: Number, reason: str, *, flag: bool = False) -> Number:
    """A limit with its reason; ``flag``: it is an option of ``autograde`` and ``try``, too."""
    limit: Number = field(default=default, metadata={"reason": reason, "flag": flag})
    return limit


@dataclass(frozen=True)
class Limits:
    """The limits of one subject."""

    @classmethod
    def of(cls, holder: object) -> Self:
        """Take the values from the attributes of an object that are named like the limits."""
        return cls(**{limit.name: getattr(holder, limit.name) for limit in fields(cls)})


# ---- What a submission may use -----------------------------------------------------------------


@dataclass(frozen=True)
class NotebookLimits(Limits):
    """A notebook while it is graded."""

    cell_seconds: float = _limit(
        30.0, "for one cell; a slower machine or an exercise that trains needs more", flag=True
    )
    call_seconds: float = _limit(
        10.0,
        "for one call of what the student wrote; all cases of an exercise together get half of it "
        "before they are tried one by one",
        flag=True,
    )
    notebook_seconds: float = _limit(
        240.0,
        "for the whole notebook, so that many slow cells cannot hold up a class",
        flag=True,
    )
    alone_seconds: float = _limit(
        60.0,
        "at least, for a failed answer that is tried again in a kernel of its own: the time that "
        "other answers wasted is not its fault",
    )
    output_bytes: int = _limit(
        100_000, "kept of the output of one cell; pictures may have ten times as much"
    )


@dataclass(frozen=True)
class SandboxLimits(Limits):
    """The kernel that a notebook runs in, confined or in a container."""

    memory: int = _limit(
        2 * GIB, "bytes of memory beyond what Python and its libraries occupy already", flag=True
    )
    cpu_seconds: int = _limit(
        300,
        "of processor time for one kernel, all its threads together; more than notebook_seconds, "
        "or it ends a notebook that still has time",
        flag=True,
    )
    threads: int = _limit(256, "at a time; the libraries start some for each core")
    file_bytes: int = _limit(64 * MIB, "for the largest file that it may write")
    scratch_bytes: int = _limit(256 * MIB, "for all files that it writes together")
    scratch_files: int = _limit(10_000, "files and folders that it may make")
    open_files: int = _limit(512, "files and sockets that may be open at a time")


@dataclass(frozen=True)
class ArchiveLimits(Limits):
    """An archive from a learning platform, before `nbgrader zip_collect` unpacks it."""

    max_bytes: int = _limit(
        512 * MIB, "of all members together: an archive of 40 kB can fill a disk"
    )
    max_members: int = _limit(20_000, "files and folders in it")
    max_depth: int = _limit(20, "folders within folders; what lies deeper is left out")


# ---- What is read and kept of a submission -----------------------------------------------------


@dataclass(frozen=True)
class SubmissionLimits(Limits):
    """What is read of the folder that a student handed in."""

    notebook_bytes: int = _limit(
        20 * MIB,
        "of a notebook without its outputs, or rather without the text of all that is quoted in it",
    )
    outputs_bytes: int = _limit(
        100 * MIB, "of a notebook with its outputs, which are not used; a larger one is not read"
    )
    file_bytes: int = _limit(20 * MIB, "of another file; a larger one is left out")
    all_bytes: int = _limit(128 * MIB, "of all files together, which travel to a worker")
    files: int = _limit(200, "files and folders, of which notebooks are read first")
    names: int = _limit(100_000, "names in one folder; more are not even listed")
    depth: int = _limit(5, "folders within folders")
    request_bytes: int = _limit(20_000, "of a request to look at an answer again")
    id_characters: int = _limit(128, "of a student's id: the column of nbgrader's gradebook")
    cells: int = _limit(2_000, "cells of a notebook; those after them are left out")
    cell_characters: int = _limit(500_000, "of a cell, which is cut there")
    label_characters: int = _limit(
        100, "of the label that a cell bears; those of the assignments are shorter"
    )
    parsed_characters: int = _limit(
        10_000,
        "of a cell that is parsed, to see what it defines or whether it has an influence on "
        "others: what is shorter cannot nest more deeply than a parser can take",
    )
    all_parsed_characters: int = _limit(
        200_000,
        "of all cells of a notebook that are parsed to see what they define; lines that begin "
        "like definitions tell it of the others",
    )


@dataclass(frozen=True)
class ReturnedLimits(Limits):
    """What comes back from a kernel."""

    message_bytes: int = _limit(64_000_000, "of one message, which is read into memory as a whole")
    messages: int = _limit(4, "messages of a channel that wait to be read; then the kernel waits")
    header_bytes: int = _limit(
        4_000_000, "of what one call returns, apart from the numbers of tensors"
    )
    judging_seconds: float = _limit(
        40.0, "of processor time of the grader itself, to read and judge what one exercise gives"
    )
    value_bytes: int = _limit(
        32_000_000, "of all tensors that one call returns; stands in `check` again, released alone"
    )
    sentence_characters: int = _limit(
        600, "of what a harness says of an answer; stands in `check` again"
    )
    kernel_attempts: int = _limit(
        3, "starts of a kernel that ends before it answers, as one in thousands may when crowded"
    )
    submission_attempts: int = _limit(
        3, "for a submission whose warm parent was ended meanwhile: its kernels go with it"
    )


@dataclass(frozen=True)
class ShownLimits(Limits):
    """What is kept of a graded notebook for people to look at."""

    output_characters: int = _limit(100_000, "of one output")
    notebook_characters: int = _limit(1_000_000, "of all outputs of a notebook together")
    picture_characters: int = _limit(2_000_000, "of a picture, as text")
    markdown_characters: int = _limit(
        50_000, "of a Markdown cell; a longer one is shown as plain text, cut"
    )
    markdown_seconds: float = _limit(
        10.0,
        "of processor time to clean the Markdown of a notebook; the cells that are left then are "
        "shown as plain text",
    )
    colours_seconds: float = _limit(
        2.0, "of processor time to colour the code on a page; what is left then has no colours"
    )
    notes: int = _limit(20, "notes on what was repaired or left out")
    note_characters: int = _limit(500, "of one of them")
    formula_characters: int = _limit(2_000, "of a formula; a longer one stays as it was typed")


# ---- Patience with the machine -----------------------------------------------------------------


@dataclass(frozen=True)
class PatienceLimits(Limits):
    """Seconds to wait for something that takes a moment, longer on a machine that is crowded."""

    edit_seconds: float = _limit(
        5.0, "of processor time for a small edit of a reference, which may go on for ever"
    )
    parent_start_seconds: float = _limit(
        120.0, "until the warm parent, or a container, has imported the libraries"
    )
    kernel_start_seconds: float = _limit(60.0, "until a kernel answers")
    worker_start_seconds: float = _limit(180.0, "until a worker process is ready")
    interrupt_seconds: float = _limit(
        2.0, "for a cell that was interrupted to stop, and for output that is on its way"
    )
    shutdown_seconds: float = _limit(1.0, "for a kernel that was asked to end, then it is killed")
    engine_seconds: float = _limit(60.0, "until Podman or Docker says whether it has an image")
    container_end_seconds: float = _limit(2.0, "for a container to end by itself")
    connect_seconds: float = _limit(20.0, "until the scheduler of a cluster answers")
    gradebook_seconds: float = _limit(600.0, "while another program has the gradebook locked")
    worker_margin_seconds: float = _limit(
        600.0,
        "beyond three times notebook_seconds, until a worker that does not answer is replaced",
    )


@dataclass(frozen=True)
class MachineLimits(Limits):
    """What grading itself uses."""

    container_libraries_bytes: int = _limit(
        1 * GIB, "that a kernel with torch needs in a container, before the student's memory"
    )
    container_threads: int = _limit(
        4096, "of all containers together; Podman's own choice is more than it may give"
    )
    header_bytes: int = _limit(64 * 2**10, "of what an archive says of one of its members")
    submissions_ahead: int = _limit(
        2, "submissions at a worker of a cluster: one that is graded and one that waits"
    )


@dataclass(frozen=True)
class ReportLimits(Limits):
    """When the report of a class names an exercise or a student."""

    too_hard: float = _limit(0.3, "of those who attempted it have all points, or fewer")
    too_easy: float = _limit(0.95, "of those who attempted it have all points, or more")
    fewest_attempts: int = _limit(5, "attempts, below which an exercise is called neither")
    behind_share: float = _limit(
        0.5, "of the points in the last two assignments, below which a student falls behind"
    )
    falling_share: float = _limit(
        0.25, "of the points that the last two assignments lie below those before"
    )


@dataclass(frozen=True)
class ScoreLimits(Limits):
    """While points are sent to a learning platform."""

    answer_seconds: float = _limit(
        30.0, "until the platform answers, else the rest stays for later"
    )
    answer_bytes: int = _limit(4_000_000, "of an answer, which may list the columns of a course")
    answer_characters: int = _limit(200, "of an answer are shown where it says why not")
    tries: int = _limit(4, "to ask a platform that says it is busy")
    busy_seconds: float = _limit(2.0, "between them, twice as long each time, unless it says")
    longest_busy_seconds: float = _limit(60.0, "whatever it says")
    conflict_seconds: float = _limit(
        1.1, "before a score is sent again that bears the second of the last one"
    )


# The classes of traits, in `nbgrader_config.py`, that set them.
SETTABLE: dict[type[Limits], str] = {
    NotebookLimits: "GradeFromOutside",
    SandboxLimits: "SandboxProvisioner",
    ArchiveLimits: "BoundedExtractor",
}
FIXED: tuple[type[Limits], ...] = (
    SubmissionLimits, ReturnedLimits, ShownLimits, PatienceLimits, MachineLimits, ReportLimits,
    ScoreLimits,
)  # fmt: skip


def reason(limit: Field[Any]) -> str:
    """Say what a limit is for."""
    return str(limit.metadata["reason"])


def flags(limits: type[Limits]) -> Iterator[Field[Any]]:
    """Yield the limits that are options of the command line."""
    return (limit for limit in fields(limits) if limit.metadata["flag"])


# ---- As tables, for the chapter for instructors ------------------------------------------------


def settable_table() -> str:
    """The limits that can be set, as a table in Markdown."""
    rows = [
        "| in `nbgrader_config.py`, or as an option | default | why |",
        "| --- | --- | --- |",
    ]
    for limits, holder in SETTABLE.items():
        for limit in fields(limits):
            option = f", `{option_name(limit)}`" if limit.metadata["flag"] else ""
            name = f"`c.{holder}.{limit.name}`{option}"
            rows.append(f"| {name} | {shown(limit)} | {reason(limit)} |")
    return "\n".join(rows)


def fixed_table() -> str:
    """The other limits, as a table in Markdown."""
    rows = ["| what | limit | value | why |", "| --- | --- | --- | --- |"]
    for limits in FIXED:
        subject = (limits.__doc__ or "").partition(".")[0]
        for limit in fields(limits):
            rows.append(f"| {subject} | `{limit.name}` | {shown(limit)} | {reason(limit)} |")
            subject = ""
    return "\n".join(rows)


def option_name(limit: Field[Any]) -> str:
    """The option that sets a limit, such as ``--cell-seconds``."""
    return f"--{limit.name.replace('_', '-')}"


def shown(limit: Field[Any]) -> str:
    """A limit's default for people: ``2 GiB``, ``10,000``."""
    value = limit.default
    for size, unit in ((GIB, "GiB"), (MIB, "MiB")):
        if isinstance(value, int) and value >= size and value % size == 0:
            return f"{value // size} {unit}"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
