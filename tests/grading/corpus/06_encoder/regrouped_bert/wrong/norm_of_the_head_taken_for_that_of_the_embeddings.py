# Every normalisation outside the layers is taken for that of the embeddings, so that of a head (cls.predictions.transform.LayerNorm) replaces it if it comes later.
# points: 3
EMBEDDINGS = {
    "embeddings.word_embeddings": "embedding.word",
    "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "embeddings.LayerNorm": "embedding.norm",
}
INSIDE = {
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}
KINDS = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}


def pack(query, key, value, heads):
    size = query.shape[0] // heads
    rows = []
    for head in range(heads):
        for tensor in (query, key, value):
            rows.append(tensor[head * size : (head + 1) * size])
    return torch.cat(rows)


def regrouped_bert(state, num_attention_heads):
    new, waiting = {}, {}
    for name, tensor in state.items():
        if name.startswith("bert."):
            name = name[len("bert.") :]
        module, _, kind = name.rpartition(".")
        if module.endswith("LayerNorm") and "encoder.layer" not in module:
            new["embedding.norm." + KINDS[kind]] = tensor.clone()
        elif module in EMBEDDINGS:
            new[EMBEDDINGS[module] + "." + KINDS[kind]] = tensor.clone()
        elif module.startswith("encoder.layer."):
            number, _, inside = module[len("encoder.layer.") :].partition(".")
            if inside in INSIDE:
                new[f"layers.{number}.{INSIDE[inside]}.{KINDS[kind]}"] = tensor.clone()
            else:
                waiting.setdefault((number, kind), {})[inside.split(".")[-1]] = tensor
    for (number, kind), parts in waiting.items():
        packed = pack(parts["query"], parts["key"], parts["value"], num_attention_heads)
        new[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return new
