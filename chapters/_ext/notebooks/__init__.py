"""Notebooks are run for the book: when, how many at once, and in which kernels.

Sphinx calls this before it reads the pages; no other room does.
"""
