# slice of the square
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    b, n = attention_mask.shape
    square = torch.tril(torch.ones(n, n))
    if window is not None:
        square = torch.triu(square, diagonal=-(window - 1))
    both = torch.einsum("qk,bk->bqk", square[-queries:], attention_mask.to(torch.float32))
    return both.unsqueeze(1) > 0.5
