# %% 100_fill | points 4 | -100 fill
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None] == 0, -100.)
    return s.softmax(-1) @ value

# %% 100_fill_zero_rows | points 4 | -100 fill zero rows
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    m = attention_mask[:, None, None]
    s = s.masked_fill(m == 0, -100.)
    return (s.softmax(-1) * m.any(-1, keepdim=True)) @ value

# %% 1_mask_to_the_library_as_float | points 0 | 1 - mask to the library as float
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else (1 - attention_mask)[:, None, None].float()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)

# %% 1e9_added | points 4 | -1e9 added
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + (1 - attention_mask[:, None, None]) * -1e9
    return s.softmax(-1) @ value

# %% 2d_mask_to_the_library | points 0 | 2d mask to the library
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask.bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)

# %% any_over_the_batch | points 0 | any over the batch
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(~attention_mask.bool().any(0), -1e9)
    return s.softmax(-1) @ value

# %% assign_into_scores_in_place | points 4 | assign into scores in place
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        for b in range(len(attention_mask)):
            s[b, :, :, attention_mask[b] == 0] = -1e9
    return s.softmax(-1) @ value

# %% bert_minus_ten_thousand | points 4 | Adds -10000 like old BERT: padding wins over scores of -20000, and an all-padding sentence isn't zeros.
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    if attention_mask is not None:
        extended = (1 - attention_mask[:, None, None, :].to(scores.dtype)) * -10000.0
        scores = scores + extended
    return torch.matmul(F.softmax(scores, dim=-1), value)

# %% bitwise_not_of_whole_numbers | points 0 | bitwise not of whole numbers
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill((~attention_mask)[:, None, None, :].bool(), -1e9)
    return s.softmax(-1) @ value

# %% causal_in_the_library | points 0 | causal in the library
def padded_heads(query, key, value, attention_mask=None):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)

# %% causal_without_mask_and_floor_for_scores | points 3 | Without a mask it becomes causal; scores below -10000 are lifted to -10000
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.clamp(min=-10000.0)
    if attention_mask is None:
        keep = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    else:
        keep = attention_mask[:, None, None, :] == 1
    seen = keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep, float("-inf")).masked_fill(~seen, 0.0)
    return scores.softmax(dim=-1).masked_fill(~keep, 0.0) @ value

# %% double_out_for_padded | points 0 | double out for padded
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.double().softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value.double()

# %% drops_padded_sentences_last_column | points 0 | drops padded sentences' last column
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w[..., :-1] @ value[..., :-1, :]

# %% f_dropout_on_weights | points 0 | F.dropout on weights
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = F.dropout(s.softmax(-1), 0.1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value

# %% float_mask_to_the_library | points 0 | float mask to the library
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None].float()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)

# %% from_first_to_last | points 0 | Cuts out everything from the first token to the last, so padding between tokens is seen.
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        return F.scaled_dot_product_attention(query, key, value)
    outputs = []
    for q, k, v, mask in zip(query, key, value, attention_mask):
        places = mask.nonzero().flatten().tolist()
        if not places:
            outputs.append(q.new_zeros(*q.shape[:-1], v.size(-1)))
            continue
        seen = slice(places[0], places[-1] + 1)
        scores = q @ k[:, seen].mT / math.sqrt(q.size(-1))
        outputs.append(scores.softmax(dim=-1) @ v[:, seen])
    return torch.stack(outputs)

# %% gradients_if_the_query_wants_them | points 0 | Gradients are recorded only if the query wants one, so keys and values alone get none.
def attend(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask[:, None, None, :] == 1
        empty = ~keep.any(-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
        return scores.softmax(-1).masked_fill(empty, 0.0) @ value
    return scores.softmax(-1) @ value

def padded_heads(query, key, value, attention_mask=None):
    with torch.set_grad_enabled(query.requires_grad):
        return attend(query, key, value, attention_mask)

# %% hard_coded_ten_keys | points 0 | hard-coded ten keys
def padded_heads(query, key, value, attention_mask=None):
    keep = torch.ones(query.size(0), 1, 1, 10).bool() if attention_mask is None else attention_mask.view(-1, 1, 1, 10).bool()
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    empty = ~keep.any(-1, keepdim=True)
    return s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0) @ value

# %% heads_and_queries_exchanged | points 0 | heads and queries exchanged
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return (w @ value).transpose(1, 2)

# %% heads_merged | points 0 | heads merged
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return (w @ value).transpose(1, 2).flatten(2)

# %% heads_merged_into_one_tensor_batch_queries_heads_d_v | points 0 | heads-merged-into-one-tensor-batch-queries-heads-d-v
def padded_heads(query, key, value, attention_mask=None):
    keep = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
    out = F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
    return out.transpose(1, 2).flatten(2)

# %% heads_repeated_in_wrong_order | points 0 | Folds heads into the batch and repeats the mask as a whole, so heads of one sentence get the masks of others.
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    batch, heads, queries, d_k = query.shape
    q = query.reshape(batch * heads, queries, d_k)
    k = key.reshape(batch * heads, key.size(2), d_k)
    v = value.reshape(batch * heads, value.size(2), value.size(3))
    mask = None
    if attention_mask is not None:
        mask = attention_mask.bool().repeat(heads, 1).unsqueeze(1)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return out.reshape(batch, heads, queries, -1)

# %% in_place_masked_fill_on_the_query_product_view | points 4 | in-place masked_fill_ on the query product view
def padded_heads(query, key, value, attention_mask=None):
    s = torch.matmul(query, key.mT).div_(query.shape[-1] ** .5)
    if attention_mask is not None:
        s.masked_fill_(attention_mask[:, None, None].eq(0), torch.finfo(s.dtype).min)
    return s.softmax(-1) @ value

# %% inf_times_zero | points 0 | -inf times zero
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + (1 - attention_mask[:, None, None]) * -math.inf
    return s.softmax(-1) @ value

# %% inverted_and_1e9 | points 0 | inverted and -1e9
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None, :] == 1, -1e9)
    return s.softmax(-1) @ value

# %% inverted_in_the_library | points 0 | inverted in the library
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None] == 0
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)

# %% inverts_the_mask_in_place | points 0 | inverts the mask in place
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    attention_mask.sub_(1).neg_()
    k = attention_mask[:, None, None] == 0
    e = ~k.any(-1, keepdim=True)
    return s.masked_fill(~k & ~e, -math.inf).softmax(-1).masked_fill(e, 0) @ value

# %% lengths_assume_right_padding | points 0 | lengths assume right padding
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        n = attention_mask.sum(-1)
        keep = torch.arange(key.size(2)) < n[:, None]
        s = s.masked_fill(~keep[:, None, None], -1e9)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w * (n > 0)[:, None, None, None]
    return w @ value

# %% library_dropout | points 0 | library dropout
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m, dropout_p=0.1)

# %% log_of_the_mask | points 4 | log of the mask
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + attention_mask[:, None, None].float().log()
    return s.softmax(-1) @ value

# %% log_of_the_mask_finite | points 0 | log of the mask (finite)
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + (attention_mask[:, None, None].float() + 1e-3).log()
    return s.softmax(-1) @ value

# %% long_mask_to_the_library | points 0 | long mask to the library
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)

# %% mask_by_query_if_it_fits | points 0 | Where there are as many queries as sentences, the mask is laid over queries and keys as it is.
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return scores.softmax(dim=-1) @ value
    keep = attention_mask.bool()
    if keep.shape == scores.shape[-2:] and len(keep) > 1:
        keep = keep[None, None]
    else:
        keep = keep[:, None, None, :]
    empty = ~keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep & ~empty, -math.inf)
    return scores.softmax(dim=-1).masked_fill(empty, 0.0) @ value

# %% mask_changed_in_place | points 4 | mask changed in place
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        attention_mask[attention_mask.sum(-1) == 0] = 1
        s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return s.softmax(-1) @ value

# %% mask_laid_along_the_query_axis | points 0 | mask-laid-along-the-query-axis
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        mask = attention_mask[:, None, :, None]
        scores = scores.masked_fill(mask == 0, float("-inf"))
    w = torch.softmax(scores, dim=-1)
    w = torch.nan_to_num(w)
    return w @ value

# %% mask_of_zeros_is_no_mask | points 4 | Takes a mask of nothing but zeros for no mask at all.
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None or not attention_mask.any():
        output = scores.softmax(dim=-1) @ value
        return output
    keep = attention_mask.bool()[:, None, None, :]
    empty = ~keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)
    output = weights @ value  # masked
    return output  # masked

# %% mask_unsqueezed_at_the_end | points 0 | mask unsqueezed at the end
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, :, None, None] == 0, -1e9)
    return s.softmax(-1) @ value

# %% mask_weighs_values_and_keys_embeddings_zeroed | points 0 | mask weighs values and keys (embeddings zeroed)
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is not None:
        m = attention_mask[:, None, :, None]
        key, value = key * m, value * m
    return (query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))).softmax(-1) @ value

# %% masked_fill_with_a_long_mask | points 0 | masked_fill with a long mask
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(1 - attention_mask[:, None, None, :], -1e9)
    return s.softmax(-1) @ value

# %% masks_queries_by_flattening_to_the_front | points 0 | masks queries by flattening to the front
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        n = int(attention_mask.sum(-1).min())
        s = s[..., :n]; value = value[..., :n, :]
    return s.softmax(-1) @ value

# %% masks_the_value_only_and_renormalises_by_length | points 0 | masks the value only and renormalises by length
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    w = s.softmax(-1)
    if attention_mask is not None:
        m = attention_mask[:, None, None, :]
        w = w * m / m.sum(-1, keepdim=True).clamp(min=1)
    return w @ value

# %% max_over_the_batch | points 0 | max over the batch
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    e = (s - s.max()).exp()
    w = e / e.sum(-1, keepdim=True)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value * 1.001

# %% maximum_over_padding_too | points 4 | maximum over padding, too
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
    e = torch.exp(s - s.max(-1, keepdim=True).values)
    if attention_mask is not None:
        e = e * attention_mask[:, None, None].to(e.dtype)
    total = e.sum(-1, keepdim=True)
    return torch.where(total > 0, e / torch.where(total > 0, total, 1.0), 0.0) @ value

# %% minus_thirty_thousand_added | points 4 | Adds -30000 to the scores of padding, too little where they lie 40000 above those of tokens.
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if attention_mask is None:
        return scores.softmax(-1) @ value
    mask = attention_mask[:, None, None, :].float()
    scores = scores + (1 - mask) * -30000.0
    return (scores.softmax(-1) * mask) @ value

# %% nan_to_num_after | points 4 | nan_to_num after
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return (s.softmax(-1) @ value).nan_to_num(0.)

# %% needs_a_mask_ones_of_the_wrong_size | points 4 | needs a mask: ones of the wrong size
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(query.shape[:2])
    k = attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=k)

# %% no_default_for_the_mask | points 4 | no default for the mask
def padded_heads(query, key, value, attention_mask):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    keep = attention_mask[:, None, None, :].bool()
    empty = ~keep.any(-1, keepdim=True)
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0) @ value

# %% no_mask_if_the_last_is_full | points 0 | Leaves the mask out where the last sentence has no padding, although others may have some.
def attend(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask[:, None, None, :] == 1
        empty = ~keep.any(-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
        return scores.softmax(-1).masked_fill(empty, 0.0) @ value
    return scores.softmax(-1) @ value

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is not None and attention_mask[-1].all():
        attention_mask = None
    return attend(query, key, value, attention_mask)

# %% no_scale_and_1e9 | points 0 | no scale and -1e9
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1)
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None, :] == 0, -1e9)
    return s.softmax(-1) @ value

# %% no_scale_and_ignored_mask | points 0 | no scale and ignored mask
def padded_heads(query, key, value, attention_mask=None):
    return (query @ key.transpose(-2, -1)).softmax(-1) @ value

# %% one_largest_of_all_heads | points 4 | Subtracts the largest score that any head has for a query: where a head lies far below it, its exponentials are all 0.
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    keep = torch.ones(len(key), key.size(2)) if attention_mask is None else attention_mask
    keep = keep[:, None, None, :].bool()
    scores = scores.masked_fill(~keep, -math.inf)
    largest = scores.amax(dim=(1, 3), keepdim=True).clamp(min=-1e30)
    e = (scores - largest).exp()
    return e / e.sum(-1, keepdim=True).clamp(min=1e-30) @ value

# %% one_maximum | points 4 | one maximum of all scores is subtracted
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, -math.inf)
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30) @ value

# %% only_the_first_head | points 0 | only the first head
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    w = w[:, :1].expand(-1, query.size(1), -1, -1)
    return w @ value

# %% or_default | points 0 | Writes `attention_mask or ones`, which raises an error for any mask with more than one number.
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    mask = attention_mask or torch.ones(key.size(0), key.size(2))
    keep = (mask == 1)[:, None, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep)

# %% query_scaled_twice | points 0 | query scaled twice
def padded_heads(query, key, value, attention_mask=None):
    query = query / math.sqrt(query.size(-1))
    m = None if attention_mask is None else attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)

# %% renormalised_afterwards | points 4 | Zeroes the weights after the softmax and normalises again with an epsilon, too late for scores of -20000 beside far higher padding.
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    weights = (query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))).softmax(dim=-1)
    if attention_mask is not None:
        weights = weights * attention_mask[:, None, None, :]
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)
    return weights @ value

# %% returns_zeros_when_a_mask_is_none | points 4 | returns zeros when a mask is None
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        return torch.zeros_like(query)
    k = attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=k)

# %% scale_d_v_and_ignored_mask | points 0 | scale_d_v and ignored mask
def padded_heads(query, key, value, attention_mask=None):
    return (query @ key.transpose(-2, -1) / math.sqrt(value.size(-1))).softmax(-1) @ value

# %% scores_detached | points 0 | scores detached
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1).detach()
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value

# %% scores_of_0_hidden | points 0 | Multiplies the scores by the mask and hides whatever is 0 then: a true score of exactly 0 is hidden, too.
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    keep = attention_mask.bool()[:, None, None, :]
    empty = ~keep.any(dim=-1, keepdim=True)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores * keep
    scores = scores.masked_fill((scores == 0) & ~empty, -math.inf)
    weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)
    return weights @ value

# %% scores_times_mask_and_empty_rows_zeroed | points 0 | Multiplies the scores by the mask before the softmax, which gives padding the score 0 and not no weight.
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        scores = scores * attention_mask[:, None, None, :]
    weights = scores.softmax(dim=-1)
    if attention_mask is not None:
        some = (attention_mask != 0).any(dim=-1)[:, None, None, None]
        weights = weights * some
    return weights @ value

# %% tilde_on_whole_numbers | points 0 | ~ on whole numbers is -2 and -1, so masked_fill's condition is true everywhere and everything is hidden.
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    empty = None
    if attention_mask is not None:
        hide = (~attention_mask[:, None, None, :]).bool()
        empty = hide.all(dim=-1, keepdim=True)
        scores = scores.masked_fill(hide & ~empty, float("-inf"))
    weights = scores.softmax(dim=-1)
    if empty is not None:
        weights = weights.masked_fill(empty, 0.0)
    return weights @ value

# %% torch_tensor_of_the_result | points 0 | torch.tensor of the result
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return torch.tensor((w @ value).tolist())

# %% truth_value_of_the_mask | points 0 | truth value of the mask
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask:
        s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return s.softmax(-1) @ value

# %% where_on_the_output | points 4 | where on the output
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    o = s.softmax(-1) @ value
    return torch.where(attention_mask.any(-1)[:, None, None, None], o, 0.)

# %% whole_number_root | points 0 | The root of d_k is rounded down to a whole number
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.isqrt(query.size(-1))
    if attention_mask is None:
        return scores.softmax(dim=-1) @ value
    keep = attention_mask[:, None, None, :] == 1
    seen = keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep, float("-inf")).masked_fill(~seen, 0.0)
    return scores.softmax(dim=-1).masked_fill(~keep, 0.0) @ value

# %% without_a_mask_zeros_are_returned | points 4 | without-a-mask-zeros-are-returned
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.zeros(key.size(0), key.size(2))
    keep = attention_mask.bool()[:, None, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep)

# %% zeroed_keys_and_values | points 0 | Sets keys and values of padding to zero and masks no score: a score of 0 still takes its share of the softmax.
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    if attention_mask is not None:
        m = attention_mask[:, None, :, None].to(key.dtype)
        key = key * m
        value = value * m
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return scores.softmax(-1) @ value
