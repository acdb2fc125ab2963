"""Judge the models that ship: the figures on their cards.

``python -m models.judge`` loads each as a reader does and measures it on what was kept apart: the
writer's nats for each character, the translator's BLEU (sacrebleu), how often the masked-word head
is right. ``--small`` judges by a few texts each, in seconds, to see that all runs: its figures mean
nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from importlib.util import find_spec

import torch

from models.train_masked_head import Settings as HeadSettings
from models.train_masked_head import read_texts
from models.train_translator import Pair, read_pairs, split_pairs
from models.train_translator import Settings as TranslatorSettings
from models.train_writer import nats_per_character
from solutions.trained import (
    EnglishGerman,
    load_masked_head,
    load_translator,
    load_writer,
    read_plays,
    split_plays,
)


def judge_writer(most: int | None = None) -> None:
    """Print the loss on the last tenth of tiny Shakespeare, or on so many of its characters."""
    model, tokenizer = load_writer()
    _, validation = split_plays(read_plays())
    ids = tokenizer.encode(validation[:most])[0]
    for length in (256, 512):
        loss = nats_per_character(model, ids, length)
        print(f"writer: {loss:.4f} nats per character, read in pieces of {length}", flush=True)


def judge_translator(part: str = "test", most: int | None = None) -> None:
    """Print BLEU on pairs whose English sentence was not seen in training, or on a few."""
    settings = TranslatorSettings()
    pairs = split_pairs(read_pairs(), settings.judged)[part][:most]
    translator = load_translator()
    for num_beams in (1, 4):
        each, all_of_them = bleu(translator, pairs, num_beams)
        name = "greedy" if num_beams == 1 else f"{num_beams} beams"
        print(
            f"translator, {name}: BLEU {each:.1f} on {len(pairs)} pairs; {all_of_them:.1f} with "
            "all translations of a sentence as references",
            flush=True,
        )


def bleu(translator: EnglishGerman, pairs: list[Pair], num_beams: int) -> tuple[float, float]:
    """BLEU over pairs, one reference each, and over sentences, with all their references."""
    from sacrebleu.metrics import BLEU  # for judging only: requirements-models.txt

    references = defaultdict(list)
    for english, german in pairs:
        references[english].append(german)
    sentences = sorted(references, key=len)
    written: dict[str, str] = {}
    with torch.no_grad():
        for start in range(0, len(sentences), 64):
            part = sentences[start : start + 64]
            written |= dict(zip(part, translator.translate(part, num_beams), strict=True))
    each = BLEU().corpus_score([written[e] for e, _ in pairs], [[g for _, g in pairs]])
    most = max(map(len, references.values()))
    columns = [
        [references[e][i] if i < len(references[e]) else None for e in sentences]
        for i in range(most)
    ]
    together = BLEU().corpus_score([written[e] for e in sentences], columns)
    return each.score, together.score


def judge_masked_head(most: int | None = None) -> None:
    """Print how often a token that was hidden alone is the first guess, and among five.

    Punctuation and pieces of words are much easier to guess, so whole words are counted alone, too,
    and so is the full stop, the most frequent token.
    """
    fill_in = load_masked_head()
    texts = read_texts(HeadSettings.judged)[1][:most]
    generator = torch.Generator().manual_seed(0)
    hits: dict[str, list[tuple[bool, bool]]] = {"tokens": [], "words": []}
    stops = 0
    for text in texts:
        ids = fill_in.tokenizer(text, truncation=True, max_length=128, return_tensors="pt")
        inside = ids["input_ids"].size(1) - 2
        place = 1 + int(torch.randint(inside, (1,), generator=generator))
        hidden = int(ids["input_ids"][0, place])
        ids["input_ids"][0, place] = fill_in.tokenizer.mask_token_id
        with torch.no_grad():
            best = fill_in.model(**ids).logits[0, place].topk(5).indices.tolist()
        token = fill_in.tokenizer.convert_ids_to_tokens(hidden)
        for kind in ("tokens", "words") if token.isalpha() else ("tokens",):
            hits[kind].append((best[0] == hidden, hidden in best))
        stops += token == "."
    for kind, found in hits.items():
        if not found:  # a few texts may have hidden no whole word
            continue
        first, five = (sum(each) / len(found) for each in zip(*found, strict=True))
        print(f"masked-word head: of {len(found)} {kind} {first:.1%} right, {five:.1%} among five")
    print(f"always a full stop: {stops / len(texts):.1%} of the tokens right")
    for word, probability in fill_in.best("time [MASK] like an arrow"):
        print(f"    {word:12} {probability:.3f}")


def main() -> None:
    """Judge all three."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--small", action="store_true", help="judge by a few texts each, in seconds"
    )
    small = parser.parse_args().small
    if find_spec("sacrebleu") is None:  # said now, not after minutes
        sys.exit("This needs sacrebleu: install requirements-models.txt, as `make models` does.")
    judge_writer(2000 if small else None)
    judge_masked_head(20 if small else None)
    judge_translator(most=8 if small else None)


if __name__ == "__main__":
    main()
