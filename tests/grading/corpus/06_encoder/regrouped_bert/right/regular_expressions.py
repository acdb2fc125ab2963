# regular expressions
# points: 4

import re
def regrouped_bert(state, num_attention_heads):
    state = {k.replace("bert.", "", 1) if k.startswith("bert.") else k: v for k, v in state.items()}
    state = {re.sub(r"gamma$", "weight", re.sub(r"beta$", "bias", k)): v for k, v in state.items()}
    new = {}
    for s in ("weight", "bias"):
        for a, b in (("word_embeddings", "word"), ("position_embeddings", "position"), ("token_type_embeddings", "segment"), ("LayerNorm", "norm")):
            if f"embeddings.{a}.{s}" in state:
                new[f"embedding.{b}.{s}"] = state[f"embeddings.{a}.{s}"]
        i = 0
        while f"encoder.layer.{i}.output.dense.{s}" in state:
            old, to = f"encoder.layer.{i}.", f"layers.{i}."
            q, k, v = (state[f"{old}attention.self.{p}.{s}"].chunk(num_attention_heads) for p in ("query", "key", "value"))
            new[f"{to}attention.query_key_value.{s}"] = torch.cat([t for trio in zip(q, k, v) for t in trio])
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"), ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                new[f"{to}{b}.{s}"] = state[f"{old}{a}.{s}"]
            i += 1
    return new
