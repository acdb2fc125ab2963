"""The command line: ``python -m grading`` with a subcommand for each thing that one would ask."""

from __future__ import annotations

import argparse
import contextlib
import gc
import glob
import sys
from collections.abc import Sequence
from pathlib import Path

from grading.batch.options import add_arguments, add_isolation

LARGE_LIBRARIES = ("optim", "pandas", "scipy", "sklearn", "transformers")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return the exit status."""
    options = _parser().parse_args(arguments)
    gc.disable()  # it finds nothing among modules, and takes a third of the time to import them
    elsewhere = options.command not in ("autograde", "try") or options.insecure or options.container
    if not (elsewhere or getattr(options, "scheduler", None)):
        _begin(options.assignment)
    from grading import commands  # and with it torch, for which nobody waits who asks for help

    gc.freeze()  # nor should it look through them later
    gc.enable()
    return commands.run(options)


def _begin(assignment: str) -> None:
    """Have the process that kernels are forked from import torch while this one imports it."""
    from grading import sandbox

    with contextlib.suppress(sandbox.SandboxError):  # the command itself will say so
        sandbox.warm_parent.begin(left_out=_unused(assignment))


def _unused(assignment: str) -> list[str]:
    """What an assignment's files do not name of the libraries that take two seconds to import."""
    exercises = Path(__file__).parents[1] / "exercises"
    files = exercises.glob(f"*{glob.escape(assignment)}/*")
    text = "".join(file.read_text() for file in files if file.suffix in (".ipynb", ".py"))
    return [word for word in LARGE_LIBRARIES if word not in text]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grading", description="Grade the exercises.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, text: str, example: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"Example: python -m grading {example}",
        )

    added = command("exercises", "list every exercise", "exercises --json")
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        "try",
        "grade one notebook file, without a course or a gradebook",
        "try 01_simple_attention my_notebook.ipynb",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument("notebook", metavar="NOTEBOOK", type=Path)
    added.add_argument("--json", action="store_true", help="for programs")
    add_isolation(added)

    added = command(
        "autograde",
        "grade all submissions of an assignment into nbgrader's gradebook",
        "autograde 01_simple_attention",
    )
    add_arguments(added)

    added = command(
        "report",
        "show how the class did, and write a page and files for Canvas and Moodle",
        "report 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument(
        "--folder", type=Path, default=Path("reports"), help="where files go (default: reports)"
    )
    added.add_argument("--json", action="store_true", help="for programs; no files are written")

    added = command(
        "matrix",
        "put every known wrong and every correct implementation through its exercise",
        "matrix 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT", nargs="?")
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        "release",
        "write what is released beside the notebooks (`make exercises` does when it is needed)",
        "release 01_simple_attention",
    )
    added.add_argument("assignments", metavar="ASSIGNMENT", nargs="*", help="default: all")

    added = command(
        "appendix",
        "write the book's pages on what the grader knows (`make exercises` does)",
        "appendix --without-differences",
    )
    added.add_argument(
        "--without-differences",
        action="store_true",
        help="do not show what mistakes change, which gives the solutions away",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
