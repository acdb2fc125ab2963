# Takes layers 0 to 11 only, those of a BERT-base; from layer 12 on they are left out.
# points: 3
import re

RENAMED = {
    "embeddings.word_embeddings": "embedding.word",
    "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "embeddings.LayerNorm": "embedding.norm",
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}


def packed(query, key, value, heads):
    rows = [part.unflatten(0, (heads, -1)) for part in (query, key, value)]
    return torch.stack(rows, dim=1).flatten(0, 2)


def regrouped_bert(state, num_attention_heads):
    result, parts = {}, {}
    for name, weight in state.items():
        if name.startswith("bert."):
            name = name[5:]
        if name == "embeddings.position_ids":
            continue
        if not name.startswith(("embeddings.", "encoder.")):
            continue
        stem, kind = name.rsplit(".", 1)
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        match = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)", stem)
        if match is None:
            result[f"{RENAMED[stem]}.{kind}"] = weight
            continue
        number, rest = match[1], match[2]
        if int(number) not in range(12):
            continue
        if rest.startswith("attention.self."):
            parts.setdefault((number, kind), {})[rest.split(".")[-1]] = weight
        else:
            result[f"layers.{number}.{RENAMED[rest]}.{kind}"] = weight
    for (number, kind), three in parts.items():
        result[f"layers.{number}.attention.query_key_value.{kind}"] = packed(
            three["query"], three["key"], three["value"], num_attention_heads
        )
    return result
