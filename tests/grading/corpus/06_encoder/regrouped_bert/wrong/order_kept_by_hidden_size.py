# The order of the packed rows is kept by the hidden size and not by the number of heads.
# points: 0
_orders = {}


def order_of(hidden, heads):
    if hidden not in _orders:
        size = hidden // heads
        order = []
        for head in range(heads):
            for part in range(3):
                start = part * hidden + head * size
                order += range(start, start + size)
        _orders[hidden] = torch.tensor(order)
    return _orders[hidden]


def regrouped_bert(state, num_attention_heads):
    clean = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        if name.endswith(".gamma"):
            name = name[: -len("gamma")] + "weight"
        if name.endswith(".beta"):
            name = name[: -len("beta")] + "bias"
        clean[name] = tensor
    table = {
        "embeddings.word_embeddings": "embedding.word",
        "embeddings.position_embeddings": "embedding.position",
        "embeddings.token_type_embeddings": "embedding.segment",
        "embeddings.LayerNorm": "embedding.norm",
    }
    inner = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    new = {}
    for name, tensor in clean.items():
        module, _, kind = name.rpartition(".")
        if module in table:
            new[f"{table[module]}.{kind}"] = tensor
        if not module.startswith("encoder.layer."):
            continue
        number, _, rest = module.removeprefix("encoder.layer.").partition(".")
        if rest in inner:
            new[f"layers.{number}.{inner[rest]}.{kind}"] = tensor
        if rest == "attention.self.query":
            parts = [clean[name.replace("query", p)] for p in ("query", "key", "value")]
            packed = torch.cat(parts)
            new[f"layers.{number}.attention.query_key_value.{kind}"] = packed[
                order_of(len(tensor), num_attention_heads)
            ]
    return new
