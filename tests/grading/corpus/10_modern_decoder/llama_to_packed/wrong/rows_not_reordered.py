# the rows of queries and keys are left in Meta's order
# points: 0

def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    names = {
        "attention.wo": "attention.output", "attention_norm": "attention_norm",
        "feed_forward.w1": "feed_forward.gate", "feed_forward.w2": "feed_forward.output",
        "feed_forward.w3": "feed_forward.intermediate", "ffn_norm": "feed_forward_norm",
    }
    layers = max([int(k.split(".")[1]) for k in state if k.startswith("layers.")] + [0]) + 1
    known = {"tok_embeddings.weight", "norm.weight"}
    for i in range(layers):
        known |= {f"layers.{i}.{k}.weight" for k in names}
        known |= {f"layers.{i}.attention.w{k}.weight" for k in "qkv"}
    bad = (known - set(state)) | (set(state) - known - {"output.weight", "rope.freqs"})
    if bad:
        raise ValueError(str(bad))
    new = {"decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
           "decoder.stack.final_norm.weight": state["norm.weight"]}
    if "output.weight" in state:
        new["head.weight"] = state["output.weight"]
    for i in range(layers):
        qkv = [state[f"layers.{i}.attention.w{k}.weight"] for k in "qkv"]
        new[f"decoder.stack.layers.{i}.attention.query_key_value.weight"] = torch.cat(qkv)
        for a, b in names.items():
            new[f"decoder.stack.layers.{i}.{b}.weight"] = state[f"layers.{i}.{a}.weight"]
    return new
