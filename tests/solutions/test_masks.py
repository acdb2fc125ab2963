from dataclasses import replace

import pytest
import torch

from solutions import TransformerConfig
from solutions.cache import KeyValueCache
from solutions.decoder import Decoder, EncoderDecoder, LanguageModel
from solutions.encoder import Encoder
from solutions.head import Classifier, MaskedLanguageModel, TokenClassifier
from solutions.masks import causal_mask, expand_mask

CONFIG = TransformerConfig(
    vocab_size=50,
    hidden_size=12,
    num_hidden_layers=3,
    num_attention_heads=3,
    intermediate_size=20,
    max_position_embeddings=16,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
LIKE_GPT2 = replace(CONFIG, pre_norm=True)


def test_the_causal_mask_is_a_triangle_that_ends_in_the_lower_right_corner():
    assert causal_mask(3).long().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert causal_mask(2, 5).long().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert causal_mask(1, 4).long().tolist() == [[1, 1, 1, 1]]


def test_a_window_hides_what_lies_too_far_back():
    assert causal_mask(4, window=2).long().tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [0, 1, 1, 0],
        [0, 0, 1, 1],
    ]
    assert causal_mask(2, 5, window=3).long().tolist() == [[0, 1, 1, 1, 0], [0, 0, 1, 1, 1]]
    assert torch.equal(causal_mask(3, 5, window=5), causal_mask(3, 5))
    assert torch.equal(causal_mask(3, window=1), torch.eye(3).bool())


@pytest.mark.parametrize("shape", [(4, 7), (7,), (2, 4, 7), (2, 2, 5, 7), (2, 5, 6)], ids=str)
def test_a_mask_that_fits_nowhere_is_refused_with_its_shape(shape, as_a_reader_runs_it):
    with pytest.raises(ValueError, match="Found an attention mask of shape") as refused:
        expand_mask(torch.ones(shape, dtype=torch.bool), (2, 3, 5, 7))
    assert str(shape) in str(refused.value)


MISFITS = [
    torch.ones(2, 4).bool(),  # of another length
    torch.ones(3, 5).bool(),  # of another batch
    torch.ones(5).bool(),
    torch.ones(2, 4, 5).bool(),
    torch.ones(3, 1, 5).bool(),
    torch.ones(2, 3, 5, 4).bool(),
    torch.ones(2, 3, 4, 4).bool(),
    torch.zeros(2, 3, 4, 4),
    torch.zeros(1, 2, 3, 5, 5),
]


@pytest.mark.parametrize("mask", MISFITS, ids=lambda mask: f"{mask.dtype}{list(mask.shape)}")
@pytest.mark.parametrize(
    "call",
    [
        lambda ids, mask: Encoder(CONFIG)(ids, mask),
        lambda ids, mask: Decoder(LIKE_GPT2)(ids, mask),
        lambda ids, mask: LanguageModel(LIKE_GPT2)(ids, mask),
        lambda ids, mask: LanguageModel(LIKE_GPT2)(ids, mask, cache=KeyValueCache()),
        lambda ids, mask: EncoderDecoder(CONFIG)(ids, ids, mask),
        lambda ids, mask: EncoderDecoder(CONFIG)(ids, ids, None, mask),
        lambda ids, mask: EncoderDecoder(CONFIG).decode(
            ids, encoder_hidden_states=torch.randn(2, 5, 12), encoder_attention_mask=mask
        ),
        lambda ids, mask: Classifier(CONFIG, 4)(ids, mask),
        lambda ids, mask: TokenClassifier(CONFIG, 4)(ids, mask),
        lambda ids, mask: MaskedLanguageModel(LIKE_GPT2)(ids, mask),
    ],
    ids=[
        "encoder",
        "decoder",
        "language model",
        "with a cache",
        "source",
        "target",
        "cross-attention",
        "classifier",
        "token classifier",
        "masked language model",
    ],
)
def test_a_mask_that_does_not_fit_is_refused_in_every_model(call, mask, as_a_reader_runs_it):
    with pytest.raises(ValueError, match=r"Found an attention.mask of shape"):
        call(torch.randint(1, 50, (2, 5)), mask)


def test_a_classifier_pools_with_its_mask_and_takes_one_of_tokens_only(as_a_reader_runs_it):
    with pytest.raises(ValueError, match=r"Found an attention_mask of shape \(2, 1, 5\)"):
        Classifier(CONFIG, 4)(torch.randint(1, 50, (2, 5)), torch.ones(2, 1, 5).bool())
