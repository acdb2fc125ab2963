"""Train the writer: a decoder that continues Shakespeare, character by character.

``python -m models.train_writer`` trains, or goes on where it stopped, and ships the weights. The
data are the plays that char-rnn and nanoGPT use, split as nanoGPT splits them; the loss is in nats
for each character. Texts are short until the learning rate falls, which costs less, and twice as
long from then on: rotary positions get used to that in few steps.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from models.recipe import FOLDER, Run, Schedule, ask, in_bfloat16, make_optimizers, pick_device
from models.recipe import ship as ship_weights
from solutions.config import TransformerConfig
from solutions.decoder import LanguageModel
from solutions.head import cross_entropy
from solutions.trained import CharacterTokenizer, read_plays, split_plays


@dataclass(frozen=True)
class Settings:
    """Sizes and rates of the writer; the defaults are those of the one that ships."""

    steps: int = 600
    tokens_a_step: int = 8192
    length: int = 256  # until the learning rate falls; then twice as much
    hidden_size: int = 256
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    intermediate_size: int = 688
    dropout: float = 0.1
    muon_rate: float = 5e-3
    adam_rate: float = 3e-3
    evaluate_every: int = 200
    characters: int | None = None  # of the data; all if None
    bfloat16: bool = True
    seed: int = 0

    def config(self, vocab_size: int) -> TransformerConfig:
        """A decoder as they are built today: RMSNorm, SwiGLU, rotary positions, a tied table."""
        return TransformerConfig(
            vocab_size=vocab_size,
            hidden_size=self.hidden_size,
            num_hidden_layers=self.num_hidden_layers,
            num_attention_heads=self.num_attention_heads,
            intermediate_size=self.intermediate_size,
            hidden_act="silu",
            hidden_dropout_prob=self.dropout,
            attention_probs_dropout_prob=0.0,  # fused attention on a processor has none
            max_position_embeddings=2 * self.length,
            layer_norm_eps=1e-6,
            pre_norm=True,
            positions="rotary",
            normalization="rms_norm",
            feed_forward="swiglu",
            attn_implementation="sdpa",
        )


SMALL = Settings(
    steps=12,
    tokens_a_step=256,
    length=16,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    evaluate_every=6,
    characters=4000,
    bfloat16=False,
)


@torch.no_grad()
def nats_per_character(
    model: LanguageModel, ids: Int[Tensor, " characters"], length: int, bfloat16: bool = False
) -> float:
    """The loss on a whole text, read in pieces of ``length`` that begin without any context.

    What nanoGPT's estimate, from pieces drawn at random, is the mean of.
    """
    pieces = (len(ids) - 1) // length
    inputs = ids[: pieces * length].view(pieces, length)
    answers = ids[1 : pieces * length + 1].view(pieces, length)
    total = 0.0
    for some, their_answers in zip(inputs.split(32), answers.split(32), strict=True):
        with in_bfloat16(ids.device, bfloat16):
            logits = model(some).logits
        total += cross_entropy(logits.float(), their_answers).item() * some.numel()
    return total / inputs.numel()


def prepare(settings: Settings, folder: Path) -> tuple[Run, LanguageModel, CharacterTokenizer]:
    """Make a writer, or bring it back from where its training stands in ``folder``."""
    tokenizer = CharacterTokenizer("".join(sorted(set(read_plays()))))
    torch.manual_seed(settings.seed)
    model = LanguageModel(settings.config(len(tokenizer.characters))).to(pick_device())
    optimizers = make_optimizers(model, settings.muon_rate, settings.adam_rate)
    run = Run(model, optimizers, Schedule(settings.steps), folder, settings.seed)
    return run, model, tokenizer


def train(settings: Settings, folder: Path) -> tuple[Run, LanguageModel, CharacterTokenizer]:
    """Train a writer with ``settings``, keeping its state in ``folder``."""
    device = pick_device()
    run, model, tokenizer = prepare(settings, folder)
    text = read_plays()[: settings.characters]
    train_ids, validation_ids = (tokenizer.encode(t)[0].to(device) for t in split_plays(text))

    def loss_of(generator: torch.Generator, step: int) -> Float[Tensor, ""]:
        length = settings.length * (2 if step >= run.schedule.fall_begins else 1)
        rows = settings.tokens_a_step // length
        begins = torch.randint(len(train_ids) - length, (rows, 1), generator=generator)
        ids = train_ids[(begins + torch.arange(length + 1)).to(device)]  # [rows, length + 1]
        with in_bfloat16(device, settings.bfloat16):
            logits = model(ids[:, :-1]).logits
        return cross_entropy(logits.float(), ids[:, 1:])

    def evaluate() -> dict[str, float]:
        loss = nats_per_character(model, validation_ids, settings.length, settings.bfloat16)
        return {"validation_loss": loss}

    run.fit(loss_of, evaluate, settings.evaluate_every)
    return run, model, tokenizer


def ship(
    run: Run, model: LanguageModel, tokenizer: CharacterTokenizer, folder: Path = FOLDER
) -> None:
    """Write the weights for ``solutions.trained.load_writer``."""
    config = replace(model.config, hidden_dropout_prob=0.0)
    metadata = {"config": asdict(config), "characters": tokenizer.characters}
    ship_weights(model.state_dict(), "writer", metadata | {"training": run.facts}, folder)


def main() -> None:
    """Train and ship."""
    asked = ask("writer", __doc__.split("\n\n")[0], Settings(), SMALL)
    prepared = prepare if asked.as_it_stands else train
    ship(*prepared(asked.settings, asked.folder), asked.into)


if __name__ == "__main__":
    main()
