# only the places that count are computed
# points: 3

def repaired_loss(logits, input_ids, attention_mask):
    m = attention_mask > 0
    b, t = (m[:, 1:] & m[:, :-1]).nonzero(as_tuple=True)
    if len(b) == 0:
        return 0 * logits.sum()
    return F.cross_entropy(logits[b, t], input_ids[b, t + 1])
