"""The known mistakes of `cross_attention`."""

from __future__ import annotations

from grading.content.common import kept, zeros_hidden
from grading.content.multi_head.sections import COMMON, MASKS, ONE_HEAD, OUTPUT, PACKED
from grading.content.multi_head.shared import SOFTMAX_MISTAKES
from grading.exercise import Mistake

COMBINED = (
    "split_without_transpose",
    "merged_without_transpose",
    "inverted",
    "no_dropout",
    "nan_row",
    "no_scale",
    "scale_hidden",
    "softmax_over_queries",
    "mask_ignored",
    "no_output",
    "weights_averaged",
    "weights_not_returned",
    "self_attention",
    "dropout_always",
)

MISTAKES = (
    *SOFTMAX_MISTAKES,
    Mistake(
        "scale_hidden",
        "The scores are divided by √hidden_size; each product is a sum over the head_size "
        "numbers of one head, so divide by √head_size.",
        [("math.sqrt(query.size(-1))", "math.sqrt(hidden_states.size(-1))")],
        section=COMMON,
    ),
    kept(
        [
            ("    def __init__", "    kept = {}\n\n    def __init__"),
            (
                "        key = self.split(",
                "        sizes = (hidden_states.shape, source_states.shape)\n"
                "        source_states = self.kept.setdefault(sizes, source_states)\n"
                "        key = self.split(",
            ),
        ],
        other_forms=(
            [  # the last mask, where none is given
                ("    def __init__", "    kept = None\n\n    def __init__"),
                (
                    "        query = self.split(",
                    "        if source_mask is None:\n"
                    "            source_mask = self.kept\n"
                    "        self.kept = source_mask\n"
                    "        query = self.split(",
                ),
            ],
        ),
    ),
    Mistake(
        "scale_source",
        "The scale comes from source_size, the length of the source's vectors (or that divided "
        "by the heads); each product is a sum over the head_size numbers of one head, so "
        "divide by √head_size.",
        [("math.sqrt(query.size(-1))", "math.sqrt(source_states.size(-1))")],
        other_forms=(
            [
                (
                    "math.sqrt(query.size(-1))",
                    "math.sqrt(source_states.size(-1) / self.num_attention_heads)",
                )
            ],
        ),
        section=COMMON,
    ),
    Mistake(
        "self_attention",
        "Keys and values come from hidden_states: this is self-attention. They must come from "
        "source_states.",
        [
            ("self.key(source_states)", "self.key(hidden_states)"),
            ("self.value(source_states)", "self.value(hidden_states)"),
        ],
    ),
    Mistake(
        "mixed",
        "The keys come from the source, but the values from hidden_states; what is looked at "
        "and what is fetched must be the same tokens.",
        [("self.value(source_states)", "self.value(hidden_states)")],
    ),
    Mistake(
        "residual",
        "The target is added to the result. That is a residual connection, which a later "
        "chapter puts around attention; here only what attention brings is asked for.",
        [("return self.output(context),", "return hidden_states + self.output(context),")],
        section=OUTPUT,
    ),
    Mistake(
        "source_asks",
        "Queries come from the source and keys and values from hidden_states; it is the other "
        "way round: the tokens of the target ask, those of the source answer.",
        [
            ("self.query(hidden_states)", "self.query(source_states)"),
            ("self.key(source_states)", "self.key(hidden_states)"),
            ("self.value(source_states)", "self.value(hidden_states)"),
        ],
        any_error=True,
    ),
    Mistake(
        "source_alone",
        "Queries come from the source, too: that is self-attention of the source. They must "
        "come from hidden_states.",
        [("self.query(hidden_states)", "self.query(source_states)")],
        any_error=True,
    ),
    Mistake(
        "values_through_key",
        "The values pass through the layer of the keys; they have one of their own, `self.value`.",
        [("self.value(source_states)", "self.key(source_states)")],
    ),
    Mistake(
        "keys_through_value",
        "The keys pass through the layer of the values; they have one of their own, `self.key`.",
        [("self.key(source_states)", "self.value(source_states)")],
    ),
    Mistake(
        "layers_exchanged",
        "The layers of key and value are exchanged: the keys pass through `self.value` and the "
        "values through `self.key`.",
        [
            ("self.key(source_states)", "self.value(source_states)"),
            ("self.value(source_states)", "self.key(source_states)"),
        ],
    ),
    Mistake(
        "roles_exchanged",
        "Query and key are exchanged in the product: row i of the scores belongs to query i, "
        "so it is query · keyᵀ.",
        [("query @ key.transpose(-2, -1)", "key @ query.transpose(-2, -1)")],
        other_forms=(
            [
                ("query @ key.transpose(-2, -1)", "key @ query.transpose(-2, -1)"),
                ("flatten(2)", "reshape(hidden_states.shape)"),
            ],
        ),
        any_error=True,
    ),
    Mistake(
        "tokens_of_target",
        "It fails unless the source has as many tokens as the target: the number of tokens is "
        "taken from hidden_states for keys and values as well. Read it from each tensor.",
        [("self.key(source_states)", "self.key(source_states).view(hidden_states.shape)")],
        other_forms=(
            [
                (
                    f"self.split(self.{name}(source_states))",
                    f"self.{name}(source_states).view(*hidden_states.shape[:2], "
                    "self.num_attention_heads, -1).transpose(1, 2)",
                )
                for name in ("key", "value")
            ],
        ),
    ),
    Mistake(
        "split_without_transpose",
        "The heads are cut with `view` or `reshape` straight to [batch, heads, tokens, "
        "head_size]: a head gets pieces of different tokens. Cut to [batch, tokens, heads, "
        "head_size] first, then `transpose(1, 2)`.",
        [
            (
                "states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)",
                "states.reshape(len(states), self.num_attention_heads, states.size(1), -1)",
            )
        ],
        section=PACKED,
    ),
    Mistake(
        "merged_without_transpose",
        "The heads are put together with `reshape` straight from [batch, heads, tokens, "
        "head_size], which mixes tokens. Exchange heads and tokens back first.",
        [("context.transpose(1, 2).flatten(2)", "context.reshape(hidden_states.shape)")],
        section=PACKED,
    ),
    Mistake(
        "interleaved",
        "Heads are cut as [head_size, heads], so head 0 gets numbers 0, heads, 2·heads … The "
        "numbers of a head lie next to each other: cut as [heads, head_size].",
        [
            (
                "states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)",
                "states.unflatten(-1, (-1, self.num_attention_heads)).permute(0, 3, 1, 2)",
            ),
            ("context.transpose(1, 2).flatten(2)", "context.permute(0, 2, 3, 1).flatten(2)"),
        ],
        section=COMMON,
    ),
    Mistake(
        "split_interleaved",
        "The heads are put together rightly but cut as [head_size, heads], so head 0 gets "
        "numbers 0, heads, 2·heads … The numbers of a head lie next to each other.",
        [
            (
                "states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)",
                "states.unflatten(-1, (-1, self.num_attention_heads)).permute(0, 3, 1, 2)",
            )
        ],
        section=COMMON,
    ),
    Mistake(
        "no_output",
        "The heads are put together, but the output projection is not applied.",
        [("return self.output(context)", "return context")],
        section=OUTPUT,
    ),
    Mistake(
        "mask_ignored",
        "The mask of the source has no effect: padding gets weight as any token.",
        [
            ("scores.masked_fill(~keep & ~empty, -math.inf)", "scores"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=MASKS,
    ),
    Mistake(
        "inverted",
        "The mask is used the wrong way round: in `source_mask` True is a token.",
        [("keep = source_mask", "keep = ~source_mask")],
        section=MASKS,
    ),
    Mistake(
        "mask_at_targets",
        "The mask is laid over the target, as [batch, 1, source, 1]; it belongs to the source, "
        "[batch, 1, 1, source].",
        [("[:, None, None, :]", "[:, None, :, None]")],
        section=MASKS,
    ),
    Mistake(
        "mask_at_targets_nan",
        "The mask is laid over the target, as [batch, 1, source, 1], and hides whole rows, "
        "which become NaN; it belongs to the source, [batch, 1, 1, source].",
        [
            ("[:, None, None, :]", "[:, None, :, None]"),
            ("~keep & ~empty", "~keep"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=MASKS,
    ),
    Mistake(
        "mask_at_heads",
        "A mask [batch, source] or [batch, 1, source] stands with its batch at the axis of the "
        "heads or of the target: beside scores of four axes it must be [batch, 1, 1, source].",
        [("[:, None, None, :]", "[:, None, :]")],
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "zero_score",
        "Hidden scores are 0 (filled with 0 or multiplied by the mask), and e⁰ = 1 is a full "
        "share for the softmax. Set them to minus infinity.",
        [
            ("~keep & ~empty, -math.inf", "~keep, 0.0"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        section=MASKS,
    ),
    Mistake(
        "zeroed_after_softmax",
        "Hidden weights are set to 0 after the softmax, so the rows sum to less than 1. Mask "
        "the scores, before the softmax.",
        [
            ("scores.masked_fill(~keep & ~empty, -math.inf)", "scores"),
            ("weights.masked_fill(empty, 0.0)", "weights * keep"),
        ],
        section=MASKS,
    ),
    Mistake(
        "crash_without_mask",
        "It fails when no mask is given: test `source_mask is not None` before using it.",
        [
            (
                "        if source_mask is not None:\n"
                "            keep = source_mask[:, None, None, :]\n",
                "        keep = source_mask[:, None, None, :]\n"
                "        if source_mask is not None:\n",
            ),
        ],
        any_error=True,
        section=MASKS,
    ),
    Mistake(
        "dropout_always",
        "Dropout is alive in evaluation mode: `F.dropout` drops unless it is told "
        "`training=self.training`; `nn.Dropout` knows by itself.",
        [("self.dropout(weights)", "F.dropout(weights, self.dropout.p)")],
        points=4,
    ),
    Mistake(
        "dropout_of_one",
        "Dropout is right for most rates, and gives NaN with a rate of 1: what is left is "
        "divided by 1 − p, which is 0. There all weights are zero, as `nn.Dropout` has it.",
        [
            ("self.dropout = nn.Dropout(dropout)", "self.rate = dropout"),
            (
                "self.dropout(weights)",
                "(weights * (torch.rand_like(weights) >= self.rate) / (1 - self.rate)"
                " if self.training else weights)",
            ),
        ],
        points=4,
    ),
    Mistake(
        "output_first",
        "The two results are exchanged: return the output first, then the weights.",
        [("self.output(context), weights", "weights, self.output(context)")],
    ),
    Mistake(
        "keys_of_hidden_size",
        "The layers of key and value take vectors of hidden_size; they read the source, whose "
        "vectors have source_size numbers: `nn.Linear(source_size, hidden_size)`.",
        [
            ("self.key = nn.Linear(source_size,", "self.key = nn.Linear(hidden_size,"),
            ("self.value = nn.Linear(source_size,", "self.value = nn.Linear(hidden_size,"),
        ],
    ),
    Mistake(
        "no_biases",
        "The projections have no biases (`bias=False`), but the weights that are loaded have.",
        [
            (
                "self.query = nn.Linear(hidden_size, hidden_size)",
                "self.query = nn.Linear(hidden_size, hidden_size, bias=False)",
            ),
            (
                "self.key = nn.Linear(source_size, hidden_size)",
                "self.key = nn.Linear(source_size, hidden_size, bias=False)",
            ),
            (
                "self.value = nn.Linear(source_size, hidden_size)",
                "self.value = nn.Linear(source_size, hidden_size, bias=False)",
            ),
        ],
        section=ONE_HEAD,
    ),
    Mistake(
        "no_output_layer",
        "There is no `self.output`, the projection that mixes what the heads bring.",
        [
            ("        self.output = nn.Linear(hidden_size, hidden_size)\n", ""),
            ("self.output(context)", "context"),
        ],
        section=OUTPUT,
    ),
    Mistake(
        "weights_not_returned",
        "Only the output is returned; the exercise asks for the attention weights, too.",
        [("self.output(context), weights", "self.output(context)")],
        points=4,
    ),
    Mistake(
        "weights_none",
        "None is returned in place of the attention weights.",
        [("self.output(context), weights", "self.output(context), None")],
        points=4,
    ),
    Mistake(
        "weights_are_scores",
        "The output is right, but the scores are returned as weights; return what comes out of "
        "the softmax.",
        [
            (
                "        if source_mask is not None:\n            keep",
                "        raw = scores\n        if source_mask is not None:\n            keep",
            ),
            ("self.output(context), weights", "self.output(context), raw"),
        ],
        points=4,
    ),
    Mistake(
        "weights_masked_scores",
        "The output is right, but the scores with −∞ for padding are returned as weights; "
        "return what comes out of the softmax.",
        [("self.output(context), weights", "self.output(context), scores")],
        points=4,
    ),
    Mistake(
        "weights_averaged",
        "The output is right, but the weights are averaged over the heads, as "
        "`nn.MultiheadAttention` does unless told otherwise, or added up. Return them for "
        "every head.",
        [("self.output(context), weights", "self.output(context), weights.mean(dim=1)")],
        other_forms=(
            [("self.output(context), weights", "self.output(context), weights.sum(dim=1)")],
        ),
        points=4,
    ),
    Mistake(
        "weights_of_first_head",
        "The output is right, but the weights that are returned are those of the first head "
        "for all heads; each has weights of its own.",
        [
            (
                "self.output(context), weights",
                "self.output(context), weights[:, [0] * query.size(1)]",
            )
        ],
        points=4,
    ),
    Mistake(
        "weights_transposed",
        "The output is right, but the last two axes of the weights are exchanged: queries "
        "(target) come before keys (source).",
        [("self.output(context), weights", "self.output(context), weights.transpose(-2, -1)")],
        points=4,
    ),
    Mistake(
        "weights_heads_after_target",
        "The output is right, but the weights are returned as [batch, target, heads, source]: "
        "the heads come before the tokens.",
        [("self.output(context), weights", "self.output(context), weights.transpose(1, 2)")],
        points=4,
    ),
    Mistake(
        "weights_after_dropout",
        "The weights are returned after dropout; return them as they were before.",
        [
            (
                "context = self.dropout(weights) @ value",
                "weights = self.dropout(weights)\n        context = weights @ value",
            )
        ],
        points=4,
    ),
    Mistake(
        "default_rate",
        "Where no rate of dropout is given, or 0, something is dropped in training: the "
        "default is 0, and 0 is a rate (`dropout or 0.1` takes it for none).",
        [("dropout=0.0)", "dropout=0.1)")],
        other_forms=([("nn.Dropout(dropout)", "nn.Dropout(dropout or 0.1)")],),
        points=4,
    ),
    Mistake(
        "no_dropout",
        "Dropout has no effect in training: the weights must be dropped before they meet the "
        "values.",
        [("self.dropout(weights)", "weights")],
        points=4,
    ),
    Mistake(
        "dropout_on_output",
        "Dropout is applied to the output and not to the attention weights: with dropout 1 the "
        "bias of the output must be left.",
        [
            ("self.dropout(weights)", "weights"),
            ("self.output(context), weights", "self.dropout(self.output(context)), weights"),
        ],
        points=4,
    ),
    Mistake(
        "dropout_on_context",
        "Dropout is applied to what the heads bring, number by number, and not to the "
        "attention weights: a weight that is dropped takes the whole vector of its token away.",
        [("self.dropout(weights) @ value", "self.dropout(weights @ value)")],
        points=4,
    ),
    Mistake(
        "dropout_together",
        "Weights are dropped together, a whole source token or a whole query at a time, or the "
        "same ones in all heads or sentences. Each weight is dropped by itself, as "
        "`nn.Dropout` does with a tensor of the weights' shape.",
        [("self.dropout(weights)", "weights * self.dropout(torch.ones_like(weights[:, :1]))")],
        points=4,
    ),
    Mistake(
        "padding_at_targets_too",
        "Where source and target have the same number of tokens, the target tokens at the "
        "places of padding look at nothing. The mask belongs to the source alone.",
        [
            (
                "        context = self.dropout(weights)",
                "        if source_mask is not None and weights.size(-2) == weights.size(-1):\n"
                "            weights = weights * source_mask[:, None, :, None]\n"
                "        context = self.dropout(weights)",
            )
        ],
        points=4,
        section=MASKS,
    ),
    zeros_hidden(
        [
            (
                "scores.masked_fill(~keep & ~empty, -math.inf)",
                "scores.masked_fill((scores * keep == 0) & ~empty, -math.inf)",
            )
        ],
        section=MASKS,
    ),
    Mistake(
        "dropout_on_scores",
        "Dropout is applied to the scores, before the softmax: a score of 0 is no weight of 0. "
        "Drop the weights.",
        [
            ("scores.softmax(dim=-1)", "self.dropout(scores).softmax(dim=-1)"),
            ("self.dropout(weights)", "weights"),
        ],
        other_forms=(
            [
                (
                    "self.dropout(weights)",
                    "(self.dropout(scores).softmax(dim=-1) * (weights > 0))",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "nan_row",
        "A source that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Every "
        "head must give zeros, so that the bias of the output is left.",
        [("~keep & ~empty", "~keep"), ("weights.masked_fill(empty, 0.0)", "weights")],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "nan_gradient",
        "The numbers are right, but where a source is all padding the gradient is NaN: a NaN "
        "that is replaced after the softmax (`nan_to_num`, `where`) still poisons the backward "
        "pass. Keep such rows from reaching the softmax as −∞.",
        [
            (
                "scores.masked_fill(~keep & ~empty, -math.inf)",
                "scores + torch.zeros(keep.shape).masked_fill(~keep, -math.inf)",
            ),
            ("weights.masked_fill(empty, 0.0)", "weights.nan_to_num(0.0)"),
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "finite_fill",
        "A source that is all padding gives the plain average of its values, because the fill "
        "is a finite number, the same for all. Every head must give zeros.",
        [
            ("~keep & ~empty, -math.inf", "~keep, -1e9"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "zeros_behind_output",
        "A source that is all padding gives an output of zeros; it is its heads that give "
        "zeros. They pass through `self.output`, so that its bias is left.",
        [
            (
                "return self.output(context), weights",
                "output = self.output(context)\n"
                "        if source_mask is not None:\n"
                "            output = output.masked_fill(empty[:, 0], 0.0)\n"
                "        return output, weights",
            )
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "weights_of_padding_left",
        "A source that is all padding brings zeros, but the weights that are returned for it "
        "are not zero: what is set to zero is what the heads bring, behind the weights.",
        [
            ("weights.masked_fill(empty, 0.0)", "weights"),
            (
                "self.dropout(weights) @ value",
                "self.dropout(weights) @ value\n"
                "        if source_mask is not None:\n"
                "            context = context.masked_fill(empty, 0.0)",
            ),
        ],
        other_forms=(
            [
                ("~keep & ~empty, -math.inf", "~keep, -1e9"),
                ("weights.masked_fill(empty, 0.0)", "weights"),
                (
                    "self.dropout(weights) @ value",
                    "self.dropout(weights) @ value\n"
                    "        if source_mask is not None:\n"
                    "            context = context.masked_fill(empty, 0.0)",
                ),
            ],
        ),
        points=4,
        section=MASKS,
    ),
    Mistake(
        "small_added",
        "A source that is all padding is looked at as if it were none: a finite number such as "
        "−1e4 is added to all scores of a row, and softmax ignores what is added to all. Every "
        "head must give zeros.",
        [
            ("scores.masked_fill(~keep & ~empty, -math.inf)", "scores + ~keep * -1e4"),
            ("weights.masked_fill(empty, 0.0)", "weights"),
        ],
        points=4,
        section=MASKS,
    ),
    Mistake(
        "frozen_keys",
        "The keys are computed without a gradient (`no_grad`, `detach`), so their layer cannot "
        "learn.",
        [("self.key(source_states)", "self.key(source_states).detach()")],
        points=4,
    ),
    Mistake(
        "detached",
        "The numbers are right, but no gradient goes through the attention: only the output's "
        "bias could learn.",
        [
            (
                "self.output(context)",
                "self.output.bias + (self.output(context) - self.output.bias).detach()",
            )
        ],
        points=4,
    ),
)
