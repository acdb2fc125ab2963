# missing names come as the KeyError of the dictionary, unknown ones are left out
# points: 3

def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    def permute(w, n_heads):
        return w.view(n_heads, w.shape[0] // n_heads // 2, 2, w.shape[1]).transpose(1, 2).reshape(w.shape)

    result = {
        "decoder.embeddings.word_embeddings.weight": state["tok_embeddings.weight"],
        "decoder.stack.final_norm.weight": state["norm.weight"],
    }
    if "output.weight" in state:
        result["head.weight"] = state["output.weight"]
    i = 0
    while f"layers.{i}.attention.wq.weight" in state:
        old, new = f"layers.{i}.", f"decoder.stack.layers.{i}."
        result[new + "attention.query_key_value.weight"] = torch.cat([
            permute(state[old + "attention.wq.weight"], num_attention_heads),
            permute(state[old + "attention.wk.weight"], num_key_value_heads),
            state[old + "attention.wv.weight"],
        ])
        result[new + "attention.output.weight"] = state[old + "attention.wo.weight"]
        result[new + "attention_norm.weight"] = state[old + "attention_norm.weight"]
        result[new + "feed_forward.gate.weight"] = state[old + "feed_forward.w1.weight"]
        result[new + "feed_forward.output.weight"] = state[old + "feed_forward.w2.weight"]
        result[new + "feed_forward.intermediate.weight"] = state[old + "feed_forward.w3.weight"]
        result[new + "feed_forward_norm.weight"] = state[old + "ffn_norm.weight"]
        i += 1
    return result
