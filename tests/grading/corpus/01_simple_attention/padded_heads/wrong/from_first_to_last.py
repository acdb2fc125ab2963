# Cuts out everything from the first token to the last, so padding between tokens is seen.
# points: 0
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        return F.scaled_dot_product_attention(query, key, value)
    outputs = []
    for q, k, v, mask in zip(query, key, value, attention_mask):
        places = mask.nonzero().flatten().tolist()
        if not places:
            outputs.append(q.new_zeros(*q.shape[:-1], v.size(-1)))
            continue
        seen = slice(places[0], places[-1] + 1)
        scores = q @ k[:, seen].mT / math.sqrt(q.size(-1))
        outputs.append(scores.softmax(dim=-1) @ v[:, seen])
    return torch.stack(outputs)
