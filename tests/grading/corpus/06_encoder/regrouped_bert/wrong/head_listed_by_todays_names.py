# What belongs to a head is listed by the names of today, so its gamma and beta are not left out.
# points: 3
OUTER = {"embeddings.word_embeddings": "embedding.word", "embeddings.position_embeddings": "embedding.position",
         "embeddings.token_type_embeddings": "embedding.segment", "embeddings.LayerNorm": "embedding.norm"}
INNER = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
         "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
LEFT_OUT = {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias", "cls.predictions.bias",
            "cls.predictions.transform.dense.weight", "cls.predictions.transform.dense.bias",
            "cls.predictions.transform.LayerNorm.weight", "cls.predictions.transform.LayerNorm.bias",
            "cls.predictions.decoder.weight", "cls.seq_relationship.weight", "cls.seq_relationship.bias"}


def regrouped_bert(state, num_attention_heads):
    new, packs = {}, {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name in LEFT_OUT:
            continue
        stem, kind = name.rsplit(".", 1)
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        if stem in OUTER:
            new[f"{OUTER[stem]}.{kind}"] = tensor
            continue
        number, rest = stem.split(".", 3)[2:]
        if rest.startswith("attention.self."):
            packs.setdefault((number, kind), {})[rest.rsplit(".", 1)[1]] = tensor
        else:
            new[f"layers.{number}.{INNER[rest]}.{kind}"] = tensor
    for (number, kind), pack in packs.items():
        parts = [pack[which].unflatten(0, (num_attention_heads, -1)) for which in ("query", "key", "value")]
        new[f"layers.{number}.attention.query_key_value.{kind}"] = torch.cat(parts, dim=1).flatten(0, 1)
    return new
