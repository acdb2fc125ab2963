"""Solutions to the exercises of chapters/06_encoder_in_practice.ipynb, for instructors."""

# %%
import inspect
from dataclasses import replace

import pandas as pd
import torch
from chapter import take
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from solutions import TransformerConfig, load_checkpoint
from solutions.encoder import Encoder

checkpoint = load_checkpoint()
config = TransformerConfig.from_config(checkpoint.config)

# %% [exercise 1]
# $24\,n\,d^2 = 4\,n^2 d$ gives $n = 6d$: 2,304 tokens for MiniLM and 4,608 for
# `bert-base-uncased`, 4.5 and 9 times as long as the longest texts that their position tables
# allow. The counter confirms both, for one layer with a longer table. It runs on the device
# `meta`, so that nothing is computed.


# %%
def counted(hidden, heads, tokens):
    """Count the operations of one layer, on a device that computes nothing."""
    one = TransformerConfig(
        hidden_size=hidden,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        num_hidden_layers=1,
        max_position_embeddings=8192,
    )
    with torch.device("meta"):
        encoder = Encoder(one).eval()
        ids = torch.zeros(1, tokens, dtype=torch.long)
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        encoder(ids)
    return counter.get_total_flops()


for name, hidden, heads in (("MiniLM", 384, 12), ("bert-base-uncased", 768, 12)):
    n = 6 * hidden
    per_token, per_pair = 24 * n * hidden**2, 4 * n**2 * hidden
    assert per_token == per_pair
    assert counted(hidden, heads, n) == per_token + per_pair
    print(f"{name}: {n:,} tokens; both limits are 512")

# %% [exercise 2]
# No reference is needed for any of them. Two runs show dropout; the identities of layers and
# parameters show sharing and lost registration; a text alone and in a batch shows the four
# mistakes with masks; and whether a layer counts at all, or a token type, is found by changing
# it. The signature shows the order of arguments. All eleven mistakes are found, and nothing is
# said of the right encoder. What the function can't find is anything that is consistently wrong
# and has the right form: another eps, ReLU for GELU, two norms swapped. These take known numbers.


# %%
def ids_of(*lengths):
    torch.manual_seed(0)
    ids = torch.randint(1000, 2000, (len(lengths), max(lengths)))
    real = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return ids.masked_fill(~real, 0), real.long()


def far(a, b):
    return (a - b).abs().max().item() > 1e-4


@torch.no_grad()
def diagnose(encoder, layers=6):
    """Say which mistakes an encoder may have; it is called as BertModel is."""
    found = []
    blocks = list(encoder.layers)
    ids, mask = ids_of(9, 4)

    def run(ids, mask, types=None):
        types = torch.zeros_like(ids) if types is None else types
        return encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    base = run(ids, mask)
    if far(run(ids, mask), base):
        return ["dropout is on: call eval()"]
    if len({id(block) for block in blocks}) < len(blocks):
        found.append("one layer several times")
    registered = {id(p) for p in encoder.parameters()}
    if any(id(p) not in registered for block in blocks for p in block.parameters()):
        found.append("layers that are not registered")
    if len(blocks) != layers:
        found.append(f"{len(blocks)} layers, expected {layers}")
    for i, block in enumerate(blocks):  # does each layer matter?
        parameter = next(p for p in block.parameters() if p.dim() > 1)
        kept = parameter.clone()
        parameter.mul_(1.5)
        if not far(run(ids, mask), base):
            found.append(f"layer {i} is without effect: layers not chained?")
        parameter.copy_(kept)
    if far(run(ids[1:, :4], mask[1:, :4]), base[1:, :4]):
        found.append("a text alone is not the same as in a batch: look at the mask")
    if not far(run(ids, mask, torch.ones_like(ids)), base):
        found.append("token types are without effect")
    names = list(inspect.signature(encoder.forward).parameters)[:3]
    if names != ["input_ids", "attention_mask", "token_type_ids"]:
        found.append(f"arguments in the order {', '.join(names)}: pass them by name")
    return found or ["nothing found"]


page = take("06_encoder_in_practice", "Shared", "Unregistered", "NotChained", "OneTooFew")


class NoMask(Encoder):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        return super().forward(input_ids, None, token_type_ids)


class QueryAxis(Encoder):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        mask = attention_mask.bool()[:, None, :, None]
        return super().forward(input_ids, mask, token_type_ids)


class Added(Encoder):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        mask = attention_mask.float()[:, None, None, :]
        return super().forward(input_ids, mask, token_type_ids)


class Guessed(Encoder):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        x = self.embeddings(input_ids, token_type_ids)
        return super().forward(input_ids, x.abs().sum(dim=-1) > 0, token_type_ids)


class NoSegments(Encoder):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        return super().forward(input_ids, attention_mask)


class OtherOrder(Encoder):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        return super().forward(input_ids, attention_mask, token_type_ids)


small = replace(
    config,
    hidden_size=48,
    num_attention_heads=4,
    intermediate_size=96,
    vocab_size=2000,
    max_position_embeddings=32,
)
kinds = {
    "right": Encoder,
    "1. one layer six times": page["Shared"],
    "2. a Python list": page["Unregistered"],
    "3. not chained": page["NotChained"],
    "4. one too few": page["OneTooFew"],
    "5. no mask": NoMask,
    "6. mask on queries": QueryAxis,
    "7. 0/1 mask added": Added,
    "8. guessed mask": Guessed,
    "9. no eval()": Encoder,
    "10. no segments": NoSegments,
    "11. other order": OtherOrder,
}
verdicts = {}
for name, kind in kinds.items():
    torch.manual_seed(0)
    encoder = kind(small)
    for block in [*encoder.layers, encoder.embeddings]:
        for parameter in block.parameters():
            nn.init.normal_(parameter, std=0.2)
    if "eval" not in name:
        encoder.eval()
        for block in encoder.layers:  # a plain list is not reached by eval()
            block.eval()
    verdicts[name] = "; ".join(diagnose(encoder))
report = pd.DataFrame({"says": verdicts})
report

# %%
assert verdicts["right"] == "nothing found"
assert all(said != "nothing found" for name, said in verdicts.items() if name != "right")
