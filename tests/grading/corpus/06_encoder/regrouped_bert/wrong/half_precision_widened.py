# Packs into float32, unless it is float64: float16 and bfloat16 are widened.
# points: 3

def regrouped_bert(state, num_attention_heads):
    tables = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    inner = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
             "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    clean = {n.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias"): t for n, t in state.items()}
    new = {}
    for name, tensor in clean.items():
        pieces = name.split(".")
        kind = pieces[-1]
        if pieces[0] == "embeddings" and pieces[1] in tables:
            new[f"embedding.{tables[pieces[1]]}.{kind}"] = tensor
        elif pieces[0] == "encoder":
            rest = ".".join(pieces[3:-1])
            if rest in inner:
                new[f"layers.{pieces[2]}.{inner[rest]}.{kind}"] = tensor
            elif rest.endswith("query"):
                rows = torch.zeros(3 * len(tensor), *tensor.shape[1:], dtype=torch.float64 if tensor.dtype == torch.float64 else torch.float32)
                size = len(tensor) // num_attention_heads
                for place, part in enumerate(("query", "key", "value")):
                    for head in range(num_attention_heads):
                        start = (3 * head + place) * size
                        rows[start : start + size] = clean[name.replace("query", part)][head * size : head * size + size]
                new[f"layers.{pieces[2]}.attention.query_key_value.{kind}"] = rows
    return new
