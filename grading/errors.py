"""What goes wrong for a reason that a person can do something about."""


class ExplainedError(Exception):
    """Something cannot be done; the sentence says why, and what to do."""
