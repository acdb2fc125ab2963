"""Exercise 3: embeddings with a small table and a projection; positions skip padding."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content.drawing import normal, one_of
from grading.content.encoder import harnesses
from grading.content.encoder.sections import EMBEDDINGS
from grading.content.encoder.shared import real_tokens
from grading.exercise import Case, Part, Question


class CompactEmbeddings(nn.Module):
    """Small tables of words, positions and segments; their sum is normalised, then widened."""

    def __init__(
        self,
        vocab_size,
        embedding_size,
        hidden_size,
        max_positions,
        type_vocab_size,
        pad_token_id,
        eps=1e-12,
        dropout=0.1,
    ):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.pad_token_id = pad_token_id

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        """Embed ids ``[batch, tokens]`` as ``[batch, tokens, hidden_size]``."""
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            count = real.cumsum(dim=1)
            position_ids = count * real + self.pad_token_id
        words = self.word_embeddings(input_ids)  # [batch, tokens, embedding_size]
        positions = self.position_embeddings(position_ids)
        segments = self.token_type_embeddings(token_type_ids)
        x = words + positions + segments
        x = self.dropout(self.norm(x))
        return self.projection(x)


def _embedding_cases(generator: torch.Generator) -> list[Case]:
    pad = one_of(generator, 2, 3)
    vocab, places, types = one_of(generator, 17, 19), one_of(generator, 14, 15), 4
    small, hidden = one_of(generator, 5, 6), one_of(generator, 8, 9)

    def state(types: int = types) -> dict[str, Tensor]:
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

    def drawn_types(batch: int, tokens: int, types: int = types) -> Tensor:
        drawn = torch.randint(1, types, (batch, tokens), generator=generator)
        drawn[:, 0] = 0
        return drawn

    def both_sides(*lengths: int) -> Tensor:
        ids = words(2, 8, *lengths)
        ids[:, 0] = pad
        return ids

    def case(
        title, part, *inputs, harness=check.run_module, eps=0.3, dropout=0.0, pad=pad, types=types
    ):
        init = [vocab, small, hidden, places, types, pad, eps, dropout]
        weights = state(types)
        for name in weights:
            if (eps or 0) < 1e-5 and "embeddings" in name:  # so small that it shows
                weights[name] *= 0.001
        if eps is None:  # left out, and dropout, too
            init = init[:-2]
        arguments = (("init", init), ("state", weights), ("inputs", list(inputs)))
        return Case(title, part, arguments, harness=harness)

    def again(title, part, first, others, *between):
        init = [vocab, small, hidden, places, types, pad, 0.3, 0.0]
        arguments = (
            ("init", init),
            ("state", state()),
            ("inputs", first),
            ("others", others),
            ("other_state", state()),
            *(("between", inputs) for inputs in between),
        )
        return Case(title, part, arguments, harness=check.run_modules, repeats=True)

    def all_ids(batch, tokens):
        return [words(batch, tokens), drawn_types(batch, tokens), drawn_places(batch, tokens)]

    def all_ones(batch, tokens, size):
        """Numbers that are all 1 on their way to a projection that leaves them as they are."""
        weights = {
            f"{name}_embeddings.weight": torch.zeros(rows, size)
            for name, rows in (("word", vocab), ("position", places), ("token_type", types))
        }
        zeros, ones = torch.zeros(size), torch.ones(size)
        weights |= {"norm.weight": zeros, "norm.bias": ones}
        weights |= {"projection.weight": torch.eye(size), "projection.bias": zeros}
        inputs = [words(batch, tokens), drawn_types(batch, tokens), drawn_places(batch, tokens)]
        init = [vocab, size, size, places, types, pad, 0.3, 0.25]
        arguments = (("init", init), ("state", weights), ("inputs", inputs))
        title = "training: which numbers are dropped"
        return Case(title, "trained", arguments, harness=harnesses.drops)

    learnt_types, learnt_places = drawn_types(2, 4), drawn_places(2, 4)
    learnt_types[-1, -1] = pad  # a segment like any other
    learnt_places[0, :2] = torch.tensor([0, 1])  # rows like any others
    learnt_places[learnt_places == pad] = 0  # whether the row of padding learns is left open
    twice = harnesses.evaluate_twice
    return [
        case(
            "all three kinds of ids",
            "core",
            words(4, 4, 4, 2, 1, 3),  # as many texts as tokens
            drawn_types(4, 4),
            drawn_places(4, 4),
        ),
        case(
            "the same positions for all texts, [1, tokens]",
            "core",
            words(2, small),
            drawn_types(2, small, 2),
            drawn_places(1, small),
            types=2,
        ),
        case(
            "one token at position 0, batch of one, tiny numbers",
            "core",
            words(1, 1),
            drawn_types(1, 1),
            torch.tensor([[0]]),
            eps=1e-12,
        ),
        case("evaluation, twice", "trained", words(2, 3), drawn_types(2, 3), drawn_places(2, 3),
             harness=twice, dropout=0.5),
        again("called again, and another module", "core", all_ids(2, 9), all_ids(2, 9)),
        again(
            "called again, nothing padded, positions left out",
            "counted",
            [both_sides(8, 5)],
            [words(2, 8)],
            all_ids(2, 8),
        ),
        case("segments left out", "counted", words(2, 5, 5, 3), None, drawn_places(2, 5)),
        case(
            "padding on the right, positions left out, beside another block",
            "counted",
            words(3, 7, 7, 0, 4),
            harness=harnesses.beside_another,
        ),
        # as many real tokens in both, in other places
        case("padding has the id 0", "counted", torch.tensor([[0, 3, 1, 0, 0], [5, 0, 0, 4, 0]]),
             pad=0),
        case(
            "padding on the left, positions left out",
            "counted",
            words(3, 3, 2, 1, 3, left=True),
            drawn_types(3, 3),
        ),
        case("gradients", "trained", words(2, 4), learnt_types, learnt_places,
             harness=check.train_module),
        case("training with a dropout of 1", "trained", words(2, 3), drawn_types(2, 3),
             drawn_places(2, 3), harness=harnesses.in_training, dropout=1.0),
        case(
            "training with a dropout of 0; gradients where ids are left out",
            "trained",
            words(1, 2),
            torch.zeros(1, 2).long(),
            torch.tensor([[pad + 1, pad + 2]]),  # as they are counted
            harness=harnesses.with_and_without_ids,
        ),
        case("`eps` and `dropout` left out, evaluation, tiny numbers", "trained", words(2, 1),
             drawn_types(2, 1), drawn_places(2, 1), eps=None),
        all_ones(3, 11, 16),
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
        self.position_embeddings = nn.Embedding(places, small, padding_idx=pad)
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


QUESTION = Question(
    id="CompactEmbeddings",
    title="A smaller table, and positions that skip padding",
    signature="class CompactEmbeddings(vocab_size, embedding_size, hidden_size, max_positions, "
    "type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1)",
    reference=CompactEmbeddings,
    cases=_embedding_cases,
    parts=(
        Part("core", "words, positions, segments, norm and projection", 2),
        Part("counted", "segments and positions that are left out", 1),
        Part("trained", "gradients, defaults, and dropout in its place", 1),
    ),
    minutes=20,
    difficulty=2,
    section=EMBEDDINGS,
    alternatives={
        "own tables and a loop": _OwnTables,
        "padding_idx and where": _WithPaddingIndex,
        "in float64": _InFloat64,
        "token by token": _TokenByToken,
    },
)
