"""`python -m grading`, as an instructor types it."""

import ast
import json
import os
from pathlib import Path

import nbformat
import pytest

from grading.commands import main, output, program
from grading.course import repair
from grading.course.deadlines import due_dates
from grading.platforms import lti, tables
from grading.reporting import class_report
from grading.running import sandbox
from grading.running.launch import LARGE_LIBRARIES


def test_exercises_lists_what_a_program_needs_to_fill_a_notebook_in(capsys):
    assert main(["exercises", "--json"]) == 0
    exercises = json.loads(capsys.readouterr().out)
    first = exercises[0]
    assert first["assignment"] == "01_simple_attention"
    assert first["cell"] == "weights_time_first-answer"
    assert first["signature"] == "weights_time_first(query, key)"
    assert (first["points"], first["minutes"], first["difficulty"]) == (3, 10, 1)


@pytest.mark.parametrize(
    "arguments",
    [["matrix", "--draws", "0"], ["search", "x", "--draws", "-1"], ["release", "--jobs", "0"]],
)
def test_less_than_one_is_refused_before_anything_runs(arguments, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.endswith(f"found {arguments[-1]}, expected 1 or more.\n")


def test_exercises_prints_a_table(capsys):
    assert main(["exercises"]) == 0
    assert "merge_halves(output_a, lse_a, output_b, lse_b)" in capsys.readouterr().out


def test_try_prints_points_verdict_and_mistake(notebook_with, tmp_path, capsys):
    wrong = "def telling_input():\n    return torch.eye(2), torch.eye(2), torch.eye(2)"
    nbformat.write(notebook_with(telling_input=wrong), tmp_path / "mine.ipynb")
    assert main(["try", "simple_attention", str(tmp_path / "mine.ipynb"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["points"], result["max_points"]) == (16, 18)
    last = result["exercises"][-1]
    assert (last["exercise"], last["points"], last["verdict"]) == ("telling_input", 1, "partly")
    assert last["mistakes"] == ["hides_d_v", "hides_softmax_axis", "hides_swapped"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "There is no file"),
        (b"", "The file is empty"),
        (b'{"cells": [', "is no notebook that can be read"),
        (b"\xff\xfe\x00garbage", "is no notebook that can be read"),
        (b"[1, 2, 3]", "it has no list of cells"),
    ],
)
def test_try_answers_a_file_that_is_no_notebook_with_one_sentence(
    tmp_path, capsys, content, sentence
):
    path = tmp_path / "mine.ipynb"
    if content is not None:
        path.write_bytes(content)
    assert main(["try", "simple_attention", str(path)]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


def tried(content: bytes, path: Path) -> tuple[nbformat.NotebookNode, list[str]]:
    """What `try` grades of a file."""
    path.write_bytes(content)
    notes = []
    return repair.read(path, "01_simple_attention", notes), notes


def damaged(notebook, how: str) -> bytes:
    document = json.loads(nbformat.writes(notebook))
    cells = document["cells"]
    answers = [c for c in cells if c["metadata"]["nbgrader"]["grade_id"].endswith("-answer")]
    if how == "an output without a number":
        answers[0]["outputs"] = [{"output_type": "execute_result", "data": {}, "metadata": {}}]
    elif how == "no information on the language":
        document["metadata"]["language_info"] = None
    elif how == "a raw cell":
        answers[0]["cell_type"] = "raw"
    elif how == "ids twice":
        cells[0]["id"] = cells[1]["id"] = "same"
    elif how == "cp1252":
        answers[0]["source"] = ["# schön\n", *answers[0]["source"]]
    encoding = how if how in ("utf-8-sig", "utf-16", "cp1252") else "utf-8"
    return json.dumps(document, ensure_ascii=False).encode(encoding, "replace")


@pytest.mark.parametrize(
    "how",
    ["utf-8-sig", "utf-16", "cp1252", "an output without a number",
     "no information on the language", "a raw cell", "ids twice"],
)  # fmt: skip
def test_try_reads_what_autograde_reads(solved, tmp_path, how):
    notebook, notes = tried(damaged(solved, how), tmp_path / "mine.ipynb")
    expected = {c.metadata.nbgrader.grade_id: c.source for c in solved.cells}
    for cell in notebook.cells:
        name = cell.metadata.nbgrader.grade_id
        if name.endswith("-answer"):
            assert cell.cell_type == "code"
            assert expected[name] in cell.source.replace("# sch�n\n", "")
    assert bool(notes) == (how == "cp1252")


def test_try_does_not_wait_for_what_is_no_file(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe.ipynb")
    assert main(["try", "simple_attention", str(tmp_path / "pipe.ipynb")]) == 2
    assert "is no plain file" in capsys.readouterr().err


def test_a_link_of_ones_own_is_followed(solved, tmp_path):
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "mine.ipynb")
    content = nbformat.writes(solved).encode()
    notebook, notes = tried(content, tmp_path / "link.ipynb")
    assert len(notebook.cells) == len(solved.cells)
    assert notes == []


def test_json_spells_what_is_no_text(capsys):
    output.print_json({"notebook": "\udcff — ü"})
    shown = capsys.readouterr().out
    shown.encode()
    assert "— ü" in shown
    assert json.loads(shown) == {"notebook": "\udcff — ü"}


def test_an_unknown_assignment_is_answered_with_those_there_are(capsys):
    assert main(["matrix", "quantum_attention"]) == 2
    assert "No assignment 'quantum_attention'; there are 01_simple" in capsys.readouterr().err


def corpus_of_positions(folder: Path, **answers: str) -> Path:
    """Write answers to `next_position_ids`; the first word of a name says where each belongs."""
    for name, line in answers.items():
        kind, _, rest = name.partition("_")
        path = folder / "05_positions" / "next_position_ids" / f"{kind}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        points = 3 if kind == "right" else 0
        code = f"def next_position_ids(attention_mask, new_tokens):\n    {line}\n"
        with path.open("a") as file:
            file.write(f"# %% {rest} | points {points} | {rest}\n{code}\n")
    return folder


def test_a_corpus_of_answers_is_judged_and_reported_by_exercise(tmp_path, capsys):
    count = "ids = (mask.cumsum(1) - 1) * mask; return ids[:, -new_tokens:]"
    folder = corpus_of_positions(
        tmp_path,
        right_as_asked=f"import check; mask = attention_mask.long(); {count}",  # as notebooks do
        right_as_somebody_said=f"mask = attention_mask.float(); {count}",
        wrong_from_one="m = attention_mask.long(); return (m.cumsum(1) * m)[:, -new_tokens:]",
        wrong_by_mistake=f"mask = attention_mask.int(); {count}.long()",
        wrong_nobody_knows="return attention_mask.long()[:, -new_tokens:] * 17",
    )
    command = ["matrix", "05_positions", "--exercise", "next_position_ids", "--draws", "6"]
    assert main([*command, "--corpus", str(folder), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["wrong"], row["right"]) == (3, 2)
    assert row["accepted"] == ["by_mistake"]
    assert row["rejected"] == ["as_somebody_said"]
    assert "nobody_knows" in row["unnamed"]
    assert "from_one" not in row["unnamed"]


def test_an_exercise_that_an_assignment_does_not_have_is_said_so(capsys):
    assert main(["matrix", "05_positions", "--exercise", "beam_search"]) == 2
    assert "No exercise 'beam_search'" in capsys.readouterr().err


@pytest.mark.parametrize("command", program.commands)
def test_every_command_has_help_with_an_example(capsys, command):
    assert main([command, "--help"]) == 0
    assert f"Example: python -m grading {command}" in capsys.readouterr().out


@pytest.mark.parametrize("command", [[], *([each] for each in program.commands)])
def test_help_can_be_read_in_a_log(capsys, command):
    assert main([*command, "-h"]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    assert said.replace("\n", "").isprintable()


def test_the_help_names_every_command_with_its_whole_sentence(capsys):
    assert main(["--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for name, command in program.commands.items():
        assert f"{name} {command.short_help}" in said


def read(*words: str) -> dict[str, object]:
    """What a command understands."""
    name, *rest = words
    return program.commands[name].make_context(name, rest).params


def test_an_option_may_be_cut_short():
    assert read("dates", "--dry", "--zo=Asia/Tokyo") == read(
        "dates", "--dry-run", "--zone", "Asia/Tokyo"
    )
    assert read("try", "x", "--", "--json")["notebook"] == Path("--json")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("report --f table.csv", "--f could be --folder or --fill."),
        ("autograde x --resume --force", "--force is not allowed with --resume."),
        ("try x y --insecure --container image", "--insecure is not allowed with --container."),
        ("report x --folder --json", "Option '--folder' requires an argument."),
        ("report x --fill --jsn", "Option '--fill' requires an argument."),
        ("autograde x --student", "Option '--student' requires an argument."),
        ("dates --start tomorrow", "Invalid value for '--start': Invalid isoformat string"),
        ("reports", "No such command 'reports'."),
    ],
)
def test_what_cannot_be_typed_is_refused_in_a_sentence(capsys, line, sentence):
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert f"Error: {sentence}" in said.err
    assert said.out == ""


def test_a_corpus_may_be_named_or_not():
    assert read("matrix", "--corpus")["corpus"] == Path()
    assert read("matrix", "--corpus", "folder")["corpus"] == Path("folder")
    assert read("matrix", "--corpus", "--json")["corpus"] == Path()
    assert read("matrix")["corpus"] is None


def test_the_help_of_autograde_ends_with_paragraphs(capsys):
    assert main(["autograde", "--help"]) == 0
    paragraphs = capsys.readouterr().out.strip().split("\n\n")[-3:]
    example, status, interrupted = (paragraph.split()[0] for paragraph in paragraphs)
    assert (example, status, interrupted) == ("Example:", "Exit", "The")


def test_the_libraries_that_may_be_left_out_are_those_of_the_warm_parent():
    tree = ast.parse(Path(sandbox.__file__).with_name("parent.py").read_text())
    (value,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "LIBRARIES"
    )
    assert set(ast.literal_eval(value)) == {"", *LARGE_LIBRARIES}


@pytest.mark.parametrize("command", [["report", "--folder"], ["feedback", "--folder"]])
def test_a_folder_that_cannot_be_made_is_said_so(command, tmp_path, monkeypatch, capsys):
    name, option = command
    found = class_report.ClassReport("01_simple_attention", 20, [], [], {})
    monkeypatch.setattr(class_report, "class_report", lambda assignment: found)
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert main([name, "01_simple_attention", option, "file/x"]) == 2
    assert "--folder: file/x cannot be made (Not a directory)" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["01_simple_attention"], ["--all"]])
def test_a_report_where_there_is_no_course_leaves_nothing(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["report", *arguments]) == 2
    assert "there is no gradebook" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_gradebook_that_is_none_is_said_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gradebook.db").write_bytes(b"no database " * 100)
    for arguments in (["report", "01_simple_attention"], ["report", "--all"]):
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert "python -m grading: The gradebook cannot be used: file is not a database." in said
        assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--corpus", "/nowhere"], "--corpus: /nowhere is no folder"),
        (["--variant", ""], "No exercise has a variant ''."),
        (["--variant", "AB"], "No exercise has a variant 'AB'."),
    ],
)
def test_a_matrix_of_what_there_is_not_is_said_so(arguments, sentence, capsys):
    assert main(["matrix", "01_simple_attention", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_table_with_a_cell_that_is_too_long_is_said_so(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"Student,ID,01_x\n{'a' * 200_000},1,\n")
    with pytest.raises(tables.TableError, match="no table that can be read"):
        tables.filled(path, "01_x", 5, [])


def test_launches_that_are_nested_without_end_are_said_so(tmp_path):
    path = tmp_path / "launches.json"
    path.write_text("[" * 100_000)
    with pytest.raises(lti.PlatformError, match="not what a hub writes down"):
        lti.read_launches(path)


def test_due_dates_are_read_as_an_editor_on_windows_writes_them(tmp_path):
    (tmp_path / "due_dates.toml").write_text(
        '[due]\n"01_simple_attention" = 2026-01-01\n', encoding="utf-8-sig"
    )
    assert list(due_dates(tmp_path).due) == ["01_simple_attention"]
