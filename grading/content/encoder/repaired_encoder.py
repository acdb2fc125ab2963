"""Bug hunt: a stack that forgets."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from itertools import combinations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading.content.drawing import normal, one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import COMMON, NOT_ARRIVED, ON_ITS_WAY, PEER, STACK, TRAPS
from grading.content.encoder.shared import NONE, Made, draw_lengths, real_tokens
from grading.exercise import Case, Exercise, Mistake, Part


def _repaired(made: Made = NONE) -> type[nn.Module]:
    """The module of the exercise; its five bugs are five of the mistakes to order."""

    class RepairedEncoder(nn.Module):
        def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
            super().__init__()
            activation = "relu" if "relu" in made else F.gelu
            if "tanh_form" in made:
                activation = nn.GELU(approximate="tanh")
            arrangement = pre_norm and "always_post" not in made
            if "arrangements_exchanged" in made:
                arrangement = not pre_norm
            if "always_pre" in made:
                arrangement = True
            eps = 1e-12 if "eps_of_bert" in made else 1e-5

            def layer():
                return nn.TransformerEncoderLayer(
                    hidden_size, num_heads, width, 0.1, activation, eps, batch_first=True,
                    norm_first=arrangement,
                )  # fmt: skip

            one = layer()
            self.layers = nn.ModuleList(
                one if "shared" in made else layer() for _ in range(num_layers)
            )
            self.pre_norm = pre_norm
            self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
            if made & {"eps_of_bert", "final_eps_of_bert"} and pre_norm:
                self.final_norm.eps = 1e-12

        def forward(self, x, attention_mask=None):
            if "alive" in made:
                self.train()
            mask = None
            if attention_mask is not None and "mask_ignored" not in made:
                mask = attention_mask == (1 if "inverted" in made else 0)
                if "added" in made:
                    mask = attention_mask.float()
                if "padding_added" in made:
                    mask = 1.0 - attention_mask
                if "all_hidden" in made:
                    mask = torch.ones_like(mask)
                if "whole_numbers" in made:
                    mask = 1 - attention_mask
            pairs = None
            if mask is not None and "query_axis" in made:
                heads = self.layers[0].self_attn.num_heads
                pairs = mask[:, :, None].expand(-1, -1, x.size(1)).repeat_interleave(heads, dim=0)
                mask = None
            if "square_mask" in made:
                pairs, mask = mask, None
            if "final_norm_first" in made:
                x = self.final_norm(x)
            if "pads_zero_once" in made and mask is not None:
                x, mask = x.masked_fill(mask[..., None], 0.0), None
            states, later = [x], mask
            if "last_only" in made:
                mask = None
            layers = list(self.layers)
            for layer in layers[::-1] if "reversed" in made else layers:
                if "last_only" in made and layer is layers[-1]:
                    mask = later
                new = layer(x, src_mask=pairs, src_key_padding_mask=mask)
                if "added_again" in made:
                    new = x + new
                if made & {"norm_each", "norm_each_and_again"}:
                    new = self.final_norm(new)
                if "not_chained" not in made:
                    x = new
                states.append(new)
                if "first_only" in made:
                    mask = pairs = None
            output = states[-2 if "one_short" in made else -1]
            if made & {"no_final_norm", "norm_each", "final_norm_first"}:
                return output
            return self.final_norm(output)

    return RepairedEncoder


_RepairedEncoder = _repaired()


def _stack_cases(generator: torch.Generator) -> list[Case]:
    def draw(layers, pre_norm, batch=3, tokens=5, padded=True, small=False):
        heads, size = one_of(generator, (2, 3), (3, 2), (2, 4))
        hidden = heads * size
        width = hidden + 5
        state = {}

        def add(name, *shape, size, middle=0.0):
            state[name] = middle + normal(generator, *shape, size=size)

        def add_norm(name):
            add(f"{name}.weight", hidden, size=0.3, middle=1.2)
            add(f"{name}.bias", hidden, size=0.5)

        for i in range(layers):
            start = f"layers.{i}"
            scale = 1.1 / math.sqrt(hidden)
            add(f"{start}.self_attn.in_proj_weight", 3 * hidden, hidden, size=1.3 * scale)
            add(f"{start}.self_attn.in_proj_bias", 3 * hidden, size=0.4)
            add(f"{start}.self_attn.out_proj.weight", hidden, hidden, size=scale)
            add(f"{start}.self_attn.out_proj.bias", hidden, size=0.4)
            add(f"{start}.linear1.weight", width, hidden, size=scale)
            add(f"{start}.linear1.bias", width, size=0.4)
            add(f"{start}.linear2.weight", hidden, width, size=scale)
            add(f"{start}.linear2.bias", hidden, size=0.4)
            add_norm(f"{start}.norm1")
            add_norm(f"{start}.norm2")
        if pre_norm:
            add_norm("final_norm")
        x = normal(generator, batch, tokens, hidden, size=1.5)
        if small:  # variances about as small as ε
            x = x / 500
            for name in state:
                if "out_proj" in name or "linear2" in name:
                    state[name] = state[name] / 500
        mask = None
        if padded:
            lengths = draw_lengths(generator, batch, tokens)
            mask = real_tokens(lengths, tokens, left=False).long()
        return [hidden, heads, width, layers, pre_norm], state, x, mask

    def case(title, part, drawn, harness=harnesses.at_real_tokens):
        names = ("init", "state", "x", "attention_mask")
        return Case(title, part, tuple(zip(names, drawn, strict=True)), harness=harness)

    whole = draw(2, False, batch=2, tokens=4)
    whole[-1][0] = 1  # a text without padding beside one with padding
    return [
        case("three layers, without a mask", "core", draw(3, False, batch=2, padded=False)),
        case("three layers, a padded batch", "core", draw(3, False)),
        case("one layer, a batch of one", "core", draw(1, False, batch=1, tokens=4)),
        case("very small numbers", "core", draw(1, False, batch=1, tokens=3, small=True)),
        case("one text without padding, one with", "core", whole),
        case(
            "other numbers in the rows of padding",
            "core",
            draw(2, False, tokens=6),
            harnesses.change_padding,
        ),
        case("pre-norm, without a mask", "pre", draw(3, True, batch=2, padded=False)),
        case("pre-norm, a padded batch", "pre", draw(2, True, tokens=4)),
        case("pre-norm, very small numbers", "pre", draw(1, True, batch=1, tokens=3, small=True)),
        case(
            "gradients", "trained", draw(2, True, batch=2, tokens=4), harnesses.gradients_of_stack
        ),
    ]


class _ByHand(nn.Module):
    """Every sublayer by hand; only the parameters are PyTorch's."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.Module()
            layer.self_attn = nn.MultiheadAttention(hidden_size, num_heads)
            layer.linear1 = nn.Linear(hidden_size, width)
            layer.linear2 = nn.Linear(width, hidden_size)
            layer.norm1, layer.norm2 = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)
            self.layers.append(layer)
        self.heads, self.pre_norm = num_heads, pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def attend(self, attention, x, mask):
        packed = F.linear(x, attention.in_proj_weight, attention.in_proj_bias)
        query, key, value = packed.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores + (1 - mask[:, None, None].to(scores.dtype)) * -1e9
        return attention.out_proj((scores.softmax(-1) @ value).transpose(1, 2).flatten(2))

    def forward(self, x, attention_mask=None):
        for layer in self.layers:
            if self.pre_norm:
                x = x + self.attend(layer.self_attn, layer.norm1(x), attention_mask)
                x = x + layer.linear2(F.gelu(layer.linear1(layer.norm2(x))))
            else:
                x = layer.norm1(x + self.attend(layer.self_attn, x, attention_mask))
                x = layer.norm2(x + layer.linear2(F.gelu(layer.linear1(x))))
        return self.final_norm(x) if self.pre_norm else x


class _CopiedLayers(nn.Module):
    """PyTorch's stack, from which the layers are taken; the mask as numbers to add."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            hidden_size, num_heads, width, activation=nn.GELU(), norm_first=pre_norm
        )  # time first
        self.layers = nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False).layers
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else None

    def forward(self, x, attention_mask=None):
        mask = None
        if attention_mask is not None:
            mask = torch.zeros(attention_mask.shape).masked_fill(attention_mask == 0, -math.inf)
        x = x.transpose(0, 1)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        x = x.transpose(0, 1)
        return x if self.final_norm is None else self.final_norm(x)


class _TextByText(_RepairedEncoder):
    """Each text alone, without its padding."""

    def forward(self, x, attention_mask=None):
        if attention_mask is None:
            return super().forward(x)
        output = torch.zeros_like(x)
        for b, real in enumerate(attention_mask.bool()):
            output[b, real] = super().forward(x[b : b + 1, real])[0]
        return output


class _OfPyTorch(nn.Module):
    """`nn.TransformerEncoder` itself does the loop and the final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            copy.deepcopy(
                nn.TransformerEncoderLayer(
                    hidden_size, num_heads, width, 0.0, "gelu", batch_first=True,
                    norm_first=pre_norm,
                )
            )
            for _ in range(num_layers)
        )  # fmt: skip
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else None

    def forward(self, x, attention_mask=None):
        stack = nn.TransformerEncoder(self.layers[0], 0, self.final_norm, False)
        stack.layers, stack.num_layers = self.layers, len(self.layers)
        stack.train(self.training)
        padding = None if attention_mask is None else attention_mask.logical_not()
        return stack(x, src_key_padding_mask=padding)


def _stack_like(forward: Callable | None = None, build: Callable | None = None) -> type:
    """The right parameters, or those of ``build``, with another ``forward(module, x, mask)``."""

    class RepairedEncoder(_RepairedEncoder):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            if build is not None:
                build(self, *sizes)

        def forward(self, x, attention_mask=None):
            if forward is None:
                return super().forward(x, attention_mask)
            return forward(self, x, attention_mask)

    return RepairedEncoder


def _right_stack(module: nn.Module, x: Tensor, mask: Tensor | None) -> Tensor:
    return _RepairedEncoder.forward(module, x, mask)


def _returns_states(module, x, mask):
    return _right_stack(module, x, mask), x


def _returns_list(module, x, mask):
    return [x, _right_stack(module, x, mask)]


def _first_layer_alone(module, x, mask):
    padding = None if mask is None else mask == 0
    return module.final_norm(module.layers[0](x, src_key_padding_mask=padding))


def _runs_in_place(module, x, mask):
    output = _right_stack(module, x, mask)
    with torch.no_grad():
        x.copy_(output)
    return output


def _pads_set_to_zero(module, x, mask):
    """Zero the rows of padding in front of each layer, and let them be looked at."""
    for layer in module.layers:
        x = layer(x if mask is None else x * mask[..., None])
    return module.final_norm(x)


def _mask_needed(module, x, mask):
    return _right_stack(module, x, mask.bool())


def _first_mask(module, x, mask):
    return _right_stack(module, x, None if mask is None else mask[:1].expand_as(mask))


def _sublayers(forward: Callable) -> Callable:
    """A stack whose layers compute ``forward(layer, x, padding)``."""

    def run(module, x, mask):
        padding = None if mask is None else mask == 0
        for layer in module.layers:
            x = forward(layer, x, padding)
        return module.final_norm(x)

    return run


def _no_residual(layer, x, padding):
    if layer.norm_first:
        x = x + layer._sa_block(layer.norm1(x), None, padding)
        return layer._ff_block(layer.norm2(x))
    x = layer.norm1(x + layer._sa_block(x, None, padding))
    return layer.norm2(layer._ff_block(x))


def _list_of_layers(module, *sizes):
    layers = list(module.layers)
    del module.layers
    module.layers = layers


def _always_final_norm(module, hidden_size, *rest):
    module.final_norm = nn.LayerNorm(hidden_size)


def _named_norm(module, *sizes):
    if module.pre_norm:
        module.norm = module.final_norm
        del module.final_norm


def _no_norm_at_all(module, *sizes):
    module.final_norm = nn.Identity()


def _default_width(module, hidden_size, num_heads, width, num_layers, pre_norm):
    module.layers = nn.ModuleList(
        nn.TransformerEncoderLayer(hidden_size, num_heads, batch_first=True)
        for _ in range(num_layers)
    )


def _one_layer_less(module, *sizes):
    module.layers = module.layers[:-1]


def _time_first(module, *sizes):
    for layer in module.layers:
        layer.self_attn.batch_first = False


_BUGS = {
    "relu": "the activation is ReLU, the default of `nn.TransformerEncoderLayer`",
    "inverted": "`src_key_padding_mask` is True where a key is *hidden*, and real tokens are "
    "passed as True",
    "not_chained": "every layer is given the input of the stack",
    "one_short": "`hidden_states[-2]` is what went *into* the last layer",
    "no_final_norm": "with pre-norm, the final norm is made and never called",
}


def _several_left() -> list[Mistake]:
    """Three or more of the bugs still there; the engine itself makes pairs of them."""
    words = {3: "Three bugs are still there", 4: "Four bugs are still there"}
    words[5] = "Nothing is repaired: all five bugs are still there"
    mistakes = []
    for count, beginning in words.items():
        for left in combinations(_BUGS, count):
            reasons = "; ".join(_BUGS[bug] for bug in left)
            made = _repaired(frozenset(left))
            mistakes.append(Mistake("_and_".join(left), f"{beginning}: {reasons}.", made))
    return mistakes


EXERCISE = Exercise(
    id="RepairedEncoder",
    title="Bug hunt: a stack that forgets",
    signature="class RepairedEncoder(hidden_size, num_heads, width, num_layers, pre_norm)",
    reference=_RepairedEncoder,
    cases=_stack_cases,
    parts=(
        Part("core", "the post-norm stack, with a mask and without", 2),
        Part("pre", "the pre-norm stack", 1),
        Part("trained", "gradients for every parameter", 1),
    ),
    minutes=15,
    difficulty=2,
    section=STACK,
    variant=_repaired,
    alternatives={
        "by hand": _ByHand,
        "layers of PyTorch's stack, time first, mask to add": _CopiedLayers,
        "text by text, without padding": _TextByText,
        "run by PyTorch's stack": _OfPyTorch,
    },
    mistakes=(
        Mistake(
            "relu",
            "One bug is still there: the activation is ReLU, the default of "
            "`nn.TransformerEncoderLayer`; ask for the exact GELU.",
            section=TRAPS,
        ),
        Mistake(
            "inverted",
            "One bug is still there: `src_key_padding_mask` is True where a key is *hidden*, and "
            "real tokens are passed as True.",
            section=PEER,
        ),
        Mistake(
            "not_chained",
            "One bug is still there: every layer is given the input of the stack; each must be "
            "given what the one before it returned.",
            section=COMMON,
        ),
        Mistake(
            "one_short",
            "One bug is still there: `hidden_states[-2]` is what went *into* the last layer, so "
            "the last layer works for nothing.",
            section=COMMON,
        ),
        Mistake(
            "no_final_norm",
            "One bug is still there: with pre-norm, the final norm is made and never called.",
            points=2,
            section=PEER,
        ),
        *_several_left(),
        Mistake(
            "first_only",
            "Only the first layer gets the mask; in the others padding is looked at again.",
            section=NOT_ARRIVED,
        ),
        Mistake(
            "mask_ignored",
            "The mask is gone: padding is looked at like any token.",
            _repaired(frozenset({"mask_ignored"})),
            section=NOT_ARRIVED,
        ),
        Mistake(
            "query_axis",
            "The mask hides rows (the queries of padding) instead of columns (its keys).",
            _repaired(frozenset({"query_axis"})),
            section=NOT_ARRIVED,
        ),
        Mistake(
            "added",
            "The mask of ones and zeros is passed as floating point numbers, and so it is *added* "
            "to the scores and hides nothing.",
            _repaired(frozenset({"added"})),
            section=COMMON,
        ),
        Mistake(
            "padding_added",
            "The mask is 1.0 for padding, as floating point numbers, which are *added* to the "
            "scores: padding gets more weight, not none. Pass booleans.",
            _repaired(frozenset({"padding_added"})),
            section=COMMON,
        ),
        Mistake(
            "last_only",
            "Only the last layer gets the mask; in those before it padding is looked at.",
            _repaired(frozenset({"last_only"})),
            section=NOT_ARRIVED,
        ),
        Mistake(
            "all_hidden",
            "Every key is hidden. `~` of the whole numbers 0 and 1 gives −1 and −2, which are both "
            "True: make booleans first, or ask for `attention_mask == 0`.",
            _repaired(frozenset({"all_hidden"})),
            section=COMMON,
        ),
        Mistake(
            "whole_numbers",
            "The mask is passed as whole numbers, which PyTorch refuses. `src_key_padding_mask` is "
            "boolean, True where a key is hidden: `attention_mask == 0`.",
            _repaired(frozenset({"whole_numbers"})),
            section=COMMON,
        ),
        Mistake(
            "square_mask",
            "The mask was passed as `src_mask`, which is [queries, keys] and the same for all "
            "texts. Padding goes into `src_key_padding_mask`.",
            _repaired(frozenset({"square_mask"})),
            section=PEER,
        ),
        Mistake(
            "pads_zero_once",
            "The vectors of padding are set to zero before the first layer instead of being "
            "masked: a zero vector still has a score of its own, and does not stay zero.",
            _repaired(frozenset({"pads_zero_once"})),
            section=ON_ITS_WAY,
        ),
        Mistake(
            "always_pre",
            "`norm_first` is always true; it must be what `pre_norm` says.",
            _repaired(frozenset({"always_pre"})),
            section="“Step 2: one layer” in chapter 6",
        ),
        Mistake(
            "eps_of_bert",
            "The norms have another ε than PyTorch's default, 1e-5.",
            _repaired(frozenset({"eps_of_bert"})),
        ),
        Mistake(
            "final_eps_of_bert",
            "The final norm has another ε than PyTorch's default, 1e-5.",
            _repaired(frozenset({"final_eps_of_bert"})),
            points=3,
        ),
        Mistake(
            "shared",
            "All layers are one and the same object, so the weights of the last one serve all. "
            "Make a new layer for each place.",
            section=COMMON,
        ),
        Mistake(
            "tanh_form",
            "The activation is the tanh form of GELU; the exact one is asked for "
            '(`activation="gelu"`).',
            _repaired(frozenset({"tanh_form"})),
            section="“How sharp is this test?” in chapter 6",
        ),
        Mistake(
            "always_post",
            "`pre_norm` is not passed on: every layer is post-norm.",
            _repaired(frozenset({"always_post"})),
            points=2,
            section="“Step 2: one layer” in chapter 6",
        ),
        Mistake(
            "arrangements_exchanged",
            "Post-norm and pre-norm are exchanged: the layers take `norm_first=pre_norm`.",
            _repaired(frozenset({"arrangements_exchanged"})),
            section="“Step 2: one layer” in chapter 6",
        ),
        Mistake(
            "norm_each",
            "The final norm is called after every layer; it belongs behind the last one, once.",
            _repaired(frozenset({"norm_each"})),
            points=2,
            section=PEER,
        ),
        Mistake(
            "norm_each_and_again",
            "The final norm is called after every layer and once more at the end; it belongs "
            "behind the last layer, once.",
            _repaired(frozenset({"norm_each_and_again"})),
            points=2,
            section=PEER,
        ),
        Mistake(
            "final_norm_first",
            "The final norm is called on what goes into the stack; it belongs behind the last "
            "layer.",
            _repaired(frozenset({"final_norm_first"})),
            points=2,
            section=PEER,
        ),
        Mistake(
            "added_again",
            "The input of each layer is added to its result once more; the layers of PyTorch have "
            "their residual sums inside.",
            _repaired(frozenset({"added_again"})),
        ),
        Mistake(
            "reversed",
            "The layers run in the wrong order, the last one first.",
            _repaired(frozenset({"reversed"})),
        ),
        Mistake(
            "alive",
            "Dropout is alive although `eval()` was called: somewhere the module is switched back "
            "to training.",
            _repaired(frozenset({"alive"})),
            section=TRAPS,
        ),
        Mistake(
            "first_layer_alone",
            "Only the first layer runs (a `return` inside the loop?).",
            _stack_like(_first_layer_alone),
        ),
        Mistake(
            "first_mask",
            "Every text is masked like the first one.",
            _stack_like(_first_mask),
            section=ON_ITS_WAY,
        ),
        Mistake(
            "pads_set_to_zero",
            "The vectors of padding are set to zero instead of being masked: a zero vector still "
            "has a score of its own, and takes weight from the real tokens.",
            _stack_like(_pads_set_to_zero),
            section=ON_ITS_WAY,
        ),
        Mistake(
            "mask_needed",
            "It fails without a mask; `attention_mask` may be left out.",
            _stack_like(_mask_needed),
            any_error=True,
        ),
        Mistake(
            "no_residual",
            "The second residual sum is missing in the layers: the feed-forward part must be added "
            "to what it was given.",
            _stack_like(_sublayers(_no_residual)),
            section=TRAPS,
        ),
        Mistake(
            "returns_pair",
            "A pair was returned; return the last hidden states alone.",
            _stack_like(_returns_states),
        ),
        Mistake(
            "returns_list",
            "The list of all hidden states was returned; return the last one alone.",
            _stack_like(_returns_list),
        ),
        Mistake(
            "time_first",
            "`batch_first=True` is gone: tokens of different texts look at each other.",
            _stack_like(build=_time_first),
            section=TRAPS,
            any_error=True,
        ),
        Mistake(
            "layers_missing",
            "The layers are not among the module's parameters: a module does not see what is kept "
            "in a Python list. Use `nn.ModuleList`.",
            _stack_like(build=_list_of_layers),
            section=COMMON,
        ),
        Mistake(
            "one_layer_less",
            "One layer too few is made: there are `num_layers` of them.",
            _stack_like(build=_one_layer_less),
            section=COMMON,
        ),
        Mistake(
            "default_width",
            "The layers have the default width of 2048; pass `width` on.",
            _stack_like(build=_default_width),
            section=TRAPS,
        ),
        Mistake(
            "always_final_norm",
            "There is a final norm in the post-norm stack, too, where each layer ends with a norm "
            "already.",
            _stack_like(build=_always_final_norm),
        ),
        Mistake(
            "final_norm_missing",
            "There is no `final_norm` in the pre-norm stack: it was removed, where it should be "
            "called, or has another name than in the saved weights.",
            _stack_like(build=_no_norm_at_all),
            equivalent=(_stack_like(build=_named_norm),),
            points=2,
        ),
        Mistake(
            "no_gradient",
            "The output is right, but it is cut off from autograd (`detach`, `no_grad`), so "
            "nothing could be learned.",
            _stack_like(lambda module, x, mask: _right_stack(module, x, mask).detach()),
            points=3,
        ),
        Mistake(
            "changed_input",
            "The output is right, but the input was changed in place; the caller still needs it.",
            _stack_like(_runs_in_place),
        ),
    ),
)
