"""The book in other forms: PDF, slides, solutions, archives of assignments, copies to read offline.

The Makefile starts some as programs on the built book; Sphinx calls the others when it has ended.
"""
