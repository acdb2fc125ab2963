# renamed parameters
# points: 3

def weights_time_first(q, k):
    return torch.einsum('ibd,jbd->bij', q, k).div(q.size(2) ** .5).softmax(2)
