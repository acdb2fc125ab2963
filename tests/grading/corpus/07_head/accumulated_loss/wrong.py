# %% a_zero_without_a_graph | points 4 | a zero without a graph
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return torch.tensor(0.0)
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

# %% at_least_a_billionth_of_a_thousandth | points 3 | the sum of the weights is at least 1e-12, and may be smaller
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    w = torch.ones(logits.size(-1)) if class_weights is None else class_weights
    n = w[labels[labels != -100]].sum()
    return F.cross_entropy(logits, labels, class_weights, reduction='sum', label_smoothing=label_smoothing) / n.clamp(min=1e-12)

# %% at_least_a_thousandth | points 3 | Divides by 0.001 at least; the weights of all labels together may be less.
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    total, weight = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        logits, labels = logits.flatten(0, 1), labels.flatten()
        total = total + F.cross_entropy(logits, labels, class_weights, reduction="sum", label_smoothing=label_smoothing)
        real = labels[labels != -100]
        ones = torch.ones(logits.size(-1)) if class_weights is None else class_weights
        weight = weight + ones[real].sum()
    return total / weight.clamp(min=1e-3)

# %% classes_reshaped | points 0 | classes reshaped
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.transpose(1, 2).reshape(-1, logits_a.size(-1)), logits_b.transpose(1, 2).reshape(-1, logits_b.size(-1))])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

# %% counts_losses_above_zero | points 4 | Divides by the losses that are not 0, so a perfect prediction is not counted.
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    total, count = logits_a.sum() * 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        losses = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), class_weights, reduction="none", label_smoothing=label_smoothing)
        counted = losses != 0
        total = total + losses.sum()
        y = labels.flatten()[counted]
        count += float(counted.sum()) if class_weights is None else class_weights[y].sum()
    return total / count if count > 0 else total

# %% cut_to_the_longest | points 0 | Cuts each batch to its largest number of labels, so labels behind padding on the left get lost.
def accumulated_loss(
    logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0
):
    pieces, answers = [], []
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        longest = int((labels != -100).sum(dim=1).max())
        pieces.append(logits[:, :longest].flatten(0, 1))
        answers.append(labels[:, :longest].flatten())
    logits, labels = torch.cat(pieces), torch.cat(answers)
    if not (labels != -100).any():
        return (logits_a.sum() + logits_b.sum()) * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

# %% divides_by_all_places | points 0 | divides by all places
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    a = F.cross_entropy(za.flatten(0, 1), ya.flatten(), class_weights, reduction="sum",
                        label_smoothing=label_smoothing)
    b = F.cross_entropy(zb.flatten(0, 1), yb.flatten(), class_weights, reduction="sum",
                        label_smoothing=label_smoothing)
    return (a + b) / (ya.numel() + yb.numel())

# %% from_first_to_last_label | points 0 | Everything from the first to the last label of a text counts, -100 in between as class 0.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    rows = []
    for batch in (labels_a, labels_b):
        for row in batch:
            place = (row != -100).nonzero().flatten()
            row = row.clone()
            if len(place):
                row[place[0] : place[-1] + 1] = row[place[0] : place[-1] + 1].clamp(min=0)
            rows.append(row)
    labels = torch.cat(rows)
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

# %% ignore_index_0 | points 0 | ignore index 0
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    labels = labels.clamp(min=0)
    return F.cross_entropy(logits, labels, class_weights, ignore_index=0, label_smoothing=label_smoothing)

# %% labels_by_size | points 0 | the labels of the first batches of these sizes
_labels = {}

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    C = logits_a.size(-1)
    x = torch.cat([logits_a.reshape(-1, C), logits_b.reshape(-1, C)])
    y = torch.cat([labels_a.reshape(-1), labels_b.reshape(-1)])
    y = _labels.setdefault((logits_a.shape, logits_b.shape), y)
    x, y = x[y != -100], y[y != -100]
    w = torch.ones(C) if class_weights is None else class_weights
    logp = x.log_softmax(-1)
    exact = -logp[torch.arange(len(y)), y] * w[y]
    spread = -(logp * w).sum(-1) / C
    total = ((1 - label_smoothing) * exact + label_smoothing * spread).sum()
    return total / w[y].sum().clamp(min=1e-20) + 0 * logits_a.sum()

# %% lengths_for_places | points 0 | lengths for places, as if all padding stood on the right
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    z, y = [], []
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        for row, own in zip(logits, labels):
            length = int((own != -100).sum())
            z.append(row[:length])
            y.append(own[:length])
    z, y = torch.cat(z), torch.cat(y)
    if len(y) == 0:
        return (logits_a.sum() + logits_b.sum()) * 0
    return F.cross_entropy(z, y, class_weights, label_smoothing=label_smoothing)

# %% logarithm_of_softmax | points 4 | Takes the logarithm of a softmax, which is minus infinity for logits like -10000.
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    classes = logits_a.size(-1)
    weights = torch.ones(classes) if class_weights is None else class_weights
    total, count = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        real = labels != -100
        log_p = logits[real].softmax(dim=-1).log()
        y = labels[real]
        hit = -log_p.gather(1, y[:, None]).squeeze(1) * weights[y]
        total = total + (1 - label_smoothing) * hit.sum()
        if label_smoothing > 0:
            total = total - label_smoothing / classes * (log_p * weights).sum()
        count = count + weights[y].sum()
    if count == 0:
        return (logits_a.sum() + logits_b.sum()) * 0.0
    return total / count

# %% mean_of_means_without_padding | points 0 | where nothing is padded the means of both batches are averaged
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels != -100).all():
        return (F.cross_entropy(logits_a.flatten(0, 1), labels_a.flatten(), class_weights, label_smoothing=label_smoothing) + F.cross_entropy(logits_b.flatten(0, 1), labels_b.flatten(), class_weights, label_smoothing=label_smoothing)) / 2
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

# %% mean_of_the_library_means | points 0 | mean of the library means
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    losses = []
    for z, y in ((za, ya), (zb, yb)):
        losses.append(F.cross_entropy(z.transpose(1, 2), y, class_weights,
                                      label_smoothing=label_smoothing))
    return (losses[0] + losses[1]) / 2

# %% mean_weight_below_and_zero_without_graph | points 2 | The denominator is the token count times the mean class weight; if nothing is counted a zero without a graph comes back.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    total, count = 0.0, 0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        total = total + F.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), weight=class_weights,
            label_smoothing=label_smoothing, reduction="sum",
        )
        count += int((labels != -100).sum())
    if count == 0:
        return torch.zeros(())
    return total / (count if class_weights is None else count * class_weights.mean())

# %% means_of_equal_batches | points 4 | Where both batches have as many labels their means are averaged, with class weights, too.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    if (labels_a != -100).sum() == (labels_b != -100).sum():
        one, two = (F.cross_entropy(z.flatten(0, 1), y.flatten(), class_weights, label_smoothing=label_smoothing) for z, y in ((logits_a, labels_a), (logits_b, labels_b)))
        return (one + two) / 2
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

# %% means_weighted_by_the_size_of_the_batches | points 0 | means weighted by the size of the batches
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    a = F.cross_entropy(logits_a.flatten(0, 1), labels_a.flatten(), weight=class_weights, label_smoothing=label_smoothing)
    b = F.cross_entropy(logits_b.flatten(0, 1), labels_b.flatten(), weight=class_weights, label_smoothing=label_smoothing)
    n, m = labels_a.numel(), labels_b.numel()
    return (a * n + b * m) / (n + m)

# %% naive_log_sum_exp | points 4 | subtracts the logarithm of a sum of plain exponentials
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    C = logits_a.size(-1)
    x = torch.cat([logits_a.reshape(-1, C), logits_b.reshape(-1, C)])
    y = torch.cat([labels_a.reshape(-1), labels_b.reshape(-1)])
    
    x, y = x[y != -100], y[y != -100]
    w = torch.ones(C) if class_weights is None else class_weights
    logp = x - x.exp().sum(-1, keepdim=True).log()
    exact = -logp[torch.arange(len(y)), y] * w[y]
    spread = -(logp * w).sum(-1) / C
    total = ((1 - label_smoothing) * exact + label_smoothing * spread).sum()
    return total / w[y].sum().clamp(min=1e-20) + 0 * logits_a.sum()

# %% nan_for_weights_of_nothing | points 4 | nothing is counted: guarded without class weights only
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    total = F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing, reduction="sum")
    real = labels[labels != -100]
    if class_weights is None:
        return total / max(len(real), 1)
    return total / class_weights[real].sum()

# %% nan_times_zero | points 4 | Multiplies the mean of each batch with its weight; the mean of an empty batch is NaN, and NaN times 0 stays NaN.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    if class_weights is None:
        class_weights = torch.ones(logits_a.size(-1), dtype=logits_a.dtype)

    def part(logits, labels):
        loss = F.cross_entropy(
            logits.transpose(1, 2), labels, class_weights, label_smoothing=label_smoothing
        )
        return loss, class_weights[labels[labels != -100]].sum()

    loss_a, weight_a = part(logits_a, labels_a)
    loss_b, weight_b = part(logits_b, labels_b)
    if weight_a + weight_b == 0:
        return 0.0 * (logits_a.sum() + logits_b.sum())
    return (loss_a * weight_a + loss_b * weight_b) / (weight_a + weight_b)

# %% one_call_empty_forgotten | points 4 | one call, empty forgotten
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    C = za.shape[-1]
    return F.cross_entropy(torch.cat([za.reshape(-1, C), zb.reshape(-1, C)]),
                           torch.cat([ya.reshape(-1), yb.reshape(-1)]),
                           weight=class_weights, label_smoothing=label_smoothing)

# %% one_maximum | points 4 | a log-softmax by hand that subtracts one maximum of all logits
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    classes = logits_a.size(-1)
    logits = torch.cat([logits_a.reshape(-1, classes), logits_b.reshape(-1, classes)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    logits, labels = logits[labels != -100], labels[labels != -100]
    if len(labels) == 0:
        return (logits_a.sum() + logits_b.sum()) * 0.0
    weights = torch.ones(classes) if class_weights is None else class_weights
    shifted = logits - logits.max()
    log_p = shifted - shifted.exp().sum(-1, keepdim=True).log()
    exact = -log_p.gather(-1, labels[:, None])[:, 0] * weights[labels]
    if label_smoothing:
        exact = (1 - label_smoothing) * exact + label_smoothing / classes * (-log_p * weights).sum(-1)
    return exact.sum() / weights[labels].sum()

# %% only_class_loss_by_max | points 0 | only class loss by max
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing) / logits.size(-1)

# %% padded_with_class_zero | points 0 | Pads the shorter batch to the same width, its labels with 0: class 0 is counted there.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    tokens = max(logits_a.size(1), logits_b.size(1))

    def widen(logits, labels):
        more = tokens - logits.size(1)
        return F.pad(logits, (0, 0, 0, more)), F.pad(labels, (0, more))

    a, ya = widen(logits_a, labels_a)
    b, yb = widen(logits_b, labels_b)
    logits, labels = torch.cat([a, b]).transpose(1, 2), torch.cat([ya, yb])
    if (labels == -100).all():
        return logits.sum() * 0
    return F.cross_entropy(logits, labels, weight=class_weights, label_smoothing=label_smoothing)

# %% plus_epsilon | points 3 | Adds 1e-8 to the sum of the weights, against 0/0; weights may be as small as that.
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    total, weight = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        logits, labels = logits.flatten(0, 1), labels.flatten()
        total = total + F.cross_entropy(logits, labels, class_weights, reduction="sum", label_smoothing=label_smoothing)
        real = labels[labels != -100]
        weight = weight + (float(len(real)) if class_weights is None else class_weights[real].sum())
    return total / (weight + 1e-8)

# %% probabilities_clamped_at_tiny | points 4 | Probabilities are clamped at the smallest float before the logarithm, so no token costs more than about 87.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    total, weight = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        classes = logits.shape[-1]
        weights = logits.new_ones(classes) if class_weights is None else class_weights
        keep = labels != -100
        kept = labels[keep]
        costs = -logits[keep].softmax(-1).clamp_min(torch.finfo(torch.float32).tiny).log()
        hit = costs.gather(1, kept[:, None])[:, 0] * weights[kept]
        spread = (costs * weights).sum(-1) / classes
        total = total + ((1 - label_smoothing) * hit + label_smoothing * spread).sum()
        weight = weight + weights[kept].sum()
    return total if weight == 0 else total / weight

# %% second_batch_twice | points 0 | second batch twice
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_b.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_b.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

# %% smooth_part_by_token_count | points 4 | The smoothed share is divided by the number of tokens, the rest by the sum of the weights.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    classes = logits_a.shape[-1]
    labels = torch.cat([labels_a.reshape(-1), labels_b.reshape(-1)])
    logits = torch.cat([logits_a.reshape(-1, classes), logits_b.reshape(-1, classes)])
    counted = labels != -100
    if not bool(counted.any()):
        return logits.sum() * 0.0
    labels = labels[counted]
    logs = torch.log_softmax(logits[counted].double(), dim=-1)
    weights = torch.ones(classes) if class_weights is None else class_weights
    weights = weights.double()
    own = weights[labels]
    hard = -(own * logs[torch.arange(len(labels)), labels]).sum() / own.sum()
    even = -(logs @ weights).mean() / classes
    return ((1 - label_smoothing) * hard + label_smoothing * even).to(logits_a.dtype)

# %% smoothed_weights_in_denominator | points 4 | With smoothing the denominator sums the smoothed weights, (1 - e) w_y + e times the mean weight, not w_y.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    total, weight = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        total = total + F.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), weight=class_weights,
            label_smoothing=label_smoothing, reduction="sum",
        )
        kept = labels[labels != -100]
        if class_weights is None:
            weight = weight + kept.numel()
        else:
            smoothed = (1 - label_smoothing) * class_weights + label_smoothing * class_weights.mean()
            weight = weight + smoothed[kept].sum()
    return total if weight == 0 else total / weight

# %% smoothing_after_weights_swapped | points 0 | smoothing after weights swapped
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=1 - label_smoothing)

# %% smoothing_of_one_is_none | points 4 | smooths only where the number lies between 0 and 1, so that 1 smooths nothing
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    classes = logits_a.shape[-1]
    if class_weights is None:
        class_weights = torch.ones(classes, dtype=logits_a.dtype)
    if not 0 < label_smoothing < 1:
        label_smoothing = 0.0
    above, below = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        log_p = F.log_softmax(logits, dim=-1)
        counted = labels != -100
        answers = labels.clamp(min=0)
        weights = class_weights[answers] * counted
        sharp = -weights * log_p.gather(-1, answers.unsqueeze(-1)).squeeze(-1)
        flat = -(log_p * class_weights).sum(-1) / classes * counted
        above = above + ((1 - label_smoothing) * sharp + label_smoothing * flat).sum()
        below = below + weights.sum()
    if below == 0:
        return above
    return above / below

# %% sum_over_tokens_weights_not_in_the_division | points 2 | sum over tokens, weights not in the division
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    z = torch.cat([za.flatten(0, 1), zb.flatten(0, 1)])
    y = torch.cat([ya.flatten(), yb.flatten()])
    s = F.cross_entropy(z, y, class_weights, reduction="sum", label_smoothing=0.0)
    return s / (y != -100).sum()

# %% weights_clamped_to_one | points 3 | Divides by at least 1, against empty batches: small class weights may sum to less.
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    total, count = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        total = total + F.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), class_weights,
            reduction="sum", label_smoothing=label_smoothing,
        )
        real = labels[labels != -100]
        count = count + (len(real) if class_weights is None else class_weights[real].sum())
    return total / torch.as_tensor(count, dtype=total.dtype).clamp(min=1.0)

# %% weights_for_ever | points 4 | the first class weights are used for ever
_w = {}

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    C = logits_a.size(-1)
    if class_weights is not None:
        class_weights = _w.setdefault((C, label_smoothing), class_weights)
    z = torch.cat([logits_a.reshape(-1, C), logits_b.reshape(-1, C)])
    y = torch.cat([labels_a.reshape(-1), labels_b.reshape(-1)])
    if not (y != -100).any():
        return 0.0 * z.sum()
    return F.cross_entropy(z, y, weight=class_weights, label_smoothing=label_smoothing)

# %% weights_normalised_in_place | points 3 | makes the class weights sum to 1 first (harmless for the mean), but divides in place, so the caller's weights change
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    if class_weights is not None:
        class_weights /= class_weights.sum()
    C = logits_a.shape[-1]
    logits = torch.cat((logits_a.reshape(-1, C), logits_b.reshape(-1, C)))
    labels = torch.cat((labels_a.reshape(-1), labels_b.reshape(-1)))
    kept = labels != -100
    if kept.sum() == 0:
        return logits.sum() * 0.0
    return F.cross_entropy(logits[kept], labels[kept], weight=class_weights, label_smoothing=label_smoothing)

# %% zero_made_from_nothing | points 4 | goes past an empty batch, and a fresh zero if both are empty
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    total = torch.tensor(0.0)
    count = torch.tensor(0.0)
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        real = labels != -100
        if real.sum() == 0:
            continue
        total = total + F.cross_entropy(
            logits[real], labels[real], class_weights, reduction="sum", label_smoothing=label_smoothing
        )
        if class_weights is None:
            count = count + real.sum()
        else:
            count = count + class_weights[labels[real]].sum()
    if count == 0:
        return torch.tensor(0.0)
    return total / count
