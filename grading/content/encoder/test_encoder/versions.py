"""Versions that a student's test judges: right ones to accept, and wrong ones to reject."""

from __future__ import annotations

from grading.exercise.edits import Edits, edited

POST_NORM = """
HIDDEN, HEADS, WIDE, SEED = SIZES
generator = torch.Generator().manual_seed(SEED)


def normal(*shape):
    return torch.randn(*shape, generator=generator)


SHAPES = {
    "qkv": (HIDDEN, 3 * HIDDEN),
    "out": (HIDDEN, HIDDEN),
    "up": (HIDDEN, WIDE),
    "down": (WIDE, HIDDEN),
}
words, places, segments = normal(40, HIDDEN), normal(20, HIDDEN), normal(2, HIDDEN)
layers = [
    {name: normal(*shape) / shape[0] ** 0.5 for name, shape in SHAPES.items()} for _ in range(2)
]


def norm(x):
    return F.layer_norm(x, (HIDDEN,))


def attend(x, layer, keep):
    packed = (x @ layer["qkv"]).unflatten(-1, (3, HEADS, -1))
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~keep, -1e9)
    weights = scores.softmax(dim=-1)
    return (weights @ value).transpose(1, 2).flatten(2) @ layer["out"]


def NAME(input_ids, attention_mask, token_type_ids):
    keep = attention_mask.bool()[:, None, None, :]
    positions = torch.arange(input_ids.size(1))
    x = words[input_ids] + places[positions] + segments[token_type_ids]
    x = norm(x)
    for layer in layers:
        x = norm(x + attend(x, layer, keep))
        x = norm(x + F.gelu(x @ layer["up"]) @ layer["down"])
    return x
"""

_END = "    return x\n"
_PRE_NORM = edited(
    POST_NORM,
    [
        (
            POST_NORM[POST_NORM.index("    x = norm(x)\n    for") :],
            """    for layer in layers:
        x = x + attend(norm(x), layer, keep)
        x = x + F.gelu(norm(x) @ layer["up"]) @ layer["down"]
    return norm(x) * (1 + places[0] / 4) + segments[0]
""",
        )
    ],
)
_SINUSOIDS = edited(
    POST_NORM,
    [
        (
            "    x = words",
            "    angles = positions[:, None] / 100 ** (torch.arange(0, HIDDEN, 2) / HIDDEN)\n"
            "    waves = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)\n    x = words",
        ),
        ("places[positions]", "2 * waves"),
        ("attention_mask.bool()[", "attention_mask["),
        (
            "    scores = scores.masked_fill(~keep, -1e9)\n",
            "    lowest = torch.finfo(torch.float32).min\n"
            "    scores = scores + (1 - keep) * lowest\n",
        ),
    ],
)
_GARBAGE = edited(  # other numbers in each call
    POST_NORM,
    [
        ("def NAME(", "calls = []\n\n\ndef NAME("),
        (
            _END,
            "    calls.append(1234.5)\n"
            "    return x.masked_fill(attention_mask[..., None] == 0, sum(calls))\n",
        ),
    ],
)
_DOUBLE = edited(
    POST_NORM,
    [
        ("generator=generator)", "generator=generator).double()"),
        ("torch.arange(input_ids.size(1))", "(attention_mask.cumsum(1) - 1) * attention_mask"),
        (_END, "    return x.float()\n"),
    ],
)
_BY_TEXT = (
    edited(POST_NORM, [("def NAME(", "def whole(")])
    + """

def NAME(input_ids, attention_mask, token_type_ids):
    result = torch.zeros(*input_ids.shape, HIDDEN)
    for i, real in enumerate(attention_mask.bool()):
        one = (t[i : i + 1, real] for t in (input_ids, attention_mask, token_type_ids))
        result[i, real] = whole(*one)[0]
    return result
"""
)
_LIBRARY = """
HIDDEN, HEADS, WIDE, SEED = SIZES
with torch.random.fork_rng():
    torch.manual_seed(SEED)
    words, places, segments = (nn.Embedding(n, HIDDEN).eval() for n in (40, 20, 2))
    layer = nn.TransformerEncoderLayer(HIDDEN, HEADS, WIDE, activation="gelu", batch_first=True)
    stack = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()


@torch.no_grad()
def NAME(input_ids, attention_mask, token_type_ids):
    places_of = torch.arange(input_ids.size(1)).expand_as(input_ids)
    x = words(input_ids) + places(places_of) + segments(token_type_ids)
    return stack(x, src_key_padding_mask=attention_mask == 0)
"""

_FILL = "scores = scores.masked_fill(~keep, -1e9)"
_KEEP = "    keep = attention_mask.bool()[:, None, None, :]\n"
_POSITIONS = "    positions = torch.arange(input_ids.size(1))\n"
_ATTEND = "x = norm(x + attend(x, layer, keep))"
_ALL = "keep = torch.ones_like(attention_mask).bool()[:, None, None, :]"


def _keep_where(condition: str) -> Edits:
    """Hide more keys than padding; the condition speaks of positions, which must come first."""
    return [(_KEEP + _POSITIONS, f"{_POSITIONS}{_KEEP}    keep = keep & {condition}\n")]


LITTLE = "padding is hidden a little"
WRONG: list[tuple[str, str, list[Edits]]] = [  # each wrong in several ways
    ("padding is looked at", "core", [[(_FILL, "pass")], [(_KEEP, f"    {_ALL}\n")]]),
    (
        "the mask lies on the query axis",
        "core",
        [[("[:, None, None, :]", "[:, None, :, None]")], [("~keep", "~keep.transpose(-2, -1)")]],
    ),
    (
        "the mask of ones and zeros is added",
        "core",
        [[(_FILL, "scores = scores + keep.float()")], [(_FILL, "scores = scores - 1.0 * ~keep")]],
    ),
    (
        "no positions",
        "core",
        [[(" + places[positions]", "")], [("places[positions]", "places[positions * 0]")]],
    ),
    (
        "segments are ignored",
        "core",
        [[(" + segments[token_type_ids]", "")], [("[token_type_ids]", "[token_type_ids * 0]")]],
    ),
    (
        "dropout is alive",
        "core",
        [
            [("weights @ value", "F.dropout(weights, 0.3) @ value")],
            [("    x = norm(x)\n", "    x = F.dropout(norm(x), 0.2)\n")],
            [("attend(x, layer, keep))", "F.dropout(attend(x, layer, keep), 0.3))")],
        ],
    ),
    (  # what is drawn has the same shape in every call, so with one seed it is always the same
        "dropout is alive in the table of words",
        "core",
        [[("words[input_ids]", "F.dropout(words, 0.2)[input_ids]")]],
    ),
    (
        "only the first layer gets the mask",
        "mask",
        [
            [(_ATTEND, f"{_ATTEND}; {_ALL}")],
            [("+ attend(x, layer, keep)", "+ attend(x, layer, keep | (layer is not layers[0]))")],
        ],
    ),
    (
        "the last layer does not get the mask",
        "mask",
        [[("+ attend(x, layer, keep)", "+ attend(x, layer, keep | (layer is layers[-1]))")]],
    ),
    (
        "all texts get the mask of the first",
        "mask",
        [
            [(_KEEP, f"{_KEEP}    keep = keep[:1]\n")],
            [(_KEEP, f"{_KEEP}    keep = keep[:1].expand_as(keep)\n")],
        ],
    ),
    (
        "only the last text of a batch gets its mask",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    keep = keep | (torch.arange(len(keep)) < len(keep) - 1)"
                    "[:, None, None, None]\n",
                )
            ]
        ],
    ),
    (
        "the first text of a batch does not get its mask",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    keep = keep | (torch.arange(len(keep)) == 0)"
                    "[:, None, None, None]\n",
                )
            ]
        ],
    ),
    (
        "the last text of a batch does not get its mask",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    keep = keep | (torch.arange(len(keep)) == len(keep) - 1)"
                    "[:, None, None, None]\n",
                )
            ]
        ],
    ),
    (
        "in the last layer the mask holds for the first vector only",
        "mask",
        [
            [
                (
                    "+ attend(x, layer, keep)",
                    "+ attend(x, layer, keep if layer is layers[0] else "
                    "keep | (positions > 0)[:, None])",
                )
            ]
        ],
    ),
    (
        "in the last layer the mask holds for the last word only",
        "mask",
        [
            [
                (
                    "+ attend(x, layer, keep)",
                    "+ attend(x, layer, keep if layer is layers[0] else "
                    "keep | (positions + 1 < attention_mask.sum(1, keepdim=True))"
                    "[:, None, :, None])",
                )
            ]
        ],
    ),
    (
        "padding of the shortest text is looked at",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    words_of = attention_mask.sum(1)[:, None, None, None]\n"
                    "    keep = keep | (words_of == words_of.min()) & (words_of.max() > "
                    "words_of.min())\n",
                )
            ]
        ],
    ),
    (
        "weights of padding are zeroed after the softmax",
        "mask",
        [[(_FILL, "pass"), ("softmax(dim=-1)", "softmax(dim=-1) * keep")]],
    ),
    (
        LITTLE,
        "mask",
        [
            [
                (
                    "    return (weights @ value)",
                    "    hidden = (~keep).float().expand_as(weights)\n"
                    "    shares = hidden / hidden.sum(dim=-1, keepdim=True).clamp(min=1)\n"
                    "    weights = weights + 0.0008 * (shares - weights * hidden.amax(-1, True))\n"
                    "    return (weights @ value)",
                )
            ]
        ],
    ),
    (
        "vectors of padding are set to zero, not hidden",
        "mask",
        [
            [(_FILL, "pass"), (_ATTEND, f"x = x * attention_mask[..., None]; {_ATTEND}")],
            [(_FILL, "pass"), ('(x @ layer["qkv"])', '(x @ layer["qkv"] * keep[:, 0].mT)')],
        ],
    ),
    ("what comes later is hidden", "context", [_keep_where("(positions <= positions[:, None])")]),
    ("what came before is hidden", "context", [_keep_where("(positions >= positions[:, None])")]),
    (
        "only neighbours are looked at",
        "context",
        [_keep_where("((positions - positions[:, None]).abs() < 3)")],
    ),
    (
        "nobody looks at anybody",
        "context",
        [
            [(_ATTEND, 'x = norm(x + x @ layer["out"])')],
            _keep_where("(positions == positions[:, None])"),
        ],
    ),
    (
        "the last token is never looked at",
        "context",
        [[(_KEEP, _KEEP.replace("attention_mask", "F.pad(attention_mask[:, 1:], (0, 1))"))]],
    ),
    ("the first token is never looked at", "context", [_keep_where("(positions > 0)")]),
    (
        "texts of a batch mix",
        "context",
        [
            [(_END, "    return x + 0.3 * x.mean(dim=0, keepdim=True)\n")],
            [("weights @ value", "weights.mean(dim=0, keepdim=True) @ value")],
            [("norm(x)\n    for", "norm(x - x.mean(dim=0, keepdim=True) / 2)\n    for")],
        ],
    ),
    (
        "the segments are changed in place",
        "context",
        [[(_END, "    token_type_ids.zero_()\n    return x\n")]],
    ),
    (
        "the mask is changed in place",
        "context",
        [[(_END, "    attention_mask.fill_(1)\n    return x\n")]],
    ),
    (
        "the ids are changed in place",
        "context",
        [[(_END, "    input_ids *= attention_mask\n    input_ids += 1\n    return x\n")]],
    ),
    (
        "the ids of padding are changed in place",
        "context",
        [[(_END, f"    input_ids[attention_mask == 0] = {n}\n    return x\n")] for n in (1, 7)],
    ),
]

ACCEPTED = {
    "post-norm": POST_NORM,
    "pre-norm": _PRE_NORM,
    "sines, and a mask that is added": _SINUSOIDS,
    "PyTorch's stack": _LIBRARY,
    "text by text": _BY_TEXT,
    "other numbers in the rows of padding": _GARBAGE,
    "in float64, positions counted from the mask": _DOUBLE,
}
