# layers are counted from 1
# points: 0

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
    clean = {}  # without prefix, without old names
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        clean[f"{module}.{kind}"] = tensor

    result = {}
    for name, tensor in clean.items():
        first, *middle, kind = name.split(".")
        if first == "embeddings" and middle and middle[0] in embedding_names:
            result[f"embedding.{embedding_names[middle[0]]}.{kind}"] = tensor
        if first != "encoder":
            continue
        number, module = int(middle[1]) + 1, ".".join(middle[2:])
        if module in layer_names:
            result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
        if module == "attention.self.query":
            parts = [clean[name.replace("query", part)] for part in ("query", "key", "value")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result
