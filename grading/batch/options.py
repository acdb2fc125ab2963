"""The options of `python -m grading autograde`, apart from what they need to be carried out."""

import argparse


def add_isolation(parser: argparse.ArgumentParser) -> None:
    """Describe what a submission may run in instead of the sandbox."""
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--container",
        default="",
        metavar="IMAGE",
        help="run each submission in a container of Podman or Docker instead of the sandbox",
    )
    instead.add_argument(
        "--insecure",
        action="store_true",
        help="run without the sandbox: submissions can do whatever you can do",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument(
        "--student",
        action="append",
        metavar="ID",
        help="only this one; may be repeated, may hold *",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="workers here (default: one a core)")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="use a Dask cluster, such as tcp://host:8786"
    )
    again = parser.add_mutually_exclusive_group()
    again.add_argument(
        "--resume", action="store_true", help="grade only what has no record yet (the default)"
    )
    again.add_argument("--force", action="store_true", help="grade everything again")
    parser.add_argument("--yes", action="store_true", help="write changed points without asking")
    add_isolation(parser)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.epilog = (
        f"{parser.epilog}\n\nExit status: 0 if every submission has a record with points or a "
        "reason, 1 if not, 2 if nothing could be done, 3 if changed points wait for --yes. The "
        "command is run in the course's folder, where nbgrader_config.py is, and can be "
        "interrupted at any time: the next run goes on."
    )
