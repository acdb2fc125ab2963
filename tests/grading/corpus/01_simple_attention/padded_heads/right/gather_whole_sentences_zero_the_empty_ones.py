# gather whole sentences, zero the empty ones
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        return F.scaled_dot_product_attention(query, key, value)
    out = torch.zeros(*query.shape[:3], value.size(3))
    some = attention_mask.any(1)
    out[some] = F.scaled_dot_product_attention(query[some], key[some], value[some], attn_mask=attention_mask[some][:, None, None].bool())
    return out
