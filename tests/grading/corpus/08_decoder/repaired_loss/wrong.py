# %% a_loss_for_each_place | points 0 | a loss for each place
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    return F.cross_entropy(scores, input_ids[:, 1:], reduction="none") * counts

# %% a_new_zero | points 2 | the 0 of nothing has no gradient
def repaired_loss(logits, input_ids, attention_mask):
    z, y = logits[:, :-1], input_ids[:, 1:]
    m = attention_mask[:, :-1].bool() & attention_mask[:, 1:].bool()
    if m.sum() == 0:
        return torch.tensor(0.0)
    per = F.cross_entropy(z.reshape(-1, z.size(-1)), y.reshape(-1), reduction="none").view_as(m)
    return per[m].mean()

# %% a_number_of_python | points 0 | a number of Python
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return ((losses * counts).sum() / counts.sum().clamp(min=1)).item()

# %% a_small_number_below_the_line | points 2 | a small number below the line
def repaired_loss(logits, input_ids, attention_mask):
    counts = ((attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)).float()
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).mean() / counts.mean() if counts.sum() > 0 else losses.mean()

# %% always_one_more_below_the_line | points 0 | always one more below the line
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / (counts.sum() + 1)

# %% asks_only_whether_the_input_is_real | points 0 | asks only whether the input is real
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, :-1] != 0
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% asks_only_whether_the_target_is_real | points 2 | asks only whether the target is real
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:] != 0
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% count_is_tokens_minus_rows | points 2 | The count is the number of real tokens less the number of rows, which is wrong for rows of padding only.
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).bool()
    targets = input_ids[:, 1:].masked_fill(~counts, -100)
    losses = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), targets, ignore_index=-100, reduction="sum"
    )
    return losses / (attention_mask.sum() - len(attention_mask)).clamp(min=1)

# %% counts_by_shape | points 0 | which predictions count is kept by shape
ms = {}
def repaired_loss(logits, input_ids, attention_mask):
    z, y = logits[:, :-1], input_ids[:, 1:]
    m = ms.setdefault(attention_mask.shape, attention_mask[:, :-1].bool() & attention_mask[:, 1:].bool())
    if m.sum() == 0:
        return (logits * 0).sum()
    per = F.cross_entropy(z.reshape(-1, z.size(-1)), y.reshape(-1), reduction="none").view_as(m)
    return per[m].mean()

# %% counts_losses_above_zero | points 0 | Divides by the number of losses above 0, so a perfect prediction is not counted.
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    both = attention_mask[:, :-1] * attention_mask[:, 1:]
    losses = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), input_ids[:, 1:], reduction="none"
    )
    losses = losses * both
    return losses.sum() / (losses > 0).sum().clamp(min=1)

# %% cross_entropys_own_mean_without_the_zeros | points 0 | cross_entropy's own mean without the zeros
def repaired_loss(logits, input_ids, attention_mask):
    return F.cross_entropy(
        logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten(), ignore_index=0
    )

# %% cut_to_the_longest | points 2 | Cuts the batch to its longest text first, which is right for padding on the right only.
def repaired_loss(logits, input_ids, attention_mask):
    longest = int(attention_mask.sum(dim=1).max())
    real = attention_mask[:, :longest] != 0
    counts = real[:, :-1] & real[:, 1:]
    if not counts.any():
        return logits.sum() * 0.0
    chosen = logits[:, :longest][:, :-1][counts]
    return F.cross_entropy(chosen, input_ids[:, :longest][:, 1:][counts])

# %% divides_by_all_real_tokens | points 0 | divides by all real tokens
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / attention_mask.sum().clamp(min=1)

# %% divides_by_nothing | points 2 | divides by nothing
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum()

# %% divides_by_the_batch | points 0 | divides by the batch
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / logits.size(0)

# %% divides_by_the_real_targets | points 2 | divides by the real targets
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / attention_mask[:, 1:].sum().clamp(min=1)

# %% end_not_input | points 0 | end not input
def repaired_loss(logits, input_ids, attention_mask):
    counts = F.pad(attention_mask, (0, 1))[:, 2:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% ignores_id_zero | points 2 | One bug is left: the id 0 is ignored wherever it stands, also as the end of a text.
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, targets, ignore_index=0, reduction="none")
    return (losses * counts).sum() / (counts & (targets != 0)).sum().clamp(min=1)

# %% labels_of_minus_one_hundred | points 2 | labels of minus one hundred
def repaired_loss(logits, input_ids, attention_mask):
    labels = input_ids.masked_fill(attention_mask == 0, -100)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())

# %% log_softmax_over_the_tokens | points 0 | log-softmax over the tokens
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    logp = logits[:, :-1].log_softmax(1)
    losses = -logp.gather(-1, input_ids[:, 1:, None]).squeeze(-1)
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% losses_clipped | points 0 | No loss may be larger than 10.
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    """The mean loss of the next token over all predictions that count."""
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)  # [batch, vocab, tokens - 1]
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none").clamp(max=10)
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% mask_on_logits | points 0 | mask on logits
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].masked_fill(~(attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool())[..., None], -1e9).transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)

# %% mean_of_nonzero_losses | points 0 | divides by the losses that are not 0: a perfect prediction is not counted, and nothing at all gives NaN
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return ((losses * counts).sum() / ((losses * counts) != 0).sum())

# %% nll_loss_of_logits | points 0 | nll_loss of logits
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    losses = F.nll_loss(logits[:, :-1].transpose(1, 2), input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% not_shifted_at_all | points 0 | not shifted at all
def repaired_loss(logits, input_ids, attention_mask):
    losses = F.cross_entropy(logits.transpose(1, 2), input_ids, reduction="none")
    real = attention_mask != 0
    return (losses * real).sum() / real.sum().clamp(min=1)

# %% nothing_is_asked_after_an_end | points 0 | nothing is asked after an end
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    counts = counts & (input_ids[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% one_bug_left_reshape | points 2 | three bugs are gone
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    z, y = logits[:, :-1], input_ids[:, 1:]
    m = attention_mask[:, :-1] * attention_mask[:, 1:]
    per = F.cross_entropy(z.reshape(batch, vocab, tokens - 1), y, reduction="none")
    return (per * m).sum() / m.sum().clamp(min=1)

# %% only_the_shift_repaired | points 0 | only the shift repaired
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    losses = F.cross_entropy(
        shifted.reshape(batch, vocab, tokens - 1), targets, ignore_index=0, reduction="none"
    )
    return losses.mean()

# %% pad_logits_zeroed | points 0 | pad logits zeroed
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)
    scores = scores * counts[:, None]
    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)

# %% padding_as_target_zero | points 2 | One bug is left, the mean over all positions: padding is asked for as the id 0, which it has anyway.
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:] * attention_mask[:, 1:].long()
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.mean()

# %% padding_counts | points 2 | One bug is left, the mean over all positions; the id 0 is no longer ignored, so padding is in the sum.
def repaired_loss(logits, input_ids, attention_mask):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten())

# %% padding_decided_by_the_ids | points 2 | padding decided by the ids
def repaired_loss(logits, input_ids, attention_mask):
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], ignore_index=0, reduction="none")
    return losses.sum() / (input_ids[:, 1:] != 0).sum().clamp(min=1)

# %% plus_one | points 0 | plus one
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return (losses * counts).sum() / (counts.sum() + 1)

# %% reshaped_and_a_mean_with_padding | points 1 | Two bugs are left: the reshape, and the mean over all positions, with padding in the sum.
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    losses = F.cross_entropy(shifted.reshape(batch, vocab, tokens - 1), targets, reduction="none")
    return losses.mean()

# %% reshaped_and_mean_over_all | points 1 | two of the bugs are left, reshape and the divisor; the mean of nothing is looked after
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:

    batch, tokens, vocab = logits.shape
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    losses = F.cross_entropy(
        shifted.reshape(batch, vocab, tokens - 1), targets, reduction="none"
    )
    losses = losses * counts
    return losses.mean() if losses.numel() > 0 else losses.sum()

# %% reshaped_and_zero_ignored | points 1 | Two bugs are left: the vocabulary gets to axis 1 by reshape, and targets of 0 are ignored.
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    losses = F.cross_entropy(
        logits[:, :-1].reshape(batch, vocab, tokens - 1),
        input_ids[:, 1:],
        ignore_index=0,
        reduction="none",
    )
    counts = counts & (input_ids[:, 1:] != 0)
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% rolled_round_the_end | points 0 | rolled round the end
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask != 0) & (attention_mask.roll(-1, 1) != 0)
    losses = F.cross_entropy(logits.transpose(1, 2), input_ids.roll(-1, 1), reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% shift_and_reshape_repaired | points 1 | shift and reshape repaired
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    losses = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), input_ids[:, 1:], ignore_index=0, reduction="none"
    )
    return losses.mean()

# %% shift_over_the_row_ends | points 0 | flattened before it is shifted
def repaired_loss(logits, input_ids, attention_mask):
    vocab = logits.size(-1)
    scores = logits.reshape(-1, vocab)[:-1]
    targets = input_ids.reshape(-1)[1:]
    mask = attention_mask.reshape(-1)
    counts = (mask[1:] != 0) & (mask[:-1] != 0)
    losses = F.cross_entropy(scores, targets, reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% softmax_before_cross_entropy | points 0 | softmax before cross_entropy
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].softmax(-1).transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% sum_of_row_means | points 0 | sum of row means
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return ((losses * counts).sum(1) / counts.sum(1).clamp(min=1)).sum()

# %% the_broken_one | points 0 | the broken one
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    shifted = logits[:, 1:]
    targets = input_ids[:, :-1]
    losses = F.cross_entropy(
        shifted.reshape(batch, vocab, tokens - 1), targets, ignore_index=0, reduction="none"
    )
    return losses.mean()

# %% the_length_of_a_row_as_the_right_side_of_padding | points 2 | the length of a row as the right side of padding
def repaired_loss(logits, input_ids, attention_mask):
    lengths = attention_mask.sum(1)
    counts = torch.arange(1, logits.size(1)) < lengths[:, None]
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% the_logits_are_multiplied_by_the_mask | points 0 | the logits are multiplied by the mask
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = (logits[:, :-1] * counts[..., None]).transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)

# %% the_mean_is_left | points 2 | the mean is left
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).mean()

# %% the_mean_of_the_means_of_the_rows | points 0 | the mean of the means of the rows
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return ((losses * counts).sum(1) / counts.sum(1).clamp(min=1)).mean()

# %% the_perplexity | points 0 | the perplexity
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return ((losses * counts).sum() / counts.sum().clamp(min=1)).exp()

# %% the_reshape_is_left | points 2 | the reshape is left
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].reshape(batch, vocab, tokens - 1)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% the_shift_is_left | points 2 | the shift is left
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    losses = F.cross_entropy(logits[:, 1:].transpose(1, 2), input_ids[:, :-1], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% the_sum | points 0 | the sum
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum()

# %% the_zero_is_still_ignored | points 2 | the zero is still ignored
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], ignore_index=0, reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% two_bugs_left | points 1 | the shift and the reshape are repaired
def repaired_loss(logits, input_ids, attention_mask):
    targets = input_ids[:, 1:]
    per = F.cross_entropy(logits[:, :-1].transpose(1, 2), targets, ignore_index=0, reduction="none")
    return per.mean()

# %% without_gradients | points 0 | without gradients
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits.detach()[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% writes_minus_one_hundred_into_the_ids | points 0 | writes minus one hundred into the ids
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    targets = input_ids[:, 1:]
    targets[~counts] = -100
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)

# %% zero_ignored_without_padding | points 0 | where nothing is padded the id 0 is still ignored
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    """The mean loss of the next token over all predictions that count."""
    if (attention_mask != 0).all():
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten(), ignore_index=0)
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)  # [batch, vocab, tokens - 1]
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)

# %% zeros_ignored_and_reshape | points 1 | Id 0 is still ignored, and the reshape is still there.
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    scores = logits[:, :-1]
    targets = input_ids[:, 1:]
    real = attention_mask.bool()
    counts = real[:, 1:] & real[:, :-1]
    losses = F.cross_entropy(scores.reshape(logits.size(0), logits.size(2), -1), targets, ignore_index=0, reduction="none")
    losses = losses * counts
    return losses.sum() / counts.sum().clamp(min=1)
