# Gradients are recorded only if the query wants one, so the key alone gets none.
# points: 2
def weights_time_first(query, key):
    with torch.set_grad_enabled(query.requires_grad):
        scores = torch.einsum("ibd,jbd->bij", query, key) / math.sqrt(query.size(-1))
        return scores.softmax(dim=-1)
