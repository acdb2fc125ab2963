"""A smaller table, and positions that skip padding."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content.drawing import normal, one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import EMBEDDINGS, LEFT, TRAPS, TYPES
from grading.content.encoder.shared import NONE, Made, real_tokens
from grading.exercise import Case, Exercise, Mistake, Part


def _compact(made: Made = NONE) -> type[nn.Module]:
    class CompactEmbeddings(nn.Module):
        def __init__(
            self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size,
            pad_token_id, eps=1e-12, dropout=0.1,
        ):  # fmt: skip
            super().__init__()
            if "eps_ignored" in made:
                eps = 1e-5  # the default of nn.LayerNorm
            self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
            self.position_embeddings = nn.Embedding(max_positions, embedding_size)
            self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
            self.norm = nn.LayerNorm(embedding_size, eps)
            self.projection = nn.Linear(embedding_size, hidden_size)
            self.p = 0.1 if "rate_ignored" in made else dropout
            self.pad = pad_token_id

        def drop(self, x, place):
            where = "end" if "dropped_late" in made else "norm"
            where = "sum" if "dropped_early" in made else where
            if place != where or "not_dropped" in made:
                return x
            return F.dropout(x, self.p, self.training or "alive" in made)

        def count(self, input_ids):
            pad = 0 if "pad_zero" in made else 1 if "pad_one" in made else self.pad
            batch, tokens = input_ids.shape
            if "by_sentence" in made:
                return torch.arange(batch)[:, None].expand(batch, tokens) + self.pad + 1
            if "padding_counted" in made:
                return (torch.arange(tokens) + self.pad + 1).expand(batch, tokens)
            if "plain_count" in made:
                return torch.arange(tokens).expand(batch, tokens)
            real = (input_ids > pad if "above_pad" in made else input_ids != pad).long()
            counted = real.cumsum(dim=1)
            if "by_column" in made:
                counted = real.cumsum(dim=0)
            if "padding_not_reset" not in made:
                counted = counted * real
            if "from_zero" in made:
                return (counted - 1).clamp(min=0)
            if "padding_zero" in made:
                return (counted + self.pad) * real
            if "one_too_high" in made:
                return (counted + 1) * real + self.pad
            if "from_pad" in made:
                return (counted - 1).clamp(min=0) + self.pad
            return counted if "no_offset" in made else counted + self.pad

        def forward(self, input_ids, token_type_ids=None, position_ids=None):
            if token_type_ids is None or "segments_ignored" in made:
                token_type_ids = torch.full_like(input_ids, int("segment_one" in made))
            if position_ids is None or "positions_ignored" in made:
                position_ids = self.count(input_ids)
            if "first_row" in made:
                position_ids = position_ids[:1]
            x = self.word_embeddings(input_ids)
            if "scaled" in made:
                x = x * math.sqrt(x.size(-1))
            if "no_positions" not in made:
                x = x + self.position_embeddings(position_ids)
            if "no_segments" not in made:
                x = x + self.token_type_embeddings(token_type_ids)
            x = self.drop(x, "sum")
            if "no_norm" not in made:
                x = self.norm(x)
            x = self.drop(x, "norm")
            bias = None if "no_bias" in made else self.projection.bias
            return self.drop(F.linear(x, self.projection.weight, bias), "end")

    return CompactEmbeddings


_CompactEmbeddings = _compact()


def _embedding_cases(generator: torch.Generator) -> list[Case]:
    pad = one_of(generator, 2, 3)
    vocab, places, types = one_of(generator, 17, 19), one_of(generator, 14, 15), 3
    small, hidden = one_of(generator, 5, 6), one_of(generator, 8, 9)

    def state() -> dict[str, Tensor]:
        return {
            "word_embeddings.weight": normal(generator, vocab, small),
            "position_embeddings.weight": normal(generator, places, small),
            "token_type_embeddings.weight": normal(generator, types, small),
            "norm.weight": 1.5 + normal(generator, small, size=0.4),
            "norm.bias": normal(generator, small),
            "projection.weight": normal(generator, hidden, small, size=0.6),
            "projection.bias": normal(generator, hidden),
        }

    def words(batch: int, tokens: int, *lengths: int, left: bool = False) -> Tensor:
        ids = torch.randint(pad + 1, vocab, (batch, tokens), generator=generator)
        ids[-1, -1 if left else 0] = 0  # as good a word as any other
        ids[-1, -2 if left else tokens // 4] = 1
        if lengths:
            ids[~real_tokens(torch.tensor(lengths), tokens, left)] = pad
        return ids

    def drawn_places(batch: int, tokens: int) -> Tensor:
        return torch.stack(
            [torch.randperm(places, generator=generator)[:tokens] for _ in range(batch)]
        )

    def drawn_types(batch: int, tokens: int) -> Tensor:
        drawn = torch.randint(1, types, (batch, tokens), generator=generator)
        drawn[:, 0] = 0
        return drawn

    def case(title, part, *inputs, harness=check.run_module, eps=0.3, dropout=0.1):
        init = [vocab, small, hidden, places, types, pad, eps, dropout]
        arguments = (("init", init), ("state", state()), ("inputs", list(inputs)))
        return Case(title, part, arguments, harness=harness)

    twice = harnesses.evaluate_twice
    return [
        case("all three kinds of ids", "core", words(3, 4), drawn_types(3, 4), drawn_places(3, 4)),
        case(
            "the same positions for all texts, [1, tokens]",
            "core",
            words(2, 6),
            drawn_types(2, 6),
            drawn_places(1, 6),
        ),
        case("one token, batch of one", "core", words(1, 1), drawn_types(1, 1), drawn_places(1, 1)),
        case("evaluation, twice", "core", words(2, 3), drawn_types(2, 3), drawn_places(2, 3),
             harness=twice, dropout=0.5),
        case("segments left out", "counted", words(2, 5), None, drawn_places(2, 5)),
        case("padding on the right, positions left out", "counted", words(3, 7, 7, 2, 4)),
        case(
            "padding on the left, positions left out",
            "counted",
            words(3, 6, 1, 6, 3, left=True),
            drawn_types(3, 6),
        ),
        case("gradients", "trained", words(2, 4), drawn_types(2, 4), drawn_places(2, 4),
             harness=check.train_module),
        case("training with a dropout of 1", "trained", words(2, 3), drawn_types(2, 3),
             drawn_places(2, 3), harness=harnesses.in_training, dropout=1.0),
    ]  # fmt: skip


class _OwnTables(nn.Module):
    """Tables as parameters, one-hot products, the norm by hand, a loop over the positions."""

    class Table(nn.Module):
        def __init__(self, rows: int, size: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(rows, size))

    def __init__(self, vocab, small, hidden, places, types, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = self.Table(vocab, small)
        self.position_embeddings = self.Table(places, small)
        self.token_type_embeddings = self.Table(types, small)
        self.norm = nn.LayerNorm(small)
        self.projection = nn.Linear(small, hidden)
        self.pad, self.eps, self.dropout = pad, eps, dropout

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if position_ids is None:
            rows = []
            for text in input_ids.tolist():
                place, row = self.pad, []
                for word in text:
                    place += word != self.pad
                    row.append(self.pad if word == self.pad else place)
                rows.append(row)
            position_ids = torch.tensor(rows)
        if token_type_ids is None:
            token_type_ids = input_ids * 0
        total = 0
        for table, ids in (
            (self.word_embeddings, input_ids),
            (self.position_embeddings, position_ids),
            (self.token_type_embeddings, token_type_ids),
        ):
            total = total + F.one_hot(ids, len(table.weight)).float() @ table.weight
        total = total - total.mean(-1, keepdim=True)
        x = total / (total.square().mean(-1, keepdim=True) + self.eps).sqrt()
        x = F.dropout(x * self.norm.weight + self.norm.bias, self.dropout, self.training)
        return torch.einsum("bte,he->bth", x, self.projection.weight) + self.projection.bias


class _WithPaddingIndex(nn.Module):
    """Embedding modules with ``padding_idx``, positions from the mask, a sequence at the end."""

    def __init__(self, vocab, small, hidden, places, types, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab, small, padding_idx=pad)
        self.position_embeddings = nn.Embedding(places, small)
        self.token_type_embeddings = nn.Embedding(types, small)
        self.norm = nn.LayerNorm(small, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(small, hidden)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        pad = self.word_embeddings.padding_idx
        mask = input_ids.ne(pad)
        if position_ids is None:
            position_ids = torch.where(mask, mask.int().cumsum(-1) + pad, pad)
        parts = [self.word_embeddings(input_ids), self.position_embeddings(position_ids)]
        if token_type_ids is None:
            parts.append(self.token_type_embeddings.weight[0])
        else:
            parts.append(self.token_type_embeddings(token_type_ids))
        x = parts[0] + parts[1] + parts[2]
        return self.projection(self.dropout(self.norm(x)))


class _InFloat64(_WithPaddingIndex):
    """In float64, by the functions of PyTorch."""

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        pad = self.word_embeddings.padding_idx
        if token_type_ids is None:
            token_type_ids = torch.zeros(input_ids.shape, dtype=torch.long)
        if position_ids is None:
            position_ids = ((input_ids != pad).cumsum(1) * (input_ids != pad)) + pad
        ids = (input_ids, position_ids.expand_as(input_ids), token_type_ids)
        tables = (self.word_embeddings, self.position_embeddings, self.token_type_embeddings)
        looked_up = [F.embedding(i, t.weight.double()) for i, t in zip(ids, tables, strict=True)]
        x = torch.stack(looked_up).sum(dim=0)
        gain, offset = self.norm.weight.double(), self.norm.bias.double()
        x = F.layer_norm(x, x.shape[-1:], gain, offset, self.norm.eps)
        weight, bias = self.projection.weight.double(), self.projection.bias.double()
        return F.linear(self.dropout(x), weight, bias).to(self.projection.weight.dtype)


class _TokenByToken(_WithPaddingIndex):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if position_ids is None:
            columns, place = [], torch.full((len(input_ids),), self.word_embeddings.padding_idx)
            for words in input_ids.T:
                real = words != self.word_embeddings.padding_idx
                place = place + real.long()
                columns.append(torch.where(real, place, self.word_embeddings.padding_idx))
            position_ids = torch.stack(columns, dim=1)
        position_ids = position_ids.expand_as(input_ids)
        zeros = torch.zeros_like(input_ids)
        token_type_ids = zeros if token_type_ids is None else token_type_ids
        forward = super().forward
        return torch.cat(
            [
                forward(input_ids[:, [t]], token_type_ids[:, [t]], position_ids[:, [t]])
                for t in range(input_ids.size(1))
            ],
            dim=1,
        )


def _compact_like(forward: Callable | None = None, build: Callable | None = None) -> type:
    """The right module with another ``forward(module, x)`` from the summed vectors on."""

    class CompactEmbeddings(_CompactEmbeddings):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            if build is not None:
                build(self, *sizes)

        def forward(self, input_ids, token_type_ids=None, position_ids=None):
            if forward is None:
                return super().forward(input_ids, token_type_ids, position_ids)
            if token_type_ids is None:
                token_type_ids = torch.zeros_like(input_ids)
            if position_ids is None:
                position_ids = self.count(input_ids)
            parts = (
                self.word_embeddings(input_ids),
                self.position_embeddings(position_ids),
                self.token_type_embeddings(token_type_ids),
            )
            return forward(self, *parts)

    return CompactEmbeddings


def _norm_each(module, words, places, types):
    x = module.norm(words) + module.norm(places) + module.norm(types)
    return module.projection(module.drop(x, "norm"))


def _norm_words(module, words, places, types):
    return module.projection(module.drop(module.norm(words) + places + types, "norm"))


def _unbiased(module, words, places, types):
    x = words + places + types
    x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + module.norm.eps).sqrt()
    return module.projection(module.drop(x * module.norm.weight + module.norm.bias, "norm"))


def _rms(module, words, places, types):
    x = words + places + types
    x = F.rms_norm(x, x.shape[-1:], module.norm.weight, module.norm.eps) + module.norm.bias
    return module.projection(module.drop(x, "norm"))


def _averaged(module, words, places, types):
    return module.projection(module.drop(module.norm((words + places + types) / 3), "norm"))


def _detached(module, words, places, types):
    x = module.drop(module.norm(words + places + types), "norm")
    return module.projection(x.detach())


def _cut_off(module, words, places, types):
    return module.projection(module.drop(module.norm(words + places + types), "norm")).detach()


def _activated(module, words, places, types):
    return F.gelu(module.projection(module.drop(module.norm(words + places + types), "norm")))


def _wide_norm(module, vocab, small, hidden, *rest):
    module.norm = nn.LayerNorm(hidden)


def _wide_tables(module, vocab, small, hidden, places, types, *rest):
    module.word_embeddings = nn.Embedding(vocab, hidden)
    module.position_embeddings = nn.Embedding(places, hidden)
    module.token_type_embeddings = nn.Embedding(types, hidden)
    module.norm = nn.LayerNorm(hidden)


def _parameter_tables(module, vocab, small, hidden, places, types, *rest):
    del module.position_embeddings
    module.positions = nn.Parameter(torch.randn(places, small))


def _no_linear(module, *sizes):
    del module.projection


def _bare_linear(module, vocab, small, hidden, *rest):
    module.projection = nn.Linear(small, hidden, bias=False)


class _PaddingZeroed(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        found = super().forward(input_ids, token_type_ids, position_ids)
        return found * (input_ids != self.pad)[..., None]


def _tables_in_list(module, *sizes):
    tables = [module.word_embeddings, module.position_embeddings, module.token_type_embeddings]
    del module.word_embeddings, module.position_embeddings, module.token_type_embeddings
    module.tables = tables


class _NeedsSegments(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        self.token_type_embeddings(token_type_ids)
        return super().forward(input_ids, token_type_ids, position_ids)


class _NeedsPositions(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        self.position_embeddings(position_ids)
        return super().forward(input_ids, token_type_ids, position_ids)


class _ChangesIds(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        found = super().forward(input_ids, token_type_ids, position_ids)
        for ids in (token_type_ids, position_ids):
            if ids is not None:
                ids.zero_()
        return found


EXERCISE = Exercise(
    id="CompactEmbeddings",
    title="A smaller table, and positions that skip padding",
    signature="class CompactEmbeddings(vocab_size, embedding_size, hidden_size, max_positions, "
    "type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1)",
    reference=_CompactEmbeddings,
    cases=_embedding_cases,
    parts=(
        Part("core", "words, positions, segments, norm and projection", 2),
        Part("counted", "segments and positions that are left out", 1),
        Part("trained", "gradients, and dropout in its place", 1),
    ),
    minutes=20,
    difficulty=2,
    section=EMBEDDINGS,
    variant=_compact,
    alternatives={
        "own tables and a loop": _OwnTables,
        "padding_idx and where": _WithPaddingIndex,
        "in float64": _InFloat64,
        "token by token": _TokenByToken,
    },
    mistakes=(
        Mistake("no_positions", "The vectors of the positions are not added."),
        Mistake("no_segments", "The vectors of the segments are not added.", section=TYPES),
        Mistake("no_norm", "The sum is not normalised."),
        Mistake(
            "no_bias", "The bias of the projection is left out.", _compact(frozenset({"no_bias"}))
        ),
        Mistake(
            "scaled",
            "The word vectors are multiplied by the root of their size. The original Transformer "
            "does so, BERT and its relatives do not.",
            _compact(frozenset({"scaled"})),
        ),
        Mistake(
            "positions_ignored",
            "`position_ids` that are given are not used: positions are always counted.",
            _compact(frozenset({"positions_ignored"})),
        ),
        Mistake(
            "first_row",
            "Every text gets the positions of the first one.",
            _compact(frozenset({"first_row"})),
        ),
        Mistake(
            "segments_ignored",
            "`token_type_ids` that are given are not used: everything is in segment 0.",
            _compact(frozenset({"segments_ignored"})),
            section=TYPES,
        ),
        Mistake(
            "eps_ignored",
            "The argument `eps` does not reach the normalisation.",
            alone=True,
        ),
        Mistake(
            "alive",
            "Dropout is alive in evaluation mode: `F.dropout` needs `training=self.training`; "
            "`nn.Dropout` knows its mode.",
            _compact(frozenset({"alive"})),
            section=TRAPS,
        ),
        Mistake(
            "segment_one",
            "Where `token_type_ids` are left out, everything is in segment 1; it must be 0.",
            points=3,
            section=TYPES,
        ),
        Mistake(
            "padding_counted",
            "Padding is counted: positions run on over it. Count real tokens only; padding itself "
            "has position `pad_token_id`.",
            points=3,
            section=LEFT,
        ),
        Mistake(
            "plain_count",
            "Positions are counted 0, 1, 2, … from the left, as BERT does. Here the first *real* "
            "token has position `pad_token_id` + 1, and padding has `pad_token_id`.",
            points=3,
            section=LEFT,
            alone=True,
        ),
        Mistake(
            "padding_not_reset",
            "Padding behind a text has the position of its last token; it must have "
            "`pad_token_id`. Multiply the count by the mask before you add.",
            _compact(frozenset({"padding_not_reset"})),
            points=3,
            section=LEFT,
        ),
        Mistake(
            "no_offset",
            "Real tokens are counted from 1 and padding has 0: `pad_token_id` is not added.",
            points=3,
            section=LEFT,
        ),
        Mistake(
            "from_zero",
            "Real tokens are counted from 0 and padding is not told apart from them: the first "
            "real token has position `pad_token_id` + 1, padding has `pad_token_id`.",
            _compact(frozenset({"from_zero"})),
            points=3,
            section=LEFT,
        ),
        Mistake(
            "from_pad",
            "The first real token has position `pad_token_id`, which belongs to padding; it must "
            "be one more.",
            _compact(frozenset({"from_pad"})),
            points=3,
            section=LEFT,
        ),
        Mistake(
            "by_sentence",
            "Where positions are left out, each token gets the number of its *text* in the batch "
            "(the wrong axis is counted).",
            _compact(frozenset({"by_sentence"})),
            points=3,
        ),
        Mistake(
            "by_column",
            "The cumulative sum runs along the batch (`cumsum(0)`); tokens are counted along "
            "axis 1.",
            _compact(frozenset({"by_column"})),
            points=3,
        ),
        Mistake(
            "padding_zeroed",
            "The vectors of padding are set to zero. Padding is embedded like any token; it is the "
            "mask's business that nobody looks at it.",
            _PaddingZeroed,
            points=3,
        ),
        Mistake(
            "pad_zero",
            "Id 0 is taken for padding; the padding id is the argument `pad_token_id`.",
            _compact(frozenset({"pad_zero"})),
            points=3,
        ),
        Mistake(
            "pad_one",
            "Id 1 is taken for padding, as RoBERTa has it; here the padding id is the argument "
            "`pad_token_id`.",
            _compact(frozenset({"pad_one"})),
            points=3,
        ),
        Mistake(
            "needs_segments",
            "It fails where `token_type_ids` are left out (`None`); then everything is in "
            "segment 0.",
            _NeedsSegments,
            points=3,
            any_error=True,
        ),
        Mistake(
            "needs_positions",
            "It fails where `position_ids` are left out (`None`); then they are counted from the "
            "ids.",
            _NeedsPositions,
            points=3,
            any_error=True,
        ),
        Mistake(
            "not_dropped",
            "Nothing is dropped in training mode.",
            points=3,
            section=TRAPS,
            alone=True,
        ),
        Mistake(
            "dropped_late",
            "Dropout falls on the projected vectors; it belongs between normalisation and "
            "projection.",
            _compact(frozenset({"dropped_late"})),
            points=3,
        ),
        Mistake(
            "dropped_early",
            "Dropout falls on the sum before the normalisation; it belongs behind it.",
            _compact(frozenset({"dropped_early"})),
            points=3,
        ),
        Mistake(
            "above_pad",
            "Ids below `pad_token_id` are taken for padding (`>`); only the id itself is (`!=`).",
            _compact(frozenset({"above_pad"})),
            points=3,
        ),
        Mistake(
            "padding_zero",
            "Padding has position 0; it must be `pad_token_id`. Add the id after the mask was "
            "multiplied.",
            _compact(frozenset({"padding_zero"})),
            points=3,
        ),
        Mistake(
            "one_too_high",
            "The first real token has position `pad_token_id` + 2; it must be one less.",
            _compact(frozenset({"one_too_high"})),
            points=3,
        ),
        Mistake(
            "rate_ignored",
            "The rate of dropout is fixed; use the argument `dropout`.",
            _compact(frozenset({"rate_ignored"})),
            points=3,
        ),
        Mistake(
            "norm_each",
            "Words, positions and segments are normalised one by one; normalise their sum, once.",
            _compact_like(_norm_each),
        ),
        Mistake(
            "norm_words",
            "Only the word vectors are normalised; normalise the sum of all three.",
            _compact_like(_norm_words),
        ),
        Mistake(
            "averaged",
            "The three vectors are averaged; add them. (The normalisation hides the factor 3, but "
            "for `eps`.)",
            _compact_like(_averaged),
        ),
        Mistake(
            "unbiased",
            "The variance is the unbiased one, divided by one less than the size "
            "(`x.var(-1)`); layer normalisation divides by the size.",
            _compact_like(_unbiased),
        ),
        Mistake(
            "rms",
            "The mean is not subtracted: that is RMSNorm. Layer normalisation is asked for.",
            _compact_like(_rms),
        ),
        Mistake(
            "activated",
            "An activation was applied to the result; the projection is a plain linear map.",
            _compact_like(_activated),
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but a `detach` or `no_grad` cuts the tables off from autograd, "
            "so nothing could be learned.",
            _compact_like(_cut_off),
            equivalent=(_compact_like(_detached),),
            points=3,
        ),
        Mistake(
            "wide_norm",
            "The normalisation has `hidden_size` numbers; it stands before the projection and has "
            "`embedding_size`.",
            _compact_like(build=_wide_norm),
        ),
        Mistake(
            "wide_tables",
            "The tables have `hidden_size` columns; the point of this block is that they have only "
            "`embedding_size`, and a projection follows.",
            _compact_like(build=_wide_tables),
        ),
        Mistake(
            "parameter_table",
            "The table of positions has another name or is no module: `position_embeddings.weight` "
            "is asked for, as `nn.Embedding` calls it.",
            _compact_like(build=_parameter_tables),
        ),
        Mistake(
            "no_tables",
            "The three tables are not found: they are kept in a Python list, or have other names.",
            _compact_like(build=_tables_in_list),
        ),
        Mistake(
            "no_projection",
            "There is no `projection`, an `nn.Linear` from `embedding_size` to `hidden_size`.",
            _compact_like(build=_no_linear),
        ),
        Mistake(
            "bare_projection",
            "The projection was made without a bias.",
            _compact_like(build=_bare_linear),
        ),
        Mistake(
            "changed_ids",
            "The numbers are right, but ids that were given are changed in place; the caller still "
            "needs them.",
            _ChangesIds,
        ),
    ),
)
