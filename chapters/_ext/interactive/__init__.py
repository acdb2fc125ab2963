"""What a reader can move, ask or search on a page: the scripts and numbers that such a page loads.

The scripts themselves lie in `chapters/_static`. Each extension adds its own to the pages that need
them, and has made in the background what is computed; no other room calls this one.
"""
