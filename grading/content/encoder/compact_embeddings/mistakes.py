"""The known mistakes of `compact_embeddings`."""

from __future__ import annotations

from grading.content.common import cut_off, kept
from grading.content.encoder.sections import LEFT, TRAPS, TYPES
from grading.exercise import Mistake
from grading.exercise.edits import Edits

_OF_POSITIONS, _OF_SEGMENTS = "self.position_embeddings", "self.token_type_embeddings"


def _frozen(table: str) -> Edits:
    last = "        self.pad_token_id = pad_token_id\n"
    return [(last, f"{last}        self.{table}.weight.requires_grad_(False)\n")]


def _normed(
    mean: str = "x.mean(-1, True)",
    variance: str = "x.var(-1, False, True)",
    eps: str = " + self.norm.eps",
    root: str = ".sqrt()",
    after: str = "",
) -> str:
    """Layer normalisation written out, in a way of its own."""
    own = f"(x - {mean}) / (({variance}{eps}){root}{after})"
    return f"{own} * self.norm.weight + self.norm.bias"


COMBINED = (
    "no_positions",
    "no_segments",
    "no_norm",
    "segment_one",
    "padding_counted",
    "no_offset",
    "from_pad",
    "not_each_by_itself",
)

MISTAKES = (
    Mistake(
        "no_positions",
        "The vectors of the positions are not added.",
        [(" + positions", "")],
    ),
    Mistake(
        "offset_beside_padding_only",
        "Where nothing is padded positions begin at 0; the first is `pad_token_id + 1`.",
        [
            (
                "        words = self.word",
                "            if bool(real.all()):\n"
                "                position_ids = count - 1\n"
                "        words = self.word",
            )
        ],
        points=3,
    ),
    Mistake(
        "no_segments",
        "The vectors of the segments are not added.",
        [(" + segments", "")],
        section=TYPES,
    ),
    Mistake(
        "no_norm",
        "The sum is not normalised.",
        [("self.norm(x)", "x")],
    ),
    Mistake(
        "no_bias",
        "The bias of the projection is left out.",
        [("self.projection(x)", "F.linear(x, self.projection.weight)")],
    ),
    Mistake(
        "scaled",
        "The word vectors are multiplied by the root of their size. The original Transformer "
        "does so, BERT and its relatives do not.",
        [
            (
                "self.word_embeddings(input_ids)",
                "self.word_embeddings(input_ids)\n        words = words * words.size(-1) ** 0.5",
            )
        ],
    ),
    Mistake(
        "positions_ignored",
        "`position_ids` that are given are not used: positions are always counted.",
        [("if position_ids is None:", "if True:")],
    ),
    Mistake(
        "first_row",
        "Every text gets the positions of the first one.",
        [
            (
                "self.position_embeddings(position_ids)",
                "self.position_embeddings(position_ids[:1])",
            )
        ],
    ),
    Mistake(
        "first_row_given",
        "Of `position_ids` that are given only the first row is used, for every text. Each "
        "text may have positions of its own.",
        [
            (
                "        if position_ids is None:\n",
                "        if position_ids is not None:\n"
                "            position_ids = position_ids[:1]\n"
                "        if position_ids is None:\n",
            )
        ],
    ),
    Mistake(
        "segment_0_not_trained",
        "The vector of segment 0 gets no gradient, as if `padding_idx=0` were given for the "
        "segments: it never learns. Segment 0 is no padding.",
        [
            (
                "nn.Embedding(type_vocab_size, embedding_size)",
                "nn.Embedding(type_vocab_size, embedding_size, padding_idx=0)",
            )
        ],
        points=3,
        section=TYPES,
    ),
    Mistake(
        "padding_idx_of_segments",
        "The table of segments was given `padding_idx=pad_token_id`. No segment is padding: "
        "the row of that number would never learn, and if the table is shorter, it fails.",
        [
            (
                "nn.Embedding(type_vocab_size, embedding_size)",
                "nn.Embedding(type_vocab_size, embedding_size, padding_idx=pad_token_id)",
            )
        ],
        any_error=True,
        section=TYPES,
    ),
    Mistake(
        "one_row_of_positions",
        "It fails where all texts share one row of positions, [1, tokens]: let it broadcast.",
        [
            (
                "self.position_embeddings(position_ids)",
                "self.position_embeddings(position_ids.view_as(input_ids))",
            )
        ],
        any_error=True,
    ),
    Mistake(
        "left_out_together",
        "Of segments and positions one is filled in only where the other is left out as well. "
        "Each may be left out by itself.",
        [
            (
                "        if token_type_ids is None:\n",
                "        given = token_type_ids is not None\n        if token_type_ids is None:\n",
            ),
            ("if position_ids is None:", "if position_ids is None and not given:"),
        ],
        other_forms=(
            [
                (
                    "if token_type_ids is None:",
                    "if token_type_ids is None and position_ids is None:",
                )
            ],
            [
                (
                    "        if token_type_ids is None:\n",
                    "        given = token_type_ids is not None\n"
                    "        if token_type_ids is None:\n",
                ),
                (
                    "        words =",
                    "            if given:\n"
                    "                position_ids = torch.arange(real.size(1))[None]\n"
                    "        words =",
                ),
            ],
        ),
        points=3,
        any_error=True,
    ),
    Mistake(
        "from_the_first_token",
        "The places are numbered from the first real token on, so padding between two tokens "
        "takes a position. Count the tokens alone, with a cumulative sum.",
        [
            (
                "real.cumsum(dim=1)",
                "torch.arange(1, real.size(1) + 1) - real.argmax(dim=1, keepdim=True)",
            )
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "counted_on",
        "Where positions are left out, the count goes on from one text of the batch to the "
        "next (a cumulative sum of everything); each text begins anew.",
        [("real.cumsum(dim=1)", "real.flatten().cumsum(dim=0).view_as(real)")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "segments_ignored",
        "`token_type_ids` that are given are not used: everything is in segment 0.",
        [("if token_type_ids is None:", "if True:")],
        section=TYPES,
    ),
    Mistake(
        "eps_ignored",
        "The argument `eps` does not reach the normalisation.",
        [("nn.LayerNorm(embedding_size, eps)", "nn.LayerNorm(embedding_size)")],
    ),
    Mistake(
        "not_each_by_itself",
        "Dropout takes whole vectors, or the same numbers of every text. It takes each number "
        "by itself (`nn.Dropout`).",
        [("nn.Dropout(dropout)", "nn.Dropout1d(dropout)")],
        other_forms=(
            [
                (
                    "self.dropout(self.norm(x))",
                    "self.norm(x) * self.dropout(torch.ones_like(x[:1]))",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "kept_not_divided",
        "The numbers that dropout keeps stay as they are in training mode. They are divided by "
        "1 − p, so that their sum is the same on average (`nn.Dropout`).",
        [
            (
                "        x = self.dropout(self.norm(x))\n",
                "        x = self.norm(x)\n"
                "        if self.training:\n"
                "            x = x * (torch.rand_like(x) >= self.dropout.p)\n",
            )
        ],
        points=3,
    ),
    Mistake(
        "dropout_of_one",
        "Dropout is right for most rates, and gives NaN with a rate of 1: what is left is "
        "divided by 1 − p, which is 0. There all is dropped, as `nn.Dropout` has it.",
        [
            ("self.dropout = nn.Dropout(dropout)", "self.rate = dropout"),
            (
                "x = self.dropout(self.norm(x))",
                "x = self.norm(x)\n"
                "        if self.training:\n"
                "            x = x * (torch.rand_like(x) >= self.rate) / (1 - self.rate)",
            ),
        ],
        points=3,
    ),
    Mistake(
        "alive",
        "Dropout is alive in evaluation mode: `F.dropout` needs `training=self.training`; "
        "`nn.Dropout` knows its mode.",
        [("self.dropout(self.norm(x))", "F.dropout(self.norm(x), self.dropout.p)")],
        points=3,
        section=TRAPS,
    ),
    Mistake(
        "no_segment_where_left_out",
        "Where `token_type_ids` are left out, no vector of a segment is added; everything is "
        "in segment 0 there, which has a vector like any other.",
        [
            (
                "            token_type_ids = torch.zeros_like(input_ids)\n",
                "            token_type_ids, left_out = torch.zeros_like(input_ids), True\n"
                "        else:\n"
                "            left_out = False\n",
            ),
            (
                "words + positions + segments",
                "words + positions + (0.0 if left_out else segments)",
            ),
        ],
        points=3,
    ),
    Mistake(
        "segment_one",
        "Where `token_type_ids` are left out, everything is in segment 1; it must be 0.",
        [("torch.zeros_like", "torch.ones_like")],
        points=3,
        section=TYPES,
    ),
    Mistake(
        "padding_counted",
        "Padding is counted: positions run on over it. Count real tokens only; padding itself "
        "has position `pad_token_id`.",
        [("(input_ids != self.pad_token_id).long()", "torch.ones_like(input_ids)")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "plain_count",
        "Positions are counted 0, 1, 2, … from the left, as BERT does. Here the first *real* "
        "token has position `pad_token_id` + 1, and padding has `pad_token_id`.",
        [
            (
                "count * real + self.pad_token_id",
                "torch.arange(input_ids.size(1)).expand_as(input_ids)",
            )
        ],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "padding_not_reset",
        "Padding behind a text has the position of its last token; it must have "
        "`pad_token_id`. Multiply the count by the mask before you add.",
        [("count * real", "count")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "no_offset",
        "Real tokens are counted from 1 and padding has 0: `pad_token_id` is not added.",
        [(" + self.pad_token_id", "")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "from_zero",
        "Real tokens are counted from 0 and padding is not told apart from them: the first "
        "real token has position `pad_token_id` + 1, padding has `pad_token_id`.",
        [("count * real + self.pad_token_id", "(count * real - 1).clamp(min=0)")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "from_pad",
        "The first real token has position `pad_token_id`, which belongs to padding; it must "
        "be one more.",
        [("count * real", "(count * real - 1).clamp(min=0)")],
        points=3,
        section=LEFT,
    ),
    Mistake(
        "by_sentence",
        "Where positions are left out, each token gets the number of its *text* in the batch "
        "(the wrong axis is counted).",
        [
            ("(input_ids != self.pad_token_id).long()", "torch.ones_like(input_ids)"),
            ("cumsum(dim=1)", "cumsum(dim=0)"),
        ],
        points=3,
    ),
    Mistake(
        "by_column",
        "The cumulative sum runs along the batch (`cumsum(0)`); tokens are counted along axis 1.",
        [("cumsum(dim=1)", "cumsum(dim=0)")],
        points=3,
    ),
    Mistake(
        "padding_zeroed",
        "The vectors of padding are set to zero. Padding is embedded like any token; it is the "
        "mask's business that nobody looks at it.",
        [
            (
                "return self.projection(x)",
                "return self.projection(x) * (input_ids != self.pad_token_id)[..., None]",
            )
        ],
    ),
    Mistake(
        "right_padding_only",
        "Columns are counted, as if padding stood on the right: where it stands on the left, "
        "words get wrong positions. Count real tokens only.",
        [
            (
                "real.cumsum(dim=1)",
                "torch.arange(1, input_ids.size(1) + 1).expand_as(input_ids)",
            )
        ],
        other_forms=(
            [("self.pad_token_id).long()", "self.pad_token_id).long().sort(1, True).values")],
        ),
        points=3,
        section=LEFT,
    ),
    Mistake(
        "pad_zero",
        "Id 0 is taken for padding; the padding id is the argument `pad_token_id`.",
        [("input_ids != self.pad_token_id", "input_ids != 0")],
        points=3,
    ),
    Mistake(
        "pad_or_one",
        "A `pad_token_id` of 0 counts as none (`pad_token_id or 1`), and 1 is taken in its "
        "place. 0 is an id like any other.",
        [("self.pad_token_id = pad_token_id", "self.pad_token_id = pad_token_id or 1")],
        points=3,
    ),
    Mistake(
        "both_or_none",
        "If one of segments and positions is left out, both are made anew, and the one that "
        "was given is lost. Ask for each by itself.",
        [
            (
                "        if token_type_ids is None:\n",
                "        if token_type_ids is None or position_ids is None:\n"
                "            position_ids = None\n",
            )
        ],
        points=3,
    ),
    Mistake(
        "rate_or_default",
        "With a dropout of 0 something is dropped in training: 0 is a rate, and "
        "`dropout or 0.1` takes it for none.",
        [("nn.Dropout(dropout)", "nn.Dropout(dropout or 0.1)")],
        points=3,
    ),
    Mistake(
        "pad_one",
        "Id 1 is taken for padding, as RoBERTa has it; here the padding id is the argument "
        "`pad_token_id`.",
        [("input_ids != self.pad_token_id", "input_ids != 1")],
        other_forms=([("self.pad_token_id = pad_token_id", "self.pad_token_id = 1")],),
        points=3,
    ),
    Mistake(
        "offset_one",
        "What is added to the counted positions is a fixed 1, which is RoBERTa's padding id; "
        "here it is the argument `pad_token_id`.",
        [("real + self.pad_token_id", "real + 1")],
        points=3,
    ),
    Mistake(
        "needs_segments",
        "It fails where `token_type_ids` are left out (`None`); then everything is in segment 0.",
        [
            (
                "        if token_type_ids is None:\n"
                "            token_type_ids = torch.zeros_like(input_ids)\n",
                "",
            )
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "needs_positions",
        "It fails where `position_ids` are left out (`None`); then they are counted from the ids.",
        [
            (
                "        if position_ids is None:\n"
                "            real = (input_ids != self.pad_token_id).long()\n"
                "            count = real.cumsum(dim=1)\n"
                "            position_ids = count * real + self.pad_token_id\n",
                "",
            )
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "not_dropped",
        "Nothing is dropped in training mode.",
        [("self.dropout(self.norm(x))", "self.norm(x)")],
        points=3,
        section=TRAPS,
    ),
    Mistake(
        "dropped_late",
        "Dropout falls on the projected vectors; it belongs between normalisation and projection.",
        [
            ("self.dropout(self.norm(x))", "self.norm(x)"),
            ("self.projection(x)", "self.dropout(self.projection(x))"),
        ],
        points=3,
    ),
    Mistake(
        "dropped_early",
        "Dropout falls on the sum, or on the words, before the normalisation; it belongs "
        "behind it.",
        [("self.dropout(self.norm(x))", "self.norm(self.dropout(x))")],
        other_forms=(
            [
                ("words + positions", "self.dropout(words) + positions"),
                ("self.dropout(self.norm(x))", "self.norm(x)"),
            ],
        ),
        points=3,
    ),
    Mistake(
        "above_pad",
        "Ids below `pad_token_id` are taken for padding (`>`); only the id itself is (`!=`).",
        [("input_ids != self", "input_ids > self")],
        points=3,
    ),
    Mistake(
        "padding_zero",
        "Padding has position 0; it must be `pad_token_id`. Add the id after the mask was "
        "multiplied.",
        [("count * real + self.pad_token_id", "(count + self.pad_token_id) * real")],
        points=3,
    ),
    Mistake(
        "one_too_high",
        "The first real token has position `pad_token_id` + 2; it must be one less.",
        [("count * real", "(count + 1) * real")],
        other_forms=([("real + self.pad_token_id", "real + self.pad_token_id + 1")],),
        points=3,
    ),
    Mistake(
        "rate_ignored",
        "The rate of dropout is fixed; use the argument `dropout`.",
        [("nn.Dropout(dropout)", "nn.Dropout(0.1)")],
        points=3,
    ),
    Mistake(
        "rate_of_the_kept",
        "`dropout` is taken for the share of the numbers that stay (`1 - dropout`). It is the "
        "share that is dropped, as `nn.Dropout` understands it.",
        [("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)")],
        points=3,
    ),
    Mistake(
        "offset_twice",
        "`pad_token_id` is added twice to the positions of real tokens: the first one has "
        "`pad_token_id` + 1.",
        [("count * real + self", "(count + self.pad_token_id) * real + self")],
        points=3,
    ),
    Mistake(
        "frozen",
        "A table is frozen: it is no parameter that learns. All three tables have gradients.",
        _frozen("position_embeddings"),
        other_forms=(_frozen("word_embeddings"), _frozen("token_type_embeddings")),
        points=3,
    ),
    Mistake(
        "tables_exchanged",
        "Words are looked up in the table of positions, and positions in the table of words.",
        [
            ("self.word_embeddings(input_ids)", "self.position_embeddings(input_ids)"),
            ("self.position_embeddings(position_ids)", "self.word_embeddings(position_ids)"),
        ],
        any_error=True,
    ),
    Mistake(
        "positions_and_segments_exchanged",
        "Positions are looked up in the table of segments, and segments in the table of positions.",
        [
            ("self.position_embeddings(position_ids)", _OF_POSITIONS + "(token_type_ids)"),
            ("self.token_type_embeddings(token_type_ids)", _OF_SEGMENTS + "(position_ids)"),
        ],
        other_forms=(
            [
                ("self.position_embeddings(position_ids)", _OF_POSITIONS + "(token_type_ids)"),
                (
                    "self.token_type_embeddings(token_type_ids)",
                    f"{_OF_SEGMENTS}(position_ids % {_OF_SEGMENTS}.num_embeddings)",
                ),
            ],
        ),
    ),
    Mistake(
        "projection_first",
        "The sum is projected before it is normalised; the projection comes last.",
        [
            ("self.dropout(self.norm(x))", "self.projection(x)"),
            ("return self.projection(x)", "return self.dropout(self.norm(x))"),
        ],
        other_forms=(
            [
                ("self.dropout(self.norm(x))", "self.projection(x)"),
                (
                    "return self.projection(x)",
                    "return self.dropout(F.layer_norm(x, x.shape[-1:], eps=self.norm.eps))",
                ),
            ],
        ),
    ),
    Mistake(
        "norm_twice",
        "The sum is normalised twice; once is enough, and twice is not the same, because of "
        "the gain and the bias.",
        [("self.norm(x)", "self.norm(self.norm(x))")],
    ),
    Mistake(
        "norm_of_text",
        "Mean and variance are those of a whole text, over tokens and numbers; each token is "
        "normalised by itself.",
        [("self.norm(x)", _normed("x.mean((1, 2), True)", "x.var((1, 2), False, True)"))],
    ),
    Mistake(
        "divided_by_variance",
        "The sum is divided by its variance; layer normalisation divides by the root of it.",
        [("self.norm(x)", _normed(root=""))],
    ),
    Mistake(
        "eps_outside",
        "ε is added to the standard deviation, outside the root; it belongs to the variance, "
        "inside it.",
        [("self.norm(x)", _normed(eps="", after=" + self.norm.eps"))],
    ),
    kept(
        [
            ("    def __init__", "    kept = {}\n\n    def __init__"),
            (
                "        x = self.dropout(",
                "        x = self.kept.setdefault(tuple(input_ids.shape), x)\n"
                "        x = self.dropout(",
            ),
        ],
    ),
    Mistake(
        "norm_each",
        "Words, positions and segments are normalised one by one; normalise their sum, once.",
        [
            (
                "words + positions + segments",
                "self.norm(words) + self.norm(positions) + self.norm(segments)",
            ),
            ("self.norm(x)", "x"),
        ],
    ),
    Mistake(
        "norm_words",
        "Only the word vectors are normalised; normalise the sum of all three.",
        [("x = words", "x = self.norm(words)"), ("self.norm(x)", "x")],
    ),
    Mistake(
        "averaged",
        "The three vectors are averaged; add them. (The normalisation hides the factor 3, but "
        "for `eps`.)",
        [("words + positions + segments", "(words + positions + segments) / 3")],
    ),
    Mistake(
        "unbiased",
        "The variance is the unbiased one, divided by one less than the size "
        "(`x.var(-1)`); layer normalisation divides by the size.",
        [
            (
                "        x = self.dropout(self.norm(x))",
                "        deviation = (x.var(dim=-1, keepdim=True) + self.norm.eps).sqrt()\n"
                "        x = (x - x.mean(dim=-1, keepdim=True)) / deviation\n"
                "        x = self.dropout(x * self.norm.weight + self.norm.bias)",
            )
        ],
    ),
    Mistake(
        "rms",
        "The mean is not subtracted: that is RMSNorm. Layer normalisation is asked for.",
        [
            (
                "        x = self.dropout(self.norm(x))",
                "        x = F.rms_norm(x, x.shape[-1:], self.norm.weight, self.norm.eps)\n"
                "        x = self.dropout(x + self.norm.bias)",
            )
        ],
    ),
    Mistake(
        "activated",
        "An activation was applied to the result; the projection is a plain linear map.",
        [("self.projection(x)", "F.gelu(self.projection(x))")],
    ),
    cut_off(
        [("self.projection(x)", "self.projection(x).detach()")],
        equivalent=([("self.dropout(self.norm(x))", "self.dropout(self.norm(x)).detach()")],),
        points=3,
    ),
    Mistake(
        "wide_norm",
        "The normalisation has `hidden_size` numbers; it stands before the projection and has "
        "`embedding_size`.",
        [("nn.LayerNorm(embedding_size", "nn.LayerNorm(hidden_size")],
    ),
    Mistake(
        "wide_tables",
        "The tables have `hidden_size` columns; the point of this block is that they have only "
        "`embedding_size`, and a projection follows.",
        [
            (
                "nn.Embedding(vocab_size, embedding_size)",
                "nn.Embedding(vocab_size, hidden_size)",
            ),
            (
                "nn.Embedding(max_positions, embedding_size)",
                "nn.Embedding(max_positions, hidden_size)",
            ),
            (
                "nn.Embedding(type_vocab_size, embedding_size)",
                "nn.Embedding(type_vocab_size, hidden_size)",
            ),
            ("nn.LayerNorm(embedding_size", "nn.LayerNorm(hidden_size"),
        ],
    ),
    Mistake(
        "parameter_table",
        "The table of positions has another name or is no module: `position_embeddings.weight` "
        "is asked for, as `nn.Embedding` calls it.",
        [
            (
                "self.position_embeddings = nn.Embedding(max_positions, embedding_size)",
                "self.positions = nn.Parameter(torch.randn(max_positions, embedding_size))",
            ),
            ("self.position_embeddings(position_ids)", "self.positions[position_ids]"),
        ],
    ),
    Mistake(
        "no_tables",
        "The three tables are not found: they are kept in a Python list, or have other names.",
        [
            (
                "self.word_embeddings = nn.Embedding(vocab_size, embedding_size)",
                "rows = (vocab_size, max_positions, type_vocab_size)",
            ),
            (
                "self.position_embeddings = nn.Embedding(max_positions, embedding_size)",
                "self.tables = [nn.Embedding(n, embedding_size) for n in rows]",
            ),
            (
                "self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)\n"
                "        self.norm",
                "self.norm",
            ),
            ("self.word_embeddings(input_ids)", "self.tables[0](input_ids)"),
            ("self.position_embeddings(position_ids)", "self.tables[1](position_ids)"),
            ("self.token_type_embeddings(token_type_ids)", "self.tables[2](token_type_ids)"),
        ],
    ),
    Mistake(
        "no_projection",
        "There is no `projection`, an `nn.Linear` from `embedding_size` to `hidden_size`.",
        [
            ("        self.projection = nn.Linear(embedding_size, hidden_size)\n", ""),
            ("self.projection(x)", "x"),
        ],
    ),
    Mistake(
        "bare_projection",
        "The projection was made without a bias.",
        [
            (
                "nn.Linear(embedding_size, hidden_size)",
                "nn.Linear(embedding_size, hidden_size, bias=False)",
            )
        ],
    ),
    Mistake(
        "changed_ids",
        "The numbers are right, but ids that were given are changed in place; the caller still "
        "needs them.",
        [
            (
                "        return self.projection(x)",
                "        token_type_ids.zero_()\n"
                "        position_ids.zero_()\n"
                "        return self.projection(x)",
            )
        ],
    ),
)
