# plain BertModel only
# points: 2

def regrouped_bert(state, num_attention_heads):
    import re
    out = {}
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
           "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    for name, t in state.items():
        p = name.split(".")
        if p[0] == "embeddings":
            out[f"embedding.{emb[p[1]]}.{p[2]}"] = t
        else:
            i, k, mid = p[2], p[-1], ".".join(p[3:-1])
            if mid in lay: out[f"layers.{i}.{lay[mid]}.{k}"] = t
            elif mid.endswith("query"):
                rows = [state[name.replace("query", q)].chunk(num_attention_heads) for q in ("query", "key", "value")]
                out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat(sum(([a, b, c] for a, b, c in zip(*rows)), []))
    return out
