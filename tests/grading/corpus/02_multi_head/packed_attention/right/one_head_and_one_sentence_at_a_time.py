# one head and one sentence at a time
# points: 5

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    size = len(bias) // 3 // num_attention_heads
    batch, tokens, _ = hidden_states.shape
    sentences = []
    for b in range(batch):
        heads = []
        for h in range(num_attention_heads):
            rows = [slice((k * num_attention_heads + h) * size, (k * num_attention_heads + h + 1) * size) for k in range(3)]
            q, k, v = (hidden_states[b] @ weight[r].T + bias[r] for r in rows)
            e = torch.exp(q @ k.T / math.sqrt(size) - (q @ k.T / math.sqrt(size)).amax(-1, keepdim=True).detach())
            if mask is not None:
                if mask.dim() == 4:
                    m = mask[b, h]
                elif mask.dim() == 3:
                    m = mask[b]
                elif mask.shape[0] == batch:
                    m = mask[b][None]
                else:
                    m = mask
                e = e * m
            total = e.sum(-1, keepdim=True)
            heads.append((e / total.masked_fill(total == 0, 1.0)) @ v)
        sentences.append(torch.cat(heads, dim=-1) @ state["output.weight"].T + state["output.bias"])
    return torch.stack(sentences)
