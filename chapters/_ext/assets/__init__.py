"""What pages load: style sheets, fonts and scripts, cut to what is shown, from no other host.

Each module is an extension of Sphinx, but `fonts`, which `pages` may use, too.
"""
