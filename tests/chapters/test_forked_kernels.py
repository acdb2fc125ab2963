"""Kernels that are forked from a process with the libraries."""

import os
import sys
import time
from types import SimpleNamespace

import nbformat
import pytest
from jupyter_cache.executors.utils import single_nb_execution

from _ext.notebooks.forked_kernels import forked_kernels

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="NOT TESTED: no os.fork here")

LOOK = """
import os, sys
print("torch" in sys.modules, os.getppid(), os.getcwd(), os.environ.get("COURSE"), __name__)
"""
LINUX = sys.platform == "linux"
TABLE = "import pandas as pd\nprint(pd.DataFrame([range(100, 118)]))"


def run(source, folder, timeout=60):
    cells = [nbformat.v4.new_code_cell(source)]
    kernel = {"name": "python3", "display_name": "Python 3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    result = single_nb_execution(notebook, cwd=str(folder), timeout=timeout, allow_errors=False)
    return result, "".join(output.get("text", "") for output in notebook.cells[0].outputs)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What became of some notebooks while kernels were forked from one process."""
    folder = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patch, forked_kernels():
        patch.setenv("COURSE", "this")
        return SimpleNamespace(
            folder=folder,
            first=run(f"{LOOK}\nsys.modules['left'] = 1; os.environ['COURSE'] = 'other'", folder),
            second=run(f"{LOOK}\nassert 'left' not in sys.modules", folder),
            table=run(TABLE, folder),
            endless=LINUX and run("import time; time.sleep(99)", folder, timeout=3),
        )


def test_kernels_share_imports_and_nothing_else(ran):
    (_, first), (result, second) = ran.first, ran.second
    assert result.err is None
    assert first == second  # of one parent
    loaded, parent, folder, variable, name = second.split()
    assert [loaded, folder, variable, name] == ["True", str(ran.folder), "this", "__main__"]
    assert int(parent) != os.getpid()
    deadline = time.time() + 10
    while os.path.exists(f"/proc/{parent}") and time.time() < deadline:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{parent}"), "the process with the libraries lives on"


def test_a_table_is_printed_as_in_any_kernel(ran):
    _, cold = run(TABLE, ran.folder)
    _, warm = ran.table
    assert warm == cold
    assert "117" in cold


def test_afterwards_kernels_start_as_before(tmp_path):
    with forked_kernels():
        pass
    _, seen = run(LOOK, tmp_path)
    assert seen.split()[0] == "False"


@pytest.mark.skipif(not LINUX, reason="NOT TESTED: an interrupt, but on Linux")
def test_a_cell_that_takes_too_long_ends(ran):
    result, _ = ran.endless
    assert "timed out" in str(result.err)
