# two layers hard-coded
# points: 0

def regrouped_bert(state, num_attention_heads):
    out = {"embedding.word.weight": state["embeddings.word_embeddings.weight"],
        "embedding.position.weight": state["embeddings.position_embeddings.weight"],
        "embedding.segment.weight": state["embeddings.token_type_embeddings.weight"]}
    for k in ("weight", "bias"):
        out[f"embedding.norm.{k}"] = state[f"embeddings.LayerNorm.{k}"]
        for i in range(2):
            o = f"encoder.layer.{i}."
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"),
                         ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                out[f"layers.{i}.{b}.{k}"] = state[f"{o}{a}.{k}"]
            ps = [state[f"{o}attention.self.{p}.{k}"].chunk(num_attention_heads) for p in ("query", "key", "value")]
            out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat([r for rows in zip(*ps) for r in rows])
    return out
