# helper imported in the cell and mask as keyword-only default
# points: 5

from torch.nn.functional import scaled_dot_product_attention as sdpa
def _m(m): return m if m is None else m.gt(0).unsqueeze(1).unsqueeze(2)
def padded_heads(query, key, value, attention_mask=None, /):
    return sdpa(query, key, value, _m(attention_mask))
