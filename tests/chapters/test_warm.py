"""Kernels that are forked from a process with the libraries."""

import os
import sys
import time

import nbformat
import pytest
from jupyter_cache.executors.utils import single_nb_execution
from warm import warm_kernels

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="NOT TESTED: no os.fork here")

LOOK = """
import os, sys
print("torch" in sys.modules, os.getppid(), os.getcwd(), os.environ.get("COURSE"), __name__)
"""


def run(source, folder):
    cells = [nbformat.v4.new_code_cell(source)]
    kernel = {"name": "python3", "display_name": "Python 3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    result = single_nb_execution(notebook, cwd=str(folder), timeout=60, allow_errors=False)
    return result, "".join(output.get("text", "") for output in notebook.cells[0].outputs)


def test_kernels_share_imports_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE", "this")
    with warm_kernels():
        _, first = run(f"{LOOK}\nsys.modules['left'] = 1; os.environ['COURSE'] = 'other'", tmp_path)
        result, second = run(f"{LOOK}\nassert 'left' not in sys.modules", tmp_path)
    assert result.err is None
    assert first == second  # of one parent
    loaded, parent, folder, variable, name = second.split()
    assert [loaded, folder, variable, name] == ["True", str(tmp_path), "this", "__main__"]
    assert int(parent) != os.getpid()
    deadline = time.time() + 10
    while os.path.exists(f"/proc/{parent}") and time.time() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{parent}"), "the process with the libraries lives on"


def test_a_table_is_printed_as_in_any_kernel(tmp_path):
    source = "import pandas as pd\nprint(pd.DataFrame([range(100, 118)]))"
    _, cold = run(source, tmp_path)
    with warm_kernels():
        _, warm = run(source, tmp_path)
    assert warm == cold
    assert "117" in cold


def test_afterwards_kernels_start_as_before(tmp_path):
    with warm_kernels():
        pass
    _, seen = run(LOOK, tmp_path)
    assert seen.split()[0] == "False"


@pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED: an interrupt, but on Linux")
def test_a_cell_that_takes_too_long_ends(tmp_path):
    with warm_kernels():
        cells = [nbformat.v4.new_code_cell("while True: pass")]
        kernel = {"name": "python3", "display_name": "Python 3"}
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
        result = single_nb_execution(notebook, cwd=str(tmp_path), timeout=3, allow_errors=False)
    assert "timed out" in str(result.err)
