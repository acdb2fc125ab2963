# Collects the three parts in the order in which they stand in the dictionary.
# points: 3

TABLE = {
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}
EMBEDDINGS = {
    "embeddings.word_embeddings": "embedding.word",
    "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "embeddings.LayerNorm": "embedding.norm",
}


def regrouped_bert(state, num_attention_heads):
    old = {}
    for name, tensor in state.items():
        if name.startswith("bert."):
            name = name[len("bert.") :]
        if name.endswith(".gamma"):
            name = name[: -len("gamma")] + "weight"
        if name.endswith(".beta"):
            name = name[: -len("beta")] + "bias"
        old[name] = tensor
    new = {}
    waiting = {}
    for name, tensor in old.items():
        module, _, kind = name.rpartition(".")
        if module in EMBEDDINGS:
            new[EMBEDDINGS[module] + "." + kind] = tensor
        elif module.startswith("encoder.layer."):
            number, rest = module[len("encoder.layer.") :].split(".", 1)
            if rest in TABLE:
                new[f"layers.{number}.{TABLE[rest]}.{kind}"] = tensor
            elif rest.startswith("attention.self."):
                qkv = waiting.setdefault((number, kind), [])
                qkv.append(tensor)
                if len(qkv) < 3:
                    continue
                size = tensor.size(0) // num_attention_heads
                rows = []
                for h in range(num_attention_heads):
                    rows += [t[h * size : (h + 1) * size] for t in qkv]
                new[f"layers.{number}.attention.query_key_value.{kind}"] = torch.cat(rows)
    return new
