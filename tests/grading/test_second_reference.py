"""References against the code of others: PyTorch's, Hugging Face's or scikit-learn's own agrees.

An exercise's alternatives are written beside its reference, perhaps with the same error in mind.
Here stands, for each exercise that asks for something that a library has, that library's own, with
no more around it than names and shapes. Where a case asks for more than the library can, it is left
out, and how many are left out is written down.
"""

import functools
import json
import re
import types

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

from grading import check
from grading.content import assignments
from grading.exercise import DrawnExercise

EXERCISES = {e.id: e for exercises in assignments().values() for e in exercises}
SEEDS = (1, 2, 3)

# Of these, an alternative in the content module is the library's own.
AMONG_THE_ALTERNATIVES = {
    "padded_heads": "library",
    "repaired_attention": "library",
    "packed_attention": "fused",
    "CrossAttention": "PyTorch's function",
    "flax_to_torch": "by PyTorch's module",
    "repaired_heads": "PyTorch's function for all of it",
    "ShapedLayerNorm": "library",
    "RepairedLayer": "library",
    "RepairedEncoder": "run by PyTorch's stack",
    "accumulated_loss": "one library call",
    "CachedAttention": "fused",
    "repaired_wordpiece": "library",
    "grouped_attention": "PyTorch's function",
}


def weights_time_first(query, key):
    query, key = query.transpose(0, 1), key.transpose(0, 1)
    value = torch.eye(key.size(1)).expand(key.size(0), -1, -1)  # the weights themselves
    return F.scaled_dot_product_attention(query, key, value)


def named_feed_forward(hidden_states, state, activation="gelu"):
    from transformers.activations import ACT2FN

    if activation not in ("relu", "gelu", "gelu_new", "silu"):
        raise ValueError(activation)
    layers = nn.Sequential()
    for name in ("intermediate.dense", "output.dense"):
        weight, bias = state[f"{name}.weight"], state.get(f"{name}.bias")
        layer = functools.partial(
            functional_call,
            nn.Linear(*reversed(weight.shape), bias=bias is not None, dtype=weight.dtype),
            {"weight": weight} if bias is None else {"weight": weight, "bias": bias},
        )
        layers.append(Called(layer))
    layers.insert(1, ACT2FN[activation])
    return layers(hidden_states)


class Called(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        from transformers.models.phi3.modeling_phi3 import Phi3Config, Phi3MLP

        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved
        sizes = {"hidden_size": hidden_size, "intermediate_size": intermediate_size}
        # in a list, so that its weights are not this module's
        self.peer = [Phi3MLP(types.SimpleNamespace(**sizes, hidden_act=Phi3Config().hidden_act))]

    def forward(self, x):
        packed = self.gate_up.weight
        if self.interleaved:
            packed = packed.unflatten(0, (-1, 2)).transpose(0, 1).flatten(0, 1)
        weights = {"gate_up_proj.weight": packed, "down_proj.weight": self.down.weight}
        return functional_call(self.peer[0], weights, x)


def llama_rms_norm(x, weight, eps):
    from transformers.models.llama.modeling_llama import LlamaRMSNorm

    return functional_call(LlamaRMSNorm(weight.numel(), eps), {"weight": weight}, x)


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    # BLOOM's grows with the place of the key; what a softmax sees of it is the distance
    by_key = build_alibi_tensor(torch.ones(1, keys), num_attention_heads, torch.float32)
    mask = -(by_key - by_key[..., keys - queries :].transpose(1, 2)).abs()
    shown = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return mask.masked_fill(~shown, float("-inf")) if causal else mask


def next_position_ids(attention_mask, new_tokens):
    from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

    count = RobertaEmbeddings.create_position_ids_from_input_ids(attention_mask.long(), 0)
    return (count - 1).clamp(min=0)[:, -new_tokens:]


def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb
    from transformers.models.llama.modeling_llama import LlamaConfig, LlamaRotaryEmbedding

    config = LlamaConfig(
        head_dim=rotary_size, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    cos, sin = LlamaRotaryEmbedding(config)(query.float(), position_ids)
    turned = apply_rotary_pos_emb(query, key, cos, sin)
    return tuple(new.to(old.dtype) for new, old in zip(turned, (query, key), strict=True))


def repaired_positions(embeddings, position_ids, base=10000.0):
    from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings

    if base != 10000.0:
        raise NotImplementedError
    size = embeddings.size(-1)
    table = torch.zeros(int(position_ids.max()) + 1, size)
    return (
        embeddings * size**0.5 + create_sinusoidal_embeddings(len(table), size, table)[position_ids]
    )


def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    from transformers.modeling_attn_mask_utils import AttentionMaskConverter

    real = nn.utils.rnn.pad_sequence(
        [torch.ones(length) for length in [*lengths.tolist(), tokens]], batch_first=True,
        padding_side="left" if left else "right",
    )[:-1]  # fmt: skip
    queries = 1 if allowed is None else len(allowed)
    mask = AttentionMaskConverter._expand_mask(real, dtype, queries)
    return mask if allowed is None else mask.masked_fill(~allowed, torch.finfo(dtype).min)


class CompactEmbeddings(nn.Module):
    def __init__(self, vocab, small, hidden, places, kinds, pad, eps=1e-12, dropout=0.1):
        from transformers.models.albert.modeling_albert import AlbertConfig, AlbertEmbeddings

        super().__init__()
        config = AlbertConfig(
            vocab_size=vocab, embedding_size=small, hidden_size=hidden, type_vocab_size=kinds,
            max_position_embeddings=places, layer_norm_eps=eps, hidden_dropout_prob=dropout,
            pad_token_id=pad,
        )  # fmt: skip
        peer = AlbertEmbeddings(config)
        self.word_embeddings, self.norm = peer.word_embeddings, peer.LayerNorm
        self.position_embeddings = peer.position_embeddings
        self.token_type_embeddings = peer.token_type_embeddings
        self.projection = nn.Linear(small, hidden)
        self.dropout, self.peer, self.pad = peer.dropout, [peer], pad

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

        if position_ids is None:
            count = RobertaEmbeddings.create_position_ids_from_input_ids
            position_ids = count(input_ids, self.pad)
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        return self.projection(self.peer[0](input_ids, token_type_ids, position_ids))


def averaged_scores(confusion, classes, average):
    from sklearn.metrics import precision_recall_fscore_support

    if not confusion.any():  # it asks for examples
        raise NotImplementedError
    there, called = confusion.nonzero().T
    counts = confusion[there, called]
    there, called = (labels.repeat_interleave(counts).tolist() for labels in (there, called))
    scores = precision_recall_fscore_support(
        there, called, labels=classes, average=average, zero_division=0.0
    )
    return torch.tensor(scores[:3], dtype=torch.float32)


def masked_inputs(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    from transformers import DataCollatorForLanguageModeling

    class Words:
        mask_token = "[MASK]"
        __len__ = lambda self: 30_000  # noqa: E731
        convert_tokens_to_ids = lambda self, token: mask_id  # noqa: E731

    words = Words()
    collator = DataCollatorForLanguageModeling(words, mlm_probability=rate)
    # what it would draw; the second time it draws among what was not masked: 0.1 of 0.2
    draws = iter([chosen, action, (action - 0.8) / 0.2])
    fixed = torch.tensor([[i in special_ids for i in row] for row in input_ids.tolist()])
    fixed = fixed | (attention_mask == 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "bernoulli", lambda p, generator=None: (next(draws) < p).float())
        patch.setattr(torch, "randint", lambda *sizes, **options: random_ids)
        return collator.torch_mask_tokens(input_ids.clone(), fixed)


def decoder_mask(attention_mask, queries, window=None):
    from transformers import masking_utils

    keys = attention_mask.size(1)
    batch, key = torch.arange(len(attention_mask)).view(-1, 1, 1, 1), torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    parts = [
        masking_utils.causal_mask_function,
        masking_utils.padding_mask_function(attention_mask.bool()),
    ]
    if window is not None:
        parts.append(masking_utils.sliding_window_overlay(window))
    return masking_utils.and_masks(*parts)(batch, torch.zeros_like(batch), query, key)


def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    from transformers.generation import logits_process

    if temperature == 0:  # `generate` then takes the largest, without these
        raise NotImplementedError
    scores = logits.reshape(-1, logits.size(-1))
    warpers = [logits_process.TemperatureLogitsWarper(float(temperature))]
    if top_k is not None:
        warpers.append(logits_process.TopKLogitsWarper(top_k))
    if top_p is not None:
        warpers.append(logits_process.TopPLogitsWarper(top_p))
    for warper in warpers:
        scores = warper(None, scores)
    return scores.softmax(-1).view(logits.shape)


def repaired_loss(logits, input_ids, attention_mask):
    from transformers.loss.loss_utils import ForCausalLMLoss

    labels = input_ids.masked_fill(attention_mask == 0, -100)
    if attention_mask.diff(dim=1).max() > 0:  # padding on the left: it asks nothing there
        labels[:, 1:] = labels[:, 1:].masked_fill(attention_mask[:, :-1] == 0, -100)
    if (labels[:, 1:] == -100).all():  # there it gives NaN
        raise NotImplementedError
    return ForCausalLMLoss(logits, labels, logits.size(-1))


def merge_word(word, ranks):
    from tokenizers import models

    # its merges are pairs: all that make a piece, one after the other
    merges = [
        (piece[:cut], piece[cut:])
        for piece in sorted(ranks, key=ranks.get)
        for cut in range(1, len(piece))
        if all(len(part) == 1 or part in ranks for part in (piece[:cut], piece[cut:]))
    ]
    pieces = dict.fromkeys([*word, *ranks, *"".join(ranks)])
    vocab = {piece: number for number, piece in enumerate(pieces)}
    return [token.value for token in models.BPE(vocab, merges).tokenize(word)]


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    if max_length is not None or (num_merges and counts and max(counts.values()) <= 6):
        raise NotImplementedError  # it counts lengths differently, and breaks ties by ids
    alphabet = sorted(set("".join(counts)))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=len(alphabet) + num_merges,
        min_frequency=min_frequency,
        initial_alphabet=alphabet,
        max_token_length=max_length,
        show_progress=False,
    )
    text = [" ".join([word] * count) for word, count in counts.items()]
    tokenizer.train_from_iterator(text, trainer)
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    from tokenizers import decoders

    codes = [piece for piece in pieces if re.fullmatch("<0x[0-9A-Fa-f]{2}>", piece)]
    try:  # of a run that is not valid it replaces every byte, and small letters are digits, too
        bytes.fromhex("".join(code[3:5] for code in codes)).decode()
    except UnicodeDecodeError as error:
        raise NotImplementedError from error
    if skip_special_tokens:
        pieces = [piece for piece in pieces if piece not in special_tokens]
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence([*parts, decoders.Strip(" ", 1, 0)]).decode(pieces)


def route(logits, bias, top_k, speed=0.001):
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import (
        DeepseekV3Config,
        DeepseekV3TopkRouter,
    )  # fmt: skip

    experts = len(bias)
    config = DeepseekV3Config(
        hidden_size=experts, n_routed_experts=experts, num_experts_per_tok=top_k, n_group=1,
        topk_group=1, norm_topk_prob=True, routed_scaling_factor=1.0,
    )  # fmt: skip
    sums = logits.sigmoid() + bias
    if (sums.sort(dim=-1).values.diff(dim=-1) == 0).any():  # it takes any of equal ones
        raise NotImplementedError
    router = DeepseekV3TopkRouter(config)
    router.e_score_correction_bias.copy_(bias.detach())
    weights = {"weight": torch.eye(experts)}  # so that the logits are what it is given
    *_, scores, expert_ids = functional_call(router, weights, logits)
    order = sums.gather(1, expert_ids).argsort(dim=1, descending=True)  # it promises none
    expert_ids, scores = expert_ids.gather(1, order), scores.gather(1, order)
    load = F.one_hot(expert_ids, experts).sum(dim=(0, 1)).float()
    return scores, expert_ids, bias + speed * torch.sign(load.mean() - load)


def streamed_attention(query, blocks):
    every = [[None if part is None else part.clone() for part in block] for block in blocks]
    masks = [torch.ones(1, 1, query.size(2), k.size(2)) if m is None else m for k, _, m in every]
    seen = torch.cat([mask.bool().expand(len(query), -1, -1, -1) for mask in masks], dim=-1)
    key, value = (torch.cat([block[i] for block in every], dim=2) for i in (0, 1))
    empty = ~seen.any(dim=-1, keepdim=True)
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=seen | empty)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.size(-1) ** 0.5
    lse = torch.logsumexp(scores.masked_fill(~seen, -torch.inf), dim=-1)
    return output.masked_fill(empty, 0.0), lse


def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    from transformers.core_model_loading import PermuteForRope

    def halves(rows, heads):
        config = types.SimpleNamespace(num_attention_heads=heads)
        return PermuteForRope()._permute_for_rope(rows, config)

    left = dict(state)
    left.pop("rope.freqs", None)
    book = "decoder.stack."
    try:
        new = {
            "decoder.embeddings.word_embeddings.weight": left.pop("tok_embeddings.weight"),
            f"{book}final_norm.weight": left.pop("norm.weight"),
        }
        if "output.weight" in left:
            new["head.weight"] = left.pop("output.weight")
        for n in range(len(left) // 9):
            layer = f"layers.{n}."
            rows = [left.pop(f"{layer}attention.w{part}.weight") for part in "qkv"]
            heads = num_attention_heads, num_key_value_heads
            rows[:2] = [halves(*both) for both in zip(rows[:2], heads, strict=True)]
            new[f"{book}{layer}attention.query_key_value.weight"] = torch.cat(rows)
            for ours, theirs in {
                "attention.output": "attention.wo", "attention_norm": "attention_norm",
                "feed_forward.gate": "feed_forward.w1", "feed_forward.output": "feed_forward.w2",
                "feed_forward.intermediate": "feed_forward.w3", "feed_forward_norm": "ffn_norm",
            }.items():  # fmt: skip
                new[f"{book}{layer}{ours}.weight"] = left.pop(f"{layer}{theirs}.weight")
    except KeyError:
        left["missing"] = None
    if left:  # the library says nothing of names
        raise NotImplementedError
    return new


def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    from scipy.stats import rankdata
    from transformers.models.gpt2.modeling_gpt2 import GPT2Config, GPT2LMHeadModel

    vocab, hidden = table.shape
    model = GPT2LMHeadModel(
        GPT2Config(vocab_size=vocab, n_embd=hidden, n_layer=0, n_head=1, n_positions=1)
    ).eval()
    model.transformer.ln_f.load_state_dict({"weight": norm_weight, "bias": norm_bias})
    model.lm_head.weight.data = table
    with torch.no_grad():
        *inner, last = hidden_states
        states = torch.stack([*map(model.transformer.ln_f, inner), last])
        log_probs = model.lm_head(states).log_softmax(-1)
    index = target_ids.expand(len(states), -1, -1)[..., None]
    places = torch.from_numpy(rankdata(-log_probs, axis=-1)).gather(-1, index).squeeze(-1)
    ranks = places.long() - 1
    runs = [
        len(states) - next((n for n, rank in enumerate(column) if rank), len(states))
        for column in ranks.flip(0).flatten(1).T.tolist()
    ]
    settled = torch.tensor(runs).view(target_ids.shape)
    return log_probs.gather(-1, index).squeeze(-1), ranks, settled


def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    from sklearn.linear_model import Ridge
    from sklearn.metrics import accuracy_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    train, accuracies, scores = ~is_test, [], []
    for target in (labels, control_labels[word_ids]):
        probe = make_pipeline(StandardScaler(), Ridge(alpha=penalty))
        probe.fit(states[train].double(), F.one_hot(target, num_labels)[train])
        scores.append(torch.from_numpy(probe.predict(states[is_test].double())).float())
        accuracies.append(accuracy_score(target[is_test], scores[-1].argmax(1)))
    return scores[0], torch.tensor([*accuracies, accuracies[0] - accuracies[1]])


PEERS = {  # and how many of all cases, in one draw, their library has nothing for
    weights_time_first: 0,
    named_feed_forward: 0,
    PackedSwiGLU: 0,
    llama_rms_norm: 0,
    alibi_mask: 0,
    next_position_ids: 0,
    partial_rotary: 0,
    repaired_positions: 2,
    additive_mask: 0,
    CompactEmbeddings: 0,
    averaged_scores: 1,
    masked_inputs: 0,
    decoder_mask: 0,
    next_token_probabilities: 2,
    repaired_loss: 2,
    merge_word: 0,
    train_merges: 5,
    decode_pieces: 5,
    route: 4,
    streamed_attention: 0,
    llama_to_packed: 6,
    logit_lens: 0,
    probe_with_control: 0,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.__name__)
def test_a_library_agrees_in_every_case(peer):
    exercise = EXERCISES[peer.__name__]
    for seed in SEEDS:
        drawn = DrawnExercise(exercise, seed)
        outcomes = drawn.outcomes(peer)
        left_out = [o.get("type") == "NotImplementedError" for o in outcomes]
        assert sum(left_out) == PEERS[peer]
        verdict = check.grade_outcomes(drawn.record, outcomes, dict)
        wrong = {c.title: c.problem for c in verdict.cases if c.problem}
        for case, none in zip(drawn.cases, left_out, strict=True):
            if none:
                del wrong[case["title"]]
        assert wrong == {}


def test_where_the_alternatives_say_so_they_are_a_library():
    for name, title in AMONG_THE_ALTERNATIVES.items():
        assert title in EXERCISES[name].alternatives
        assert name not in {peer.__name__ for peer in PEERS}
