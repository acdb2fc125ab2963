"""What each modern part of the writer brings, with the same processor time for all.

``python -m benchmarks.modern_parts`` trains a decoder with all modern parts on tiny Shakespeare for
60 seconds, again with other random numbers (differences of that size say nothing), and again with
one part at a time replaced by what it replaced. Its size is that of nanoGPT's setting for a
processor, 4 layers, 4 heads, width 128 and 64 characters of context, which is trained too: 2,000
steps of 12 texts, after which its authors report a loss of 1.88. One thread; the clock is the
processor's, so that a busy machine does not decide. What is finished is a line of
``models/modern_parts.csv``, from which chapters 8 and 10 make their tables, and is not trained
again; to measure on your machine, name another file with ``--results``. With ``--later`` it tries
what the writer does not have, with a control of its own, for chapter 10 and
``models/later_parts.csv``. With ``--small`` each takes three steps with little text, to see that
all runs: such losses go to another file, and mean nothing.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from torch import nn

from models.recipe import BUILD, FOLDER, append_row, in_bfloat16, make_optimizers
from models.train_writer import nats_per_character
from solutions.config import TransformerConfig
from solutions.decoder import LanguageModel, LanguageModelOutput
from solutions.head import cross_entropy
from solutions.layers import initialize
from solutions.trained import CharacterTokenizer, read_plays, split_plays

LENGTH = 64  # characters of context, in training and in judging
SECONDS = 60.0  # of processor time for all but nanoGPT's own setting
NANOGPT_LOSS = 1.88  # what its README gives for this setting
NANOGPT_STEPS = 2000


@dataclass(frozen=True)
class Parts:
    """The choices that are compared."""

    normalization: str = "rms_norm"
    feed_forward: str = "swiglu"
    positions: str = "rotary"
    tied: bool = True
    optimizer: str = "muon"
    schedule: str = "fall"
    bfloat16: bool = True
    texts_a_step: int = 32
    seed: int = 0
    attention_bias: bool = True
    key_value_heads: int | None = None
    experts: int | None = None


MODERN = Parts()
NANOGPT = Parts(
    "layer_norm", "plain", "learned", True, "adamw", "cosine", bfloat16=False, texts_a_step=12
)
RUNS = {
    "nanoGPT's setting, 2,000 steps": NANOGPT,
    "all modern parts": MODERN,
    "all modern parts, once more": replace(MODERN, seed=1),
    "layer normalisation for RMSNorm": replace(MODERN, normalization="layer_norm"),
    "GELU for SwiGLU": replace(MODERN, feed_forward="plain"),
    "learned positions for rotary ones": replace(MODERN, positions="learned"),
    "a table of its own for the head": replace(MODERN, tied=False),
    "AdamW for Muon": replace(MODERN, optimizer="adamw"),
    "a constant learning rate": replace(MODERN, schedule="constant"),
    "float32 for bfloat16": replace(MODERN, bfloat16=False),
}
LATER_RUNS = {
    "all modern parts": MODERN,
    "all modern parts, once more": replace(MODERN, seed=1),
    "no biases in attention": replace(MODERN, attention_bias=False),
    "no biases in attention, once more": replace(MODERN, attention_bias=False, seed=1),
    "two heads of keys and values for four": replace(MODERN, key_value_heads=2),
    "one head of keys and values for four": replace(MODERN, key_value_heads=1),
    "four experts of half the width, two a token": replace(MODERN, experts=4),
}
COLUMNS = ["parts", "loss", "steps", "seconds", "seconds_to_nanogpt"]


class Untied(LanguageModel):
    """A language model whose head does not share the table of embeddings."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.head_embeddings = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.head_embeddings.apply(initialize)

    def forward(self, input_ids: torch.Tensor) -> LanguageModelOutput:
        """As the other, with another table at the end."""
        return LanguageModelOutput(self.head_embeddings(self.decoder(input_ids).last_hidden_state))


def make_model(parts: Parts, vocab_size: int) -> LanguageModel:
    """A decoder of nanoGPT's small size; SwiGLU has as many weights as the plain layer.

    A token's two experts have them together, too.
    """
    width = 344 if parts.feed_forward == "swiglu" else 512
    config = TransformerConfig(
        vocab_size=vocab_size,
        hidden_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=width if parts.experts is None else width // 2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=LENGTH,
        layer_norm_eps=1e-6 if parts.normalization == "rms_norm" else 1e-5,
        pre_norm=True,
        positions=parts.positions,
        normalization=parts.normalization,
        feed_forward=parts.feed_forward,
        attention_bias=parts.attention_bias,
        num_key_value_heads=parts.key_value_heads,
        num_local_experts=parts.experts,
        attn_implementation="sdpa",
    )
    torch.manual_seed(parts.seed)
    model = LanguageModel(config) if parts.tied else Untied(config)
    for name, weight in model.named_parameters():  # GPT-2's, and nanoGPT's
        if name.endswith("output.weight"):
            nn.init.normal_(weight, std=0.02 / math.sqrt(2 * config.num_hidden_layers))
    return model


def rate(schedule: str, done: float) -> float:
    """Share of the highest learning rate when ``done`` of the training, 0 to 1, is over."""
    rise = min(done / 0.05, 1.0)
    if schedule == "cosine":  # down to a tenth, as in nanoGPT
        return rise * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * done)))
    if schedule == "fall":
        return min(rise, (1 - done) / 0.3)
    return rise


def train(
    parts: Parts, steps: int | None = None, characters: int | None = None
) -> dict[str, object]:
    """Train for ``SECONDS`` of processor time, or for nanoGPT's number of steps.

    Args:
        parts: of the model and its training.
        steps: for so many instead.
        characters: of the plays, all if None.

    Returns:
        The loss on the validation text, the steps, the processor seconds, and after how many of
        them the loss on a sixth of that text had fallen to ``NANOGPT_LOSS``, empty if never.
    """
    text = read_plays()[:characters]
    tokenizer = CharacterTokenizer("".join(sorted(set(text))))
    train_ids, validation_ids = (tokenizer.encode(part)[0] for part in split_plays(text))
    if parts == NANOGPT:
        steps = steps or NANOGPT_STEPS
    model = make_model(parts, len(tokenizer.characters))
    muon_rate = 5e-3 if parts.optimizer == "muon" else 0.0
    adam_rate = 1e-3 if parts == NANOGPT else 3e-3
    optimizers = make_optimizers(model, muon_rate, adam_rate)
    generator = torch.Generator().manual_seed(parts.seed)
    spent, step, judged, reached = 0.0, 0, 0.0, None
    done = 0.0
    while done < 1:
        started = time.process_time()
        begins = torch.randint(
            len(train_ids) - LENGTH, (parts.texts_a_step, 1), generator=generator
        )
        ids = train_ids[begins + torch.arange(LENGTH + 1)]
        with in_bfloat16(torch.device("cpu"), parts.bfloat16):
            logits = model(ids[:, :-1]).logits
        cross_entropy(logits.float(), ids[:, 1:]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = group["highest"] * rate(parts.schedule, done)
            optimizer.step()
            optimizer.zero_grad()
        step += 1
        spent += time.process_time() - started
        done = step / steps if steps else spent / SECONDS
        if reached is None and spent > judged + 3:  # judging takes no time that counts
            judged = spent
            if nats_per_character(model, validation_ids[:18_000], LENGTH) <= NANOGPT_LOSS:
                reached = round(spent)
    loss = nats_per_character(model, validation_ids, LENGTH)
    values = [round(loss, 4), step, round(spent, 1), "" if reached is None else reached]
    return dict(zip(COLUMNS[1:], values, strict=True))


def read(results: Path) -> dict[str, dict[str, str]]:
    """What is finished, by its name."""
    if not results.exists():
        return {}
    with results.open(newline="") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != COLUMNS:
            sys.exit(f"{results} has no results of this script: its first line is another.")
        return {row["parts"]: row for row in rows}


def main() -> None:
    """Train what is not trained yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--results", type=Path, help="a CSV file, in the place of the course's own")
    parser.add_argument("--later", action="store_true", help="what chapter 10 adds")
    parser.add_argument(
        "--small", action="store_true", help="three steps each, to see that all runs"
    )
    arguments = parser.parse_args()
    runs = LATER_RUNS if arguments.later else RUNS
    default = "later_parts.csv" if arguments.later else "modern_parts.csv"
    results = arguments.results or (BUILD / "small" if arguments.small else FOLDER) / default
    if results.is_dir():
        parser.error(f"{results} is a folder; the results go to a file.")
    results.parent.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    few = (3, 4000) if arguments.small else ()
    found = read(results)
    for name, parts in runs.items():
        if name not in found:
            append_row({"parts": name, **train(parts, *few)}, results)
            found = read(results)
    table = Table("", *COLUMNS[1:-1], f"seconds to {NANOGPT_LOSS}")
    for row in found.values():
        table.add_row(*(row[column] or "–" for column in COLUMNS))
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
