"""References that are formatted once, not in every build.

`sphinxcontrib-bibtex` formats the entries of every page's list again, also when one sentence
changed on one page: a quarter of the time of such a build.
"""

from __future__ import annotations

from collections.abc import Iterable

from pybtex.backends import plaintext
from pybtex.plugin import register_plugin
from sphinx.application import Sphinx
from sphinxcontrib.bibtex.domain import BibtexDomain


class KeptCitations(BibtexDomain):
    """The domain of citations, which keeps what it formatted until a list's entries change."""

    def get_formatted_entries(
        self, bibliography_key, docnames, tooltips, tooltips_style
    ) -> Iterable:
        """Return the entries of one list, formatted for it and for the box over a citation."""
        bibliography = self.bibliographies[bibliography_key]
        entries = dict(self.get_sorted_entries(bibliography_key, docnames))
        look = (bibliography.style, bibliography.labelprefix, tooltips, tooltips_style)
        kept = self.data.setdefault("formatted", {})
        if kept.get(bibliography_key, (None,))[0] != (entries, look):
            formatted = super().get_formatted_entries(
                bibliography_key, docnames, tooltips, tooltips_style
            )
            kept[bibliography_key] = ((entries, look), list(formatted))
        return kept[bibliography_key][1]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, in place of the extension's own domain."""
    app.setup_extension("sphinxcontrib.bibtex")
    app.add_domain(KeptCitations, override=True)
    # else looked for among the entry points of all installed packages, for each citation
    register_plugin("pybtex.backends", "plaintext", plaintext.Backend, force=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
