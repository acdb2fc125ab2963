"""The playgrounds: what a page with one loads.

A page that was opened from a folder can load scripts and little else, so the numbers of the models
travel inside scripts, `playgrounds/data/NAME.js`, one for each playground that has some. They are
made when the book is built.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from _ext.interactive.background import Task, add_task
from _ext.interactive.data_scripts import write

FOLDER = "playgrounds"  # below _static of the built book
PLACE = re.compile(r'data-playground="(\w+)"')
SHARED = ("parts.js", "drawing.js", "page.js")
HERE = Path(__file__).parent
SOURCES = (*HERE.glob("playground*.py"), *(HERE.parents[2] / "solutions").glob("*.py"))
DATA = {  # functions of playground_data
    "opening": "attention_of_words",
    "heads": "what_heads_write",
    "neurons": "what_neurons_write",
    "stream": "sizes_of_the_stream",
    "padding": "what_padding_takes",
    "threshold": "scores_of_a_classifier",
    "sampling": "logits_of_the_writer",
    "merges": "merges_of_the_plays",
    "order": "losses_of_orders",
}


def write_data(folder: Path) -> None:
    """Write the script of each playground that has numbers of a model."""
    # and with it torch: seconds, which most builds save
    import torch

    from _ext.interactive import playground_data

    for name, function in DATA.items():
        with torch.inference_mode():
            numbers = getattr(playground_data, function)()
        write(folder / f"{name}.js", f"playgroundData.{name}", numbers)


def add_scripts(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Let a page load what its playgrounds are made of, and nothing else of it."""
    body = context.get("body") or ""
    names = list(dict.fromkeys(PLACE.findall(body)))
    scripts: list[str] = []
    if names:
        app.add_css_file(f"{FOLDER}/playgrounds.css")
        scripts += SHARED
        for name in names:
            scripts += [f"data/{name}.js"] * (name in DATA) + [f"{name}.js"]
    elif "data-explorer" in body:
        scripts.append(SHARED[0])
    for script in scripts:  # the explorer's own come after these
        app.add_js_file(f"{FOLDER}/{script}", loading_method="defer", priority=400)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""

    def wanted() -> bool:
        sources = (Path(app.env.doc2path(page)) for page in app.env.found_docs)
        return any("data-playground" in source.read_text(encoding="utf-8") for source in sources)

    app.connect("html-page-context", add_scripts)
    add_task(app, f"{FOLDER}/data", Task(write_data, f"{list(DATA)[-1]}.js", SOURCES, wanted))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
