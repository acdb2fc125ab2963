# w1, w2, w3 taken as gate, intermediate, output; and the values reordered with the keys
# points: 0

def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    def permute(w, n_heads):
        return w.unflatten(0, (n_heads, -1, 2)).transpose(1, 2).flatten(0, 2)

    state = {k: v for k, v in state.items() if k != "rope.freqs"}
    out = {}
    used = set()

    def take(k):
        if k not in state:
            raise ValueError(k)
        used.add(k)
        return state[k]

    out["decoder.embeddings.word_embeddings.weight"] = take("tok_embeddings.weight")
    out["decoder.stack.final_norm.weight"] = take("norm.weight")
    if "output.weight" in state:
        out["head.weight"] = take("output.weight")
    n = max([0] + [int(k.split(".")[1]) for k in state if k.startswith("layers.")]) + 1
    for i in range(n):
        a, b = f"layers.{i}.", f"decoder.stack.layers.{i}."
        out[b + "attention.query_key_value.weight"] = torch.cat([
            permute(take(a + "attention.wq.weight"), num_attention_heads),
            permute(take(a + "attention.wk.weight"), num_key_value_heads),
            permute(take(a + "attention.wv.weight"), num_key_value_heads),
        ])
        out[b + "attention.output.weight"] = take(a + "attention.wo.weight")
        out[b + "attention_norm.weight"] = take(a + "attention_norm.weight")
        out[b + "feed_forward.gate.weight"] = take(a + "feed_forward.w1.weight")
        out[b + "feed_forward.intermediate.weight"] = take(a + "feed_forward.w2.weight")
        out[b + "feed_forward.output.weight"] = take(a + "feed_forward.w3.weight")
        out[b + "feed_forward_norm.weight"] = take(a + "ffn_norm.weight")
    for k in state:
        if k not in used:
            raise ValueError(k)
    return out
