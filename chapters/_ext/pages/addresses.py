"""The addresses of the book: its repository's and its site's, and what is at the foot of a page.

Two addresses can be known: the repository's (`repository.url` in `_config.yml`, or the variable
BOOK_REPOSITORY) and the site's (`html.baseurl`, or BOOK_ADDRESS). The publishing workflow sets the
variables, so a fork's book leads to the fork. Without them there are no buttons that run a page
(`launch_buttons.py`), no sitemap and no cards for what is shared (`search_engines.py`), and the
book asks nothing of anybody.
"""

from __future__ import annotations

import html
import os
import subprocess
from functools import cache
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config


def note_addresses(app: Sphinx, config: Config) -> None:
    """Take the addresses from the environment; without a repository there is nothing to launch."""
    theme = config.html_theme_options
    repository = os.environ.get("BOOK_REPOSITORY") or theme.get("repository_url") or ""
    theme["repository_url"] = repository.rstrip("/")
    footer = ""
    if repository:
        issue = html.escape(f"{theme['repository_url']}/issues/new")
        footer = f'Errors? <a href="{issue}">Tell us</a>.'
    else:
        theme.pop("launch_buttons", None)
    address = os.environ.get("BOOK_ADDRESS") or config.html_baseurl
    config.html_baseurl = f"{address.rstrip('/')}/" if address else ""
    if address:  # `make pdf` writes it there
        pdf = html.escape(f"{config.html_baseurl}transformer.pdf")
        footer += f' The whole book <a href="{pdf}">as a PDF</a>.'
    theme["extra_footer"] = f"<p>{footer}</p>" if footer else ""


@cache
def changed(folder: Path) -> dict[str, str]:
    """Return for each file of a Git repository, by its path, the day of its last commit."""
    command = ["git", "log", "--format=%x00%cs", "--name-only", "--relative", "--", "."]
    try:
        log = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # no Git, or an archive
        return {}
    days: dict[str, str] = {}
    for commit in log.stdout.split("\0")[1:]:
        day, *files = commit.split("\n")
        for file in filter(None, files):
            days.setdefault(file, day)
    return days


def add_day(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Say at the foot of a page when it was last changed."""
    if doctree is not None:
        file = Path(app.env.doc2path(pagename)).relative_to(app.srcdir)
        context["last_updated"] = changed(Path(app.srcdir)).get(file.as_posix())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, after the theme."""
    app.connect("config-inited", note_addresses)
    app.connect("html-page-context", add_day, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
