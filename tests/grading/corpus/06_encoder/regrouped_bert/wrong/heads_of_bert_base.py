# always as many heads as BERT-base
# points: 0

def regrouped_bert(state, num_attention_heads):
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    parts = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    plain, new = {}, {}
    for name, t in state.items():
        if name.startswith("bert."):
            name = name[5:]
        name = name.replace(".gamma", ".weight").replace(".beta", ".bias")
        plain[name] = t
    for name, t in plain.items():
        words = name.split(".")
        if words[0] == "embeddings" and words[1] in tables:
            new[f"embedding.{tables[words[1]]}.{words[2]}"] = t
        elif words[0] == "encoder":
            i, kind, middle = words[2], words[-1], ".".join(words[3:-1])
            if middle in parts:
                new[f"layers.{i}.{parts[middle]}.{kind}"] = t
            elif middle.endswith("query"):
                three = [plain[name.replace("query", w)] for w in ("query", "key", "value")]
                heads = 12
                size = three[0].shape[0] // heads
                rows = [x[h * size : (h + 1) * size] for h in range(heads) for x in three]
                new[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(rows)
    return new
