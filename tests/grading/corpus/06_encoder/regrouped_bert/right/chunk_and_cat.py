# chunk and cat
# points: 4

def regrouped_bert(state, num_attention_heads):
    s = {}
    for name, t in state.items():
        name = name[5:] if name.startswith("bert.") else name
        for a, b in ((".gamma", ".weight"), (".beta", ".bias")):
            if name.endswith(a): name = name[:-len(a)] + b
        s[name] = t
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    out = {}
    for a, b in emb.items():
        for k in ("weight", "bias"):
            if f"embeddings.{a}.{k}" in s: out[f"embedding.{b}.{k}"] = s[f"embeddings.{a}.{k}"]
    n = 1 + max(int(x.split(".")[2]) for x in s if x.startswith("encoder."))
    for i in range(n):
        for k in ("weight", "bias"):
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"),
                         ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                out[f"layers.{i}.{b}.{k}"] = s[f"encoder.layer.{i}.{a}.{k}"].clone()
            ps = [s[f"encoder.layer.{i}.attention.self.{p}.{k}"].chunk(num_attention_heads) for p in ("query", "key", "value")]
            out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat([x for h in range(num_attention_heads) for x in (p[h] for p in ps)])
    return out
