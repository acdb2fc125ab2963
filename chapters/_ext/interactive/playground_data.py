"""The numbers of real models that the playgrounds show.

They are computed by the classes of `solutions`; `tests/site/test_playgrounds.py` computes them
again.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, cross_entropy, layer_norm, normalize, pad

from solutions import load_checkpoint
from solutions.corpus import load_docstrings
from solutions.encoder import Encoder
from solutions.head import Classifier
from solutions.inspection import head_contributions, record, residual_contributions
from solutions.layers import EncoderLayer
from solutions.lora import add_lora, merge_lora
from solutions.normalization import PostNorm, PreNorm
from solutions.tokenizers import BYTE_SYMBOLS, BytePairTokenizer
from solutions.trained import load_adapter, load_writer, read_plays, split_plays
from solutions.training import TextDataset, predict

SENTENCE, OTHER = "time flies like an arrow", "fruit flies like a banana"
TEXTS = ("Time flies like", "My l", "What, ", "JULIET:\n")  # those of the page on writing
COUNTS = (0, 1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1280, 1536)
DRAWS = 8  # of the same number of neurons at random
SPREADS, DEPTH = (0.01, 0.02, 0.04, 0.08), 24
MOST_PADS = 8
NEAREST = 5
VOCABULARY = 1024


@cache
def minilm() -> tuple[Any, Any]:
    """MiniLM as the encoder of chapter 6, and its tokenizer."""
    checkpoint = load_checkpoint()
    return Encoder.from_pretrained(checkpoint).requires_grad_(False), checkpoint.tokenizer


@cache
def reading(sentence: str) -> tuple[list[str], Any, dict[str, Tensor]]:
    """Return the tokens of a sentence, MiniLM's output, and what its modules are given."""
    encoder, tokenizer = minilm()
    inputs = tokenizer(sentence, return_tensors="pt")
    names = [
        f"layers.{i}.{part}"
        for i in range(len(encoder.layers))
        for part in ("attention.output", "feed_forward.output")
    ]
    with record(encoder, names, inputs=True) as given:
        found = encoder(**inputs, output_attentions=True, output_hidden_states=True)
    return tokenizer.convert_ids_to_tokens(inputs.input_ids[0].tolist()), found, given


def rounded(tensor: Tensor, digits: int = 3) -> Any:
    """Return the numbers of a tensor as nested lists, rounded."""
    if tensor.ndim == 0:
        return round(tensor.item(), digits)
    return [rounded(part, digits) for part in tensor]


def attention_of_words() -> dict:
    """Whom each token looks at in each layer, on average over the heads, and what it becomes."""
    encoder, tokenizer = minilm()
    table = normalize(encoder.embeddings.word_embeddings.weight, dim=-1)
    names = tokenizer.convert_ids_to_tokens(range(len(table)))
    unused = torch.tensor([name.startswith("[unused") for name in names])
    sentences = []
    for sentence in (SENTENCE, OTHER):
        tokens, found, _ = reading(sentence)
        maps = torch.stack([each[0].mean(dim=0) for each in found.attentions])
        states = normalize(torch.cat(found.hidden_states), dim=-1)  # [layers + 1, tokens, hidden]
        close = (states @ table.T).masked_fill(unused, -1)
        own = torch.tensor(tokenizer.convert_tokens_to_ids(tokens))
        close[:, range(len(tokens)), own] = -1
        best = close.topk(NEAREST, dim=-1).indices
        nearest = [[[names[i] for i in token] for token in layer] for layer in best.tolist()]
        sentences.append({"tokens": tokens, "maps": rounded(maps), "nearest": nearest})
    return {"sentences": sentences}


def logits_of_the_writer() -> dict:
    """What the writer expects after each text: a logit for every character."""
    model, tokenizer = load_writer()
    model = model.double()
    with torch.inference_mode():
        texts = [
            {"text": text, "logits": rounded(model(tokenizer.encode(text)).logits[0, -1])}
            for text in TEXTS
        ]
    return {"characters": list(tokenizer.characters), "texts": texts}


def what_heads_write() -> dict:
    """Dot products of what the heads of a layer, and its bias, add to the output of a token.

    The output of attention is their sum, so these products say how long any part of the sum is and
    how much of the output it has.
    """
    encoder, _ = minilm()
    tokens, found, given = reading(SENTENCE)
    layers = []
    for i, layer in enumerate(encoder.layers):
        output, heads = layer.attention.output, given[f"layers.{i}.attention.output"]
        written = head_contributions(output, heads, encoder.config.head_size)
        bias = output.bias.expand_as(heads)
        parts = torch.cat([*written, bias]).transpose(0, 1)  # [tokens, heads + 1, hidden]
        products = parts @ parts.transpose(1, 2)
        upper = torch.triu_indices(*products.shape[1:])
        weights, most = found.attentions[i][0].max(dim=-1)  # [heads, tokens]
        layers.append(
            {
                "products": rounded(products[:, upper[0], upper[1]]),
                "looks": most.T.tolist(),
                "weights": rounded(weights.T, 2),
            }
        )
    return {"tokens": tokens, "layers": layers}


def what_neurons_write() -> dict:
    """How much of a feed-forward layer's update is missing when only some neurons write.

    The strongest are those that write the longest vectors: activation times length of the value.
    """
    encoder, _ = minilm()
    tokens, _, given = reading(SENTENCE)
    layers = []
    for i, layer in enumerate(encoder.layers):
        active = given[f"layers.{i}.feed_forward.output"][0]  # [tokens, neurons]
        values = layer.feed_forward.output.weight.T  # [neurons, hidden]
        update = active @ values + layer.feed_forward.output.bias
        strength = active.abs() * values.norm(dim=-1)
        draw = torch.Generator().manual_seed(0)
        chance = torch.rand(DRAWS, *active.shape, generator=draw)
        words = {
            "strongest": missing(active, values, update, strength),
            "random": sum(missing(active, values, update, each) for each in chance) / DRAWS,
        }
        layers.append(
            {
                **{name: rounded(share) for name, share in words.items()},
                "active": (active > 0.5).sum(dim=-1).tolist(),
                "first": strength.argmax(dim=-1).tolist(),
            }
        )
    return {"tokens": tokens, "counts": COUNTS, "layers": layers}


def missing(active: Tensor, values: Tensor, update: Tensor, rank: Tensor) -> Tensor:
    """Length of what is missing, as a share of the update, ``[tokens, counts]``.

    Args:
        active: ``[tokens, neurons]``, the activations.
        values: ``[neurons, hidden]``, what each neuron writes.
        update: ``[tokens, hidden]``, what all of them write, and the bias.
        rank: ``[tokens, neurons]``; those with the largest numbers are kept.
    """
    order = rank.argsort(dim=-1, descending=True)
    left = []
    for count in COUNTS:
        lost = active.scatter(-1, order[:, :count], 0.0) @ values
        left.append(lost.norm(dim=-1) / update.norm(dim=-1))
    return torch.stack(left, dim=-1)


def sizes_of_the_stream() -> dict:
    """How large the hidden states are after each layer, before training and after it.

    New layers have the sizes of MiniLM's, weights drawn with the standard deviations of SPREADS,
    and read MiniLM's embeddings, brought to size 1.
    """
    config = minilm()[0].config
    start = layer_norm(reading(SENTENCE)[1].hidden_states[0].double(), (config.hidden_size,))
    arrangements = {"none": PostNorm, "pre-norm": PreNorm, "post-norm": PostNorm}
    states = {(name, spread): [start] for name in arrangements for spread in SPREADS}
    torch.manual_seed(0)
    for _ in range(DEPTH):
        layer = EncoderLayer(config).double().eval().requires_grad_(False)
        matrices = [each for each in layer.parameters() if each.ndim == 2]
        drawn = [torch.randn_like(each) for each in matrices]
        for each in layer.modules():
            if isinstance(each, torch.nn.Linear):
                each.bias.zero_()
        norms = layer.attention_norm, layer.feed_forward_norm
        for (name, spread), so_far in states.items():
            for matrix, numbers in zip(matrices, drawn, strict=True):
                torch.mul(numbers, spread, out=matrix)
            layer.residual = arrangements[name]
            without = torch.nn.Identity(), torch.nn.Identity()
            layer.attention_norm, layer.feed_forward_norm = without if name == "none" else norms
            so_far.append(layer(so_far[-1])[0])
    fresh = {
        name: [growth(torch.cat(states[name, spread])) for spread in SPREADS]
        for name in arrangements
    }
    writer, characters = load_writer()
    added = residual_contributions(writer, characters.encode(TEXTS[0]))
    states = torch.cat(list(added.values())).cumsum(dim=0)[::2]  # a layer adds twice
    trained = {
        "pre-norm": growth(states),
        "post-norm": growth(torch.cat(reading(SENTENCE)[1].hidden_states)),
    }
    return {"spreads": SPREADS, "fresh": fresh, "trained": trained}


def growth(states: Tensor) -> dict[str, list[float]]:
    """Sizes (RMS, as logarithms to base 10) and the share that each layer changes.

    Args:
        states: ``[layers + 1, tokens, hidden]``.
    """
    size = states.square().mean(dim=(1, 2)).sqrt()
    change = (states[1:] - states[:-1]).square().mean(dim=(1, 2)).sqrt()
    return {"sizes": rounded(size.log10()), "changes": rounded(change / size[:-1])}


def what_padding_takes() -> dict:
    """What tokens look at, and how their vectors drift, when padding is not masked."""
    encoder, tokenizer = minilm()
    tokens, alone, _ = reading(SENTENCE)
    ids = tokenizer(SENTENCE, return_tensors="pt").input_ids
    runs = []
    for count in range(MOST_PADS + 1):
        found = encoder(pad(ids, (0, count)), output_attentions=True, output_hidden_states=True)
        maps = [each[0, :, : len(tokens)].mean(dim=0) for each in found.attentions]
        pairs = zip(found.hidden_states, alone.hidden_states, strict=True)
        cosines = [cosine_similarity(a[0, : len(tokens)], b[0], dim=-1) for a, b in pairs]
        runs.append({"maps": rounded(torch.stack(maps)), "cosines": rounded(torch.stack(cosines))})
    return {"tokens": tokens, "runs": runs}


def scores_of_a_classifier() -> dict:
    """How sure chapter 7's classifier is of each library, for its 600 test texts."""
    texts, labels = load_docstrings()
    names = sorted(set(labels))
    model = Classifier.from_pretrained(num_labels=len(names))
    add_lora(model.encoder, rank=8)
    model.load_state_dict(load_adapter("libraries"), strict=False)
    merge_lora(model)
    right = torch.tensor([names.index(label) for label in labels[-600:]])
    scores = predict(model, TextDataset(texts[-600:], right, minilm()[1])).softmax(dim=-1)
    return {"names": names, "labels": right.tolist(), "scores": rounded(scores)}


def merges_of_the_plays() -> dict:
    """The merges that chapter 9 learns from the plays, in order, and the symbols of the bytes."""
    learned, _ = split_plays(read_plays())
    tokenizer = BytePairTokenizer.train([learned], VOCABULARY)
    symbols = "".join(BYTE_SYMBOLS[byte] for byte in range(256))
    return {"merges": [" ".join(pair) for pair in tokenizer.ranks], "symbols": symbols}


def losses_of_orders() -> dict:
    """The writer's loss when its layers run in any order, or some of them not at all.

    The text is chapter 11's: 16 pieces of 128 characters that the writer has not seen. Each key
    lists the layers that have run; the loss is read off after the last of them.
    """
    _, unseen = split_plays(read_plays())
    model, tokenizer = load_writer()
    starts = range(0, len(unseen) - 129, 7000)
    ids = torch.cat([tokenizer.encode(unseen[i : i + 129]) for i in starts])
    stack, table = model.decoder.stack, model.decoder.embeddings.word_embeddings.weight
    losses: dict[str, float] = {}
    inputs: dict[str, Any] = {}

    def keep(_module: torch.nn.Module, given: tuple, settings: dict) -> None:
        inputs.update(given=given[1:], settings=settings)

    with stack.layers[0].register_forward_pre_hook(keep, with_kwargs=True):
        model(ids[:, :-1])  # what all layers are given beside the states: mask and rotation

    def go_on(ran: tuple[int, ...], states: Tensor) -> None:
        logits = stack.final_norm(states) @ table.T
        loss = cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        losses["".join(map(str, ran))] = round(loss.item(), 4)
        for i, layer in enumerate(stack.layers):
            if i not in ran:
                go_on((*ran, i), layer(states, *inputs["given"], **inputs["settings"])[0])

    go_on((), model.decoder.embeddings(ids[:, :-1]))
    return {"losses": losses, "guessing": round(math.log(len(tokenizer.characters)), 3)}
