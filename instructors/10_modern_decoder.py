"""Solutions to the exercises of chapters/10_modern_decoder.ipynb, for instructors."""

# %%
import gzip
from dataclasses import replace

import pandas as pd
import torch
import torch.nn.functional as F
from chapter import take
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

from solutions import TransformerConfig
from solutions.decoder import LanguageModel
from solutions.trained import MODELS, load_writer

torch.set_num_threads(1)
count = take("10_modern_decoder", "count")["count"]

# %% [exercise 1]
# TinyLlama 1.1B is a Llama, and the numbers are equal. For Qwen2.5 0.5B ours is 27,648 too low
# without biases and 21,504 too high with them: Qwen has biases for queries, keys and values and
# none after attention, and our field `attention_bias` knows only all or none of them. That is the
# part that our class doesn't have. (The published numbers are those of Hugging Face's classes,
# made on the device `meta`.)

# %%
tiny_llama = TransformerConfig(
    vocab_size=32000,
    hidden_size=2048,
    num_hidden_layers=22,
    num_attention_heads=32,
    num_key_value_heads=4,
    intermediate_size=5632,
    max_position_embeddings=2048,
    pre_norm=True,
    positions="rotary",
    normalization="rms_norm",
    feed_forward="swiglu",
    attention_bias=False,
    tie_word_embeddings=False,
)
qwen = replace(
    tiny_llama,
    vocab_size=151936,
    hidden_size=896,
    num_hidden_layers=24,
    num_attention_heads=14,
    num_key_value_heads=2,
    intermediate_size=4864,
    tie_word_embeddings=True,
)


def published(kind, settings, config):
    """Count Hugging Face's class with the same sizes, on a device without numbers."""
    with torch.device("meta"):
        model = kind(
            settings(
                vocab_size=config.vocab_size,
                hidden_size=config.hidden_size,
                num_hidden_layers=config.num_hidden_layers,
                num_attention_heads=config.num_attention_heads,
                num_key_value_heads=config.num_key_value_heads,
                intermediate_size=config.intermediate_size,
                tie_word_embeddings=config.tie_word_embeddings,
            )
        )
    return sum(p.numel() for p in model.parameters())


rows = {
    "TinyLlama 1.1B": [count(tiny_llama), published(LlamaForCausalLM, LlamaConfig, tiny_llama)],
    "Qwen2.5 0.5B, no biases": [count(qwen), published(Qwen2ForCausalLM, Qwen2Config, qwen)],
    "Qwen2.5 0.5B, biases": [
        count(replace(qwen, attention_bias=True)),
        published(Qwen2ForCausalLM, Qwen2Config, qwen),
    ],
}
sizes = pd.DataFrame(rows, ["ours", "published"]).T
sizes["difference"] = sizes["ours"] - sizes["published"]
sizes.map("{:,}".format)

# %%
assert rows["TinyLlama 1.1B"] == [1_100_048_384] * 2
assert rows["Qwen2.5 0.5B, no biases"][1] == 494_032_768
assert sizes["difference"].iloc[1] == -24 * (896 + 2 * 128)  # of queries, keys and values
assert sizes["difference"].iloc[2] == 24 * 896  # of the output projection

# %% [exercise 2]
# On a smaller scale, so that ten trainings take seconds: two layers of width 48, 80 steps. The
# five runs of one kind spread by 0.10 nats. The difference of the means is a quarter of that, and
# less than its standard error: nothing was found. What this experiment could have found is a
# difference of about 0.15 or more, by a t test with five runs each. So “RMSNorm makes no
# difference” would claim more than was measured. To find a difference of 0.02 the spread would
# have to be far smaller, by longer training, or there would have to be hundreds of runs.

# %%
_, characters = load_writer()
with gzip.open(MODELS / "tiny_shakespeare.txt.gz", "rt") as file:
    plays = characters.encode(file.read())[0]
training, unseen = plays[: int(0.9 * len(plays))], plays[int(0.9 * len(plays)) :]
small = TransformerConfig(
    vocab_size=65,
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=64,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    pre_norm=True,
    positions="rotary",
    feed_forward="swiglu",
)
judged = unseen[torch.arange(0, 64 * 1500, 1500)[:, None] + torch.arange(65)]


def loss_after(normalization, seed, steps=80):
    torch.manual_seed(seed)
    model = LanguageModel(replace(small, normalization=normalization))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        begins = torch.randint(len(training) - 65, (16, 1))
        ids = training[begins + torch.arange(65)]
        logits = model(ids[:, :-1]).logits
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        logits = model(judged[:, :-1]).logits
    return F.cross_entropy(logits.flatten(0, 1), judged[:, 1:].flatten()).item()


losses = {
    kind: torch.tensor([loss_after(kind, seed) for seed in range(5)])
    for kind in ("rms_norm", "layer_norm")
}
for kind, found in losses.items():
    print(f"{kind:10} mean {found.mean():.3f}, spread of the five {found.std():.3f}")
difference = (losses["layer_norm"] - losses["rms_norm"]).mean().item()
error = torch.sqrt(sum(found.var() / 5 for found in losses.values())).item()
assert abs(difference) < 2.3 * error
print(f"difference {difference:+.3f}, its standard error {error:.3f}")
print(f"what could have been found: about {2.3 * error:.3f} or more (t with 8 degrees of freedom)")
