"""The grader graded.

``matrix`` puts every known mistake through it, ``corpus`` answers that it does not know, ``search``
small edits that no case may see. ``appendix`` lists in the book what it knows, and ``mistakes``
gives it as data.
"""
