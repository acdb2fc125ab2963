"""The numbers that a quiz states, computed again: each sentence is put together from the result.

What a chapter prints is compared by nbval. A quiz is text, so its numbers are held to account here.
"""

import csv
import json
import math
import re
from functools import partial
from itertools import chain
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import MixtralConfig

from solutions import TransformerConfig, cache, load_checkpoint
from solutions.decoder import EncoderDecoder, LanguageModel
from solutions.encoder import Encoder
from solutions.feed_forward import FeedForward, SwiGLU
from solutions.generation import generate, top_k_filter, top_p_filter
from solutions.head import POOLINGS
from solutions.lora import LoRALinear
from solutions.multi_head import MultiHeadAttention, repeat_heads
from solutions.positions import RotaryPositions, rotate
from solutions.quantization import quantize
from solutions.simple_attention import scaled_dot_product_attention
from solutions.tokenizers import BYTE_SYMBOLS, BytePairTokenizer, WordPieceTokenizer
from solutions.trained import MODELS, load_writer, read_plays, split_plays

FOLDER = Path(__file__).parents[2] / "chapters"
SENTENCE = "time flies like an arrow"


@pytest.fixture(scope="module")
def said():
    """Look up whether a quiz says something: ``said("quiz-outlier", "About 19.6.")``."""
    notebooks = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("[01]*.ipynb"))]
    cells = chain.from_iterable(notebook["cells"] for notebook in notebooks)
    quizzes = {cell["id"]: " ".join("".join(cell["source"]).split()) for cell in cells}

    def look_up(quiz, *sentences):
        for sentence in sentences:
            assert sentence in quizzes[quiz], f"{quiz} does not say: {sentence}"

    return look_up


@pytest.fixture(scope="module")
def minilm():
    """Return the tokenizer and the real encoder."""
    checkpoint = load_checkpoint()
    return checkpoint.tokenizer, Encoder.from_pretrained(checkpoint).eval().requires_grad_(False)


def text(number, digits=2):
    return f"{number:.{digits}f}".replace("-", "−")


def weights_of(scores):
    return [text(weight, 3) for weight in torch.tensor(scores).softmax(-1).tolist()]


# --- chapter 1 -----------------------------------------------------------------------------------


def test_one_vector_of_five_is_doubled(said, minilm):
    tokenizer, encoder = minilm
    ids = tokenizer(SENTENCE, add_special_tokens=False, return_tensors="pt").input_ids[0]
    vectors = encoder.embeddings.word_embeddings.weight[ids]
    longer = vectors.clone()
    longer[0] *= 2
    before, after = vectors @ vectors.T, longer @ longer.T
    same, times_two = after.isclose(before).sum(), after.isclose(2 * before).sum()
    assert times_two == 8
    said("quiz-longer-vector", f"{same} of the 25 scores")
    said("quiz-longer-vector", f"scores it {text(after[1, 0])} instead of {text(before[1, 0])}")
    said("quiz-longer-vector", f"{text(before[0, 0])} becomes {text(after[0, 0])}")


def test_every_key_is_doubled(said):
    for scores in ([2.0, 1.0, 0.0], [4.0, 2.0, 0.0]):
        names = ", ".join(f"{score:.0f}" for score in scores)
        said("quiz-doubled-keys", f"scores {names} have")
        said("quiz-doubled-keys", ", ".join(weights_of(scores)))


def test_weights_of_three_queries_are_added_up(said):
    scores = torch.randn(3, 5)
    by_row, by_column = scores.softmax(-1).sum(), scores.softmax(-2).sum()
    said("quiz-sum-of-weights", f"<summary>{by_row:.0f}</summary> **Right.**")
    said("quiz-sum-of-weights", f"<summary>{by_column:.0f}</summary> **No:** this is what you find")


def test_a_score_of_minus_one_is_set_to_zero(said):
    before, after = weights_of([2.0, 1.0, -1.0]), weights_of([2.0, 1.0, 0.0])
    rest = torch.tensor([2.0, 1.0, -1.0]).softmax(-1)[:2].sum()
    said("quiz-score-of-zero", f"From {before[2]} it grows to {after[2]}")
    said("quiz-score-of-zero", f"sums to {text(rest, 3)}")
    assert float(after[2]) > 2 * float(before[2])


# --- chapter 2 -----------------------------------------------------------------------------------


def test_six_heads_in_place_of_twelve(said):
    layers = [
        MultiHeadAttention(TransformerConfig(hidden_size=384, num_attention_heads=heads)).eval()
        for heads in (12, 6)
    ]
    twelve, six = (sum(p.numel() for p in layer.parameters()) for layer in layers)
    maps = [layer(torch.randn(1, 7, 384), output_attentions=True)[1] for layer in layers]
    assert twelve == six
    said("quiz-six-heads", f"Both layers have {six:,}")
    said("quiz-six-heads", f"{maps[1].numel()} numbers, where there were {maps[0].numel()}")


def test_view_without_transpose_is_right_for_one_token_only(said):
    torch.manual_seed(0)
    layer = MultiHeadAttention(TransformerConfig(hidden_size=24, num_attention_heads=4)).eval()
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.25)

    def off(tokens):
        x = torch.randn(4, tokens, 24)
        packed = layer.query_key_value(x).chunk(3, dim=-1)
        split = [part.reshape(4, 4, tokens, 6) for part in packed]
        merged = scaled_dot_product_attention(*split).transpose(1, 2).flatten(2)
        return (layer.output(merged) - layer(x)[0]).abs().max().item()

    assert off(1) == 0
    said("quiz-one-token-test", f"off by {text(off(2))} with two tokens, and by exactly 0 with one")


def test_padding_hides_scores(said):
    real = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
    hidden = ~real[:, None, None, :].expand(2, 12, 7, 7)
    either = hidden | ~real[:, None, :, None].expand(2, 12, 7, 7)
    said("quiz-hidden-scores", f"<summary>{hidden.sum()}</summary> **Right.**")
    said("quiz-hidden-scores", f"<summary>{either.sum()}</summary> **No:**")


# --- chapter 3 -----------------------------------------------------------------------------------


def test_dropout_averages_out(said):
    torch.manual_seed(0)
    sizes = TransformerConfig(hidden_size=24, intermediate_size=96)
    layer = FeedForward(sizes).requires_grad_(False)
    x = torch.randn(1, 24)
    right = layer.eval()(x)
    average = layer.train()(x.expand(400_000, -1)).mean(dim=0, keepdim=True)
    ratio = (average * right).sum() / right.square().sum()
    said("quiz-dropout-average", f"the average was {text(ratio, 3)} times the result")


def test_a_gate_of_zeros_is_closed(said):
    layer = SwiGLU(TransformerConfig(hidden_size=24, intermediate_size=64)).eval()
    layer.gate.weight.data.zero_()
    assert layer(torch.randn(5, 24)).eq(0).all()
    assert text(F.silu(torch.tensor(1.28)), 2) == "1.00"
    said("quiz-closed-gate", "Zeros, for any input.", "about 1.28")


# --- chapter 4 -----------------------------------------------------------------------------------


def test_one_number_is_far_out(said):
    torch.manual_seed(0)
    vector = torch.randn(384, dtype=torch.float64)
    vector[5] = 1000.0
    result = F.layer_norm(vector, (384,), eps=1e-12)
    others = torch.cat([result[:5], result[6:]])
    said("quiz-outlier", f"About {text(result[5], 1)}.", rf"\approx {text(math.sqrt(383))}$")
    said("quiz-outlier", f"at about {text(others.mean())}")
    said("quiz-outlier", f"to about {round(vector.var(correction=0).item(), -2):,.0f}")
    assert others.std() < 0.03


def test_rms_norm_does_not_forget_a_shift(said):
    before = [text(v) for v in F.rms_norm(torch.tensor([2.0, 4.0, 9.0]), (3,)).tolist()]
    shifted = torch.tensor([102.0, 104.0, 109.0])
    after = [text(v) for v in F.rms_norm(shifted, (3,)).tolist()]
    said("quiz-shifted-rms", "About {}, {} and {}.".format(*after))
    said("quiz-shifted-rms", "{}, {} and {}, as before".format(*before))
    said("quiz-shifted-rms", f"which is now {text(shifted.square().mean().sqrt())}")


def test_a_sum_of_64_parts(said):
    def size(join):
        torch.manual_seed(0)
        h = torch.randn(256, 64)
        for _ in range(64):
            h = join(h, torch.randn(64, 64) / 8)
        return h.double().square().mean().sqrt().item()

    said("quiz-deeper-sum", f"it was {text(size(lambda h, m: h + F.layer_norm(h, (64,)) @ m))}")
    said("quiz-deeper-sum", f"measured {size(lambda h, m: h + h @ m) / 1e9:.1f} billion")


# --- chapter 5 -----------------------------------------------------------------------------------


def test_bites_is_the_same_in_any_order(said, minilm):
    tokenizer, encoder = minilm

    def vector(word, sentence, with_positions):
        ids = tokenizer(sentence, return_tensors="pt").input_ids
        states = encoder(ids).last_hidden_state
        if not with_positions:  # word and segment only, as in the chapter
            parts = encoder.embeddings
            x = parts.word_embeddings.weight[ids] + parts.token_type_embeddings.weight[0]
            states = parts.norm(x)
            for layer in encoder.layers:
                states = layer(states)[0]
        place = tokenizer.convert_ids_to_tokens(ids[0].tolist()).index(word)
        return states[0, place]

    here = "dog bites man"
    for there in ("man bites dog", "bites dog man"):
        gap = vector("bites", here, False) - vector("bites", there, False)
        assert gap.abs().max() < 1e-5
    gap = vector("bites", here, True) - vector("bites", "man bites dog", True)
    said("quiz-dog-bites-man", f"are {text(gap.norm())} apart")
    gap = vector("dog", here, False) - vector("man", "man bites dog", False)
    said("quiz-dog-bites-man", f"they are {text(gap.norm())} apart")


def test_only_the_queries_are_turned(said):
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, 3, 5, 8) for _ in range(3))
    turn, places = RotaryPositions(8), torch.arange(5)[None]

    def moved(turned_key):
        scores = [turn(query, p) @ turned_key(p).mT for p in (places, places + 20)]
        return (scores[0] - scores[1]).abs().max().item()

    assert moved(lambda p: turn(key, p)) < 1e-5
    said("quiz-turned-queries", f"by up to {text(moved(lambda p: key), 1)}")
    order = [1, 0, 2, 3, 4]
    out = scaled_dot_product_attention(turn(query, places), key, value)
    again = (key[:, :, order], value[:, :, order])
    again = scaled_dot_product_attention(turn(query, places), *again)
    torch.testing.assert_close(again, out, rtol=0, atol=1e-6)


def test_ten_steps_under_alibi(said):
    said("quiz-ten-steps-away", rf"\approx {text(math.exp(-0.5))}$")
    said("quiz-ten-steps-away", rf"\approx {text(math.exp(-5), 4)}$")
    said("quiz-ten-steps-away", rf"\approx {text(math.exp(-10 / 256))}$")


def test_distances_that_never_occurred(said):
    seen = {query - key for query in range(16) for key in range(query + 1)}
    new = [key for key in range(61) if 60 - key not in seen]
    said("quiz-unseen-distances", f"<summary>{len(new)} of 61</summary> **Right.**")
    said("quiz-unseen-distances", f"no distance above {max(seen)}")


# --- chapter 6 -----------------------------------------------------------------------------------


def test_an_association_holds_in_both_directions(said, minilm):
    tokenizer, encoder = minilm
    inputs = tokenizer("flies like time", return_tensors="pt")
    weights = encoder(**inputs, output_attentions=True).attentions[0][0, 4, 1]
    tokens = tokenizer.convert_ids_to_tokens(inputs.input_ids[0].tolist())
    assert tokens[:4] == ["[CLS]", "flies", "like", "time"]
    assert weights.argmax() == 3
    said("quiz-time-behind", f"It gives *time* {text(weights[3])}.")
    said("quiz-time-behind", f"`[CLS]` gets {text(weights[0])}.")


def test_a_longer_table_of_positions(said, minilm):
    rows = minilm[1].embeddings.position_embeddings.weight
    assert len(rows) == 512
    said("quiz-longer-texts", f"<summary>{rows.numel():,}</summary> **Right.**")
    assert rows.numel() < 0.01 * sum(p.numel() for p in minilm[1].parameters())


def test_the_mask_is_forgotten(said, minilm):
    tokenizer, encoder = minilm
    pair = tokenizer([SENTENCE, "fruit flies like a banana"], padding=True, return_tensors="pt")
    right = encoder(**pair).last_hidden_state
    without = encoder(pair.input_ids).last_hidden_state
    torch.testing.assert_close(without, right, rtol=0, atol=1e-5)
    assert right.shape[1] == 7

    padded = encoder(F.pad(pair.input_ids[:1], (0, 1))).last_hidden_state[:, :7]
    said("quiz-mask-forgotten", f"is off by {text((padded - right[:1]).abs().max())}")
    row = encoder.embeddings.word_embeddings.weight[tokenizer.pad_token_id]
    said("quiz-mask-forgotten", f"has length {text(row.norm())}")


def test_twice_the_length(said):
    def work(n, d=384):
        return 24 * n * d**2, 4 * n**2 * d

    share = work(512)[1] / sum(work(512))
    ratio = sum(work(1024)) / sum(work(512))
    said("quiz-twice-the-length", f"About {text(ratio, 1)} times as much", f"= {text(ratio)}$")
    said("quiz-twice-the-length", rf"2 \cdot {text(1 - share, 3)} + 4 \cdot {text(share, 3)}")


# --- chapter 7 -----------------------------------------------------------------------------------


def test_the_mean_takes_padding_in(said, minilm):
    tokenizer, encoder = minilm
    long = "fruit flies like a banana, and bananas like nobody. " * 2
    inputs = tokenizer([SENTENCE, long], padding=True, return_tensors="pt")
    hidden = encoder(**inputs).last_hidden_state
    right, wrong = POOLINGS["mean"](hidden, inputs.attention_mask)[0], hidden[0].mean(dim=0)
    assert hidden.shape[1] == 24
    said("quiz-mean-of-padding", f"are {text(wrong.norm())} and {text(right.norm())}")
    said("quiz-mean-of-padding", f"cosine is {text(F.cosine_similarity(right, wrong, dim=0))}")
    said("quiz-mean-of-padding", f"its length would be {text(right.norm() * 7 / 24)}")
    assert (hidden[0, 7:].norm(dim=-1) - 8).abs().max() < 0.25


def test_bounds_of_the_first_loss(said):
    wrong = torch.tensor([[0.0, 1.0, 0.0, 0.0]])  # probabilities taken for logits
    ceiling = F.cross_entropy(wrong, torch.tensor([0]))
    said("quiz-first-loss", rf"$\log 4 = {text(math.log(4))}$", rf"= {text(ceiling)}$")
    said("quiz-first-loss", rf"\approx {text(math.exp(-5.2), 3)}$")


def test_everything_is_called_torch(said):
    precision, recall = 160 / 600, 1.0
    f1 = 2 * precision * recall / (precision + recall)
    mean = (precision + recall) / 2
    said("quiz-always-torch", f"<summary>{text(precision)}, 1 and {text(f1)}</summary> **Right.**")
    said("quiz-always-torch", f"<summary>{text(precision)}, 1 and {text(mean)}</summary> **No:**")


def test_a_correction_of_rank_eight(said):
    layer = LoRALinear(nn.Linear(384, 1536), rank=8)
    trained = sum(p.numel() for p in layer.parameters() if p.requires_grad)
    said("quiz-lora-rank", f"<summary>{trained:,} numbers; it is as fast as it was")
    said("quiz-lora-rank", f"= {trained}$, in place of {layer.linear.weight.numel():,}.")
    x = torch.randn(2, 384)
    torch.testing.assert_close(layer.merged()(x), layer(x), rtol=1e-5, atol=1e-5)


# --- chapter 8 -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(0)
    sizes = {"hidden_size": 24, "num_attention_heads": 4, "intermediate_size": 96}
    config = TransformerConfig(vocab_size=50, num_hidden_layers=2, pre_norm=True, **sizes)
    return LanguageModel(config).eval()


@pytest.mark.parametrize("opened", [0, 1])
def test_one_open_layer_is_enough(said, small, opened):
    ids = torch.randint(1, 50, (1, 9))
    changed = ids.clone()
    changed[0, -1] = changed[0, -1] % 49 + 1

    def states(ids):
        x = small.decoder.embeddings(ids)
        for i, layer in enumerate(small.decoder.stack.layers):
            mask = torch.ones(1, 9, 9, dtype=torch.bool)
            x = layer(x, mask if i == opened else mask.tril())[0]
        return x

    with torch.no_grad():
        moved = (states(ids) - states(changed)).abs().amax(dim=-1) > 1e-6
    assert moved.all()
    said(
        "quiz-one-open-layer", "moved the logits at all nine positions, whichever of the two it was"
    )


def test_tokens_that_pass_through_the_layers(said, small):
    passed = []

    def counting(input_ids, **named):
        passed.append(input_ids.size(1))
        return small(input_ids, **named)

    prompt = torch.randint(1, 50, (1, 100))
    for use_cache, verdict in ((True, "**Right.**"), (False, "**No:**")):
        passed.clear()
        generate(counting, prompt, 100, use_cache=use_cache)
        said("quiz-token-passes", f"<summary>{sum(passed):,}</summary> {verdict}")


def test_a_triangle_on_the_source_hides_nothing_unless_the_encoder_has_one_too(said):
    torch.manual_seed(0)
    sizes = {"hidden_size": 24, "num_attention_heads": 4, "intermediate_size": 96}
    model = EncoderDecoder(TransformerConfig(vocab_size=29, num_hidden_layers=2, **sizes)).eval()
    word, triangle = torch.randint(3, 29, (1, 6)), torch.ones(1, 6, 6, dtype=torch.bool).tril()
    other = word.clone()
    other[0, -1] = 3 + (word[0, -1] - 2) % 26

    def first_row(word, mask_of_encoder):
        source = model.encode(word, mask_of_encoder)
        start = torch.ones(1, 6, dtype=torch.long)
        masked = {"encoder_hidden_states": source, "encoder_attention_mask": triangle}
        return model.decode(start, **masked).logits[0, 0]

    with torch.no_grad():
        assert (first_row(word, None) - first_row(other, None)).abs().max() > 1e-4
        assert first_row(word, triangle).equal(first_row(other, triangle))
    said("quiz-triangle-on-source", "the first row's logits change, with the triangle too")
    said("quiz-triangle-on-source", "Only with a second triangle, in the encoder, would nothing")


def test_four_tokens_at_temperature_two(said):
    cold = torch.tensor([[0.80, 0.15, 0.04, 0.01]]).log()
    probabilities = (cold / 2).softmax(-1)[0]
    said("quiz-hotter-filters", "become {}, {}, {} and {}.".format(*map(text, probabilities)))

    def kept(keep, among, logits):
        left = keep(logits, among) > -math.inf
        return left.sum().item(), text(logits.softmax(-1)[left].sum())

    before, after = (kept(top_k_filter, 2, logits) for logits in (cold, cold / 2))
    assert before[0] == after[0] == 2
    said("quiz-hotter-filters", f"which had {before[1]} together and now have {after[1]}")
    assert [kept(top_p_filter, 0.9, logits)[0] for logits in (cold, cold / 2)] == [2, 3]
    said("quiz-hotter-filters", "Top-p kept two and keeps three")


# --- chapter 10 ----------------------------------------------------------------------------------


def test_pairs_of_the_other_kind(said, monkeypatch):
    writer, tokenizer = load_writer()
    _, unseen = split_plays(read_plays())
    places = range(0, len(unseen) - 257, 7000)
    pieces = torch.cat([tokenizer.encode(unseen[i : i + 257]) for i in places])

    @torch.inference_mode()
    def loss():
        logits = writer(pieces[:, :-1]).logits.flatten(0, 1)
        return text(F.cross_entropy(logits, pieces[:, 1:].flatten()).item())

    right = loss()
    monkeypatch.setattr(cache, "rotate", partial(rotate, convention="interleaved"))
    said("quiz-pairs-of-the-other-kind", f"the writer goes from {right} to {loss()} nats.")


def test_a_run_that_made_more_steps(said):
    with (MODELS / "modern_parts.csv").open(newline="") as file:
        rows = {row["parts"]: row for row in csv.DictReader(file)}
    runs = [rows[name] for name in ("all modern parts", "all modern parts, once more")]
    other = rows["layer normalisation for RMSNorm"]
    losses = [float(row["loss"]) for row in (*runs, other)]
    assert [text(loss, 3) for loss in losses[:2]] == ["1.783"] * 2
    said("quiz-more-steps", f"the loss is {text(losses[2], 3)}, in both runs with RMSNorm 1.783")
    assert abs(losses[0] - losses[1]) < 0.001
    steps, others = int(runs[0]["steps"]), int(other["steps"])
    said("quiz-more-steps", f"made {others / steps - 1:.0%} more steps in its minute")
    said("quiz-more-steps", f"{others} steps, not {steps},", f"{losses[0] - losses[2]:.3f} is far")


def test_whose_key_query_head_nine_uses(said):
    keys = repeat_heads(torch.arange(8.0).view(1, 8, 1, 1), 32).flatten()
    sharing = [head for head, key in enumerate(keys.tolist()) if key == keys[9]]
    said(
        "quiz-whose-key", f"That of key head {keys[9]:.0f}, together with query heads 8, 10 and 11"
    )
    assert sharing == [8, 9, 10, 11]
    others = [head for head in range(32) if head % 8 == 0]
    said("quiz-whose-key", "heads {}, {}, {} and {} sharing a key".format(*others))


def test_how_far_news_travel_through_two_windows(said):
    config = TransformerConfig(
        vocab_size=9,
        hidden_size=12,
        num_attention_heads=2,
        num_hidden_layers=2,
        intermediate_size=16,
        positions="rotary",
        pre_norm=True,
        sliding_window=3,
    )
    model = LanguageModel(config).eval()
    ids = torch.zeros(1, 9, dtype=torch.int64)
    other = ids.clone()
    other[0, 0] = 1
    with torch.no_grad():
        changed = (model(ids).logits != model(other).logits).any(-1)[0]
    assert changed.nonzero().max() == 2 * (3 - 1)  # layers times what is before oneself
    said("quiz-two-windows", f"{32 * (4096 - 1):,} tokens: 4,095 more with each of the 32 layers")


def test_how_many_billions_mixtral_holds(said):
    with torch.device("meta"):
        config = MixtralConfig()  # as published
        held = sum(p.numel() for p in LanguageModel(config).parameters())
    used = held - 32 * 6 * 3 * config.hidden_size * config.intermediate_size
    said("quiz-how-many-billions", f"{2 * held / 1e9:.0f} GB: all of its {held / 1e9:.1f} billion")
    said("quiz-how-many-billions", f"{2 * used / 1e9:.0f} GB", f"{used / 1e9:.1f} billion")
    said("quiz-how-many-billions", f"{2 * 8 * 7} GB: eight times 7 billion")


def test_what_is_left_of_small_numbers_beside_a_large_one(said):
    values, scale = quantized = quantize(torch.tensor([[0.009, -0.033, 0.4, 2.54]]))
    assert text(scale.item()) == "0.02"
    assert values[0, :2].tolist() == [0, -2]
    first, second = (text(x, 3) for x in quantized.dequantize()[0, :2].tolist())
    said("quiz-what-is-left", f"{first} and {second}: whole steps of 0.02.")
    said("quiz-what-is-left", f"0.009 is {text(0.009 / 0.02)} of a step")
    said("quiz-what-is-left", f"−0.033 is {text(-0.033 / 0.02)} steps")


# --- chapter 11 ----------------------------------------------------------------------------------


def test_what_guessing_costs_among_all_tokens_and_among_those_of_a_text(said):
    said("quiz-one-layer", f"guessing among all 64 tokens costs {text(math.log(64))}")
    said("quiz-one-layer", f"ln 20 = {text(math.log(20))} is temptingly")


def test_a_probe_that_learns_words_by_heart(said):
    said("quiz-probe-accuracy", "an accuracy of 0.95", "it reaches 0.94")
    said("quiz-probe-accuracy", f"a selectivity of {text(0.95 - 0.94)}")


def test_every_quiz_with_a_measured_number_is_asked_for_here():
    asked = set(re.findall(r'said\(\s*"(quiz-[a-z-]+)"', Path(__file__).read_text("utf-8")))
    cells = chain.from_iterable(
        json.loads(path.read_text("utf-8"))["cells"] for path in FOLDER.glob("[01]*.ipynb")
    )
    quizzes = {cell["id"] for cell in cells if cell["id"].startswith("quiz-")}
    without = {"quiz-three-linear-maps", "quiz-empty-value"}  # numbers of the chapter itself
    without |= {  # no measured number
        "quiz-tok-lossless",
        "quiz-wp-price",
        "quiz-shares-of-a-state",
        "quiz-blind-lens",
        "quiz-no-induction",
        "quiz-three-ablations",
        "quiz-which-claim",
    }
    assert quizzes - asked == without


def test_ranks_cut_a_word_and_the_longest_match_does_not_go_back(said):
    merges = [("b", "c"), ("a", "b"), ("bc", "d")]
    pieces = [*BYTE_SYMBOLS.values(), *("".join(pair) for pair in merges)]
    tokenizer = BytePairTokenizer({piece: i for i, piece in enumerate(pieces)}, merges)
    cut = " | ".join(tokenizer.tokenize("abcd"))
    said("quiz-tok-rank", f"<summary>{cut}</summary> **Right.**")

    special = ["[UNK]", "[CLS]", "[SEP]"]
    pieces = {piece: i for i, piece in enumerate([*special, "ab", "a", "##b", "##bcd"])}
    found = " ".join(WordPieceTokenizer(pieces).tokenize("abcd"))
    said("quiz-wp-match", f"<summary>{found}</summary> **Right.**")


def test_new_characters_are_two_to_four_bytes(said):
    said("quiz-tok-ways", "A new character is two to four bytes")
    lengths = {
        len(chr(code).encode()) for code in range(128, 0x110000) if not 0xD800 <= code < 0xE000
    }
    assert lengths == {2, 3, 4}
