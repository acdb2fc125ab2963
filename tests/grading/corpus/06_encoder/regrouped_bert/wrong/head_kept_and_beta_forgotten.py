# What it does not know keeps its name, the pooler for example; and beta is not renamed.
# points: 2
def regrouped_bert(state, num_attention_heads):
    embedding_names = {
        "embeddings.word_embeddings": "embedding.word",
        "embeddings.position_embeddings": "embedding.position",
        "embeddings.token_type_embeddings": "embedding.segment",
        "embeddings.LayerNorm": "embedding.norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    clean = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.").replace("LayerNorm.gamma", "LayerNorm.weight")
        clean[name] = tensor
    result = {}
    for name, tensor in clean.items():
        module, _, kind = name.rpartition(".")
        if module in embedding_names:
            result[f"{embedding_names[module]}.{kind}"] = tensor
        elif name.startswith("encoder.layer."):
            number, module = module.removeprefix("encoder.layer.").split(".", 1)
            if module in layer_names:
                result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
            elif module == "attention.self.query":
                parts = [clean[name.replace("query", p)] for p in ("query", "key", "value")]
                parts = [p.unflatten(0, (num_attention_heads, -1)) for p in parts]
                result[f"layers.{number}.attention.query_key_value.{kind}"] = torch.stack(parts, 1).flatten(0, 2)
        else:
            result[name] = tensor
    return result
