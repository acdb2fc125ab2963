# einsum with exchanged letters
# points: 0

def weights_time_first(query, key):
    return (torch.einsum('ibd,jbd->bji', query, key) / query.size(-1) ** .5).softmax(-1)
