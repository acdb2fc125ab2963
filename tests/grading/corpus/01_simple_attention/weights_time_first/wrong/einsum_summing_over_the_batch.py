# einsum summing over the batch
# points: 0

def weights_time_first(query, key):
    return (torch.einsum('ibd,jbd->ij', query, key) / query.size(-1) ** .5).softmax(-1).expand(query.size(1), -1, -1)
