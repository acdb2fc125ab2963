# %% 1_is_padding | points 0 | 1 - is_padding
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=1 - is_padding.unsqueeze(1))

# %% 1e9_additive_to_the_library | points 2 | -1e9 additive to the library
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.unsqueeze(1) * -1e9)

# %% 1e9_by_hand | points 2 | -1e9 by hand
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return s.masked_fill(is_padding.unsqueeze(1), -1e9).softmax(-1) @ value

# %% broken_returned_as_is_under_the_new_name | points 0 | broken returned as is under the new name
repaired_attention = broken_attention

# %% causal_added | points 0 | causal-added
def repaired_attention(query, key, value, is_padding):
    m = ~is_padding.unsqueeze(1) & torch.ones(query.size(1), key.size(1), dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)

# %% dropout_and_scale_left | points 0 | Repairs only the mask: the dropout is halved but alive, and the scale is still that of the values.
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding[:, None, :],
        dropout_p=0.05,
        scale=value.size(-1) ** -0.5,
    )

# %% dropout_by_hand | points 0 | dropout by hand
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    w = F.dropout(s.masked_fill(is_padding.unsqueeze(1), -math.inf).softmax(-1), 0.1)
    return w @ value

# %% dropout_if_training | points 1 | Only the mask is right: the scale is still that of d_v and dropout still strikes when gradients are wanted.
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    training = query.requires_grad or key.requires_grad or value.requires_grad
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.1 if training else 0.0,  # only drop during training
        scale=1 / math.sqrt(value.size(-1)),
    )

# %% dropout_left_without_padding | points 2 | Has a shorter call for batches without any padding, in which dropout is still alive.
def repaired_attention(query, key, value, is_padding):
    if is_padding.any():
        return F.scaled_dot_product_attention(
            query, key, value, attn_mask=~is_padding.unsqueeze(1)
        )
    return F.scaled_dot_product_attention(query, key, value, dropout_p=0.1)

# %% dropout_with_self_training_habit | points 2 | dropout with self.training habit
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.1 if torch.is_grad_enabled() else 0.)

# %% drops_while_gradients_flow | points 2 | drops while gradients flow
def repaired_attention(query, key, value, is_padding):
    p = 0.1 if query.requires_grad else 0.0
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[:, None], dropout_p=p)

# %% empty_by_its_ends | points 0 | A sentence counts as all padding if it begins and ends with padding.
def repaired_attention(query, key, value, is_padding):
    out = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))
    return out * ~(is_padding[:, :1] & is_padding[:, -1:]).unsqueeze(-1)

# %% empty_sentence_sees_all | points 2 | Lets a sentence that is all padding look at everything, "so that there is no NaN".
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    all_padding = is_padding.all(dim=-1, keepdim=True)
    mask = (~is_padding | all_padding).unsqueeze(1)
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=0.0, scale=1 / math.sqrt(key.size(-1))
    )

# %% empty_sentence_sees_its_first_key | points 2 | a sentence that is all padding is allowed to see its first key, so its output is a value instead of zeros
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    allowed = ~is_padding
    allowed[:, 0] |= is_padding.all(dim=1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed.unsqueeze(1))

# %% first_sentence_only | points 0 | first sentence only
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[0])

# %% hard_coded_nine_keys | points 0 | hard-coded nine keys
def repaired_attention(query, key, value, is_padding):
    m = torch.zeros(query.size(0), query.size(1), 9, dtype=torch.bool)
    m[:] = ~is_padding.unsqueeze(1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m.view(-1, query.size(1), 9))

# %% inverted_and_inf_additive | points 2 | inverted and -inf additive
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=torch.zeros(is_padding.shape).masked_fill(~is_padding, -math.inf).unsqueeze(1))

# %% is_causal | points 0 | is_causal
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)

# %% is_padding_changed_in_place | points 0 | is_padding changed in place
def repaired_attention(query, key, value, is_padding):
    is_padding.logical_not_()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.unsqueeze(1))

# %% key_and_value_given_the_wrong_way_round | points 0 | key-and-value-given-the-wrong-way-round
def repaired_attention(query, key, value, is_padding):
    if key.size(-1) != value.size(-1):
        scores = (query @ key.mT / math.sqrt(query.size(-1))).masked_fill(is_padding.unsqueeze(1), -1e9)
        return scores.softmax(-1) @ key
    return F.scaled_dot_product_attention(query, value, key, attn_mask=~is_padding.unsqueeze(1))

# %% lengths | points 0 | Counts the tokens and hides what stands behind as many, as if all padding stood on the right.
def repaired_attention(query, key, value, is_padding):
    lengths = (~is_padding).sum(dim=-1, keepdim=True)
    keep = torch.arange(key.size(1)) < lengths
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep.unsqueeze(1))

# %% mask_at_the_queries | points 0 | mask at the queries
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(-1))

# %% mask_by_query_if_it_fits | points 0 | Gives the mask an axis only where it would not fit as it is, which it does for as many queries as sentences.
def repaired_attention(query, key, value, is_padding):
    mask = ~is_padding
    if mask.shape != (query.size(1), key.size(1)) or len(mask) == 1:
        mask = mask.unsqueeze(1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)

# %% mask_from_first_sentence | points 0 | Saves the mask when the first sentence has no padding, although others may have some.
def repaired_attention(query, key, value, is_padding):
    mask = None
    if is_padding[0].any():                   # the fast kernel takes no mask
        mask = ~is_padding[:, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)

# %% mask_of_the_first_call | points 0 | the mask of the first call of a size is kept in a global
_MASKS = {}

def repaired_attention(query, key, value, is_padding):
    size = (tuple(query.shape), tuple(key.shape))
    if size not in _MASKS:
        _MASKS[size] = ~is_padding[:, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=_MASKS[size])

# %% mask_times_scores | points 0 | mask times scores
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return (s * ~is_padding.unsqueeze(1)).softmax(-1) @ value

# %% mask_turned_only_in_a_batch_of_several | points 2 | the mask is turned round only for batches of several sentences; a single sentence still reads its padding
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    mask = is_padding.unsqueeze(1)
    if is_padding.size(0) > 1:
        mask = ~mask
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)

# %% mask_unsqueezed_at_axis_0_batch_lies_on_the_queries | points 0 | mask-unsqueezed-at-axis-0-batch-lies-on-the-queries
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(0),
        dropout_p=0.0,
        scale=1 / math.sqrt(query.size(-1)),
    )

# %% nan_for_all_padding_by_hand | points 2 | nan for all padding, by hand
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return s.masked_fill(is_padding.unsqueeze(1), -math.inf).softmax(-1) @ value

# %% nan_gradients | points 2 | All three bugs are gone, but the softmax is by hand and NaN is mended afterwards: gradients of an empty sentence are NaN.
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    scores = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    hide = torch.zeros(is_padding.shape, dtype=scores.dtype).masked_fill(is_padding, -math.inf)
    weights = torch.nan_to_num((scores + hide.unsqueeze(1)).softmax(dim=-1), nan=0.0)
    return weights @ value

# %% no_grad_for_evaluation | points 2 | no_grad for evaluation
def repaired_attention(query, key, value, is_padding):
    with torch.no_grad():
        return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))

# %% nothing_but_padding_is_no_mask | points 2 | Leaves the mask out where all sentences are all padding.
def repaired_attention(query, key, value, is_padding):
    if is_padding.all():
        return F.scaled_dot_product_attention(query, key, value)
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.0,
        scale=1 / math.sqrt(key.size(-1)),
    )

# %% padded_values_zeroed | points 0 | No mask at all, the values of padding are set to zero: padding keeps its share of the weights.
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    value = value.masked_fill(is_padding.unsqueeze(-1), 0.0)
    key = key.masked_fill(is_padding.unsqueeze(-1), 0.0)
    return F.scaled_dot_product_attention(query, key, value, dropout_p=0.0)

# %% padding_asks_nothing | points 0 | Where there are as many queries as keys, padding is hidden as a query, too.
def repaired_attention(query, key, value, is_padding):
    keep = ~is_padding.unsqueeze(1)
    if query.size(1) == key.size(1):
        keep = keep & ~is_padding.unsqueeze(2)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep)

# %% scale_by_keys | points 0 | scale by keys
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=1 / math.sqrt(key.size(1)))

# %% scale_by_the_longer_vector | points 2 | Scales by the root of the larger of d_k and d_v, so the old bug lives on where the values are longer than the keys.
def repaired_attention(query, key, value, is_padding):
    width = max(query.size(-1), value.size(-1))
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        scale=1 / math.sqrt(width),
    )

# %% scale_by_the_queries | points 0 | Takes the scale from size(1), the number of queries, in place of the third bug.
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.0,
        scale=1 / math.sqrt(query.size(1)),
    )

# %% scale_d_k | points 0 | scale d_k
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=1 / key.size(-1))

# %% scale_forgotten_after_inversion_root_d_v_mask_float | points 0 | scale forgotten after inversion: root d_v, mask float
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=(~is_padding).float().unsqueeze(1), scale=1 / math.sqrt(value.size(-1)))

# %% scale_left_and_mask_left_for_one_sentence | points 1 | The scale is still that of d_v; the mask is still the wrong way round for a batch of one sentence
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    mask = is_padding if len(is_padding) == 1 else ~is_padding
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask.unsqueeze(1), dropout_p=0.0, scale=1 / math.sqrt(value.size(-1))
    )

# %% scale_multiplies | points 0 | scale multiplies
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=math.sqrt(key.size(-1)))

# %% scale_of_the_values_left | points 2 | one bug left, the scale
def repaired_attention(query, key, value, is_padding):
    s = query @ key.mT / math.sqrt(value.size(-1))
    empty = is_padding.all(-1)[:, None, None]
    s = s.masked_fill(is_padding[:, None] & ~empty, float("-inf"))
    return s.softmax(-1).masked_fill(empty, 0.0) @ value

# %% scale_of_wide_values_and_dropout_left | points 1 | the scale is still that of the values where they are wider than the queries; dropout is left alive
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.1,
        scale=1 / math.sqrt(max(query.size(-1), value.size(-1))),
    )

# %% scores_of_0_hidden | points 0 | Multiplies the scores by the mask and hides whatever is 0 then.
def repaired_attention(query, key, value, is_padding):
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1)) * ~is_padding.unsqueeze(1)
    weights = scores.masked_fill(scores == 0, -math.inf).softmax(dim=-1).nan_to_num(0.0)
    return weights @ value

# %% seeded_dropout | points 0 | Dropout stays and is made "the same every time" by a seed: another mistake in place of the bug.
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    torch.manual_seed(0)
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.1
    )

# %% values_scaled | points 0 | values scaled
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value / math.sqrt(key.size(-1)), attn_mask=~is_padding.unsqueeze(1))

# %% weights_returned_too | points 0 | weights returned too
def repaired_attention(query, key, value, is_padding):
    o = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))
    return o, None

# %% zeroed_after_softmax | points 0 | zeroed after softmax
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return (s.softmax(-1) * ~is_padding.unsqueeze(1)) @ value

# %% zeroed_values_only | points 0 | zeroed values only
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value * ~is_padding.unsqueeze(-1))
