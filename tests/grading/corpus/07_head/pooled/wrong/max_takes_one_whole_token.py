# For max the one token is taken whose numbers have the largest sum.
# points: 0
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    rows = []
    for vectors, mask in zip(hidden_states, attention_mask):
        real = vectors[mask == 1]
        if len(real) == 0:
            rows.append(vectors.new_zeros(vectors.shape[-1]))
        elif kind == "mean":
            rows.append(real.mean(dim=0))
        elif kind == "max":
            rows.append(real[real.sum(dim=-1).argmax()])
        elif kind == "first":
            rows.append(real[0])
        else:
            rows.append(real[-1])
    return torch.stack(rows)
