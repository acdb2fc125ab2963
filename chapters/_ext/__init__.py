"""How the book is built: Sphinx's extensions, and programs that the Makefile starts.

A room for each purpose; `_config.yml` names the extensions, in the order in which they are loaded.

- `notebooks`: they are run for the book.
- `pages`: what Sphinx reads becomes a page.
- `assets`: a page loads no more than it shows, from no other host.
- `interactive`: what a reader can move, ask or search on a page.
- `exports`: the book in other forms.
- `site`: the built book as a whole.

`exports` uses `pages`, which uses `assets` and `site`; nothing else is shared. import-linter holds
this, and nothing of the project outside of this folder imports anything of it but the tests.
"""
