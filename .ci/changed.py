"""Run the tests that a change reaches: `make test-changed`, or this file with names of files.

What is changed is what differs from `main`, or from the last commit where there is no `main` or it
is checked out; new files count. Which tests that reaches is said by the table in CONTRIBUTING.md.
"""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| (`.*`) \| (.*) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
WORD = r"(?<![A-Z])(?:NAME|PAGE|EXERCISE)(?![A-Z])"


def table() -> list[tuple[str, list[str]]]:
    """Each pattern of a changed file, with the arguments of pytest that belong to it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Which tests?")[2]
    rows = ROW.findall(text.partition("\n## ")[0])
    return [
        (pattern, CODE.findall(tests)) for files, tests in rows for pattern in CODE.findall(files)
    ]


def matched(pattern: str, file: str) -> dict[str, str] | None:
    """What a word in capitals stands for, if a file is of a pattern; `**` is any folders."""
    pieces = re.split(rf"(\*\*/|\*|{WORD})", pattern)
    kinds = {"**/": "(?:.*/)?", "*": "[^/]*"}
    expression = "".join(
        kinds.get(piece) or (f"(?P<{piece}>[^/.]+)" if n % 2 else re.escape(piece))
        for n, piece in enumerate(pieces)
    )
    found = re.fullmatch(expression, file)
    return found.groupdict() if found else None


def tests_of(file: str) -> list[str] | None:
    """The arguments of pytest for a changed file, by the first row that has it.

    Where a row names no tests, the file is one.
    """
    for pattern, tests in table():
        words = matched(pattern, file)
        if words is not None:
            return [re.sub(WORD, partial(_given, words), each) for each in tests] or [file]
    return None


def _given(words: dict[str, str], found: re.Match[str]) -> str:
    return words[found[0]]


def commands(files: list[str]) -> list[list[str]]:
    """The calls of pytest for changed files: one of whole files, and one for each selection."""
    whole, selected = set(), {}
    asked = {file: tests_of(file) for file in files}
    unknown = [file for file, tests in asked.items() if tests is None]
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        print(f"In no row of the table: {', '.join(unknown[:3])}{more}. `make test` tests all.")
    for tests in asked.values():
        for each in tests or ():
            paths, _, name = each.partition(" -k ")
            found = [
                path.relative_to(ROOT).as_posix()
                for pattern in paths.split()
                for path in sorted(ROOT.glob(pattern))
            ]
            if name:
                selected.setdefault(name, set()).update(found)
            else:
                whole.update(found)
    calls = [[*sorted(whole)]] if whole else []
    for name, paths in sorted(selected.items()):
        # the module `ring_buffer` has the exercise `RingBuffer`
        either = dict.fromkeys([name, name.replace("_", "")])
        calls.append([*sorted(paths - whole), "-k", " or ".join(either)])
    return [call for call in calls if not call[0].startswith("-")]


def changed() -> list[str]:
    """The files that differ from `main`, or from the last commit."""

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout

    base = git("merge-base", "HEAD", "main").strip() or "HEAD"
    listed = git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")
    return sorted({file for text in listed for file in text.split("\n") if file})


def main() -> int:
    """Run what the changed files ask for, or only show it, if the word `show` is given."""
    given = sys.argv[1:]
    files = [file for file in given if file != "show"] or changed()
    failed = False
    for call in commands(files):
        print("pytest", *call, flush=True)
        if "show" not in given:
            command = [sys.executable, "-m", "pytest", "-n", str(os.cpu_count() or 2), "-q", *call]
            done = subprocess.run(command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"})
            failed |= done.returncode not in (0, 5)  # 5: none is selected
    return failed


if __name__ == "__main__":
    sys.exit(main())
