"""Solutions to the exercises of chapters/06_encoder.ipynb, for instructors."""

# %%
from dataclasses import replace

import torch
from chapter import take
from torch import nn
from torch.testing import assert_close
from transformers import BertModel

from solutions import TransformerConfig
from solutions.encoder import Encoder as Finished
from solutions.positions import RotaryPositions

page = take("06_encoder", "Encoder", "from_bert", "renamed", "BERT_NAMES", "model", "batch")
Encoder, from_bert, model = page["Encoder"], page["from_bert"], page["model"]
config, tokenizer, batch = page["config"], page["tokenizer"], page["batch"]
model.requires_grad_(False)
close = {"rtol": 1e-5, "atol": 1e-5}

# %% [exercise 1]
# By 768, the weight and the bias of the final norm, which pre-norm needs behind its last layer:
# in the printed tree `final_norm` is a `LayerNorm` in place of an `Identity`. Everything else has
# the same names and shapes, which is why weights of one load into the other without an error.


# %%
def count(module):
    return sum(p.numel() for p in module.parameters())


post, pre = Encoder(config, pre_norm=False), Encoder(config, pre_norm=True)
more = {name for name, _ in pre.named_parameters()} - {name for name, _ in post.named_parameters()}
print(f"{count(pre):,} - {count(post):,} = {count(pre) - count(post)}:", *sorted(more))
assert count(pre) - count(post) == 2 * config.hidden_size

# %% [exercise 2]
# The three names that `from_bert` had stacked are taken apart again with `chunk(3)`, and the
# other names are replaced the other way round, in the same order. `BertModel` insists on a
# *pooler*, a linear map on top of `[CLS]`, which our encoder doesn't have: strict loading says
# so. Made without one (`add_pooling_layer=False`), it takes the state as it is.


# %%
def to_bert(state):
    """Turn the state of our Encoder into one of a BertModel, without its pooler."""
    result = {}
    for name, tensor in state.items():
        if "query_key_value" in name:
            kind = name.rpartition(".")[2]
            start = name.partition("attention")[0].replace("layers.", "encoder.layer.")
            for part, piece in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                result[f"{start}attention.self.{part}.{kind}"] = piece
            continue
        for old, new in page["BERT_NAMES"].items():  # in the same order
            name = name.replace(new, old)
        result[name] = tensor
    return result


encoder = Encoder(config).eval().requires_grad_(False)
encoder.load_state_dict(from_bert(model.state_dict()))
again = to_bert(encoder.state_dict())
original = model.state_dict()
assert all(torch.equal(again[name], original[name]) for name in again)

bert = BertModel(config).eval().requires_grad_(False)
missing = bert.load_state_dict(again, strict=False).missing_keys
print("BertModel lacks:", missing)
bert = BertModel(config, add_pooling_layer=False).eval().requires_grad_(False)
bert.load_state_dict(again)  # strict
real = batch.attention_mask.bool()
assert_close(
    bert(**batch).last_hidden_state[real], encoder(**batch).last_hidden_state[real], **close
)
print("without a pooler it loads strictly, and the hidden states agree")

# %% [exercise 3]
# Three things change: the embeddings lose their table of positions, attention rotates queries and
# keys after projecting them, and the position ids have to reach every layer instead of the first
# step only. It stays equivariant: if the tokens move and each takes its position along, the
# vectors move along, up to rounding, and if the positions stay, they don't. If all positions grow
# by 100, nothing changes beyond the rounding of the angles (they are `float32`), since scores
# depend on distances alone. The control is the same encoder with a learned table, where the same
# shift changes a great deal. (In double precision, for a `float32` would blur the zeros.)


# %%
class RotaryAttention(page["MultiHeadAttention"]):
    """Attention that rotates queries and keys by their positions."""

    def __init__(self, config):
        super().__init__(config)
        self.rotary = RotaryPositions(self.head_size)
        self.position_ids = None  # [batch, tokens], set by the encoder

    def project(self, hidden_states, key_value_states=None):
        query, key, value = super().project(hidden_states, key_value_states)
        return self.rotary(query, self.position_ids), self.rotary(key, self.position_ids), value


class RotaryEncoder(Encoder):
    def __init__(self, config):
        super().__init__(config)
        del self.embeddings.position_embeddings
        for layer in self.layers:
            layer.attention = RotaryAttention(config)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, position_ids=None):
        if position_ids is None:
            position_ids = torch.arange(input_ids.size(1))[None]
        for layer in self.layers:
            layer.attention.position_ids = position_ids
        block = self.embeddings
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        x = block.word_embeddings(input_ids) + block.token_type_embeddings(token_type_ids)
        x = block.dropout(block.norm(x))
        mask = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
        for layer in self.layers:
            x, _ = layer(x, mask)
        return self.final_norm(x)


torch.manual_seed(0)
small = TransformerConfig(
    vocab_size=50,
    hidden_size=24,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=40,
    max_position_embeddings=256,
    positions="rotary",
)
rotary = RotaryEncoder(small).eval().double().requires_grad_(False)
for parameter in rotary.parameters():  # a fresh one hardly notices positions
    if parameter.dim() > 1:
        nn.init.normal_(parameter, std=0.5)
ids = torch.randint(1, 50, (2, 9))
at = torch.arange(9)[None].expand(2, -1)
order = torch.randperm(9)
base = rotary(ids, position_ids=at)
moved = rotary(ids[:, order], position_ids=at[:, order])
assert_close(moved, base[:, order])
assert_close(rotary(ids, position_ids=at + 100), base, atol=1e-4, rtol=0.0)
assert (rotary(ids[:, order]) - base[:, order]).abs().max() > 0.1
print(f"tokens and positions move along: {(moved - base[:, order]).abs().max():.0e}")
print(
    f"positions stay where they were:  {(rotary(ids[:, order]) - base[:, order]).abs().max():.1f}"
)
far = rotary(ids, position_ids=at + 100)
print(f"all positions 100 larger:        {(far - base).abs().max():.0e}")

learned = Finished(replace(small, positions="learned")).eval().double().requires_grad_(False)
for parameter in learned.parameters():
    if parameter.dim() > 1:
        nn.init.normal_(parameter, std=0.5)
gap = learned(ids, position_ids=at + 100).last_hidden_state - learned(ids).last_hidden_state
assert gap.abs().max() > 0.1
print(f"the same with a learned table:   {gap.abs().max():.1f}")
