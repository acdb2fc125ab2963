"""Versions that a student's test judges: right ones to accept, and wrong ones to reject."""

from __future__ import annotations

_HEAD = "def feed_forward(x, w_1, b_1, w_2, b_2):\n"


def _source(*lines: str) -> str:
    """The source of an implementation from the lines of its body."""
    return _HEAD + "".join(f"    {line}\n" for line in lines)


PLAIN = _source(
    "wide = x @ w_1.T + b_1",
    "output = F.gelu(wide) @ w_2.T + b_2",
    "return output",
)
RIGHT = {
    "plain": PLAIN,
    "linear": _source("return F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)"),
    "einsum": _source(
        "wide = torch.einsum('bth,wh->btw', x, w_1) + b_1",
        "wide = 0.5 * wide * (1 + torch.erf(wide / 2**0.5))",
        "return torch.einsum('btw,hw->bth', wide, w_2) + b_2",
    ),
    "loop": _source(
        "rows = []",
        "for tokens in x:",
        "    rows.append(torch.stack([w_2 @ F.gelu(w_1 @ t + b_1) + b_2 for t in tokens]))",
        "return torch.stack(rows)",
    ),
    "convolution": _source(
        "wide = F.gelu(F.conv1d(x.transpose(-2, -1), w_1[:, :, None], b_1))",
        "return F.conv1d(wide, w_2[:, :, None], b_2).transpose(-2, -1)",
    ),
    "float64": _source(
        "wide = F.gelu(x.double() @ w_1.double().T + b_1.double())",
        "return (wide @ w_2.double().T + b_2.double()).to(x.dtype)",
    ),
    "neurons": _source(
        "output = b_2.expand_as(x)",
        "for j in range(len(w_1)):",
        "    on = F.gelu((x * w_1[j]).sum(-1, keepdim=True) + b_1[j])",
        "    output = output + on * w_2[:, j]",
        "return output",
    ),
    "halves": _source(
        "one, two = slice(0, len(w_1) // 2), slice(len(w_1) // 2, None)",
        "parts = [F.gelu(x @ w_1[s].T + b_1[s]) @ w_2[:, s].T for s in (one, two)]",
        "return b_2 + parts[0] + parts[1]",
    ),
    "own copy": _source(
        "wide = x.clone() @ w_1.T",
        "wide = wide + b_1",
        "output = F.gelu(wide) @ w_2.clone().T",
        "output += b_2",
        "return output",
    ),
}
# The wrong ones are edits of the plain one.
_TANH = "(0.5 * wide * (1 + torch.tanh((2 / math.pi) ** 0.5 * (wide + 0.044715 * wide**3))))"
WRONG = {
    "no activation": [[("F.gelu(wide)", "wide")]],
    "late": [[("F.gelu(wide)", "wide"), ("return output", "return F.gelu(output)")]],
    "another activation": [[("gelu", name)] for name in ("relu", "silu", "leaky_relu")],
    "residual": [
        [("return output", f"return {added}")] for added in ("x + output", "output + x / 2")
    ],
    "tanh": [
        [("F.gelu(wide)", "F.gelu(wide, approximate='tanh')")],
        [("F.gelu(wide)", _TANH)],
    ],
    "constant": [
        [("F.gelu(wide)", f"(0.5 * wide * (1 + torch.erf(wide / {constant})))")]
        for constant in (1.41, 1.418)
    ],
    "first bias": [[(" + b_1", "")]],
    # none of them without a gradient for it, which would show where biases are zero, too
    "second bias": [[("+ b_2", f"+ {times} * b_2")] for times in (0, 2)],
    "late bias": [[(" + b_1", ""), ("F.gelu(wide)", "(F.gelu(wide) + b_1)")]],
    # through `data` autograd does not notice it
    # once it is used, so that the result is right; or before, so that it fits the changed one
    "input changed": [
        [("    return", f"    {change}\n    return")]
        for change in ("x.data.mul_(2)", "x.data += output.data")
    ],
    "input changed first": [[("    wide", "    x.data.mul_(2)\n    wide")]],
    "weights changed": [
        [(f"    {before}", f"    {change}\n    {before}")]
        for before in ("return", "wide")
        for change in ("w_1.data.mul_(0.5)", "b_2.data += 1", "w_2.data.neg_()", "b_1.data -= 2")
    ],
    "detached": [
        [("return output", "return output.detach()")],
        [("def feed_forward", "@torch.no_grad()\ndef feed_forward")],
    ],
    "tokens mixed": [
        [("    wide", f"    x = x + {share} * (x.mean(1, keepdim=True) - x)\n    wide")]
        for share in (0.1, 0.3)
    ],
    "order": [
        [("return output", "return output.flip(1)")],
        [("return output", "return output.roll(1, 1)")],
    ],
    "sequences mixed": [
        [("    wide", f"    x = x + {share} * (x.mean(0, keepdim=True) - x)\n    wide")]
        for share in (0.1, 0.3)
    ]
    + [[("return output", "return output[:1].expand_as(output)")]],
    "sequences exchanged": [[("return output", "return output.flip(0)")]],
}


_NUMBERS = "numbers compared with the right ones, place by place"
_FINE = "a tolerance of about 1e-5, where the numbers before the activation lie between −3 and 3"
_CLONES = "clones of all arguments, compared after the call"
SHOWN_BY = {
    "no activation": _NUMBERS,
    "late": _NUMBERS,
    "another activation": _NUMBERS,
    "residual": _NUMBERS,
    "tanh": _FINE,
    "constant": _FINE,
    "first bias": "biases that are not zero",
    "second bias": "biases that are not zero",
    "late bias": "biases that are not zero",
    "tokens mixed": f"{_NUMBERS}, for several different tokens",
    "order": f"{_NUMBERS}, for several different tokens",
    "sequences mixed": f"{_NUMBERS}, for several different sequences",
    "sequences exchanged": f"{_NUMBERS}, for several different sequences",
    "input changed": _CLONES,
    "input changed first": _CLONES,
    "weights changed": _CLONES,
    "detached": "an argument that requires a gradient, and `backward()`",
}
