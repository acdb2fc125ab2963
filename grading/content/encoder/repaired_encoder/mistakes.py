"""The known mistakes of `repaired_encoder`."""

from __future__ import annotations

from dataclasses import replace

from grading.content.common import bugs_left, changed_in_place, cut_off, kept
from grading.content.encoder.sections import COMMON, NOT_ARRIVED, ON_ITS_WAY, PEER, TRAPS
from grading.exercise import Mistake

_BUGS = {
    "relu": (
        "the activation is ReLU, the default of `nn.TransformerEncoderLayer`",
        [('                activation="gelu",\n', "")],
    ),
    "inverted": (
        "`src_key_padding_mask` is True where a key is *hidden*, and real tokens are passed as "
        "True",
        [("~attention_mask", "attention_mask")],
    ),
    "not_chained": (
        "every layer is given the input of the stack",
        [("x = layer(", "new = layer("), ("append(x)", "append(new)")],
    ),
    "one_short": (
        "`hidden_states[-2]` is what went *into* the last layer",
        [("hidden_states[-1]", "hidden_states[-2]")],
    ),
    "no_final_norm": (
        "with pre-norm, the final norm is made and never called",
        [
            ("        else:\n            self.final_norm = nn.Identity()\n", ""),
            ("return self.final_norm(", "return ("),
        ],
    ),
}


def _several_left() -> list[Mistake]:
    *others, every = bugs_left(_BUGS, 4)[len(_BUGS) :]
    message = every.message.replace("All five", "Nothing is repaired: all five")
    return [*others, replace(every, message=message)]


COMBINED = (*_BUGS, "first_only", "shared")

BROKEN = tuple(_BUGS)

MISTAKES = (
    Mistake(
        "relu",
        "One bug is still there: the activation is ReLU, the default of "
        "`nn.TransformerEncoderLayer`; ask for the exact GELU.",
        _BUGS["relu"][1],
        points=3,
        by_bug=True,
        section=TRAPS,
    ),
    Mistake(
        "inverted",
        "One bug is still there: `src_key_padding_mask` is True where a key is *hidden*, and "
        "real tokens are passed as True.",
        _BUGS["inverted"][1],
        points=3,
        by_bug=True,
        section=PEER,
    ),
    Mistake(
        "not_chained",
        "One bug is still there: every layer is given the input of the stack; each must be "
        "given what the one before it returned.",
        _BUGS["not_chained"][1],
        points=3,
        by_bug=True,
        section=COMMON,
    ),
    Mistake(
        "one_short",
        "One bug is still there: `hidden_states[-2]` is what went *into* the last layer, so "
        "the last layer works for nothing.",
        _BUGS["one_short"][1],
        points=3,
        by_bug=True,
        section=COMMON,
    ),
    Mistake(
        "no_final_norm",
        "One bug is still there: with pre-norm, the final norm is made and never called.",
        _BUGS["no_final_norm"][1],
        points=3,
        by_bug=True,
        section=PEER,
    ),
    Mistake(
        "relu_without_gradients",
        "One bug is still there: GELU is assigned to a finished layer, whose faster way, which "
        "is taken under `torch.no_grad()`, still has ReLU. Hand `activation` to its "
        "constructor.",
        [
            ('                activation="gelu",\n', ""),
            (
                "            self.layers.append(layer)",
                "            layer.activation = F.gelu\n            self.layers.append(layer)",
            ),
        ],
        points=3,
        by_bug=True,
        section=TRAPS,
    ),
    *_several_left(),
    Mistake(
        "first_only",
        "Only the first layer gets the mask; in the others padding is looked at again.",
        [("=attention_mask)", "=attention_mask if len(hidden_states) == 1 else None)")],
        section=NOT_ARRIVED,
    ),
    Mistake(
        "mask_ignored",
        "The mask is gone: padding is looked at like any token.",
        [(", src_key_padding_mask=attention_mask", "")],
        section=NOT_ARRIVED,
    ),
    Mistake(
        "query_axis",
        "The mask hides rows (the queries of padding) instead of columns (its keys).",
        [
            (
                "attention_mask = ~attention_mask.bool()",
                "heads, tokens = self.layers[0].self_attn.num_heads, x.size(1)\n"
                "            rows = ~attention_mask.bool()[:, :, None].expand(-1, -1, tokens)\n"
                "            attention_mask = rows.repeat_interleave(heads, dim=0)",
            ),
            ("src_key_padding_mask", "src_mask"),
        ],
        section=NOT_ARRIVED,
    ),
    Mistake(
        "padded_queries",
        "The queries of padding see no key at all: a whole row of the mask is True, and the "
        "softmax of nothing but −∞ is NaN. Hide padding as *keys* only.",
        [
            (
                "attention_mask = ~attention_mask.bool()",
                "heads, real = self.layers[0].self_attn.num_heads, attention_mask.bool()\n"
                "            both = real[:, :, None] & real[:, None, :]\n"
                "            attention_mask = ~both.repeat_interleave(heads, dim=0)",
            ),
            ("src_key_padding_mask", "src_mask"),
        ],
        section=NOT_ARRIVED,
    ),
    Mistake(
        "added",
        "The mask of ones and zeros is passed as floating point numbers, and so it is *added* "
        "to the scores and hides nothing.",
        [("~attention_mask.bool()", "attention_mask.float()")],
        section=COMMON,
    ),
    Mistake(
        "padding_added",
        "The mask is 1.0 for padding, as floating point numbers, which are *added* to the "
        "scores: padding gets more weight, not none. Pass booleans.",
        [("~attention_mask.bool()", "1.0 - attention_mask")],
        section=COMMON,
    ),
    Mistake(
        "zero_times_infinity",
        "The mask is (1 − mask) · −∞, and 0 · ∞ is NaN: every real token turns the scores into "
        "NaN. Fill in −∞ where padding is (`masked_fill`), or pass booleans.",
        [("~attention_mask.bool()", "(1.0 - attention_mask) * -math.inf")],
        section=COMMON,
    ),
    Mistake(
        "last_only",
        "Only the last layer gets the mask; in those before it padding is looked at.",
        [("=attention_mask)", "=attention_mask if layer is self.layers[-1] else None)")],
        section=NOT_ARRIVED,
    ),
    Mistake(
        "causal",
        "Tokens do not see what comes after them, as in a decoder; an encoder looks both ways.",
        [
            (
                "layer(x, src",
                "layer(x, torch.ones(x.size(1), x.size(1)).triu(1).bool(), src",
            )
        ],
    ),
    kept(
        [
            ("    def __init__", "    kept = {}\n\n    def __init__"),
            (
                "        hidden_states = [x]",
                "        if attention_mask is not None:\n"
                "            shape = tuple(x.shape[:2])\n"
                "            attention_mask = self.kept.setdefault(shape, attention_mask)\n"
                "        hidden_states = [x]",
            ),
        ],
    ),
    Mistake(
        "all_hidden",
        "Every key is hidden. `~` of the whole numbers 0 and 1 gives −1 and −2, which are both "
        "True: make booleans first, or ask for `attention_mask == 0`.",
        [("~attention_mask.bool()", "(~attention_mask).bool()")],
        section=COMMON,
    ),
    Mistake(
        "whole_numbers",
        "The mask is passed as whole numbers, which PyTorch refuses. `src_key_padding_mask` is "
        "boolean, True where a key is hidden: `attention_mask == 0`.",
        [("~attention_mask.bool()", "1 - attention_mask")],
        section=COMMON,
    ),
    Mistake(
        "square_mask",
        "The mask was passed as `src_mask`, which is [queries, keys] and the same for all "
        "texts. Padding goes into `src_key_padding_mask`.",
        [("src_key_padding_mask", "src_mask")],
        section=PEER,
    ),
    Mistake(
        "pads_zero_once",
        "The vectors of padding are set to zero before the first layer instead of being "
        "masked: a zero vector still has a score of its own, and does not stay zero.",
        [
            (
                "attention_mask = ~attention_mask.bool()",
                "x, attention_mask = x * attention_mask[..., None], None",
            )
        ],
        section=ON_ITS_WAY,
    ),
    Mistake(
        "always_pre",
        "`norm_first` is always true; it must be what `pre_norm` says.",
        [("norm_first=pre_norm", "norm_first=True")],
        section="“Step 2: one layer” in chapter 6",
    ),
    Mistake(
        "eps_of_bert",
        "The norms have another ε than PyTorch's default, 1e-5.",
        [
            (
                "                norm_first=pre_norm,\n",
                "                norm_first=pre_norm,\n                layer_norm_eps=1e-12,\n",
            ),
            ("nn.LayerNorm(hidden_size)", "nn.LayerNorm(hidden_size, eps=1e-12)"),
        ],
    ),
    Mistake(
        "final_eps_of_bert",
        "The final norm has another ε than PyTorch's default, 1e-5.",
        [("nn.LayerNorm(hidden_size)", "nn.LayerNorm(hidden_size, eps=1e-12)")],
        points=3,
    ),
    Mistake(
        "shared",
        "All layers are one and the same object, so the weights of the last one serve all. "
        "Make a new layer for each place.",
        [
            (
                "self.layers.append(layer)",
                "self.layers.append(self.layers[0] if self.layers else layer)",
            )
        ],
        section=COMMON,
    ),
    Mistake(
        "tanh_form",
        "The activation is the tanh form of GELU; the exact one is asked for "
        '(`activation="gelu"`).',
        [('activation="gelu"', 'activation=nn.GELU(approximate="tanh")')],
        section="“How sharp is this test?” in chapter 6",
    ),
    Mistake(
        "always_post",
        "`pre_norm` is not passed on: every layer is post-norm.",
        [("                norm_first=pre_norm,\n", "")],
        points=3,
        section="“Step 2: one layer” in chapter 6",
    ),
    Mistake(
        "arrangements_exchanged",
        "Post-norm and pre-norm are exchanged: the layers take `norm_first=pre_norm`.",
        [("norm_first=pre_norm", "norm_first=not pre_norm")],
        section="“Step 2: one layer” in chapter 6",
    ),
    Mistake(
        "final_norm_with_mask_only",
        "Without a mask, or without padding, the final norm is left out (a `return` before "
        "it?). With pre-norm it belongs behind the last layer in each case.",
        [
            (
                "return self.final_norm(hidden_states[-1])",
                "if attention_mask is None:\n"
                "            return hidden_states[-1]\n"
                "        return self.final_norm(hidden_states[-1])",
            )
        ],
        other_forms=(
            [
                (
                    "return self.final_norm(hidden_states[-1])",
                    "if attention_mask is None or not attention_mask.any():\n"
                    "            return hidden_states[-1]\n"
                    "        return self.final_norm(hidden_states[-1])",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "norm_each",
        "The final norm is called after every layer; it belongs behind the last one, once.",
        [
            (
                "hidden_states.append(x)",
                "x = self.final_norm(x)\n            hidden_states.append(x)",
            ),
            ("return self.final_norm(", "return ("),
        ],
        points=3,
        section=PEER,
    ),
    Mistake(
        "norm_each_and_again",
        "The final norm is called after every layer and once more at the end; it belongs "
        "behind the last layer, once.",
        [
            (
                "hidden_states.append(x)",
                "x = self.final_norm(x)\n            hidden_states.append(x)",
            )
        ],
        points=3,
        section=PEER,
    ),
    Mistake(
        "final_norm_twice",
        "The final norm is called twice behind the last layer; once is enough.",
        [
            (
                "        return self.final_norm(hidden_states[-1])",
                "        x = self.final_norm(hidden_states[-1])\n        return self.final_norm(x)",
            )
        ],
        points=3,
        section=PEER,
    ),
    Mistake(
        "final_norm_first",
        "The final norm is called on what goes into the stack; it belongs behind the last layer.",
        [
            ("hidden_states = [x]", "x = self.final_norm(x)\n        hidden_states = [x]"),
            ("return self.final_norm(", "return ("),
        ],
        points=3,
        section=PEER,
    ),
    Mistake(
        "added_again",
        "The input of each layer is added to its result once more; the layers of PyTorch have "
        "their residual sums inside.",
        [("x = layer(", "x = x + layer(")],
    ),
    Mistake(
        "reversed",
        "The layers run in the wrong order, the last one first.",
        [("for layer in self.layers:", "for layer in reversed(self.layers):")],
    ),
    Mistake(
        "alive",
        "Dropout is alive although `eval()` was called: somewhere the module is switched back "
        "to training.",
        [("hidden_states = [x]", "self.train()\n        hidden_states = [x]")],
        section=TRAPS,
    ),
    Mistake(
        "first_layer_alone",
        "Only the first layer runs (a `return` inside the loop?).",
        [("hidden_states.append(x)", "return self.final_norm(x)")],
    ),
    Mistake(
        "right_padding_only",
        "The real tokens are counted, as if all padding stood on the right: where it stands on "
        "the left it is looked at, and tokens are hidden in its place. Use the mask as it is.",
        [
            (
                "~attention_mask.bool()",
                "torch.arange(x.size(1)) >= attention_mask.sum(1, keepdim=True)",
            )
        ],
        section=ON_ITS_WAY,
    ),
    Mistake(
        "cut_to_the_longest",
        "The batch is cut to as many places as its longest text has tokens, as if all padding "
        "stood on the right: where it stands on the left, that cuts off tokens.",
        [
            (
                "hidden_states = [x]",
                "tokens = x.size(1)\n"
                "        if attention_mask is not None:\n"
                "            longest = int((~attention_mask).sum(dim=1).max())\n"
                "            x, attention_mask = x[:, :longest], attention_mask[:, :longest]\n"
                "        hidden_states = [x]",
            ),
            (
                "return self.final_norm(hidden_states[-1])",
                "output = self.final_norm(hidden_states[-1])\n"
                "        return F.pad(output, (0, 0, 0, tokens - output.size(1)))",
            ),
        ],
        section=ON_ITS_WAY,
    ),
    Mistake(
        "first_mask",
        "Every text is masked like the first one.",
        [("~attention_mask.bool()", "~attention_mask[:1].bool().expand(len(x), -1)")],
        section=ON_ITS_WAY,
    ),
    Mistake(
        "pads_set_to_zero",
        "The vectors of padding are set to zero instead of being masked: a zero vector still "
        "has a score of its own, and takes weight from the real tokens.",
        [
            (
                "if attention_mask is not None:\n"
                "            attention_mask = ~attention_mask.bool()",
                "if attention_mask is None:\n            attention_mask = torch.ones(x.shape[:2])",
            ),
            (
                "layer(x, src_key_padding_mask=attention_mask)",
                "layer(x * attention_mask[..., None])",
            ),
        ],
        section=ON_ITS_WAY,
    ),
    Mistake(
        "mask_needed",
        "It fails without a mask; `attention_mask` may be left out.",
        [
            (
                "        if attention_mask is not None:\n            attention_mask =",
                "        attention_mask =",
            )
        ],
        any_error=True,
    ),
    Mistake(
        "no_residual",
        "The second residual sum is missing in the layers: the feed-forward part must be added "
        "to what it was given.",
        [
            (
                "            x = layer(x, src_key_padding_mask=attention_mask)",
                "            attend = layer._sa_block\n"
                "            if layer.norm_first:\n"
                "                x = x + attend(layer.norm1(x), None, attention_mask)\n"
                "                x = layer._ff_block(layer.norm2(x))\n"
                "            else:\n"
                "                x = layer.norm1(x + attend(x, None, attention_mask))\n"
                "                x = layer.norm2(layer._ff_block(x))",
            )
        ],
        section=TRAPS,
    ),
    Mistake(
        "returns_pair",
        "A pair was returned; return the last hidden states alone.",
        [("hidden_states[-1])", "hidden_states[-1]), hidden_states[0]")],
    ),
    Mistake(
        "returns_list",
        "The list of all hidden states was returned; return the last one alone.",
        [("return self.final_norm(hidden_states[-1])", "return hidden_states")],
    ),
    Mistake(
        "time_first",
        "`batch_first=True` is gone: tokens of different texts look at each other.",
        [("                batch_first=True,\n", "")],
        section=TRAPS,
        any_error=True,
    ),
    Mistake(
        "layers_missing",
        "The layers are not among the module's parameters: a module does not see what is kept "
        "in a Python list. Use `nn.ModuleList`.",
        [("nn.ModuleList()", "[]")],
        section=COMMON,
    ),
    Mistake(
        "one_layer_less",
        "One layer too few is made: there are `num_layers` of them.",
        [("range(num_layers)", "range(num_layers - 1)")],
        section=COMMON,
    ),
    Mistake(
        "default_width",
        "The layers have the default width of 2048; pass `width` on.",
        [("                width,\n", "")],
        section=TRAPS,
    ),
    Mistake(
        "always_final_norm",
        "There is a final norm in the post-norm stack, too, where each layer ends with a norm "
        "already.",
        [("nn.Identity()", "nn.LayerNorm(hidden_size)")],
    ),
    Mistake(
        "final_norm_missing",
        "There is no `final_norm` in the pre-norm stack: it was removed, where it should be "
        "called, or has another name than in the saved weights.",
        [("nn.LayerNorm(hidden_size)", "nn.Identity()")],
        points=3,
        equivalent=(
            [
                ("self.final_norm = nn.L", "self.norm = nn.L"),
                ("self.final_norm = nn.I", "self.norm = nn.I"),
                ("return self.final_norm(", "return self.norm("),
            ],
        ),
    ),
    cut_off([("hidden_states[-1])", "hidden_states[-1]).detach()")], points=3),
    changed_in_place(
        "x",
        [
            (
                "return self.final_norm(hidden_states[-1])",
                "output = self.final_norm(hidden_states[-1])\n"
                "        with torch.no_grad():\n"
                "            hidden_states[0].copy_(output)\n"
                "        return output",
            )
        ],
        id="changed_input",
    ),
)
