"""What Sphinx has read becomes a page of this book: formulas, citations, tables, links, buttons.

Each module is an extension of Sphinx and does one thing. `exports` may use them, too.
"""
