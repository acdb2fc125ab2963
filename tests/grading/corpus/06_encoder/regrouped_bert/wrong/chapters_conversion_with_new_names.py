# chapter's conversion with new names
# points: 0

NAMES = {"encoder.layer.": "layers.", "embeddings.LayerNorm": "embedding.norm",
    "embeddings.word_embeddings": "embedding.word", "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
def regrouped_bert(state, num_attention_heads):
    out = {}
    for name, t in state.items():
        name = name.removeprefix("bert.")
        for a, b in NAMES.items(): name = name.replace(a, b)
        name = name.replace("gamma", "weight").replace("beta", "bias")
        out[name] = t
    i = 0
    while f"layers.{i}.mlp.up.weight" in out:
        for kind in ("weight", "bias"):
            out[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(
                [out.pop(f"layers.{i}.attention.self.{p}.{kind}") for p in ("query", "key", "value")])
        i += 1
    return {n: t for n, t in out.items() if n.startswith(("layers.", "embedding."))}
