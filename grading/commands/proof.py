"""The grader, graded: known wrong and right answers, the corpus, small edits, and what it knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grading.commands import options
from grading.commands.output import console, print_json
from grading.commands.program import command, option
from grading.errors import ExplainedError

if TYPE_CHECKING:
    from grading.exercise import Exercise


@command("matrix", "matrix 01_simple_attention")
@options.assignment_or_none
@options.exercise
@option(
    "--variant",
    default="A",
    metavar="LETTER",
    help="of the exercises (default: A, as described)",
)
@option(
    "--corpus",
    is_flag=False,
    flag_value=Path(),
    type=Path,
    metavar="[FOLDER]",
    help="instead, put the answers of the corpus (or of a folder that is laid out like it) "
    "through many draws of the cases, and report what was judged wrongly; they run without "
    "the sandbox",
)
@options.count("--draws", "for the corpus (default: 20)", default=20)
@options.for_programs()
def matrix(
    assignment: str | None,
    exercise: str | None,
    variant: str,
    corpus: Path | None,
    draws: int,
    as_json: bool,
) -> int:
    """Put every known wrong and every correct implementation through its exercise."""
    from grading.proof.matrix import chosen

    exercises = chosen(assignment, exercise, variant)
    if corpus is not None:
        return _corpus([(name, each.id) for name, each in exercises], corpus, draws, as_json)
    return _matrix([each for _, each in exercises], as_json)


def _matrix(exercises: list[Exercise], as_json: bool) -> int:
    from rich.markup import escape
    from rich.table import Table

    from grading.proof.matrix import SEEDS, drawn, rows

    found = [row for exercise in exercises for row in rows(exercise, drawn(exercise))]
    wrong = [row for row in found if not row.right]
    if as_json:
        print_json([vars(row) for row in found])
        return bool(wrong)
    table = Table("exercise", "implementation", "points", "explained as", "")
    for row in found:
        table.add_row(
            row.exercise,
            row.name if row.kind == "mistake" else f"correct: {row.name}",
            f"{row.points:g}",
            ", ".join(row.named),
            f"[red]✗ {escape(row.problem)}[/]" if row.problem else "[green]✓[/]",
        )
    out = console()
    out.print(table)
    mistakes = sum(row.kind == "mistake" for row in found)
    out.print(
        f"{mistakes} wrong implementations, {len(found) - mistakes} correct ones, each on "
        f"up to {len(SEEDS)} draws of the cases: {len(wrong)} not as they should be."
    )
    return bool(wrong)


def _corpus(chosen: list[tuple[str, str]], folder: Path, draws: int, as_json: bool) -> int:
    from rich.table import Column, Table

    from grading.proof.corpus import CORPUS, report

    folder = CORPUS if folder == Path() else folder
    if not folder.is_dir():
        raise ExplainedError(f"--corpus: {folder} is no folder; expected one with answers.")
    rows = list(report(chosen, draws, folder))
    kinds = ("accepted", "too_many", "too_few", "rejected", "unsteady", "unnamed")
    misjudged = any(getattr(row, kind) for row in rows for kind in kinds if kind != "unnamed")
    if as_json:
        print_json([vars(row) for row in rows])
        return misjudged
    heads = ("wrong", "accepted", "too many", "too few", "right", "rejected", "by draw")
    table = Table(Column("exercise", no_wrap=True), *heads, "named")
    for row in rows:
        counts = (row.wrong, row.accepted, row.too_many, row.too_few, row.right, row.rejected)
        cells = [len(c) if isinstance(c, list) else c for c in (*counts, row.unsteady)]
        named = row.wrong - len(row.unnamed)
        share = f"{named} = {named / row.wrong:.0%}" if row.wrong else ""
        table.add_row(row.exercise, *map(str, cells), share)
    out = console()
    out.print(table)
    for row in rows:
        for kind in kinds:
            for name in getattr(row, kind):
                out.print(f"{row.exercise}: {kind.replace('_', ' ')}: {name}")
    wrong, right = sum(row.wrong for row in rows), sum(row.right for row in rows)
    named = wrong - sum(len(row.unnamed) for row in rows)
    out.print(
        f"{wrong} wrong answers, {named} of them named, and {right} right ones, each on "
        f"{draws} draws of the cases."
    )
    return misjudged


@command("mistakes", "mistakes 01_simple_attention")
@options.assignment_or_none
@options.for_programs(", each with the whole wrong program")
def mistakes(assignment: str | None, as_json: bool) -> int:
    """List the known mistakes: the sentence that a student reads, and what was done."""
    from rich.markup import escape

    from grading.content import assignments, full_name
    from grading.proof.mistakes import known_mistakes

    names = [full_name(assignment)] if assignment else assignments()
    found = [each for name in names for each in known_mistakes(name)]
    if as_json:
        print_json([vars(each) for each in found])
        return 0
    out = console()
    for each in found:
        points = f" ({each.points} of {each.max_points} points)" if each.points else ""
        title = f"{each.exercise}, {each.name}"
        out.print(f"[bold]{escape(title)}[/]: {escape(each.sentence)}{points}", soft_wrap=True)
        for line in each.edit.splitlines():
            out.print(escape(f"    {line}"), soft_wrap=True)
    out.print(f"{len(found)} known mistakes.")
    return 0


@command("search", "search 01_simple_attention --exercise padded_heads")
@options.assignment
@options.exercise
@options.count("--draws", "of the cases (default: 3)", default=3)
@options.for_programs()
def search(assignment: str, exercise: str | None, draws: int, as_json: bool) -> int:
    """Make small edits of the references and report those that no case sees."""
    from rich.markup import escape

    from grading.content import exercises_of
    from grading.exercise import PUBLIC_SEED
    from grading.proof import search

    chosen = [each for each in exercises_of(assignment) if exercise in (None, each.id)]
    if not chosen:
        raise ExplainedError(f"{assignment} has no exercise {exercise!r}.")
    seeds = range(PUBLIC_SEED, PUBLIC_SEED + draws)
    found = [search.search(each, seeds) for each in chosen]
    if as_json:
        print_json([vars(each) for each in found])
        return 0
    out = console()
    for each in found:
        out.print(
            f"[bold]{each.exercise}[/]: {each.tried} edits, {each.caught} caught in every draw, "
            f"{len(each.by_luck)} by luck, {len(each.survived)} never"
        )
        for title, edits in (("by luck", each.by_luck), ("never", each.survived)):
            for edit in edits:
                out.print(escape(f"  {title}: {edit}"), soft_wrap=True)
    return 0


@command("appendix", "appendix --without-differences")
@option(
    "--without-differences",
    is_flag=True,
    help="do not show what mistakes change, which gives the solutions away",
)
def appendix(without_differences: bool) -> int:
    """Write the book's pages on what the grader knows (`make exercises` does)."""
    from grading.proof.appendix import CHAPTERS, write_pages

    for path in write_pages(differences=not without_differences):
        print(f"wrote {path.relative_to(CHAPTERS.parent)}")
    return 0
