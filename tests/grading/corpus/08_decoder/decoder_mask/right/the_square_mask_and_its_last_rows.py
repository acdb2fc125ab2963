# the square mask and its last rows
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    n = attention_mask.size(-1)
    i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    d = i - j
    square = (d >= 0) & (d < (window or n))
    square = square[None] & attention_mask.eq(1).unsqueeze(1)
    return square[:, -queries:].unsqueeze(1)
