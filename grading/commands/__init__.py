"""The command line: ``python -m grading`` with a command for each thing that one would ask.

A file holds the commands of one family, as :data:`program` lists them; ``program`` says what a
command is, ``options`` what several of them take, ``output`` how they print. Nothing of the project
calls a command. What a command needs is imported when it runs, so that nobody waits for torch who
asks for help.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from grading.commands import assignments, grade, platforms, proof, results
from grading.commands.program import Program
from grading.errors import ExplainedError

INTERRUPTED = 130

program = Program(
    "Grade the exercises.",
    {
        "What students get": (
            assignments.exercises,
            assignments.release,
            assignments.variants,
            assignments.dates,
        ),
        "Grading": (grade.try_notebook, grade.autograde),
        "How a class did": (results.report, results.similar, results.regrade),
        "Canvas, Moodle and other platforms": (platforms.feedback, platforms.scores),
        "The grader, graded": (proof.matrix, proof.mistakes, proof.search, proof.appendix),
    },
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Do :func:`main`; whoever stops it while it starts is not shown where it was."""
    try:
        return main(arguments)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 2 if it cannot be done as it was typed."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # not Click's own `main`, which would make something else of Ctrl-C and of a closed pipe
        with program.make_context("python -m grading", words) as context:
            return int(program.invoke(context))
    except click.exceptions.Exit as ended:  # help was shown
        return ended.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (LookupError, ExplainedError) as error:
        print(f"python -m grading: {error.args[0]}", file=sys.stderr)
        return 2
    except Exception as error:
        from sqlalchemy.exc import DatabaseError

        if not isinstance(error, DatabaseError):
            raise
        reason = str(error.orig).strip().partition("\n")[0]
        print(
            f"python -m grading: The gradebook cannot be used: {reason}. Put it back from a "
            "backup, or use the version of the course that made it.", file=sys.stderr,
        )  # fmt: skip
        return 2
