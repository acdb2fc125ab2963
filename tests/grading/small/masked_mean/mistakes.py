"""What is known to go wrong."""

from grading.exercise import Mistake

MISTAKES = (
    Mistake(
        "padding_counted",
        "The sum is divided by the number of all tokens, padding included. Count the real ones.",
        [("real.sum(dim=1)", "real.size(1)")],
    ),
)
