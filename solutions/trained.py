"""The models that were trained for this course: load them, and have them write.

The weights lie in the folder ``models`` beside this package, with a card for each. They are in half
precision and become float32 here. Nothing is downloaded.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import tokenizers
import torch
import transformers
from jaxtyping import Int
from safetensors import safe_open
from torch import Tensor, nn

from solutions.checkpoint import load_checkpoint
from solutions.config import AttentionImplementation, TransformerConfig
from solutions.decoder import LanguageModel
from solutions.encoder import Encoder
from solutions.generation import beam_search
from solutions.head import MaskedLanguageModel
from solutions.translator import Translator

MODELS = Path(__file__).parent.parent / "models"
BRING_BACK = (
    "bring it back with `git checkout -- models`, or train it again, which takes hours, with "
    "`make models`."
)


def read_plays() -> str:
    """Tiny Shakespeare, 1,115,394 characters, in the public domain: the text of char-rnn."""
    with gzip.open(MODELS / "tiny_shakespeare.txt.gz", "rt", encoding="utf-8", newline="") as file:
        return file.read()


def split_plays(text: str) -> tuple[str, str]:
    """The first 90 % to learn from, the rest to be judged by: nanoGPT's split."""
    cut = int(0.9 * len(text))
    return text[:cut], text[cut:]


class CharacterTokenizer:
    """Every character is a token; its id is its place among ``characters``."""

    def __init__(self, characters: str) -> None:
        self.characters = characters
        self.ids = {character: i for i, character in enumerate(characters)}

    def encode(self, text: str) -> Int[Tensor, "1 tokens"]:
        """Turn a text into ids ``[1, tokens]``, ready for ``generate``.

        Raises:
            ValueError: if a character is none of ``characters``; the sentence names those.
        """
        if unknown := sorted(set(text) - set(self.characters)):
            raise ValueError(
                f"Found {', '.join(map(repr, unknown))}; this model knows only the characters "
                f"{self.characters!r}."
            )
        return torch.tensor([[self.ids[character] for character in text]], dtype=torch.int64)

    def decode(self, ids: Int[Tensor, " tokens"]) -> str:
        """Turn ids ``[tokens]`` into text."""
        return "".join(self.characters[i] for i in ids.tolist())


class Writer(NamedTuple):
    """A language model of Shakespeare's plays, and the tokenizer that belongs to it.

    ``generate(writer.model, writer.tokenizer.encode("ROMEO:"), 100)`` continues a text.
    """

    model: LanguageModel
    tokenizer: CharacterTokenizer


def load_writer(attn_implementation: AttentionImplementation = "sdpa") -> Writer:
    """Load the writer in evaluation mode, in float32.

    Args:
        attn_implementation: see :class:`TransformerConfig`; any fits the weights.

    Raises:
        ValueError: if its file is missing or damaged; the sentence says how to bring it back.
    """
    state, metadata = _read("writer")
    config = TransformerConfig(**metadata["config"])
    model = LanguageModel(replace(config, attn_implementation=attn_implementation))
    model.load_state_dict(state)
    return Writer(model.eval(), CharacterTokenizer(metadata["characters"]))


class EnglishGerman(NamedTuple):
    """A translator of short sentences, and the tokenizers of its two languages.

    ``source_tokenizer`` is MiniLM's. ``target_tokenizer`` puts ``[START]`` before and ``[END]``
    after a German text; their ids are its ``bos_token_id`` and ``eos_token_id``.
    """

    model: Translator
    source_tokenizer: transformers.PreTrainedTokenizerBase
    target_tokenizer: transformers.PreTrainedTokenizerBase

    def translate(
        self, texts: list[str], num_beams: int = 4, max_new_tokens: int = 40
    ) -> list[str]:
        """Translate English sentences to German by beam search; 1 beam is greedy.

        Raises:
            ValueError: if there is no text, or one is empty or longer than MiniLM's positions.
        """
        if not texts:
            raise ValueError("Found no text to translate; expected a list of at least one.")
        if not all(text.strip() for text in texts):
            raise ValueError("Found an empty text; expected something to translate in each.")
        source = self.source_tokenizer(texts, padding=True, return_tensors="pt")
        source = source.to(self.model.bridge.linear.weight.device)
        mask = source["attention_mask"]
        found = beam_search(
            self.model.decode,
            torch.full_like(mask[:, :1], self.target_tokenizer.bos_token_id),
            max_new_tokens,
            num_beams,
            eos_token_id=self.target_tokenizer.eos_token_id,
            pad_token_id=self.target_tokenizer.pad_token_id,
            encoder_hidden_states=self.model.encode(source["input_ids"], mask).detach(),
            encoder_attention_mask=mask,
        )
        return self.target_tokenizer.batch_decode(found.sequences, skip_special_tokens=True)


def load_translator(attn_implementation: AttentionImplementation = "sdpa") -> EnglishGerman:
    """Load the translator in evaluation mode: MiniLM's encoder, and the decoder trained for it.

    Args:
        attn_implementation: see :class:`TransformerConfig`; any fits the weights.

    Raises:
        ValueError: if its file is missing or damaged; the sentence says how to bring it back.
    """
    state, metadata = _read("translator")
    checkpoint = load_checkpoint()
    encoder = Encoder.from_pretrained(checkpoint, attn_implementation)
    config = TransformerConfig(**metadata["config"])
    model = Translator(encoder, replace(config, attn_implementation=attn_implementation))
    _load_rest(model, state, of_others="encoder.")
    tokenizer = german_tokenizer(metadata["tokenizer"])
    return EnglishGerman(model.eval(), checkpoint.tokenizer, tokenizer)


def german_tokenizer(tokenizer: str) -> transformers.PreTrainedTokenizerFast:
    """A tokenizer with the names of its special tokens, from its description as JSON."""
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(tokenizer),
        pad_token="[PAD]",
        unk_token="[UNK]",
        bos_token="[START]",
        eos_token="[END]",
        clean_up_tokenization_spaces=False,
    )


class FillIn(NamedTuple):
    """MiniLM with a head that guesses hidden words, and its tokenizer."""

    model: MaskedLanguageModel
    tokenizer: transformers.PreTrainedTokenizerBase

    def best(self, text: str, k: int = 5) -> list[tuple[str, float]]:
        """The ``k`` likeliest words for the one ``[MASK]`` of a text, with their probabilities.

        Punctuation and ends of words have probabilities too and are left out.

        Raises:
            ValueError: if the text has no ``[MASK]``, or several, or is longer than MiniLM's
                positions.
        """
        batch = self.tokenizer(text, return_tensors="pt").to(self.model.head.bias.device)
        places = (batch["input_ids"][0] == self.tokenizer.mask_token_id).nonzero().flatten()
        if len(places) != 1:
            raise ValueError(f"Found {len(places)} times [MASK] in {text!r}; expected it once.")
        with torch.no_grad():
            logits = self.model(**batch).logits[0, places[0]]
        probabilities, ids = logits.softmax(dim=-1).sort(descending=True)
        tokens = self.tokenizer.convert_ids_to_tokens(ids.tolist())
        pairs = zip(tokens, probabilities.tolist(), strict=True)
        return [(token, p) for token, p in pairs if token.isalpha()][:k]


def load_masked_head(attn_implementation: AttentionImplementation = "sdpa") -> FillIn:
    """Load MiniLM's encoder with the masked-word head that was trained for it.

    Args:
        attn_implementation: see :class:`TransformerConfig`; any fits the weights.

    Raises:
        ValueError: if its file is missing or damaged; the sentence says how to bring it back.
    """
    state, _ = _read("masked_head")
    checkpoint = load_checkpoint()
    encoder = Encoder.from_pretrained(checkpoint, attn_implementation)
    model = MaskedLanguageModel(encoder.config)
    model.encoder = encoder
    model.head.word_embeddings = encoder.embeddings.word_embeddings  # tied
    _load_rest(model.head, state, of_others="word_embeddings.")
    return FillIn(model.eval(), checkpoint.tokenizer)


def load_adapter(task: str) -> dict[str, Tensor]:
    """Load what LoRA learned of a task, head included; see :mod:`solutions.lora`.

    ``model.load_state_dict(load_adapter("order"), strict=False)`` puts it into a classifier whose
    encoder went through ``add_lora``.

    Args:
        task: ``"order"`` or ``"libraries"``.

    Raises:
        ValueError: if its file is missing or damaged; the sentence says how to bring it back.
    """
    return _read(f"{task}_lora")[0]


def _load_rest(model: nn.Module, state: dict[str, Tensor], of_others: str) -> None:
    """Load everything but what begins with ``of_others``, which has its weights already."""
    others = {k: v for k, v in model.state_dict().items() if k.startswith(of_others)}
    model.load_state_dict(state | others)


def _read(name: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights of a file, as float32, and what else stands in its head."""
    file = MODELS / f"{name}.safetensors"
    if not file.exists():
        raise ValueError(f"There is no {file}: {BRING_BACK}")
    digests = {line[66:]: line[:64] for line in _sums().splitlines()}
    with open(file, "rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != digests.get(file.name):
        raise ValueError(
            f"{file} is damaged (SHA-256 {found}, expected {digests.get(file.name)}): {BRING_BACK}"
        )
    with safe_open(file, "pt") as tensors:
        metadata = {key: json.loads(value) for key, value in tensors.metadata().items()}
        state = {key: tensors.get_tensor(key).float() for key in tensors.keys()}  # noqa: SIM118
    return state, metadata


def _sums() -> str:
    file = MODELS / "SHA256SUMS"
    if not file.exists():
        raise ValueError(f"There is no {file}: {BRING_BACK}")
    return file.read_text()
