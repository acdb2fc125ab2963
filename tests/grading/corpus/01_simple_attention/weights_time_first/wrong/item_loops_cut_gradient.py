# item loops cut gradient
# points: 2

def weights_time_first(query, key):
    B, Tq, Tk = query.size(1), query.size(0), key.size(0)
    out = torch.zeros(B, Tq, Tk)
    for b in range(B):
        for i in range(Tq):
            for j in range(Tk):
                out[b, i, j] = sum(query[i, b, d].item() * key[j, b, d].item() for d in range(query.size(2))) / query.size(2) ** .5
    return out.softmax(-1)
