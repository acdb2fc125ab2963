import math

import pytest
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.generation.logits_process import TopKLogitsWarper, TopPLogitsWarper

from solutions import TransformerConfig
from solutions.decoder import EncoderDecoder, LanguageModel
from solutions.generation import (
    beam_search,
    generate,
    next_token_logits,
    top_k_filter,
    top_p_filter,
)

VOCAB, EOS, START, PAD = 30, 2, 1, 0


def lines(count, length):
    """A small language: the first token sets the step, chance varies it, lines end at random."""
    first = torch.randint(3, VOCAB, (count,))
    step, text = first % 3 + 1, [first]
    for _ in range(length - 1):
        chance = torch.multinomial(torch.tensor([0.6, 0.3, 0.1]), count, replacement=True)
        following = 3 + (text[-1] - 3 + step + 4 * chance) % (VOCAB - 3)
        following = following.masked_fill(torch.rand(count) < 0.12, EOS)
        text.append(following.masked_fill((text[-1] == EOS) | (text[-1] == PAD), PAD))
    return torch.stack(text, dim=1)


def beginnings(count, length):
    """Lines that have not ended yet."""
    many = lines(10 * count, length)
    return many[(many > EOS).all(dim=1)][:count]


@pytest.fixture(scope="module")
def gpt2():
    """Hugging Face's GPT-2, trained for two seconds: its texts vary, and end at various lengths."""
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=VOCAB,
        n_embd=24,
        n_layer=2,
        n_head=3,
        n_positions=64,
        bos_token_id=START,
        eos_token_id=EOS,
        pad_token_id=PAD,
        loss_type="ForCausalLMLoss",
    )
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(150):
        batch = lines(32, 16)
        optimizer.zero_grad()
        model(batch, labels=batch.masked_fill(batch == PAD, -100)).loss.backward()
        optimizer.step()
    return model.eval()


@pytest.fixture(scope="module")
def model(gpt2):
    return LanguageModel.from_pretrained(gpt2)


@pytest.fixture
def prompts():
    """Three prompts of 6, 4 and 1 tokens, padded on the left."""
    mask = torch.tensor([[1] * 6, [0] * 2 + [1] * 4, [0] * 5 + [1]])
    return torch.randint(3, VOCAB, (3, 6)) * mask, mask


def cut_at_end(ids, prompt):
    """The new tokens of each row as lists, up to and including the end."""
    texts = []
    for row in ids[:, prompt:].tolist():
        texts.append(row[: row.index(EOS) + 1] if EOS in row else row)
    return texts


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_greedy_tokens_equal_hugging_faces(gpt2, model, use_cache, seed):
    torch.manual_seed(seed)
    ids = beginnings(8, 5)
    expected = gpt2.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=20, do_sample=False
    )
    found = generate(model, ids, 20, eos_token_id=EOS, pad_token_id=PAD, use_cache=use_cache)
    assert cut_at_end(found, 5) == cut_at_end(expected, 5)
    assert torch.equal(found, expected)


def test_greedy_tokens_after_left_padded_prompts_equal_hugging_faces(gpt2, model, prompts):
    ids, mask = prompts
    expected = gpt2.generate(ids, attention_mask=mask, max_new_tokens=12, do_sample=False)
    found = generate(model, ids, 12, attention_mask=mask, eos_token_id=EOS, pad_token_id=PAD)
    assert torch.equal(found, expected)


def test_each_padded_prompt_goes_on_as_it_does_alone(model, prompts):
    ids, mask = prompts
    together = generate(model, ids, 10, attention_mask=mask)
    for row in range(3):
        alone = generate(model, ids[row : row + 1, mask[row].bool()], 10)
        assert together[row, -10:].tolist() == alone[0, -10:].tolist()


@pytest.mark.parametrize("chunk", [None, 1, 2, 4, 6, 100])
@pytest.mark.parametrize("padded", [False, True])
def test_a_cache_and_chunked_reading_change_no_token(model, prompts, chunk, padded):
    ids, mask = prompts
    mask = mask if padded else None
    expected = generate(model, ids, 25, attention_mask=mask, use_cache=False)
    found = generate(model, ids, 25, attention_mask=mask, prefill_chunk_size=chunk)
    assert torch.equal(found, expected)


def test_with_a_cache_each_token_is_read_once(model, prompts):
    lengths = []

    def counted(input_ids, **inputs):
        lengths.append(input_ids.size(1))
        return model(input_ids, **inputs)

    generate(counted, prompts[0], 5)
    assert lengths == [6, 1, 1, 1, 1]
    lengths.clear()
    generate(counted, prompts[0], 3, prefill_chunk_size=4)
    assert lengths == [4, 2, 1, 1]


def test_a_text_that_has_ended_is_filled_up_with_padding():
    class Counter:
        """Says t + 1 after t; ends in order, not all at once."""

        def __call__(self, input_ids, **inputs):
            next_ids = (input_ids + 1) % VOCAB
            logits = nn.functional.one_hot(next_ids, VOCAB).float()
            return type("Output", (), {"logits": logits})

    found = generate(
        Counter(), torch.tensor([[27], [5], [29]]), 10, eos_token_id=EOS, use_cache=False
    )
    assert found[0].tolist() == [27, 28, 29, 0, 1, 2, 2, 2, 2, 2, 2]
    assert found[1].tolist() == list(range(5, 16))
    assert found[2].tolist() == [29, 0, 1, 2] + [2] * 7
    stopped = generate(
        Counter(), torch.tensor([[27], [29]]), 10, eos_token_id=EOS, pad_token_id=9, use_cache=False
    )
    assert stopped.tolist() == [[27, 28, 29, 0, 1, 2], [29, 0, 1, 2, 9, 9]]


@pytest.mark.parametrize("k", [1, 2, 7, VOCAB, VOCAB + 5])
def test_top_k_equals_hugging_faces_and_keeps_k(k, close):
    logits = torch.randn(4, VOCAB)
    found = top_k_filter(logits, k)
    close(found, TopKLogitsWarper(k)(None, logits))
    assert (found > -math.inf).sum(-1).tolist() == [min(k, VOCAB)] * 4


@pytest.mark.parametrize("p", [0.01, 0.3, 0.9, 0.999, 1.0])
def test_top_p_equals_hugging_faces_and_keeps_the_smallest_sufficient_set(p, close):
    logits = 2 * torch.randn(40, VOCAB)
    found = top_p_filter(logits, p)
    if p < 1:
        close(found, TopPLogitsWarper(p)(None, logits))
    probabilities = logits.softmax(-1)
    kept = found > -math.inf
    sums = (probabilities * kept).sum(-1)
    assert (sums >= p - 1e-5).all()
    least = probabilities.masked_fill(~kept, 2.0).amin(-1)
    assert ((sums - least < p + 1e-5) | (kept.sum(-1) == 1)).all()
    assert kept.gather(1, logits.argmax(-1, keepdim=True)).all()


def test_filters_leave_everything_alone_without_a_limit():
    logits = torch.randn(4, VOCAB)
    assert torch.equal(top_k_filter(logits, None), logits)
    assert torch.equal(top_p_filter(logits, None), logits)
    far = 6 * torch.randn(40, 65)  # of many a row, the sum is 1 before the end
    assert torch.equal(top_p_filter(far, 1.0), far)


def test_drawn_tokens_follow_the_probabilities_at_each_temperature(model):
    prompt = torch.randint(3, VOCAB, (1, 4))
    logits = next_token_logits(model, prompt, torch.ones_like(prompt)).detach()
    many = prompt.expand(6_000, -1)
    for temperature in (0.5, 1.0, 2.0):
        generator = torch.Generator().manual_seed(0)
        drawn = generate(
            model, many, 1, do_sample=True, temperature=temperature, generator=generator
        )[:, -1]
        found = torch.bincount(drawn, minlength=VOCAB) / 6_000
        expected = (logits[0] / temperature).softmax(-1)
        assert (found - expected).abs().max() < 4 * math.sqrt(0.25 / 6_000)


def test_draws_stay_among_the_allowed_tokens(model):
    prompt = torch.randint(3, VOCAB, (1, 4))
    logits = next_token_logits(model, prompt, torch.ones_like(prompt)).detach()
    drawn = generate(model, prompt.expand(500, -1), 1, do_sample=True, top_k=3)[:, -1]
    assert set(drawn.tolist()) == set(logits[0].topk(3).indices.tolist())


def test_the_same_seed_draws_the_same_text(model, prompts):
    def drawn(seed):
        generator = torch.Generator().manual_seed(seed)
        return generate(model, prompts[0], 10, do_sample=True, top_p=0.95, generator=generator)

    assert torch.equal(drawn(3), drawn(3))
    assert not torch.equal(drawn(3), drawn(4))


def test_top_k_of_one_is_greedy(model, prompts):
    drawn = generate(model, prompts[0], 10, do_sample=True, top_k=1)
    assert torch.equal(drawn, generate(model, prompts[0], 10))


@pytest.mark.parametrize("num_beams", [1, 2, 4, 8])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0, -1.0])
@pytest.mark.parametrize("use_cache", [True, False])
def test_beam_search_equals_hugging_faces(gpt2, model, num_beams, length_penalty, use_cache, close):
    ids = beginnings(6, 4)
    if num_beams == 1:
        expected = gpt2.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False
        )
        sequences_scores = None
    else:
        output = gpt2.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=12,
            do_sample=False,
            num_beams=num_beams,
            length_penalty=length_penalty,
            return_dict_in_generate=True,
            output_scores=True,
        )
        expected, sequences_scores = output.sequences, output.sequences_scores
    found = beam_search(
        model,
        ids,
        12,
        num_beams,
        eos_token_id=EOS,
        pad_token_id=PAD,
        length_penalty=length_penalty,
        use_cache=use_cache,
    )
    assert cut_at_end(found.sequences, 4) == cut_at_end(expected, 4)
    if sequences_scores is not None:
        close(found.sequences_scores, sequences_scores, atol=1e-4)


def test_the_texts_compared_are_of_many_kinds(model):
    """Were they all alike, the agreements above would say little."""
    ids, texts = beginnings(6, 4), {}
    for num_beams, length_penalty in [(1, 1.0), (4, 1.0), (4, -1.0)]:
        found = beam_search(
            model,
            ids,
            12,
            num_beams,
            eos_token_id=EOS,
            pad_token_id=PAD,
            length_penalty=length_penalty,
        ).sequences
        texts[num_beams, length_penalty] = [tuple(text) for text in cut_at_end(found, 4)]
    assert len({*map(tuple, texts.values())}) == 3
    every_text = {text for found in texts.values() for text in found}
    assert len(every_text) >= 6
    assert len({len(text) for text in every_text}) >= 3
    assert max(len(set(text)) for text in every_text) >= 6


def test_beam_search_from_left_padded_prompts_equals_hugging_faces(gpt2, model, prompts):
    ids, mask = prompts
    expected = gpt2.generate(
        ids, attention_mask=mask, max_new_tokens=10, do_sample=False, num_beams=3
    )
    found = beam_search(
        model, ids, 10, 3, attention_mask=mask, eos_token_id=EOS, pad_token_id=PAD
    ).sequences
    assert cut_at_end(found, 6) == cut_at_end(expected, 6)


def test_with_enough_beams_the_search_finds_the_most_likely_text_of_all(model):
    prompt = torch.randint(3, VOCAB, (1, 3))
    found = beam_search(model, prompt, 2, VOCAB)
    pairs = torch.cartesian_prod(torch.arange(VOCAB), torch.arange(VOCAB))
    texts = torch.cat([prompt.expand(len(pairs), -1), pairs], dim=1)
    with torch.no_grad():
        log_probs = model(texts).logits.log_softmax(-1)
    sums = log_probs[:, 2].gather(1, texts[:, 3:4]) + log_probs[:, 3].gather(1, texts[:, 4:5])
    assert found.sequences[0].tolist() == texts[sums.argmax()].tolist()
    torch.testing.assert_close(found.sequences_scores[0], sums.max() / 2)


def words(count):
    """Words of 2 to 4 letters, their masks, and the same words backwards between start and end."""
    lengths = torch.randint(2, 5, (count, 1))
    mask = (torch.arange(4) < lengths).long()
    ids = torch.randint(3, 9, (count, 4)) * mask
    backwards = torch.full((count, 6), PAD)
    backwards[:, 0] = START
    for row, length in enumerate(lengths[:, 0].tolist()):
        backwards[row, 1 : length + 1] = ids[row, :length].flip(0)
        backwards[row, length + 1] = EOS
    return ids, mask, backwards


@pytest.fixture(scope="module")
def translator():
    """An encoder-decoder that has learned, in three seconds, to write words backwards."""
    torch.manual_seed(0)
    config = TransformerConfig(
        vocab_size=9,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=64,
        hidden_act="relu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pre_norm=True,
    )
    model = EncoderDecoder(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for _ in range(400):
        ids, mask, backwards = words(32)
        logits = model(ids, backwards[:, :-1], mask).logits
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), backwards[:, 1:].flatten(), ignore_index=PAD
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def from_encoder(model, ids, mask):
    return {"encoder_hidden_states": model.encode(ids, mask), "encoder_attention_mask": mask}


def test_an_encoder_decoder_learns_to_write_words_backwards(translator):
    ids, mask, backwards = words(200)
    found = generate(
        translator.decode,
        backwards[:, :1],
        5,
        eos_token_id=EOS,
        pad_token_id=PAD,
        **from_encoder(translator, ids, mask),
    )
    assert (found == backwards).all(dim=1).float().mean() > 0.7  # chance: less than 0.01


def test_an_encoder_decoder_writes_the_same_with_and_without_a_cache(translator):
    ids, mask, backwards = words(50)
    inputs = from_encoder(translator, ids, mask)
    cached = generate(translator.decode, backwards[:, :1], 5, **inputs)
    assert torch.equal(
        generate(translator.decode, backwards[:, :1], 5, use_cache=False, **inputs), cached
    )
    for row in range(5):
        alone = ids[row : row + 1, mask[row].bool()]
        inputs = from_encoder(translator, alone, None)
        assert torch.equal(
            generate(translator.decode, backwards[:1, :1], 5, **inputs)[0], cached[row]
        )


@pytest.mark.parametrize("use_cache", [True, False])
def test_beam_search_of_an_encoder_decoder_never_mixes_sources(translator, use_cache, close):
    ids, mask, backwards = words(12)
    settings = {"eos_token_id": EOS, "pad_token_id": PAD, "use_cache": use_cache}
    together = beam_search(
        translator.decode,
        backwards[:, :1],
        5,
        3,
        **settings,
        **from_encoder(translator, ids, mask),
    )
    for row in range(12):
        alone = beam_search(
            translator.decode,
            backwards[:1, :1],
            5,
            3,
            **settings,
            **from_encoder(translator, ids[row : row + 1, mask[row].bool()], None),
        )
        close(together.sequences_scores[row], alone.sequences_scores[0])
        assert cut_at_end(together.sequences, 1)[row] == cut_at_end(alone.sequences, 1)[0]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"temperature": 0.5}, "greedy generation draws none"),
        ({"top_k": 3}, "greedy generation draws none"),
        ({"do_sample": True, "temperature": 0.0}, "temperature is 0.0; expected more than 0"),
        ({"do_sample": True, "top_k": 0}, "top_k is 0; expected at least 1"),
        ({"do_sample": True, "top_p": 0.0}, "top_p is 0.0; expected a probability above 0"),
        ({"do_sample": True, "top_p": 1.5}, "top_p is 1.5"),
        ({"prefill_chunk_size": 0}, "prefill_chunk_size is 0"),
        ({"prefill_chunk_size": 2, "use_cache": False}, "a cache to read the pieces into"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(model, prompts, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        generate(model, prompts[0], 3, **settings)


def test_prompts_that_cannot_be_continued_are_refused(model):
    ids = torch.ones(2, 4, dtype=torch.long)
    with pytest.raises(ValueError, match="padding at the end of a prompt"):
        generate(model, ids, 3, attention_mask=torch.tensor([[1] * 4, [1, 1, 0, 0]]))
    with pytest.raises(ValueError, match="The prompt is empty"):
        generate(model, ids[:, :0], 3)
    with pytest.raises(ValueError, match="max_new_tokens is 0"):
        generate(model, ids, 0)
    with pytest.raises(ValueError, match="num_beams is 0"):
        beam_search(model, ids, 3, 0)
    with pytest.raises(ValueError, match=r"learned only the 64 positions"):
        generate(model, ids, 100)
