"""Trained weights that ship with the course, and the scripts that made them.

``README.md`` has a card for each model. ``solutions.trained`` loads them; ``make models`` makes
them again. The scripts train what ``solutions`` builds, with what ``recipe`` adds to it.
"""
