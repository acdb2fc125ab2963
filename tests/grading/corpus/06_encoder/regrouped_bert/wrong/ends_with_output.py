# Looks at the end of the name only, so attention.output.dense is taken for output.dense.
# points: 0
def regrouped_bert(state, num_attention_heads):
    clean = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name.endswith(".gamma"):
            name = name[:-6] + ".weight"
        if name.endswith(".beta"):
            name = name[:-5] + ".bias"
        clean[name] = tensor
    ends = {
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
        "intermediate.dense": "mlp.up",
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
    }
    tables = {"word_embeddings": "word", "position_embeddings": "position",
              "token_type_embeddings": "segment", "LayerNorm": "norm"}
    new = {}
    for name, tensor in clean.items():
        module, kind = name.rsplit(".", 1)
        if name.startswith("embeddings."):
            table = module.split(".")[-1]
            if table in tables:
                new[f"embedding.{tables[table]}.{kind}"] = tensor
        elif name.startswith("encoder.layer."):
            i = name.split(".")[2]
            for end, target in ends.items():
                if module.endswith(end):
                    new[f"layers.{i}.{target}.{kind}"] = tensor
                    break
            if module.endswith("query"):
                rows = [clean[f"encoder.layer.{i}.attention.self.{p}.{kind}"]
                        .unflatten(0, (num_attention_heads, -1)) for p in ("query", "key", "value")]
                new[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(rows, 1).flatten(0, 1)
    return new
