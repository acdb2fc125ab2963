# Counts the different layer numbers instead of taking the highest, so that a layer missing in between makes names of the last layer "unknown".
# points: 3
import re

PARTS = {
    "attention.wo": "attention.output",
    "attention_norm": "attention_norm",
    "feed_forward.w1": "feed_forward.gate",
    "feed_forward.w2": "feed_forward.output",
    "feed_forward.w3": "feed_forward.intermediate",
    "ffn_norm": "feed_forward_norm",
}


def halves(weight, heads):
    size = weight.shape[0] // heads
    return weight.reshape(heads, size // 2, 2, -1).transpose(1, 2).reshape(weight.shape)


def llama_to_packed(state, num_attention_heads, num_key_value_heads):
    numbers = {int(m.group(1)) for m in (re.match(r"layers\.(\d+)", name) for name in state) if m}
    layers = max(len(numbers), 1)
    names = {
        "tok_embeddings.weight": "decoder.embeddings.word_embeddings.weight",
        "norm.weight": "decoder.stack.final_norm.weight",
    }
    for n in range(layers):
        for theirs, ours in PARTS.items():
            names[f"layers.{n}.{theirs}.weight"] = f"decoder.stack.layers.{n}.{ours}.weight"
        for letter in "qkv":
            names[f"layers.{n}.attention.w{letter}.weight"] = None
    for name in state:
        if name not in names and name not in ("output.weight", "rope.freqs"):
            raise ValueError(f"unknown: {name}")
    for name in names:
        if name not in state:
            raise ValueError(f"missing: {name}")
    result = {ours: state[theirs] for theirs, ours in names.items() if ours is not None}
    for n in range(layers):
        query, key, value = (state[f"layers.{n}.attention.w{letter}.weight"] for letter in "qkv")
        packed = [halves(query, num_attention_heads), halves(key, num_key_value_heads), value]
        result[f"decoder.stack.layers.{n}.attention.query_key_value.weight"] = torch.cat(packed)
    if "output.weight" in state:
        result["head.weight"] = state["output.weight"]
    return result
