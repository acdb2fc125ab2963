"""The known mistakes of `packed_swiglu`."""

from __future__ import annotations

from grading.content.common import changed_in_place, cut_off, kept
from grading.content.feed_forward.sections import ALONE, COMMON, SWIGLU
from grading.exercise import Mistake
from grading.exercise.edits import Edits

_OUTPUT = "self.down(gate * up)"


def _like_gpt_oss(limit: str = "1e9") -> Edits:
    """All that gpt-oss does with gate and up; the numbers seldom come near its limit of 7."""
    return [
        (
            "gate, up = both[..., 0::2], both[..., 1::2]",
            f"gate = both[..., 0::2].clamp(max={limit})\n"
            f"            up = both[..., 1::2].clamp(-{limit}, {limit}) + 1",
        ),
        (
            "gate = F.silu(gate)",
            "gate = gate * torch.sigmoid(1.702 * gate) if self.interleaved else F.silu(gate)",
        ),
    ]


def _gate_clamped(limit: float) -> Edits:
    return [("F.silu(gate)", f"F.silu(gate.clamp(-{limit}, {limit}))")]


COMBINED = (
    "halves_exchanged",
    "sigmoid_gate",
    "gelu_gate",
    "relu_gate",
    "no_gate_activation",
    "product_activated",
    "up_activated",
    "added",
    "layout_ignored",
    "always_interleaved",
    "odd_rows_gate",
    "no_gradient",
    "weight_data",
    "dropout_in_training",
)

MISTAKES = (
    Mistake(
        "halves_exchanged",
        "The halves are exchanged: SiLU is applied to the second half. The first half of "
        "`gate_up` is the gate, and the gate passes through SiLU.",
        [("gate, up = both.chunk", "up, gate = both.chunk")],
    ),
    Mistake(
        "split_by_two",
        "`split(2)` makes pieces of two numbers each. Two pieces are made by `chunk(2)`, or by "
        "`split` with the size of one piece.",
        [("both.chunk(2, dim=-1)", "both.split(2, dim=-1)")],
        any_error=True,
    ),
    Mistake(
        "sigmoid_gate",
        "The gate passes through a sigmoid: that is the original GLU. SwiGLU takes "
        "silu(x) = x·σ(x).",
        [("F.silu(gate)", "torch.sigmoid(gate)")],
    ),
    Mistake(
        "gelu_gate",
        "The gate passes through GELU: that is GEGLU. SwiGLU takes silu(x) = x·σ(x).",
        [("F.silu(gate)", "F.gelu(gate)")],
    ),
    Mistake(
        "gate_clamped",
        "The gate is cut off at a limit (`clamp`). SiLU doesn't overflow: large gates count as "
        "they are.",
        _gate_clamped(50.0),
        other_forms=tuple(map(_gate_clamped, (20.0, 80.0, 88.0, 100.0))),
        points=3,
    ),
    Mistake(
        "relu_gate",
        "The gate passes through ReLU: that is ReGLU. SwiGLU takes silu(x) = x·σ(x).",
        [("F.silu(gate)", "F.relu(gate)")],
    ),
    Mistake(
        "no_gate_activation",
        "The gate is multiplied as it is; it must pass through SiLU first.",
        [("        gate = F.silu(gate)\n", "")],
    ),
    Mistake(
        "product_activated",
        "SiLU is applied to the product of gate and up; it belongs to the gate alone, before "
        "the product.",
        [("        gate = F.silu(gate)\n", ""), ("gate * up", "F.silu(gate * up)")],
    ),
    Mistake(
        "up_activated",
        "The up half passes through SiLU as well; only the gate does.",
        [("up)\n", "F.silu(up))\n")],
    ),
    Mistake(
        "added",
        "Gate and up are added; the gate must be multiplied with the other half.",
        [("gate *", "gate +")],
    ),
    Mistake(
        "up_unused",
        "The second half of the wide vector is not used: the result is that of the gate alone. "
        "Multiply the two.",
        [("gate * up", "gate")],
    ),
    Mistake(
        "layout_ignored",
        "`interleaved` has no effect, or the numbers are split as [2, wide] where it is set: "
        "with interleaved rows, gate and up take turns, 0, 2, 4, … and 1, 3, 5, ….",
        [("if self.interleaved", "if False")],
        points=3,
    ),
    Mistake(
        "always_interleaved",
        "Gate and up are taken in turns (0, 2, 4, … and 1, 3, 5, …) always; that is right only "
        "with `interleaved=True`. Without it the first half is the gate.",
        [("if self.interleaved", "if True")],
    ),
    Mistake(
        "layout_inverted",
        "The two layouts are exchanged: halves are read with `interleaved=True` and turns "
        "without it.",
        [("if self.interleaved", "if not self.interleaved")],
    ),
    Mistake(
        "like_gpt_oss",
        "With interleaved rows the gate is that of gpt-oss, x·σ(1.702x), times up + 1. "
        "Only the order of its rows is asked for: silu(gate) * up.",
        _like_gpt_oss(),
        other_forms=(_like_gpt_oss(limit="7.0"),),
        points=3,
    ),
    Mistake(
        "odd_rows_gate",
        "With interleaved rows the gate is taken from rows 1, 3, 5, …; it comes first, in rows "
        "0, 2, 4, ….",
        [("gate, up = both[", "up, gate = both[")],
        points=3,
    ),
    Mistake(
        "turns_in_front",
        "With interleaved rows the slices run along the first axis (`[0::2]`); it is the last "
        "one in which gate and up take turns: `[..., 0::2]`.",
        [("both[..., 0::2]", "both[0::2]"), ("both[..., 1::2]", "both[1::2]")],
        points=3,
    ),
    Mistake(
        "residual",
        "The input is added to the result. That is the residual connection of chapter 4; here "
        "the layer alone is asked for.",
        [("return self.down", "return x + self.down")],
    ),
    Mistake(
        "gate_detached",
        "The output is right, but no gradient flows through the gate (`detach`, `no_grad`), "
        "so half of `gate_up` would not learn.",
        [("F.silu(gate)", "F.silu(gate.detach())")],
        points=3,
    ),
    cut_off([("    def forward", "    @torch.no_grad()\n    def forward")], points=3),
    Mistake(
        "weight_data",
        "The output is right, but `gate_up` is used as `.data` or detached, so it would never "
        "learn.",
        [("self.gate_up(x)", "F.linear(x, self.gate_up.weight.data)")],
        points=3,
    ),
    Mistake(
        "down_data",
        "The output is right, but `down` is used as `.data` or detached, so it would never learn.",
        [(_OUTPUT, "F.linear(gate * up, self.down.weight.data)")],
        points=3,
    ),
    Mistake(
        "split_tokens",
        "The split runs along the tokens (`dim=1`), so half of the tokens serve as gates for "
        "the others; split the last axis, `dim=-1`.",
        [("dim=-1", "dim=1")],
        section=ALONE,
    ),
    Mistake(
        "split_front",
        "The split runs along the first axis (`dim=0`, which is the default of `chunk` and "
        "`split`); split the last axis, `dim=-1`.",
        [("dim=-1", "dim=0")],
        section=ALONE,
    ),
    Mistake(
        "turns_made",
        "With interleaved rows the numbers are put into turns once more, instead of taken out "
        "of them ([2, wide] where [wide, 2] belongs): gates are 0, 2, 4, ….",
        [
            (
                "both[..., 0::2], both[..., 1::2]",
                "both.unflatten(-1, (2, -1)).mT.flatten(-2).chunk(2, dim=-1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "library_glu",
        "The gate is multiplied with the sigmoid of up, as `F.glu` does it with two halves. It "
        "is the gate that passes through an activation, SiLU, and up stays as it is.",
        [("        gate = F.silu(gate)\n", ""), ("gate * up", "F.glu(both)")],
        other_forms=(  # in either layout
            [("        gate = F.silu(gate)\n", ""), ("gate * up", "gate * torch.sigmoid(up)")],
        ),
    ),
    Mistake(
        "three_axes_only",
        "It fails unless the input has three axes, because it counts them from the front "
        "(`[:, :, …]`, `dim=2`). Write `[..., …]` or `dim=-1`: the layer acts on the last "
        "axis, whatever stands in front of it.",
        [("self.gate_up(x)", "self.gate_up(x)[:, :, :]")],
        other_forms=([("dim=-1", "dim=2")],),
        section=ALONE,
    ),
    Mistake(
        "down_activated",
        "SiLU is applied to the output as well; it belongs to the gate alone.",
        [(_OUTPUT, f"F.silu({_OUTPUT})")],
    ),
    Mistake(
        "down_missing",
        "These are the wide vectors; the map back to the hidden size, `down`, is missing.",
        [(_OUTPUT, "gate * up")],
        section=SWIGLU,
    ),
    Mistake(
        "softmax_gate",
        "The gate passes through a softmax, so that the neurons compete; each neuron has a "
        "gate of its own, silu(x) = x·σ(x).",
        [("F.silu(gate)", "gate.softmax(-1)")],
    ),
    Mistake(
        "tanh_gate",
        "The gate passes through tanh; SwiGLU takes silu(x) = x·σ(x).",
        [("F.silu(gate)", "torch.tanh(gate)")],
    ),
    Mistake(
        "dropout",
        "`F.dropout` is alive in evaluation mode: it drops unless it is told "
        "`training=self.training`. This layer has no dropout.",
        [(_OUTPUT, f"F.dropout({_OUTPUT}, 0.1)")],
        section=COMMON,
    ),
    Mistake(
        "dropout_in_training",
        "In training mode some numbers are dropped; this layer has no dropout.",
        [(_OUTPUT, f"F.dropout({_OUTPUT}, 0.1, self.training)")],
        other_forms=tuple(
            [(_OUTPUT, form)]
            for p in (0.1, 0.2, 0.5)
            for form in (
                f"F.dropout({_OUTPUT}, {p}, self.training)",
                f"self.down(F.dropout(gate * up, {p}, self.training))",
            )
        ),
        points=3,
        section=COMMON,
    ),
    Mistake(
        "rows_reordered_in_place",
        "The rows of `gate_up` are put into another order in the parameter itself: at the next "
        "call they are put into another order once more, and saved so. Take gate and up out of "
        "what comes of it, and leave the weight alone.",
        [
            (
                "        both = self.gate_up(x)",
                "        if self.interleaved:\n"
                "            rows = self.gate_up.weight.data\n"
                "            self.gate_up.weight.data = torch.cat([rows[::2], rows[1::2]])\n"
                "        both = self.gate_up(x)",
            ),
            ("gate, up = both[..., 0::2], both[..., 1::2]", "gate, up = both.chunk(2, dim=-1)"),
        ],
        other_forms=(
            [
                (
                    "        both = self.gate_up(x)",
                    "        if self.interleaved:\n"
                    "            rows = self.gate_up.weight\n"
                    "            rows.data = torch.cat([rows[::2], rows[1::2]])\n"
                    "            self.interleaved = False\n"
                    "        both = self.gate_up(x)",
                ),
            ],
        ),
        points=3,
        section=SWIGLU,
    ),
    Mistake(
        "sorted_while_loading",
        "Interleaved rows are sorted while they are loaded: `gate_up.weight` does not hold "
        "what was loaded, and would be saved so. Load it as it is, and sort in `forward`.",
        [
            (
                "    def forward",
                "    def _load_from_state_dict(self, state_dict, prefix, *others):\n"
                "        rows = state_dict.get(f'{prefix}gate_up.weight')\n"
                "        if self.interleaved and rows is not None:\n"
                "            rows = torch.cat([rows[::2], rows[1::2]])\n"
                "            state_dict[f'{prefix}gate_up.weight'] = rows\n\n"
                "    def forward",
            ),
            ("gate, up = both[..., 0::2], both[..., 1::2]", "gate, up = both.chunk(2, dim=-1)"),
        ],
        points=3,
        section=SWIGLU,
    ),
    Mistake(
        "flag_of_the_class",
        "`interleaved` is kept where all modules share it, on the class or in a global "
        "variable: the one that was built last decides for all. Keep it on `self`.",
        [("self.interleaved = interleaved", "type(self).interleaved = interleaved")],
        points=3,
        section=SWIGLU,
    ),
    kept(
        [
            ("    def __init__", "    kept = {}\n\n    def __init__"),
            ("both = self.gate_up(x)", "both = self.kept.setdefault(x.shape, self.gate_up(x))"),
        ]
    ),
    Mistake(
        "neurons_in_another_order",
        "With interleaved rows the neurons come to `down` in another order. Only gates and ups "
        "stand in turns; `down` takes neuron 0, 1, 2, … in either layout.",
        [
            (
                "            gate, up = both[..., 0::2], both[..., 1::2]",
                "            gate, up = (\n"
                "                torch.cat([half[..., 0::2], half[..., 1::2]], dim=-1)\n"
                "                for half in (both[..., 0::2], both[..., 1::2])\n"
                "            )",
            )
        ],
        points=3,
    ),
    Mistake(
        "sorted_once",
        "The rows are sorted or cut in the first call and kept, so weights that are loaded or "
        "trained later are not seen. Read `gate_up.weight` in each call.",
        [
            (
                "            gate, up = both[..., 0::2], both[..., 1::2]",
                '            if not hasattr(self, "rows"):\n'
                "                rows = self.gate_up.weight\n"
                "                self.rows = torch.cat([rows[0::2], rows[1::2]])\n"
                "            gate, up = F.linear(x, self.rows).chunk(2, dim=-1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "biases",
        "The maps have biases; in this layer they have none (`bias=False`).",
        [
            ("2 * intermediate_size, bias=False", "2 * intermediate_size"),
            ("hidden_size, bias=False", "hidden_size"),
        ],
    ),
    Mistake(
        "separate_maps",
        "Gate and up are two maps, `gate` and `up`; they stand in one, `gate_up`, with "
        "2 × intermediate_size rows.",
        [
            (
                "self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)",
                "self.gate = nn.Linear(hidden_size, intermediate_size, bias=False)\n"
                "        self.up = nn.Linear(hidden_size, intermediate_size, bias=False)",
            ),
            ("self.gate_up(x)", "torch.cat([self.gate(x), self.up(x)], dim=-1)"),
        ],
    ),
    Mistake(
        "plain_list",
        "The maps are kept in a Python list or dictionary, where a module does not see their "
        "parameters. Assign each to `self`, as `self.gate_up` and `self.down`.",
        [
            ("self.gate_up =", "gate_up ="),
            ("self.down =", "down ="),
            ("= interleaved\n", "= interleaved\n        self.maps = [gate_up, down]\n"),
            ("self.gate_up(x)", "self.maps[0](x)"),
            ("self.down(gate", "self.maps[1](gate"),
        ],
    ),
    Mistake(
        "wrong_gate_up",
        "`gate_up.weight` has the wrong shape: as `nn.Linear` keeps it, [out, in], with one "
        "row for each gate and one for each up.",
        [("2 * intermediate_size", "intermediate_size")],
        equivalent=(
            [("hidden_size, 2 * intermediate_size", "2 * intermediate_size, hidden_size")],
        ),
    ),
    Mistake(
        "wrong_down",
        "`down.weight` has the wrong shape: gate times up has intermediate_size numbers, not "
        "twice as many.",
        [("nn.Linear(intermediate_size", "nn.Linear(2 * intermediate_size")],
    ),
    changed_in_place(
        "x",
        [
            (
                f"return {_OUTPUT}",
                f"output = {_OUTPUT}\n        x += output.detach()\n        return output",
            )
        ],
        "changed_input",
    ),
)
