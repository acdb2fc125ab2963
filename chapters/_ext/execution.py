"""When the book is made again: after any change in what it depends on, and with several processes.

Jupyter Book keeps the outputs of a notebook until the notebook itself changes. Our chapters import
`solutions` and `figures`, so the outputs also depend on those, and on the installed packages. This
extension gives each state of that code its own cache folder. Set JOBS to run notebooks in parallel.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from jupyter_cache import get_cache
from sphinx.application import Sphinx
from sphinx.config import Config

IMPORTED_BY_CHAPTERS = (
    "solutions/**/*.py",
    "chapters/*.py",
    "requirements.txt",
    "constraints.txt",
)
SEEN_ON_EVERY_PAGE = ("chapters/_ext/*.py", "chapters/_static/*.*")


def digest_of(root: Path, patterns: tuple[str, ...]) -> str:
    """Return one hash over the names and contents of the files that match the patterns."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for file in sorted(root.glob(pattern)):
            digest.update(file.relative_to(root).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def note_changes(app: Sphinx, config: Config) -> None:
    """Put the state of our files into settings, whose change makes Sphinx do the work again.

    Another cache folder means reading, and executing, every notebook again (except one that ran
    with just this code before); another ``site_digest`` means writing every page again.
    """
    root = Path(app.srcdir)
    cache = Path(app.outdir).parent / ".jupyter_cache"
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

    Jupyter Book has no such option, and two of its parts do not declare that they allow it. Both
    only look at the finished table of contents, so they do.
    """
    # The cache's database is made now: two readers that both find none would both make it.
    get_cache(app.config.nb_execution_cache_path).list_cache_records()
    app.parallel = int(os.environ.get("JOBS") or 1)
    for name in ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"):
        if name in app.extensions:
            app.extensions[name].parallel_read_safe = True
            app.extensions[name].parallel_write_safe = True


def setup(app: Sphinx) -> dict:
    """Register with Sphinx."""
    app.add_config_value("site_digest", "", "html")
    app.connect("config-inited", note_changes)
    app.connect("builder-inited", use_own_ipython_folder)
    app.connect("builder-inited", allow_parallel_reading)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
