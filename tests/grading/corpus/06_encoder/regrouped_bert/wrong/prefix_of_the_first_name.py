# Looks at the first name only, to see whether there is a prefix; names of a head may stand before it.
# points: 3
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "word",
        "position_embeddings": "position",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    old_names = {"gamma": "weight", "beta": "bias"}
    prefix = "bert." if next(iter(state)).startswith("bert.") else ""
    clean = {}
    for name, tensor in state.items():
        module, _, kind = name.removeprefix(prefix).rpartition(".")
        clean[f"{module}.{old_names.get(kind, kind)}"] = tensor

    result = {}
    for name, tensor in clean.items():
        parts = name.split(".")
        kind = parts[-1]
        if parts[0] == "embeddings" and parts[1] in embedding_names:
            result[f"embedding.{embedding_names[parts[1]]}.{kind}"] = tensor
        elif parts[0] == "encoder":
            number, module = parts[2], ".".join(parts[3:-1])
            if module in layer_names:
                result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
            elif module == "attention.self.query":
                three = [clean[name.replace("query", p)] for p in ("query", "key", "value")]
                three = [t.unflatten(0, (num_attention_heads, -1)) for t in three]
                packed = torch.cat(three, dim=1).flatten(0, 1)
                result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result
