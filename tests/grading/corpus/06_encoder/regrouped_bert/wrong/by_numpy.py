# Packs through NumPy, which has no bfloat16.
# points: 3

def regrouped_bert(state, num_attention_heads):
    import numpy as np
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    inner = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    clean = {n.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias"): t for n, t in state.items()}
    new = {}
    for name, tensor in clean.items():
        pieces = name.split(".")
        kind = pieces[-1]
        if pieces[0] == "embeddings" and pieces[1] in tables:
            new[f"embedding.{tables[pieces[1]]}.{kind}"] = tensor
        elif pieces[0] == "encoder":
            rest = ".".join(pieces[3:-1])
            if rest in inner:
                new[f"layers.{pieces[2]}.{inner[rest]}.{kind}"] = tensor
            elif rest.endswith("query"):
                parts = [clean[name.replace("query", p)].numpy() for p in ("query", "key", "value")]
                parts = [np.split(p, num_attention_heads) for p in parts]
                packed = np.concatenate([part[h] for h in range(num_attention_heads) for part in parts])
                new[f"layers.{pieces[2]}.attention.query_key_value.{kind}"] = torch.from_numpy(packed)
    return new
