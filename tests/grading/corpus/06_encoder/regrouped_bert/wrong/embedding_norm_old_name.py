# gamma and beta are renamed in the layers only, not in the norm of the embeddings.
# points: 3
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    state = {name.removeprefix("bert."): tensor for name, tensor in state.items()}
    new = {}
    for old, ours in (
        ("word_embeddings", "word"),
        ("position_embeddings", "position"),
        ("token_type_embeddings", "segment"),
    ):
        new[f"embedding.{ours}.weight"] = state[f"embeddings.{old}.weight"]
    for kind in ("weight", "bias", "gamma", "beta"):
        if f"embeddings.LayerNorm.{kind}" in state:
            new[f"embedding.norm.{kind}"] = state[f"embeddings.LayerNorm.{kind}"]

    def get(prefix, kind):
        old = {"weight": "gamma", "bias": "beta"}[kind]
        if f"{prefix}.{kind}" in state:
            return state[f"{prefix}.{kind}"]
        return state[f"{prefix}.{old}"]

    i = 0
    while f"encoder.layer.{i}.attention.self.query.weight" in state:
        p, n = f"encoder.layer.{i}", f"layers.{i}"
        for kind in ("weight", "bias"):
            parts = [
                state[f"{p}.attention.self.{x}.{kind}"].chunk(num_attention_heads, dim=0)
                for x in ("query", "key", "value")
            ]
            rows = [part[h] for h in range(num_attention_heads) for part in parts]
            new[f"{n}.attention.query_key_value.{kind}"] = torch.cat(rows)
            new[f"{n}.attention.output.{kind}"] = get(f"{p}.attention.output.dense", kind)
            new[f"{n}.attention.norm.{kind}"] = get(f"{p}.attention.output.LayerNorm", kind)
            new[f"{n}.mlp.up.{kind}"] = get(f"{p}.intermediate.dense", kind)
            new[f"{n}.mlp.down.{kind}"] = get(f"{p}.output.dense", kind)
            new[f"{n}.mlp.norm.{kind}"] = get(f"{p}.output.LayerNorm", kind)
        i += 1
    return new
