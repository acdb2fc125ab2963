"""Variants of the exercises of assignment 3."""

from __future__ import annotations

from grading.exercise.edits import Edit
from grading.exercise.variants import Variant

_TEXT = (" Each of them has lived in code that people used.", "")
_SKETCH = (
    "There is one bug in how the layers are made and three in how one of them runs; one of these "
    "occurs in two places. Chapter 3 shows the symptom of each under “Common mistakes”."
)
_ALIVE = "`F.dropout` drops in evaluation mode too, unless it is told `training=self.training`"


def _layouts(name: str, one: str, other: str) -> Edit:
    """The two layouts as a table, without who uses them: nobody need use these."""
    return (
        "There are two habits:\n\n"
        f"| layout | rows of `{name}.weight` | used by |\n"
        "| --- | --- | --- |\n"
        "| **halves** | gate 0, gate 1, …, gate *w*−1, up 0, up 1, …, up *w*−1 | Phi-3 |\n"
        "| **interleaved** | gate 0, up 0, gate 1, up 1, …, gate *w*−1, up *w*−1 | gpt-oss |\n",
        "Read two of the orders that there can be:\n\n"
        f"| layout | rows of `{name}.weight` |\n"
        "| --- | --- |\n"
        f"| **halves** | {one} 0, {one} 1, …, {one} *w*−1, "
        f"{other} 0, {other} 1, …, {other} *w*−1 |\n"
        f"| **interleaved** | {one} 0, {other} 0, {one} 1, {other} 1, …, "
        f"{one} *w*−1, {other} *w*−1 |\n",
    )


VARIANTS = {
    "RepairedStack": (
        Variant(
            bugs={
                "parallel": "every layer is given the input of the stack, not what the one before "
                "returned",
                "tanh_form": "the activation is the tanh form of GELU, not the exact one",
                "reshaped": "`reshape` brings [batch, tokens, hidden] into the right shape but "
                "leaves the numbers in their order, so tokens are mixed; `transpose` exchanges "
                "axes",
                "alive": _ALIVE,
            },
            by_half=("reshaped_in", "reshaped_out"),
            told={"relu": "The activation is ReLU; the exact GELU is asked for."},
            text=[
                _TEXT,
                ("How many parameters should three layers have? Change", "Change"),
                (
                    _SKETCH,
                    "There is one bug in how the stack runs and three in how one of its layers "
                    "runs; one of these occurs in two places.",
                ),
            ],
        ),
        Variant(
            bugs={
                "shared": "one layer runs in all places (`[layer] * n` is n times the same "
                "object), with the weights of the last",
                "activation_twice": "GELU is applied to the update as well; it belongs between the "
                "two maps only",
                "one_less": "the last layer does not run",
                "alive": _ALIVE,
            },
            text=[
                _TEXT,
                (
                    "Change one token of `x`: which outputs move?",
                    "Change the weights of the last layer: does the output move?",
                ),
                (
                    _SKETCH,
                    "There is one bug in how the layers are made, one in how the stack runs, and "
                    "two in how one of its layers runs.",
                ),
                (
                    "give it x with x[b, t, h] = 100 b + 10 t + h: where does each number stand in "
                    "the convolution?",
                    "to which row of the table above does each line belong?",
                ),
            ],
        ),
    ),
    "move_weights": (
        Variant(
            edits=[
                ('"intermediate"', '"fc1"'),
                ('"output"', '"fc2"'),
                ('"wider"', '"expand"'),
                ('"back"', '"contract"'),
                ("`intermediate`", "`fc1`"),
                ("`output`", "`fc2`"),
                ("`wider`", "`expand`"),
                ("`back`", "`contract`"),
            ],
        ),
        Variant(
            edits=[
                ('"intermediate"', '"up"'),
                ('"output"', '"down"'),
                ('"wider"', '"conv1"'),
                ('"back"', '"conv2"'),
                ("`intermediate`", "`up`"),
                ("`output`", "`down`"),
                ("`wider`", "`conv1`"),
                ("`back`", "`conv2`"),
            ],
        ),
    ),
    "PackedSwiGLU": (
        Variant(  # what the gate lets through comes first
            edits=[
                ("gate_up", "up_gate"),
                ('["gate_up.weight"][0] = 200', '["up_gate.weight"][1] = 200'),  # a gate's row
                ("gate, up", "up, gate"),
                ("up, gate", "gate, up"),
                ("gate, _ =", "_, gate ="),
                ("both.roll(self.wide, -1)", "both"),
                ("gate = both[..., 0::2].clamp", "gate = both[..., 1::2].clamp"),
                ("up = both[..., 1::2].clamp", "up = both[..., 0::2].clamp"),
                ("the gate in the first half", "the gate in the second half"),
                ("gate and up in turns", "up and gate in turns"),
                ("applied to the second half. The first", "applied to the first half. The second"),
                ("The second half of the wide", "The first half of the wide"),
                ("Without it the first half", "Without it the second half"),
                ("gate and up take turns, 0", "up and gate take turns, 0"),
                ("Gate and up are taken in turns", "Up and gate are taken in turns"),
                ("rows 1, 3, 5, …; it comes first,", "rows 0, 2, 4, …; it comes second,"),
                ('0, 2, 4, …."', '1, 3, 5, …."'),
            ],
            without=("library_glu",),  # which is then the sigmoid in place of SiLU
            text=[_layouts("up_gate", "up", "gate")],
        ),
        Variant(
            edits=[
                ("gate_up", "wi"),
                ("self.down", "self.wo"),
                ("down.weight", "wo.weight"),
                ("`down`", "`wo`"),
            ],
            text=[_layouts("wi", "gate", "up")],
        ),
    ),
}
