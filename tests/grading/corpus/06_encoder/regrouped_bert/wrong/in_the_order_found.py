# Packs query, key and value in the order in which the state has them.
# points: 3
def regrouped_bert(state, num_attention_heads):
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm", "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    result, found = {}, {}
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        words = module.split(".")
        if words[0] == "embeddings" and words[-1] in emb:
            result[f"embedding.{emb[words[-1]]}.{kind}"] = tensor
        if words[0] == "encoder":
            rest = ".".join(words[3:])
            if rest in lay:
                result[f"layers.{words[2]}.{lay[rest]}.{kind}"] = tensor
            else:
                found.setdefault((words[2], kind), []).append(tensor.unflatten(0, (num_attention_heads, -1)))
    for (number, kind), parts in found.items():
        result[f"layers.{number}.attention.query_key_value.{kind}"] = torch.stack(parts, 1).flatten(0, 2)
    return result

