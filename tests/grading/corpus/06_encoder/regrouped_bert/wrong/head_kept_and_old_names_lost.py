# Keeps the pooler and the head under their names, and does not know gamma and beta.
# points: 2

def regrouped_bert(state, num_attention_heads):
    renames = [
        ("bert.", ""),
        ("embeddings.word_embeddings", "embedding.word"),
        ("embeddings.position_embeddings", "embedding.position"),
        ("embeddings.token_type_embeddings", "embedding.segment"),
        ("embeddings.LayerNorm", "embedding.norm"),
        ("encoder.layer.", "layers."),
        ("attention.output.dense", "attention.output"),
        ("attention.output.LayerNorm", "attention.norm"),
        ("intermediate.dense", "mlp.up"),
        ("output.dense", "mlp.down"),
        ("output.LayerNorm", "mlp.norm"),
    ]
    new = {}
    for name, tensor in state.items():
        if "position_ids" in name or "self.key" in name or "self.value" in name:
            continue
        short = name
        for before, after in renames:
            short = short.replace(before, after)
        if "self.query" in name:
            parts = [state[name.replace("self.query", f"self.{p}")] for p in ("query", "key", "value")]
            parts = [p.unflatten(0, (num_attention_heads, -1)) for p in parts]
            tensor = torch.stack(parts, dim=1).flatten(0, 2)
            short = short.replace("self.query", "query_key_value")
        new[short] = tensor
    return new
