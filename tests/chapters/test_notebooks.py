"""Every chapter as it is committed: run from top to bottom, fit to print, the same everywhere.

`pytest --nbval` runs a chapter again and compares what it prints, but it passes over every cell
that was never run; a chapter without any outputs would pass. So this guard reads the stored file.
"""

import copy
import json
import re
from pathlib import Path

import nbformat
import pytest

CHAPTERS = sorted((Path(__file__).parents[2] / "chapters").glob("*_*.ipynb"))
LONGEST_LINE = 75
LARGEST_OUTPUT = 300_000
LOCAL_PATH = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users|private|var)/\w|[A-Z]:\\\\?Users")


def problems(notebook) -> list[str]:
    """Say what is wrong with a chapter, one sentence for each finding."""
    found = []
    first = notebook.cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        found.append("the first cell is no '# title'")
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("the kernel is not python3")

    expected = 1
    for number, cell in enumerate(notebook.cells, start=1):
        text = json.dumps([cell.source, cell.get("outputs", [])], ensure_ascii=False)
        if match := LOCAL_PATH.search(text):
            found.append(f"cell {number} names a path of one machine: {match[0]}")
        if cell.cell_type != "code":
            continue
        tags = cell.metadata.get("tags", [])
        if "nbval-skip" not in tags:
            if cell.execution_count != expected:
                found.append(
                    f"cell {number} has execution count {cell.execution_count}, expected {expected}"
                )
            expected += 1
        for line in cell.source.splitlines():
            if len(line) > LONGEST_LINE:
                found.append(f"cell {number} has a line of {len(line)} characters: {line}")
        if "strip-output" in tags and cell.outputs:
            found.append(f"cell {number} is tagged strip-output and has outputs")
        found += [f"cell {number} {problem}" for problem in output_problems(cell.outputs)]
    return found


def output_problems(outputs) -> list[str]:
    found = []
    for output in outputs:
        size = len(json.dumps(output))
        if size > LARGEST_OUTPUT:
            found.append(f"has an output of {size} characters")
        if output.output_type == "error":
            found.append(f"ends in {output.ename}")
        if output.output_type == "stream" and output.name == "stderr":
            found.append("writes to stderr")
        data = output.get("data", {})
        if "image/png" in data or "image/svg+xml" in data:
            found.append("has an image outside of figures.show, without alternative text")
        for svg in re.findall(r"<svg\b[^>]*>", data.get("text/html", "")):
            alt = re.search(r'aria-label="([^"]*)"', svg)
            if 'role="img"' not in svg or alt is None or len(alt[1].split()) < 5:
                found.append("has a picture without alternative text")
    return found


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def chapter(request):
    return nbformat.read(request.param, as_version=4)


def test_there_are_chapters():
    assert "01_simple_attention" in [path.stem for path in CHAPTERS]


def test_a_chapter_was_run_from_top_to_bottom_and_is_fit_to_print(chapter):
    nbformat.validate(chapter)
    assert problems(chapter) == []


def test_a_chapter_shows_pictures_and_asserts_numbers(chapter):
    code = [cell for cell in chapter.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in outputs)
    assert any(re.search(r"\bassert|\bagree\(", cell.source) for cell in code)


def test_the_first_page_shows_the_neighbours_that_chapter_1_finds():
    chapters = CHAPTERS[0].parent
    cells = nbformat.read(chapters / "01_simple_attention.ipynb", as_version=4).cells
    table = next(cell for cell in cells if cell.cell_type == "code").outputs[0].data["text/html"]
    printed = [text.strip() for text in re.findall(r"<td>(.*?)</td>", table)]
    page = (chapters / "index.md").read_text(encoding="utf-8")
    for sentence, found in (("time", printed[0::2]), ("fruit", printed[1::2])):
        line = next(line for line in page.split("\n") if line.startswith(f"| *{sentence} **flies"))
        assert [cell.strip() for cell in line.split("|")[2:5]] == found


def test_the_first_page_shows_what_the_writer_writes():
    chapters = CHAPTERS[0].parent
    cells = nbformat.read(chapters / "08_decoder.ipynb", as_version=4).cells
    printed = "".join(o.get("text", "") for c in cells for o in c.get("outputs", []))
    (shown,) = re.findall(
        r"```text\n(ROMEO:.*?)```", (chapters / "index.md").read_text("utf-8"), re.DOTALL
    )
    assert shown in printed


# --- the guard itself: each fault is put into a good chapter, and must be found ------------------


@pytest.fixture
def good():
    first = next(path for path in CHAPTERS if path.stem == "01_simple_attention")
    notebook = copy.deepcopy(nbformat.read(first, as_version=4))
    assert problems(notebook) == []
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def drawing_cell(notebook):
    return next(
        cell
        for cell in code_cells(notebook)
        if any("<svg" in output.get("data", {}).get("text/html", "") for output in cell.outputs)
    )


def strip(notebook):
    for cell in code_cells(notebook):
        cell.execution_count, cell.outputs = None, []


def leave_one_cell_out(notebook):
    code_cells(notebook)[3].execution_count = None


def run_a_cell_twice(notebook):
    code_cells(notebook)[3].execution_count = 99


def break_off(notebook):
    error = nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[])
    code_cells(notebook)[5].outputs.append(error)


def warn(notebook):
    warning = nbformat.v4.new_output("stream", name="stderr", text="UserWarning")
    code_cells(notebook)[5].outputs.append(warning)


def write_a_long_line(notebook):
    code_cells(notebook)[0].source += "\n# " + 80 * "x"


def print_very_much(notebook):
    much = nbformat.v4.new_output("stream", name="stdout", text="x" * 400_000)
    code_cells(notebook)[5].outputs.append(much)


def silence_a_picture(notebook):
    for output in drawing_cell(notebook).outputs:
        page = output.get("data", {}).get("text/html", "")
        output["data"]["text/html"] = re.sub(r'aria-label="[^"]*"', 'aria-label="plot"', page)


def paste_a_plot(notebook):
    plot = nbformat.v4.new_output("display_data", data={"image/png": "iVBORw0KGgo="})
    code_cells(notebook)[5].outputs.append(plot)


def drop_the_title(notebook):
    notebook.cells[0].source = "## Not a title"


def name_a_folder(notebook):
    code_cells(notebook)[2].source += '\nopen("/home/me/weights.pt")'


def keep_what_is_to_be_stripped(notebook):
    cell = code_cells(notebook)[5]
    cell.metadata["tags"] = ["strip-output"]
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="x")]


def use_another_kernel(notebook):
    notebook.metadata["kernelspec"]["name"] = "my-venv"


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        (strip, "cell 2 has execution count None, expected 1"),
        (leave_one_cell_out, "has execution count None, expected 4"),
        (run_a_cell_twice, "has execution count 99, expected 4"),
        (break_off, "ends in ValueError"),
        (warn, "writes to stderr"),
        (write_a_long_line, "has a line of 82 characters"),
        (print_very_much, "has an output of 400"),
        (silence_a_picture, "has a picture without alternative text"),
        (paste_a_plot, "has an image outside of figures.show"),
        (drop_the_title, "the first cell is no '# title'"),
        (name_a_folder, "names a path of one machine: /home/m"),
        (keep_what_is_to_be_stripped, "is tagged strip-output and has outputs"),
        (use_another_kernel, "the kernel is not python3"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_guard_notices(good, fault, finding):
    fault(good)
    assert any(finding in problem for problem in problems(good)), problems(good)
