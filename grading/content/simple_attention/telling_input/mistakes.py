"""The known mistakes of `telling_input`."""

from __future__ import annotations

from grading.exercise import Mistake

MISTAKES = (
    Mistake(
        "not_three",
        "Return three floating point tensors of two dimensions.",
        [("return query, key, value", "return query")],
    ),
    Mistake(
        "new_every_time",
        "Each call returns another input: random numbers without a seed. Choose the numbers.",
        [("return query, key, value", "return query + torch.rand(()), key, value")],
    ),
    Mistake(
        "too_large",
        "Each tensor may hold 12 numbers at most.",
        [
            (
                "return query, key, value",
                "return query.repeat(4, 2), key.repeat(4, 2), value.repeat(4, 2)",
            )
        ],
    ),
    Mistake(
        "not_finite",
        "All numbers must be finite.",
        [("[[1.0, 0.0], [0.0, 2.0]]", "[[1.0, torch.nan], [0.0, 2.0]]")],
    ),
    Mistake(
        "shapes_do_not_fit",
        "Query and key need the same number of columns, key and value of rows.",
        [("[[1.0], [0.0]]", "[[1.0], [0.0], [2.0]]")],
    ),
    Mistake(
        "hides_no_scale",
        "A missing scale cannot be seen on this input.",
        [
            ("[[1.0, 0.0], [0.0, 2.0]]", "[[3.0], [1.0]]"),
            ("[[2.0, 1.0], [0.0, 3.0]]", "[[2.0], [-1.0]]"),
        ],
    ),
    Mistake(
        "hides_d_k",
        "Dividing by d_k instead of √d_k cannot be seen on this input.",
        # large enough for the missing scale to be 0.01 away, too small for d_k
        [
            ("[[1.0, 0.0], [0.0, 2.0]]", "[[0.12, 0.0]]"),
            ("[[2.0, 1.0], [0.0, 3.0]]", "[[1.0, 0.0], [0.0, 0.0]]"),
        ],
    ),
    Mistake(
        "hides_d_v",
        "Dividing by √d_v instead of √d_k cannot be seen on this input.",
        [("[[1.0], [0.0]]", "[[1.0, 0.0], [0.0, 1.0]]")],
        points=2,
    ),
    Mistake(
        "hides_softmax_axis",
        "The softmax over the wrong axis cannot be seen on this input.",
        [
            ("[[1.0, 0.0], [0.0, 2.0]]", "[[2.0, 0.0], [0.0, 2.0]]"),
            ("[[2.0, 1.0], [0.0, 3.0]]", "[[1.0, 0.0], [0.0, 1.0]]"),
        ],
        points=2,
    ),
    Mistake(
        "hides_swapped",
        "An exchange of query and key cannot be seen on this input.",
        [
            ("[[1.0, 0.0], [0.0, 2.0]]", "[[3.0, 0.0], [0.0, 1.0]]"),
            ("[[2.0, 1.0], [0.0, 3.0]]", "[[1.0, 0.0], [0.0, 1.0]]"),
        ],
        points=2,
    ),
)
