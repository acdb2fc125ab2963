# Weights that are in no table are kept under their old names, so pooler, cls and position_ids stay.
# points: 3
def regrouped_bert(state, num_attention_heads):
    renames = [
        ("embeddings.word_embeddings.", "embedding.word."),
        ("embeddings.position_embeddings.", "embedding.position."),
        ("embeddings.token_type_embeddings.", "embedding.segment."),
        ("embeddings.LayerNorm.", "embedding.norm."),
        ("encoder.layer.", "layers."),
        (".attention.output.dense.", ".attention.output."),
        (".attention.output.LayerNorm.", ".attention.norm."),
        (".intermediate.dense.", ".mlp.up."),
        (".output.dense.", ".mlp.down."),
        (".output.LayerNorm.", ".mlp.norm."),
        (".gamma", ".weight"),
        (".beta", ".bias"),
    ]
    new = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        for old, fresh in renames:
            name = name.replace(old, fresh)
        new[name] = tensor
    for name in [n for n in new if ".attention.self.query." in n]:
        rows = [
            new.pop(name.replace("query", part)).unflatten(0, (num_attention_heads, -1))
            for part in ("query", "key", "value")
        ]
        target = name.replace("self.query", "query_key_value")
        new[target] = torch.stack(rows, dim=1).flatten(0, 2)
    return new
