"""What a folded cell says it holds: "Show code cell source" tells a reader nothing, 130 times."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

BEFORE_THEY_ARE_FOLDED = 198  # MyST-NB does it at 199
FIGURE = "<figure"
HELD = {"output": "the output", "all": "the code and its output"}


def held(cell: nodes.container) -> str:
    """Return what is folded of a cell."""
    return HELD.get(cell["hide_mode"], "the code")


def draws(cell: nodes.container) -> bool:
    """True if there is a drawing in what a cell puts out."""
    return any(FIGURE in raw.astext() for raw in cell.findall(nodes.raw))


class NameFolds(SphinxPostTransform):
    """Says on each fold of a cell what is in it."""

    default_priority = BEFORE_THEY_ARE_FOLDED
    formats = ("html",)

    def run(self) -> None:
        """Look through the cells of a page."""
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") != "cell_code" or not cell.get("hide_mode"):
                continue
            what = held(cell)
            drawn = what == "the code" and draws(cell)
            cell["prompt_show"] = "How this is drawn" if drawn else f"Show {what}"
            cell["prompt_hide"] = f"Hide {what}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(NameFolds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
