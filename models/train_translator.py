"""Train the translator: MiniLM reads English, and a decoder learns to write German.

``python -m models.train_translator`` trains, or goes on where it stopped, and ships the weights.
The data are 48,403 pairs of short sentences from Tatoeba. An English sentence may have several
translations, so pairs are split by their English sentence: none that is judged was seen. MiniLM is
never trained, so what it makes of a sentence is computed once.
"""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import tokenizers
import torch
import transformers
from jaxtyping import Float
from torch import Tensor, nn

from models.recipe import FOLDER, Run, Schedule, ask, in_bfloat16, make_optimizers, pick_device
from models.recipe import ship as ship_weights
from solutions.checkpoint import load_checkpoint
from solutions.config import TransformerConfig
from solutions.encoder import Encoder
from solutions.head import IGNORED, cross_entropy
from solutions.trained import EnglishGerman, german_tokenizer
from solutions.training import pad, shuffled_batches
from solutions.translator import Translator

Pair = tuple[str, str]


@dataclass(frozen=True)
class Settings:
    """Sizes and rates of the translator; the defaults are those of the one that ships."""

    steps: int = 700
    pairs_a_step: int = 256
    hidden_size: int = 256
    num_hidden_layers: int = 3
    num_attention_heads: int = 4
    intermediate_size: int = 688
    vocab_size: int = 4000
    dropout: float = 0.2
    label_smoothing: float = 0.1
    muon_rate: float = 3e-3
    adam_rate: float = 3e-3
    evaluate_every: int = 200
    judged: int = 1000  # English sentences kept apart for validation, and as many for the test
    pairs: int | None = None  # of the data; all if None
    bfloat16: bool = True
    seed: int = 0

    def config(self) -> TransformerConfig:
        """The decoder, built as the writer is."""
        return TransformerConfig(
            vocab_size=self.vocab_size,
            hidden_size=self.hidden_size,
            num_hidden_layers=self.num_hidden_layers,
            num_attention_heads=self.num_attention_heads,
            intermediate_size=self.intermediate_size,
            hidden_act="silu",
            hidden_dropout_prob=self.dropout,
            attention_probs_dropout_prob=0.0,
            max_position_embeddings=128,
            layer_norm_eps=1e-6,
            pre_norm=True,
            positions="rotary",
            normalization="rms_norm",
            feed_forward="swiglu",
            attn_implementation="sdpa",
        )


SMALL = Settings(
    steps=12,
    pairs_a_step=16,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    vocab_size=200,
    evaluate_every=6,
    judged=10,
    pairs=120,
    bfloat16=False,
)


def read_pairs() -> list[Pair]:
    """English and German sentences from Tatoeba.org (CC BY 2.0 FR), 48,403 pairs."""
    with gzip.open(FOLDER / "tatoeba_english_german.tsv.gz", "rt", encoding="utf-8") as file:
        return [(english, german) for english, german in csv.reader(file, delimiter="\t")]


def split_pairs(pairs: Sequence[Pair], judged: int, seed: int = 0) -> dict[str, list[Pair]]:
    """Split by English sentence: ``judged`` for ``validation``, as many for ``test``.

    Sentences that differ in case and punctuation only count as one.
    """
    sentences = sorted({_bare(english) for english, _ in pairs})
    random.Random(seed).shuffle(sentences)
    part = dict.fromkeys(sentences, "train")
    part |= dict.fromkeys(sentences[:judged], "validation")
    part |= dict.fromkeys(sentences[judged : 2 * judged], "test")
    split: dict[str, list[Pair]] = {"train": [], "validation": [], "test": []}
    for pair in pairs:
        split[part[_bare(pair[0])]].append(pair)
    return split


def _bare(sentence: str) -> str:
    return "".join(c for c in sentence.lower() if c.isalnum() or c == " ").strip()


def train_tokenizer(texts: Sequence[str], vocab_size: int) -> str:
    """Learn byte pair encoding from ``texts``; the tokenizer as JSON, for ``german_tokenizer``."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.NFC()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.Metaspace(), tokenizers.pre_tokenizers.Punctuation()]
    )
    made.decoder = tokenizers.decoders.Metaspace()
    special = ["[PAD]", "[UNK]", "[START]", "[END]"]
    made.train_from_iterator(
        texts,
        tokenizers.trainers.BpeTrainer(
            vocab_size=vocab_size, special_tokens=special, show_progress=False
        ),
    )
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[START] $A [END]", special_tokens=[(s, special.index(s)) for s in special[2:]]
    )
    return made.to_str()


class Sources:
    """What MiniLM makes of English sentences, computed once and kept in half precision.

    Args:
        model: whose ``read`` computes it.
        tokenizer: MiniLM's.
        sentences: each is read once, however often it occurs.
    """

    def __init__(
        self,
        model: Translator,
        tokenizer: transformers.PreTrainedTokenizerBase,
        sentences: Sequence[str],
    ) -> None:
        device = pick_device()
        unique = sorted(set(sentences), key=lambda sentence: (len(sentence), sentence))
        self.states: dict[str, Tensor] = {}  # [layers, tokens, hidden] each
        for start in range(0, len(unique), 256):
            part = unique[start : start + 256]
            batch = tokenizer(part, padding=True, return_tensors="pt").to(device)
            with in_bfloat16(device):
                states = model.read(**{k: batch[k] for k in ("input_ids", "attention_mask")})
            for i, (sentence, mask) in enumerate(zip(part, batch["attention_mask"], strict=True)):
                self.states[sentence] = states[:, i, : int(mask.sum())].half().cpu()

    def batch(self, sentences: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Hidden states ``[layers, batch, source, hidden]`` and a mask ``[batch, source]``."""
        states = [self.states[sentence] for sentence in sentences]
        longest = max(state.size(1) for state in states)
        layers, _, hidden = states[0].shape
        padded = torch.zeros(layers, len(states), longest, hidden)
        mask = torch.zeros(len(states), longest, dtype=torch.int64)
        for i, state in enumerate(states):
            padded[:, i, : state.size(1)] = state
            mask[i, : state.size(1)] = 1
        return padded, mask


def trained_part(model: Translator) -> nn.ModuleDict:
    """Everything but MiniLM, under the same names."""
    return nn.ModuleDict(
        {part: getattr(model, part) for part in ("bridge", "embeddings", "decoder")}
    )


def prepare(settings: Settings, folder: Path) -> tuple[Run, EnglishGerman, dict[str, list[Pair]]]:
    """Make a translator, or bring it back from where its training stands in ``folder``."""
    split = split_pairs(read_pairs()[: settings.pairs], settings.judged)
    tokenizer = train_tokenizer([german for _, german in split["train"]], settings.vocab_size)
    checkpoint = load_checkpoint()
    torch.manual_seed(settings.seed)
    encoder = Encoder.from_pretrained(checkpoint, "sdpa")
    model = Translator(encoder, settings.config()).to(pick_device())
    optimizers = make_optimizers(model, settings.muon_rate, settings.adam_rate)
    trained = trained_part(model)
    run = Run(trained, optimizers, Schedule(settings.steps), folder, settings.seed)
    return run, EnglishGerman(model, checkpoint.tokenizer, german_tokenizer(tokenizer)), split


def train(settings: Settings, folder: Path) -> tuple[Run, EnglishGerman, dict[str, list[Pair]]]:
    """Train a translator with ``settings``, keeping its state in ``folder``."""
    run, translator, split = prepare(settings, folder)
    model, device = translator.model, pick_device()
    seen = [english for part in ("train", "validation") for english, _ in split[part]]
    sources = Sources(model, translator.source_tokenizer, seen)
    targets = {
        part: translator.target_tokenizer([german for _, german in split[part]])["input_ids"]
        for part in ("train", "validation")
    }
    lengths = [len(ids) for ids in targets["train"]]
    a_round = -(-len(lengths) // settings.pairs_a_step)  # steps in which every pair is seen once

    def loss_on(part: str, rows: Sequence[int], smoothing: float) -> Float[Tensor, ""]:
        states, mask = sources.batch([split[part][i][0] for i in rows])
        states, mask = states.to(device), mask.to(device)
        batch = pad([targets[part][i] for i in rows])
        ids, real = batch["input_ids"].to(device), batch["attention_mask"].to(device)
        with in_bfloat16(device, settings.bfloat16):
            logits = model.decode(
                ids[:, :-1],
                real[:, :-1],
                encoder_hidden_states=model.bridge(states),
                encoder_attention_mask=mask,
            ).logits
        answers = ids[:, 1:].masked_fill(real[:, 1:] == 0, IGNORED)
        return cross_entropy(logits.float(), answers, label_smoothing=smoothing)

    def loss_of(generator: torch.Generator, step: int) -> Float[Tensor, ""]:
        seed = 10_000 * settings.seed + step // a_round
        batches = shuffled_batches(lengths, settings.pairs_a_step, seed)
        return loss_on("train", batches[step % a_round], settings.label_smoothing)

    def evaluate() -> dict[str, float]:
        total, count = 0.0, 0
        for rows in torch.arange(len(split["validation"])).split(256):
            tokens = sum(len(targets["validation"][i]) - 1 for i in rows.tolist())
            total += loss_on("validation", rows.tolist(), 0.0).item() * tokens
            count += tokens
        return {"validation_loss": total / count}

    run.fit(loss_of, evaluate, settings.evaluate_every)
    return run, translator, split


def ship(run: Run, translator: EnglishGerman, folder: Path = FOLDER) -> None:
    """Write the weights for ``solutions.trained.load_translator``, without MiniLM's."""
    config = replace(translator.model.config, hidden_dropout_prob=0.0)
    state = trained_part(translator.model).state_dict()
    tokenizer = translator.target_tokenizer.backend_tokenizer.to_str()
    metadata = {"config": asdict(config), "tokenizer": tokenizer, "training": run.facts}
    ship_weights(state, "translator", metadata, folder)


def main() -> None:
    """Train and ship."""
    asked = ask("translator", __doc__.split("\n\n")[0], Settings(), SMALL)
    prepared = prepare if asked.as_it_stands else train
    run, translator, _ = prepared(asked.settings, asked.folder)
    ship(run, translator, asked.into)


if __name__ == "__main__":
    main()
