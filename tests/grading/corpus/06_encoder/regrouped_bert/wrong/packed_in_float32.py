# The packed matrix is a new tensor in float32, whatever the dtype of the checkpoint.
# points: 3
def regrouped_bert(state, num_attention_heads):
    old = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name.endswith("gamma"):
            name = name.replace("gamma", "weight")
        elif name.endswith("beta"):
            name = name.replace("beta", "bias")
        old[name] = tensor
    names = {
        "embeddings.word_embeddings": "embedding.word",
        "embeddings.position_embeddings": "embedding.position",
        "embeddings.token_type_embeddings": "embedding.segment",
        "embeddings.LayerNorm": "embedding.norm",
    }
    i = 0
    while f"encoder.layer.{i}.attention.self.query.weight" in old:
        here, there = f"encoder.layer.{i}", f"layers.{i}"
        names[f"{here}.attention.output.dense"] = f"{there}.attention.output"
        names[f"{here}.attention.output.LayerNorm"] = f"{there}.attention.norm"
        names[f"{here}.intermediate.dense"] = f"{there}.mlp.up"
        names[f"{here}.output.dense"] = f"{there}.mlp.down"
        names[f"{here}.output.LayerNorm"] = f"{there}.mlp.norm"
        i += 1
    new = {}
    for name, tensor in old.items():
        module, _, kind = name.rpartition(".")
        if module in names:
            new[f"{names[module]}.{kind}"] = tensor.clone()
    for layer in range(i):
        for kind in ("weight", "bias"):
            parts = [old[f"encoder.layer.{layer}.attention.self.{p}.{kind}"]
                     for p in ("query", "key", "value")]
            rows = parts[0].size(0)
            size = rows // num_attention_heads
            packed = torch.empty(3 * rows, *parts[0].shape[1:])
            for head in range(num_attention_heads):
                for j, part in enumerate(parts):
                    start = (3 * head + j) * size
                    packed[start : start + size] = part[head * size : (head + 1) * size]
            new[f"layers.{layer}.attention.query_key_value.{kind}"] = packed
    return new
