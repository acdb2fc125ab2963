"""When notebooks run for the book: after any change in what they depend on, and JOBS at a time.

Jupyter Book keeps the outputs of a notebook until the notebook itself changes. Our chapters import
`solutions` and `figures`, so the outputs also depend on those, and on the installed packages. This
extension gives each state of that code its own cache folder. Before Sphinx reads the pages it runs
those notebooks whose outputs are not there yet; MyST-NB then finds all of them.
"""

from __future__ import annotations

import gc
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from copy import copy
from importlib.metadata import requires, version
from pathlib import Path
from time import perf_counter

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from myst_nb.core import render
from packaging.requirements import Requirement
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError

from _ext.notebooks.forked_kernels import forked_kernels
from grading.course.fingerprint import digest_of

COURSE = "transformer-course"  # this project, as `make install` knows it
IMPORTED_BY_CHAPTERS = (
    "solutions/**/*.py",
    "chapters/*.py",
    "chapters/figures/*.py",
    "chapters/figures/captions/*.toml",
    "models/*.csv",
    "models/SHA256SUMS",
    "requirements.txt",
    "constraints.txt",
)
SEEN_ON_EVERY_PAGE = ("chapters/_ext/**/*.py", "chapters/_static/**/*.*", "chapters/glossary.md")


def cache_folder(root: Path) -> Path:
    """Return where outputs are kept that this code prints, with the packages installed now."""
    files = digest_of(root, IMPORTED_BY_CHAPTERS)
    needed = sorted(Requirement(each).name for each in requires(COURSE) or ())
    packages = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in needed).encode())
    # for each folder that the book is built into
    return root / "_build" / ".jupyter_cache" / f"{files}-{packages.hexdigest()[:12]}"


def note_changes(app: Sphinx, config: Config) -> None:
    """Put the state of our files into settings, whose change makes Sphinx do the work again.

    Another cache folder means reading, and executing, every notebook again (except one that ran
    with just this code before); another ``site_digest`` means writing every page again.
    """
    root = Path(app.srcdir)
    config.nb_execution_cache_path = str(cache_folder(root))
    config.site_digest = digest_of(root, SEEN_ON_EVERY_PAGE)


def use_own_ipython_folder(app: Sphinx) -> None:
    """Keep the reader's own IPython start-up files out of the book, and its kernels quiet.

    Each kernel would warn that it talks to this process over plain TCP, which is loopback here.
    """
    profile = Path(app.outdir).parent / ".ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text(
        'get_config().IPKernelApp.log_level = "ERROR"\n'
    )
    os.environ["IPYTHONDIR"] = str(profile.parent)


def allow_parallel_reading(app: Sphinx) -> None:
    """Let Sphinx read as many pages at once as the variable JOBS says.

    Jupyter Book has no such option, and one of its parts does not declare that it allows it. That
    part only looks at the finished table of contents, so it does.
    """
    app.parallel = jobs()
    numbering = app.extensions["sphinx_multitoc_numbering"]
    numbering.parallel_read_safe = numbering.parallel_write_safe = True


def jobs() -> int:
    """Return how many notebooks run, and how many pages are read, at once.

    Raises:
        SphinxError: if JOBS is no number.
    """
    text = os.environ.get("JOBS") or "1"
    if not text.isdecimal() or int(text) == 0:
        raise SphinxError(f"JOBS={text}: expected a whole number from 1 on.")
    return int(text)


def execute_notebooks(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Run the notebooks that have no outputs in the cache, as many at once as JOBS says.

    Sphinx would read the pages in blocks of neighbours, and so run all chapters one by one.

    Raises:
        SphinxError: when all have run, with the failing cell of each notebook that has one.
    """
    settings = env.mystnb_config
    if settings.execution_mode != "cache":  # the stored outputs are wanted
        return
    cache = get_cache(settings.execution_cache_path)
    notebooks = {}
    # The last chapters train models and take longest: begun first, they are not waited for alone.
    for path in (env.doc2path(name) for name in reversed(docnames)):
        if path.endswith(".ipynb"):
            notebook = nbformat.read(path, as_version=4)
            try:
                cache.match_cache_notebook(notebook)
            except KeyError:
                notebooks[path] = notebook
    if not notebooks:
        return

    def execute(path: str) -> ExecutionResult:
        return single_nb_execution(
            notebooks[path],
            cwd=str(Path(path).parent),
            timeout=settings.execution_timeout,
            allow_errors=settings.execution_allow_errors,
        )

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # each kernel has one of the cores
    began, seconds, failures = perf_counter(), {}, []
    with forked_kernels():
        pool = ThreadPoolExecutor(jobs())
        try:
            running = {pool.submit(execute, path): path for path in notebooks}
            for done in as_completed(running):
                path, result = running[done], done.result()
                seconds[Path(path).stem] = result.time
                if result.err:
                    failures.append(f"{path}\n{result.err}")
                    continue
                outputs = CacheBundleIn(result.nb, path, data={"execution_seconds": result.time})
                cache.cache_notebook_bundle(outputs, check_validity=False, overwrite=True)
        finally:
            pool.shutdown(cancel_futures=True)
    if failures:
        raise SphinxError("\n".join(failures))
    each = ", ".join(f"{name} {seconds[name]:.0f} s" for name in sorted(seconds))
    print(
        f"Notebooks that ran: {each}; "
        f"together {sum(seconds.values()):.0f} s, by the clock {perf_counter() - began:.0f} s."
    )


def join_streams(outputs: list[dict]) -> list[dict]:
    """Return the outputs with all that went to one stream in one box, just as it was printed.

    What a cell prints may arrive in pieces. MyST-NB's own function ends each piece with a new line,
    so that a printed line would now and then be broken in two.
    """
    joined, streams = [], {}
    for output in outputs:
        name = output.get("name") if output["output_type"] == "stream" else None
        if name in streams:
            streams[name]["text"] += output["text"]
        else:
            joined.append(copy(output))
            if name:
                streams[name] = joined[-1]
    return joined


def forget_a_build_with_warnings(app: Sphinx, failure: Exception | None) -> None:
    """Let the next build read every page again, as after an error.

    Otherwise it would leave alone the pages that this one complained of, and succeed.
    """
    if failure is None and app._warncount:
        Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def collect_garbage_seldom() -> None:
    """Let Python look for unused objects less often: nearly all live until the build ends.

    By default it goes through the trees of all pages again and again, a fifth of a short build.
    """
    gc.freeze()  # what is loaded by now stays
    gc.set_threshold(100_000, 50, 100)


def setup(app: Sphinx) -> dict:
    """Register with Sphinx."""
    collect_garbage_seldom()
    render.coalesce_streams = join_streams
    app.add_config_value("site_digest", "", "html")
    app.connect("config-inited", note_changes)
    app.connect("builder-inited", use_own_ipython_folder)
    app.connect("builder-inited", allow_parallel_reading)
    app.connect("env-before-read-docs", execute_notebooks)
    app.connect("build-finished", forget_a_build_with_warnings)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
