# %% all_but_the_mask_repaired | points 2 | all but the mask repaired
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    return out(merge(F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding[:, None, None, :])), state)

# %% empty_sentence_sees_all | points 2 | Lets a sentence that is all padding look at all of its tokens, so its heads don't give zeros.
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.chunk(3, dim=-1)
    query = query.reshape(batch, tokens, num_attention_heads, -1).transpose(1, 2)
    key = key.reshape(batch, tokens, num_attention_heads, -1).transpose(1, 2)
    value = value.reshape(batch, tokens, num_attention_heads, -1).transpose(1, 2)
    mask = ~is_padding
    mask = mask | ~mask.any(dim=1, keepdim=True)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% empty_sentence_skipped | points 2 | A sentence that is all padding is left out and stays at zero, without the bias of the output projection.
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    result = torch.zeros_like(hidden_states)
    real = ~is_padding.all(dim=1)
    x, keep = hidden_states[real], ~is_padding[real]
    packed = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    context = F.scaled_dot_product_attention(q, k, v, attn_mask=keep[:, None, None, :])
    context = context.transpose(1, 2).flatten(2)
    result[real] = F.linear(context, state["output.weight"], state["output.bias"])
    return result

# %% heads_interleaved | points 2 | Thirds are cut first, but then every head takes each n-th number, so many heads are still wrong.
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, head_size, num_attention_heads)
    query, key, value = packed.permute(2, 0, 4, 1, 3).unbind(0)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% lengths | points 0 | Counts the tokens and hides what stands behind as many, as if all padding stood on the right.
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    lengths = (~is_padding).sum(dim=-1, keepdim=True)
    keep = torch.arange(hidden_states.size(1)) < lengths
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=keep[:, None, None, :])
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% mask_given_up_for_is_causal | points 0 | mask given up for is_causal
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    return out(merge(F.scaled_dot_product_attention(query, key, value, is_causal=True)), state)

# %% mask_multiplied_by_a_large_number | points 0 | mask multiplied by a large number
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    mask = is_padding[:, None, None, :] * -10.0
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% mask_repeated_in_wrong_order | points 2 | Folds the heads into the batch and repeats the whole mask, so with several sentences and heads many heads get another sentence's mask.
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    packed = packed.permute(2, 0, 3, 1, 4).reshape(
        3, batch * num_attention_heads, tokens, head_size
    )
    query, key, value = packed
    mask = ~is_padding.repeat(num_attention_heads, 1).unsqueeze(1)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.reshape(batch, num_attention_heads, tokens, head_size)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% no_mask_if_the_first_is_full | points 0 | Leaves the mask out where the first sentence has no padding, although others may have some.
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask if is_padding[0].any() else None)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% no_mask_if_the_last_column_is_full | points 0 | Looks for padding in the last column alone.
def attend(x, w, b, wo, bo, heads, mask):
    q, k, v = F.linear(x, w, b).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2), wo, bo)

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    w, b, wo, bo = (state[n] for n in ("query_key_value.weight", "query_key_value.bias", "output.weight", "output.bias"))
    mask = ~is_padding[:, None, None] if is_padding[:, -1].any() else None
    return attend(hidden_states, w, b, wo, bo, num_attention_heads, mask)

# %% not_merged_when_heads_equal_tokens | points 2 | Swaps heads and tokens back only if the second axis is not as long as the sentence, which fails for as many heads as tokens.
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, -1)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    if context.shape[1] != tokens:
        context = context.transpose(1, 2)
    context = context.reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% nothing_but_padding_is_no_mask | points 2 | Leaves the mask out where all sentences are all padding.
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = ~is_padding[:, None, None, :]
    if is_padding.all():
        mask = None
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% numbers_of_the_mask_as_0_and_10000 | points 2 | numbers of the mask as 0 and -10000
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    added = is_padding[:, None, None, :].float() * -10000.0
    return out(merge(F.scaled_dot_product_attention(query, key, value, attn_mask=added)), state)

# %% only_the_mask_repaired | points 1 | only the mask repaired
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    packed = project(hidden_states, state).reshape(batch, tokens, num_attention_heads, -1)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[:, None, None, :])
    return out(context.reshape(batch, tokens, hidden), state)

# %% padded_rows_zeroed | points 0 | Sets the result of padded tokens to zero, though padding is to be hidden as a key only.
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    output = F.linear(context, state["output.weight"], state["output.bias"])
    return output.masked_fill(is_padding.unsqueeze(-1), 0.0)

# %% padding_hidden_as_queries_too | points 0 | padding-hidden-as-queries-too
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :] & ~is_padding[:, None, :, None]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% padding_hidden_in_the_first_head_only | points 2 | padding is hidden from the first head only
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :].repeat(1, num_attention_heads, 1, 1)
    mask[:, 1:] = True
    mask = mask & ~is_padding.all(dim=1)[:, None, None, None]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% padding_set_to_zero_instead_of_hidden | points 0 | sets the vectors of padding to zero instead of hiding it, so it still gets weight
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    hidden_states = hidden_states.masked_fill(is_padding[:, :, None], 0.0)
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding.all(dim=1)[:, None, None, None].expand(batch, 1, 1, tokens)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% rows_sorted_but_not_the_bias | points 2 | Sorts the rows of the packed weight so that they fit the old cut, and forgets to sort the bias.
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    weight = weight.reshape(3, num_attention_heads, head_size, hidden).transpose(0, 1)
    weight = weight.reshape(3 * hidden, hidden)
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, num_attention_heads, 3 * head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% scale_doubled_query_divided_as_well | points 0 | scale-doubled-query-divided-as-well
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query / head_size ** 0.5, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% scores_of_0_hidden | points 0 | Multiplies the scores by the mask and hides whatever is 0 then.
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = ~is_padding[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_size) * mask
    weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% still_merged_by_reshape_heads_interleaved | points 2 | still merged by reshape, heads interleaved
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    b, t, d = hidden_states.shape
    q, k, v = (p.reshape(b, t, -1, num_attention_heads).permute(0, 3, 1, 2) for p in project(hidden_states, state).chunk(3, -1))
    return out(F.scaled_dot_product_attention(q, k, v, attn_mask=~is_padding[:, None, None]).reshape(b, t, d), state)

# %% tensors_by_their_place | points 0 | Takes the four tensors by their place.
def attend(x, w, b, wo, bo, heads, mask):
    q, k, v = F.linear(x, w, b).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return F.linear(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2), wo, bo)

def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    w, b, wo, bo = state.values()
    return attend(hidden_states, w, b, wo, bo, num_attention_heads, ~is_padding[:, None, None])

# %% triples_innermost | points 0 | Unpacks the rows as [heads, head_size, 3], so that query, key and value alternate.
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, num_attention_heads, head_size, 3)
    query, key, value = packed.permute(4, 0, 2, 1, 3)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])

# %% weights_detached | points 2 | the weights are detached
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    w, b = state["query_key_value.weight"].detach(), state["query_key_value.bias"].detach()
    q, k, v = (p.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2) for p in F.linear(hidden_states, w, b).chunk(3, -1))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=~is_padding[:, None, None])
    return F.linear(c.transpose(1, 2).flatten(2), state["output.weight"].detach(), state["output.bias"].detach())
