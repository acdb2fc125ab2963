# without output.weight the embeddings are copied into the head
# points: 3

def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    table = {"attention.wo": "attention.output", "attention_norm": "attention_norm",
             "feed_forward.w1": "feed_forward.gate", "feed_forward.w2": "feed_forward.output",
             "feed_forward.w3": "feed_forward.intermediate", "ffn_norm": "feed_forward_norm"}
    ids = {int(k.split(".")[1]) for k in state if k.startswith("layers.")}
    count = max(ids) + 1
    needed = {"tok_embeddings.weight", "norm.weight"}
    for i in range(count):
        needed.update(f"layers.{i}.{k}.weight" for k in list(table) + ["attention.wq", "attention.wk", "attention.wv"])
    for k in needed - state.keys():
        raise ValueError(f"{k} is missing")
    for k in state.keys() - needed - {"output.weight", "rope.freqs"}:
        raise ValueError(f"{k} is unknown")
    new = {"decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"]}
    new["decoder.stack.final_norm.weight"] = state["norm.weight"]
    new["head.weight"] = state.get("output.weight", state["tok_embeddings.weight"]).clone()
    for i in range(count):
        q, k, v = (state[f"layers.{i}.attention.w{x}.weight"] for x in "qkv")
        q = q.reshape(num_attention_heads, -1, 2, q.shape[1]).permute(0, 2, 1, 3).reshape(q.shape)
        k = k.reshape(num_key_value_heads, -1, 2, k.shape[1]).permute(0, 2, 1, 3).reshape(k.shape)
        new[f"decoder.stack.layers.{i}.attention.query_key_value.weight"] = torch.vstack([q, k, v])
        for a, b in table.items():
            new[f"decoder.stack.layers.{i}.{b}.weight"] = state[f"layers.{i}.{a}.weight"]
    return new
