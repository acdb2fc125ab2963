# view instead of grouping
# points: 0

def regrouped_bert(state, num_attention_heads):
    out = {}
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
           "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    for name, t in state.items():
        name2 = name.removeprefix("bert.").replace("gamma", "weight").replace("beta", "bias")
        p = name2.split(".")
        if p[0] == "embeddings" and p[1] in emb: out[f"embedding.{emb[p[1]]}.{p[2]}"] = t
        if p[0] == "encoder":
            i, k, mid = p[2], p[-1], ".".join(p[3:-1])
            if mid in lay: out[f"layers.{i}.{lay[mid]}.{k}"] = t
            elif mid.endswith("query"):
                parts = torch.cat([state[name.replace("query", q)] for q in ("query", "key", "value")])
                out[f"layers.{i}.attention.query_key_value.{k}"] = parts.reshape(num_attention_heads, 3, -1, *parts.shape[1:]).flatten(0, 2)
    return out
