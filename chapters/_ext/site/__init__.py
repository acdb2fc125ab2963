"""The built book as a whole: which pages it has; it is served, opened by a browser, scored.

All rooms and the tests may ask here; it uses none of them.
"""
