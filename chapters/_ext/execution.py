"""When the book is made again: after any change in what it depends on, and with several processes.

Jupyter Book keeps the outputs of a notebook until the notebook itself changes. Our chapters import
`solutions` and `figures`, so the outputs also depend on those, and on the installed packages. This
extension gives each state of that code its own cache folder. Set JOBS to run notebooks in parallel.
"""

from __future__ import annotations

import gc
import os
from copy import copy
from pathlib import Path

from jupyter_cache import get_cache
from myst_nb.core import render
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config

from grading.fingerprint import digest_of

IMPORTED_BY_CHAPTERS = (
    "solutions/**/*.py",
    "chapters/*.py",
    "requirements.txt",
    "constraints.txt",
)
SEEN_ON_EVERY_PAGE = ("chapters/_ext/*.py", "chapters/_static/*.*")


def note_changes(app: Sphinx, config: Config) -> None:
    """Put the state of our files into settings, whose change makes Sphinx do the work again.

    Another cache folder means reading, and executing, every notebook again (except one that ran
    with just this code before); another ``site_digest`` means writing every page again.
    """
    root = Path(app.srcdir)
    cache = root / "_build" / ".jupyter_cache"  # for each folder that the book is built into
    config.nb_execution_cache_path = str(cache / digest_of(root, IMPORTED_BY_CHAPTERS))
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
    """Let Sphinx read, and so execute, as many pages at once as the variable JOBS says.

    Jupyter Book has no such option, and one of its parts does not declare that it allows it. That
    part only looks at the finished table of contents, so it does.
    """
    # The cache's database is made now: two readers that both find none would both make it.
    get_cache(app.config.nb_execution_cache_path).list_cache_records()
    app.parallel = int(os.environ.get("JOBS") or 1)
    numbering = app.extensions["sphinx_multitoc_numbering"]
    numbering.parallel_read_safe = numbering.parallel_write_safe = True


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
    app.connect("build-finished", forget_a_build_with_warnings)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
