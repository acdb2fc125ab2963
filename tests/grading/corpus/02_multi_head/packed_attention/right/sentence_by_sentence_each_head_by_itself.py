# sentence by sentence, each head by itself
# points: 5

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    results = []
    batch, tokens, _ = hidden_states.shape
    for i, x in enumerate(hidden_states):
        query, key, value = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"]).chunk(3, -1)
        size = query.size(-1) // num_attention_heads
        heads = []
        for h in range(num_attention_heads):
            cut = slice(h * size, (h + 1) * size)
            m = None
            if mask is not None:
                m = mask
                if m.dim() == 4: m = m[i, h]
                elif m.dim() == 3: m = m[i]
                elif m.size(0) == batch: m = m[i].expand(tokens, tokens)
            heads.append(F.scaled_dot_product_attention(query[None, None, :, cut], key[None, None, :, cut], value[None, None, :, cut], attn_mask=m)[0, 0])
        results.append(torch.cat(heads, -1))
    return F.linear(torch.stack(results), state["output.weight"], state["output.bias"])
