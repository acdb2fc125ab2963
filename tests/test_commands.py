"""Every command that a page, a card, a docstring or a message prints can be typed as it is printed.

They are found where they are written: in blocks of shell, in `code`, and in the indented lines of
docstrings. Programs of ours must take the arguments, targets and files must be there. What they do
is tested elsewhere: `tests/benchmarks/test_in_miniature.py` runs the scripts that train and
measure, `tests/grading` the commands of the grader. NOT_TRIED says what is not tried, and why.
"""

import argparse
import ast
import importlib
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PROGRAMS = Path(sys.executable).parent

# What a command begins with, if it is not tried, and why not.
NOT_TRIED = {
    "apt": "installs, as root",
    "cd": "changes the reader's own shell",
    "course\\Scripts\\Activate.ps1": "is for Windows, and changes the reader's own shell",
    "docker": "needs an engine; tests/grading/sandbox/test_container.py uses it where there is one",
    "git": "would change this checkout",
    "pip": "downloads; the files that it is given are looked for",
    "podman": "needs an engine; tests/grading/sandbox/test_container.py uses it where there is one",
    "py": "is for Windows",
    "python -I": "is how the sandbox starts its own program, in each of its tests",
    "python -m ipykernel_launcher": "is how Jupyter starts a kernel, in each chapter",
    "python forked_kernels.py": "is how the book starts its own program, in each build",
    "python3 -m venv": "would make an environment; `make test-launch` makes one",
    "source": "changes the reader's own shell",
    "sudo": "installs, as root",
}
# What stands for something that the reader fills in, where an argument must be of a kind.
FILLED_IN = {"N": "1", "NN_NAME": "01_simple_attention"}
# What a sentence leaves out that names a command: `python -m grading try` takes both.
LEFT_OUT = ([], ["01_simple_attention"], ["01_simple_attention", "notebook.ipynb"])
# Files that a page names as if they were ours.
ELSEWHERE = {"models/bpe/trainer.rs": "of Hugging Face's tokenizers, in its own repository"}
PLACES = {"NN": "[0-9][0-9]", "NAME": "*", "PAGE": "*", "EXERCISE": "*"}

BLOCK = re.compile(r"^```+\{?(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`+([^`\n]+(?:\n[^`\n]+)?)`+")
INDENTED = re.compile(r"(?<=\n\n)(?:    \S.*(?:\n|$))+")
SHELLS = ("bash", "sh", "shell", "console", "powershell")
BEGINNING = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:make|py|python3?|pip|nbgrader|jupyter|pytest|git|npx|npm|docker|podman|"
    r"apt|apt-get|sudo|source|bash|\.venv/bin/\S+|\.ci/\S+) \S"
)


def files() -> list[Path]:
    """The files of the project, without the answers that the grader is tested with."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name]
    return [ROOT / name for name in names if "/corpus/" not in name and (ROOT / name).is_file()]


FILES = files()
FOLDERS = {path.relative_to(ROOT).parts[0] for path in FILES if path.parent != ROOT}


@cache
def texts() -> list[tuple[Path, str]]:
    """All that is written for people: pages, cells of text, docstrings and messages."""
    return list(read_texts())


def read_texts() -> Iterator[tuple[Path, str]]:
    """Read them one by one."""
    for path in FILES:
        if path == Path(__file__):
            continue
        if path.suffix == ".md":
            yield path, path.read_text("utf-8")
        elif path.suffix == ".ipynb":
            cells = json.loads(path.read_text("utf-8"))["cells"]
            yield from ((path, "".join(c["source"])) for c in cells if c["cell_type"] == "markdown")
        elif path.suffix == ".py":
            nodes = ast.walk(ast.parse(path.read_text("utf-8")))
            strings = [node.value for node in nodes if isinstance(node, ast.Constant)]
            yield from ((path, text) for text in strings if isinstance(text, str))
        elif path.name in ("Makefile", "Containerfile", "start", "system"):
            yield path, path.read_text("utf-8").replace("\\`", "`")


def codes(text: str) -> list[str]:
    """What stands in backticks, in one line."""
    return [" ".join(code.split()) for code in CODE.findall(BLOCK.sub("", text))]


def joined(block: str) -> list[str]:
    """The commands of a block of shell, those of several lines in one."""
    lines: list[str] = []
    for line in re.sub(r"\\\n", " ", block).splitlines():
        if lines and lines[-1].count('"') % 2:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.strip())
    return lines


@cache
def commands() -> dict[str, list[str]]:
    """Each command, and the files that print it."""
    found: dict[str, list[str]] = {}
    for path, text in texts():
        lines = []
        for language, block in BLOCK.findall(text):
            if language in SHELLS:
                lines += joined(block)
        lines += [code for code in codes(text) if BEGINNING.match(code)]
        if path.suffix == ".py":
            indented = "".join(INDENTED.findall(inspect.cleandoc(text)))
            lines += [line for line in joined(indented) if BEGINNING.match(line)]
        for line in lines:
            command = re.sub(r"(?:^| +)# .*", "", line).strip()
            if command:
                found.setdefault(command, []).append(str(path.relative_to(ROOT)))
    return found


def takes(module: str, words: list[str]) -> bool:
    """Whether a program takes these arguments; ours is read by Click, the others by argparse."""
    if module == "grading":
        return grading_takes(words)
    try:
        parser_of(module).parse_args(words)
    except SystemExit:
        return False
    return True


def grading_takes(words: list[str]) -> bool:
    """Let the commands of the grader read what is typed, and do nothing."""
    name, *rest = words
    command = grading_program().commands.get(name)
    try:
        return command is not None and bool(command.make_context(name, rest))
    except click.ClickException:
        return False


def grading_program() -> click.Group:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        return importlib.import_module("grading.commands").program


@cache
def parser_of(module: str) -> argparse.ArgumentParser:
    """The parser that a program makes when it starts."""

    class MadeError(Exception):
        """What stops the program where it would look at its arguments."""

    def stop(self, *_):
        raise MadeError(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        patch.setattr(argparse.ArgumentParser, "parse_args", stop)
        program = importlib.import_module(module)
        try:
            program.main()
        except MadeError as made:
            return made.args[0]
    raise AssertionError(f"{module} does not look at its arguments")


def options_of(module: str) -> set[str]:
    """The options of a program and of its subcommands."""
    if module == "grading":
        program = grading_program()
        found = [program.get_params(click.Context(program))]
        found += [each.get_params(click.Context(each)) for each in program.commands.values()]
        return {name for parameters in found for each in parameters for name in each.opts}
    return {name for action in parser_of(module)._actions for name in action.option_strings}


def applications() -> dict[str, type]:
    """Each of nbgrader's programs by its name, such as `db student import`."""
    from nbgrader.apps import NbGraderApp

    def below(name, application):
        yield name, application
        further = application.subcommands
        for word, (each, _) in further.items() if isinstance(further, dict) else ():
            yield from below(f"{name} {word}".strip(), each)

    return dict(below("", NbGraderApp))


# ---- What is wrong with a command: a sentence, or nothing ----------------------------------------


def wrong_with_make(words: list[str]) -> str:
    targets = set(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split())
    for word in words:
        name, is_set, _ = word.partition("=")
        if is_set and f"$({name})" not in MAKEFILE and f"$({name}:" not in MAKEFILE:
            return f"make does not use {name}"
        if not is_set and name not in targets:
            return f"make has no target {name}"
    return ""


def wrong_with_module(module: str, words: list[str]) -> str:
    words = [FILLED_IN.get(word, word) for word in words if word != "…"]
    if words and not any(takes(module, [*words, *left_out]) for left_out in LEFT_OUT):
        return f"{module} does not take {' '.join(words)}"
    return ""


def wrong_with_nbgrader(words: list[str]) -> str:
    known = applications()
    name = ""
    while words and f"{name} {words[0]}".strip() in known:
        name = f"{name} {words.pop(0)}".strip()
    if not name:
        return f"nbgrader has no {' '.join(words)}"
    application = known[name]
    flags = {f"--{flag}" for flag in (*application.flags, *application.aliases)}
    unknown = {word for word in words if word.startswith("--")} - flags
    return f"nbgrader {name} has no {' '.join(unknown)}" if unknown else ""


@cache
def help_of(*command: str) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [*command], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout


def wrong_with_program(name: str, words: list[str]) -> str:
    """Of Jupyter and pytest: that it is installed, and that its help names the options."""
    command = [str(PROGRAMS / name)]
    if name == "jupyter":
        command.append(words.pop(0))
        if shutil.which(f"jupyter-{command[1]}", path=PROGRAMS) is None:
            return f"there is no jupyter {command[1]}"
    options = [word for word in words if word.startswith("--")]
    said = help_of(*command, "--help") if options else ""
    unknown = [option for option in options if not re.search(rf"{option}\b", said)]
    return f"{name} has no {' '.join(unknown)}" if unknown else ""


def wrong_files(words: list[str]) -> str:
    for before, word in zip(["", *words], words, strict=False):
        ours = "/" in word and word.split("/")[0] in FOLDERS
        given = before in ("-r", "-c", "-f") and re.fullmatch(r"[\w./-]+", word)
        if (ours or given) and not there(word):
            return f"there is no {word}"
    return ""


def there(name: str) -> bool:
    """Whether there is such a file, or files of such names."""
    for place, pattern in PLACES.items():
        name = re.sub(rf"(?<![A-Z]){place}(?![A-Z])", pattern, name)
    return any(True for _ in ROOT.glob(name.rstrip("/")))


def wrong_with(command: str) -> str:
    if any(f"{command} ".startswith(f"{each} ") for each in NOT_TRIED):
        return wrong_files(command.split())
    words = shlex.split(command)
    while re.match(r"[A-Z_]+=", words[0]):
        words.pop(0)
    if words[0].startswith(".venv/bin/"):
        words[0] = words[0].removeprefix(".venv/bin/")
    program, rest = words[0], words[1:]
    if files_wrong := wrong_files(rest):
        return files_wrong
    if program == "make":
        return wrong_with_make(rest)
    if program == "nbgrader":
        return wrong_with_nbgrader(rest)
    if program in ("jupyter", "pytest"):
        return wrong_with_program(program, rest)
    if program in ("python", "python3") and rest[0] == "-m":
        return wrong_with_module(rest[1], rest[2:])
    if program in ("python", "python3") and "__main__" in (ROOT / rest[0]).read_text("utf-8"):
        return ""
    return "nobody knows what this is: try it here, or say in NOT_TRIED why not"


def test_commands_are_found_where_they_are_printed():
    found = commands()
    assert len(found) > 80
    assert "README.md" in found["make book"]
    assert "chapters/instructors.md" in found["nbgrader db student import roster.csv"]
    assert found["python -m models.fine_tuning --only order lora 800"] == ["models/fine_tuning.py"]
    assert "solutions/trained.py" in found["git checkout -- models"]


def test_what_is_printed_can_be_typed():
    wrong = {
        f"{command} ({', '.join(places)})": sentence
        for command, places in commands().items()
        if (sentence := wrong_with(command))
    }
    assert wrong == {}


def test_nothing_is_excused_that_nobody_prints():
    assert [each for each in NOT_TRIED if not any(c.startswith(each) for c in commands())] == []
    assert [name for name in ELSEWHERE if there(name)] == []


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        ("make boook", "make has no target boook"),
        ("make lighthouse PAGE=index", "make does not use PAGE"),
        ("python -m grading report --everybody", "grading does not take report --everybody"),
        ("python -m grading reports", "grading does not take reports"),
        ("python -m models.judge --fast", "models.judge does not take --fast"),
        ("python -m models.train_writer --steps none", "does not take --steps none"),
        ("python tests/grading/test_gone.py", "there is no tests/grading/test_gone.py"),
        ("nbgrader generate", "nbgrader has no generate"),
        ("nbgrader generate_feedback --forced", "nbgrader generate_feedback has no --forced"),
        (".venv/bin/pytest --nbvalue", "pytest has no --nbvalue"),
        ("jupyter nbconvertt --to x", "there is no jupyter nbconvertt"),
        ("pip install -r requirements-none.txt", "there is no requirements-none.txt"),
        ("npx something", "nobody knows what this is"),
    ],
)
def test_a_command_that_cannot_be_typed_is_found(command, wrong, capsys):
    assert wrong in wrong_with(command)


# ---- What else is named -------------------------------------------------------------------------


def test_each_target_is_explained_and_can_be_made():
    explained = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    targets = set(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split())
    parts = {"released", "test-short"}  # of `exercises` and `test-python`
    assert targets - explained == parts
    assert explained <= targets
    alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    for target in targets:
        done = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, env=alone, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


def test_variables_that_the_help_of_make_names_are_used():
    named = set(re.findall(r"## .*", MAKEFILE))
    variables = {name for line in named for name in re.findall(r"\b([A-Z]+)=", line)}
    assert variables >= {"PORT", "PAGES", "RUNS"}
    assert [name for name in variables if wrong_with_make([f"{name}=1"])] == []


def test_options_that_are_named_exist():
    known = {f"--{flag}" for each in applications().values() for flag in each.flags}
    known |= {"--build-arg", "--jaxtyping-packages", "--answer"}  # of docker, and of pytest
    for path in [*ROOT.glob("models/*.py"), *ROOT.glob("benchmarks/*.py"), ROOT / "grading"]:
        if path.name == "grading" or "__main__" in path.read_text("utf-8"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            known |= options_of(module)
    named = {(code, path) for path, text in texts() for code in codes(text) if code[:2] == "--"}
    for code, path in named:
        option = re.split(r"[ =]", code)[0]
        assert option in known, f"{path} names {option}, which no program has"


def test_variables_of_the_environment_that_are_named_are_read():
    named = set()
    for path, text in texts():
        named |= set(re.findall(r"variables? `+([A-Z_]+)`", text))
        if path.suffix == ".md":
            named |= {code for code in codes(text) if re.fullmatch(r"[A-Z]+_[A-Z_]+", code)}
    assert named >= {"BOOK_ADDRESS", "HUB_LOGIN", "TRANSFORMER_CHECKPOINT"}
    programs = [path for path in FILES if path.suffix == ".py"] + [ROOT / "Makefile"]
    code = "\n".join(path.read_text("utf-8") for path in programs)
    assert [
        name for name in named if not re.search(rf"""["']{name}["']|\$\({name}\)""", code)
    ] == []


def test_files_that_are_named_are_there():
    for path, text in texts():
        if path.is_relative_to(ROOT / "tests"):
            continue
        for code in set(codes(text)) - set(ELSEWHERE):
            if re.fullmatch(r"[\w.-]+/[\w./-]*", code) and code.split("/")[0] in FOLDERS:
                assert there(code), f"{path} names {code}, which is not there"
