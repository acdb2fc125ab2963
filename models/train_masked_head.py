"""Train a masked-word head for MiniLM, which was published without one.

``python -m models.train_masked_head`` trains, or goes on where it stopped, and ships the weights.
Words of English sentences are hidden behind ``[MASK]``, and the head guesses them from MiniLM's
vectors (Devlin et al. 2019, section 3.1). MiniLM itself, with the table of words that the head
shares with it, is never trained: it stays the encoder of all chapters.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor, nn

from models.recipe import FOLDER, Run, Schedule, ask, in_bfloat16, make_optimizers, pick_device
from models.recipe import ship as ship_weights
from models.train_translator import read_pairs
from solutions.checkpoint import load_checkpoint
from solutions.corpus import load_docstrings
from solutions.encoder import Encoder
from solutions.head import IGNORED, MaskedLanguageModel, cross_entropy
from solutions.trained import FillIn, read_plays, split_plays
from solutions.training import pad, shuffled_batches


@dataclass(frozen=True)
class Settings:
    """Rates of the masked-word head; the defaults are those of the one that ships."""

    steps: int = 1800
    texts_a_step: int = 64
    hidden_share: float = 0.2  # of the words of a text, at least one
    muon_rate: float = 1e-3
    adam_rate: float = 1e-3
    evaluate_every: int = 300
    judged: int = 1000  # texts kept apart
    texts: int | None = None  # of the data; all if None
    bfloat16: bool = True
    seed: int = 0


SMALL = Settings(steps=12, texts_a_step=8, evaluate_every=6, judged=20, texts=100, bfloat16=False)


@cache
def read_texts(judged: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Sentences that may be shipped: Tatoeba's English, docstrings, and speeches of Shakespeare.

    Returns:
        Those to learn from, and ``judged`` others, in an order that the seed decides.
    """
    plays, _ = split_plays(read_plays())
    speeches = [" ".join(speech.split("\n")[1:]) for speech in plays.split("\n\n")]
    sentences = {english for english, _ in read_pairs()} | set(load_docstrings()[0])
    texts = sorted(sentences | {speech for speech in speeches if speech.count(" ") > 2})
    random.Random(seed).shuffle(texts)
    return texts[judged:], texts[:judged]


def hide(
    ids: Tensor, real: Tensor, share: float, mask_token_id: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Put ``[MASK]`` in the place of some tokens of each row, never of the first and last.

    Args:
        ids: ``[batch, tokens]``, padded on the right.
        real: ``[batch, tokens]``, 1 for real tokens.
        share: how many of them, at least one a row.
        mask_token_id: the id of ``[MASK]``.
        generator: of random numbers.

    Returns:
        The ids with the hidden tokens, and labels: what was hidden, and -100 everywhere else.
    """
    lengths = real.sum(dim=1, keepdim=True)  # [batch, 1]
    places = torch.arange(ids.size(1))
    inside = (places > 0) & (places < lengths - 1)
    draws = torch.rand(ids.shape, generator=generator).masked_fill(~inside, 2.0)
    smallest = draws.min(dim=1, keepdim=True).values
    hidden = inside & ((draws < share) | (draws == smallest))
    return ids.masked_fill(hidden, mask_token_id), ids.masked_fill(~hidden, IGNORED)


def prepare(settings: Settings, folder: Path) -> tuple[Run, FillIn, list[list[int]]]:
    """Make MiniLM with a head, or bring it back from where its training stands in ``folder``.

    Returns:
        The run, the model, and the ids of the texts to learn from.
    """
    checkpoint = load_checkpoint()
    texts, _ = read_texts(settings.judged)
    ids = checkpoint.tokenizer(texts[: settings.texts], truncation=True, max_length=128)
    torch.manual_seed(settings.seed)
    encoder = Encoder.from_pretrained(checkpoint, "sdpa")
    model = MaskedLanguageModel(encoder.config)
    model.encoder = encoder
    model.head.word_embeddings = encoder.embeddings.word_embeddings  # tied
    encoder.requires_grad_(False)
    counts = torch.bincount(
        torch.tensor([i for row in ids["input_ids"] for i in row[1:-1]]),
        minlength=encoder.config.vocab_size,
    )
    with torch.no_grad():  # how often a word occurs need not be learned
        model.head.bias.copy_((counts + 0.1).log())
    model.to(pick_device())
    optimizers = make_optimizers(model.head, settings.muon_rate, settings.adam_rate, 0.01)
    run = Run(trained_part(model), optimizers, Schedule(settings.steps), folder, settings.seed)
    return run, FillIn(model.eval(), checkpoint.tokenizer), ids["input_ids"]


def trained_part(model: MaskedLanguageModel) -> nn.Module:
    """The head without the table that it shares with MiniLM."""
    part, head = nn.Module(), model.head
    part.dense, part.norm, part.bias = head.dense, head.norm, head.bias
    return part


def train(settings: Settings, folder: Path) -> tuple[Run, FillIn]:
    """Train a head with ``settings``, keeping its state in ``folder``."""
    run, fill_in, train_ids = prepare(settings, folder)
    model, tokenizer, device = fill_in.model, fill_in.tokenizer, pick_device()
    lengths = [len(ids) for ids in train_ids]
    a_round = -(-len(lengths) // settings.texts_a_step)
    _, judged_texts = read_texts(settings.judged)
    judged = tokenizer(judged_texts, truncation=True, max_length=128)["input_ids"]

    def guess(rows: Sequence[Sequence[int]], generator: torch.Generator) -> tuple[Tensor, Tensor]:
        batch = pad(rows, tokenizer.pad_token_id)
        real = batch["attention_mask"]
        ids, labels = hide(
            batch["input_ids"], real, settings.hidden_share, tokenizer.mask_token_id, generator
        )
        asked = labels != IGNORED
        with in_bfloat16(device, settings.bfloat16):
            with torch.no_grad():
                states = model.encoder(ids.to(device), real.to(device)).last_hidden_state
            logits = model.head(states[asked.to(device)])  # [asked for, vocabulary]
        return logits.float(), labels[asked].to(device)

    def loss_of(generator: torch.Generator, step: int) -> Float[Tensor, ""]:
        seed = 10_000 * settings.seed + step // a_round
        batches = shuffled_batches(lengths, settings.texts_a_step, seed)
        rows = [train_ids[i] for i in batches[step % a_round]]
        return cross_entropy(*guess(rows, generator))

    def evaluate() -> dict[str, float]:
        generator = torch.Generator().manual_seed(0)
        loss, first, five, count = 0.0, 0, 0, 0
        for start in range(0, len(judged), 64):
            logits, labels = guess(judged[start : start + 64], generator)
            loss += cross_entropy(logits, labels).item() * len(labels)
            hits = logits.topk(5).indices == labels[:, None]
            first, five = first + int(hits[:, 0].sum()), five + int(hits.sum())
            count += len(labels)
        return {
            "validation_loss": loss / count,
            "first_right": first / count,
            "among_five": five / count,
        }

    run.fit(loss_of, evaluate, settings.evaluate_every)
    return run, fill_in


def ship(run: Run, fill_in: FillIn, folder: Path = FOLDER) -> None:
    """Write the weights for ``solutions.trained.load_masked_head``, without MiniLM's."""
    state = trained_part(fill_in.model).state_dict()
    ship_weights(state, "masked_head", {"training": run.facts}, folder)


def main() -> None:
    """Train and ship."""
    asked = ask("masked_head", __doc__.split("\n\n")[0], Settings(), SMALL)
    if asked.as_it_stands:
        run, fill_in, _ = prepare(asked.settings, asked.folder)
    else:
        run, fill_in = train(asked.settings, asked.folder)
    ship(run, fill_in, asked.into)


if __name__ == "__main__":
    main()
