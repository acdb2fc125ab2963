"""Wrong answers as students might write them: title, exercise, points deserved, source."""

PROLOGUE = "import copy\n"

ANSWERS = [
    (
        "mask with numpy habits, mean over everything",
        "pooled",
        0,
        r"""
def pooled(h, mask, kind):
    h = h * mask.unsqueeze(-1)
    if kind == "mean":
        return h.mean(1)
    if kind == "max":
        return h.masked_fill(mask.unsqueeze(-1) == 0, -1e9).max(1).values
    i = 0 if kind == "first" else -1
    return torch.stack([row[m.bool()][i] if m.any() else row[0] * 0 for row, m in zip(h, mask)])
""",
    ),
    (
        "max after zeroing",
        "pooled",
        0,
        r"""
def pooled(h, mask, kind):
    m = mask.unsqueeze(-1).float()
    h = h * m
    if kind == "mean":
        return h.sum(1) / m.sum(1).clamp(min=1e-9)
    if kind == "max":
        return torch.max(h, dim=1)[0]
    n = mask.sum(1)
    if kind == "first":
        return h[torch.arange(len(h)), mask.argmax(1)]
    return h[torch.arange(len(h)), h.size(1) - 1 - mask.flip(1).argmax(1)]
""",
    ),
    (
        "right padding only, first and last",
        "pooled",
        3,
        r"""
def pooled(h, mask, kind):
    real = mask.bool().unsqueeze(-1)
    n = mask.sum(1, keepdim=True)
    if kind == "mean":
        return (h * real).sum(1) / n.clamp(min=1)
    if kind == "max":
        out = torch.where(real, h, -math.inf).amax(1)
    elif kind == "first":
        out = h[:, 0]
    else:
        out = h[torch.arange(len(h)), n.squeeze(1) - 1]
    return torch.where(n > 0, out, 0.0)
""",
    ),
    (
        "large negative fill, empty text forgotten",
        "pooled",
        3,
        r"""
def pooled(h, mask, kind):
    real = mask.bool().unsqueeze(-1)
    if kind == "mean":
        return (h * real).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
    if kind == "max":
        return h.masked_fill(~real, -1e9).amax(1)
    place = mask.argmax(1) if kind == "first" else (torch.arange(h.size(1)) * mask).argmax(1)
    return h[torch.arange(len(h)), place] * mask.any(1, keepdim=True)
""",
    ),
    (
        "mean of the library means",
        "accumulated_loss",
        0,
        r"""
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    losses = []
    for z, y in ((za, ya), (zb, yb)):
        losses.append(F.cross_entropy(z.transpose(1, 2), y, class_weights,
                                      label_smoothing=label_smoothing))
    return (losses[0] + losses[1]) / 2
""",
    ),
    (
        "divides by all places",
        "accumulated_loss",
        0,
        r"""
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    a = F.cross_entropy(za.flatten(0, 1), ya.flatten(), class_weights, reduction="sum",
                        label_smoothing=label_smoothing)
    b = F.cross_entropy(zb.flatten(0, 1), yb.flatten(), class_weights, reduction="sum",
                        label_smoothing=label_smoothing)
    return (a + b) / (ya.numel() + yb.numel())
""",
    ),
    (
        "sum over tokens, weights not in the division",
        "accumulated_loss",
        2,
        r"""
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    z = torch.cat([za.flatten(0, 1), zb.flatten(0, 1)])
    y = torch.cat([ya.flatten(), yb.flatten()])
    s = F.cross_entropy(z, y, class_weights, reduction="sum", label_smoothing=0.0)
    return s / (y != -100).sum()
""",
    ),
    (
        "one call, empty forgotten",
        "accumulated_loss",
        4,
        r"""
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    C = za.shape[-1]
    return F.cross_entropy(torch.cat([za.reshape(-1, C), zb.reshape(-1, C)]),
                           torch.cat([ya.reshape(-1), yb.reshape(-1)]),
                           weight=class_weights, label_smoothing=label_smoothing)
""",
    ),
    (
        "precision and recall the wrong way round",
        "averaged_scores",
        0,
        r"""
def averaged_scores(confusion, classes, average):
    tp = confusion.diagonal().float()[classes]
    row, col = confusion.sum(1).float()[classes], confusion.sum(0).float()[classes]
    w = torch.ones(len(classes)) if average == "macro" else row
    w = w / w.sum()
    if average == "micro":
        tp, row, col, w = tp.sum(), row.sum(), col.sum(), torch.tensor(1.0)
    p, r = tp / row, tp / col
    f = 2 * p * r / (p + r)
    return torch.stack([(p * w).sum(), (r * w).sum(), (f * w).sum()]).nan_to_num()
""",
    ),
    (
        "F1 from averages",
        "averaged_scores",
        0,
        r"""
def averaged_scores(confusion, classes, average):
    tp = confusion.diagonal().float()[classes]
    row, col = confusion.sum(1).float()[classes], confusion.sum(0).float()[classes]
    if average == "micro":
        p, r = tp.sum() / col.sum(), tp.sum() / row.sum()
    else:
        w = torch.ones_like(row) if average == "macro" else row
        p = (w * tp / col.clamp(min=1)).sum() / w.sum()
        r = (w * tp / row.clamp(min=1)).sum() / w.sum()
    return torch.stack([p, r, 2 * p * r / (p + r)])
""",
    ),
    (
        "submatrix of the chosen classes",
        "averaged_scores",
        3,
        r"""
def averaged_scores(confusion, classes, average):
    c = confusion[classes, :][:, classes].float()
    tp, col, row = c.diagonal(), c.sum(0), c.sum(1)
    if average == "micro":
        tp, col, row = (v.sum()[None] for v in (tp, col, row))
    p, r, f = tp / col, tp / row, 2 * tp / (col + row)
    w = row if average == "weighted" else torch.ones_like(row)
    w = (w / w.sum()).nan_to_num()
    return torch.stack([(w * v.nan_to_num()).sum() for v in (p, r, f)])
""",
    ),
    (
        "copied as it was",
        "repaired_fit",
        0,
        r"""
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        loss = validation_loss(model)
        history.append(loss)
        if loss <= best_loss:
            best_loss = loss
            best = model.state_dict()
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.eval()
    return history
""",
    ),
    (
        "shallow copy of the state",
        "repaired_fit",
        0,
        r"""
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = dict(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    return history
""",
    ),
    (
        "eval without train",
        "repaired_fit",
        3,
        r"""
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        model.eval()
        with torch.no_grad():
            loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            waited += 1
            if waited >= patience:
                break
    model.load_state_dict(best)
    return history
""",
    ),
    (
        "returns the model",
        "repaired_fit",
        0,
        r"""
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited = math.inf, None, 0
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss < best_loss:
            best_loss, best, waited = loss, copy.deepcopy(model), 0
        else:
            waited += 1
        if waited == patience:
            break
    return best
""",
    ),
    (
        "labels before, in place",
        "masked_inputs",
        0,
        r"""
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    labels = input_ids.clone()
    take = (chosen < rate) & attention_mask.bool()
    for s in special_ids:
        take &= input_ids != s
    labels[~take] = -100
    input_ids[take & (action < 0.8)] = mask_id
    other = take & (action >= 0.8) & (action < 0.9)
    input_ids[other] = random_ids[other]
    return input_ids, labels
""",
    ),
    (
        "only first and last are special",
        "masked_inputs",
        2,
        r"""
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    take = (chosen < rate) & (attention_mask == 1)
    take = take & (input_ids != special_ids[0])
    labels = input_ids.masked_fill(~take, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
""",
    ),
    (
        "always the mask token, labels where masked",
        "masked_inputs",
        0,
        r"""
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    return input_ids.masked_fill(take, mask_id), input_ids.masked_fill(~take, -100)
""",
    ),
    (
        "labels of the changed ids",
        "masked_inputs",
        0,
        r"""
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    ids = input_ids.clone()
    ids[take & (action < 0.8)] = mask_id
    keep = take & (action >= 0.8) & (action < 0.9)
    ids[keep] = random_ids[keep]
    labels = ids.clone()
    labels[~take] = -100
    return ids, labels
""",
    ),
    (
        "mean with a small eps",
        "pooled",
        0,
        r'''
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / (real.sum(dim=1, keepdim=True) + 1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)
''',
    ),
    (
        "mean over the hidden axis",
        "pooled",
        0,
        r'''
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = 0
        return hidden_states.mean(dim=2)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)
''',
    ),
    (
        "means weighted by the size of the batches",
        "accumulated_loss",
        0,
        r"""
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    a = F.cross_entropy(logits_a.flatten(0, 1), labels_a.flatten(), weight=class_weights, label_smoothing=label_smoothing)
    b = F.cross_entropy(logits_b.flatten(0, 1), labels_b.flatten(), weight=class_weights, label_smoothing=label_smoothing)
    n, m = labels_a.numel(), labels_b.numel()
    return (a * n + b * m) / (n + m)
""",
    ),
    (
        "classes reshaped",
        "accumulated_loss",
        0,
        r'''
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
''',
    ),
    (
        "0/0 is one",
        "averaged_scores",
        3,
        r'''
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits, there), (2 * hits, called + there))
    scores = torch.stack([torch.where(other > 0, one / other, 1.0) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)
''',
    ),
    (
        "last epoch not recorded",
        "repaired_fit",
        0,
        r'''
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
        history.append(loss)
    if best is not None:
        model.load_state_dict(best)
    return history
''',
    ),
    (
        "labels -1",
        "masked_inputs",
        0,
        r'''
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -1)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
''',
    ),
    (
        "only class loss by max",
        "accumulated_loss",
        0,
        r'''
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
''',
    ),
    (
        "ignore index 0",
        "accumulated_loss",
        0,
        r'''
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
''',
    ),
    (
        "random everywhere",
        "masked_inputs",
        0,
        r'''
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(action < 0.9, random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
''',
    ),
    (
        "max of absolute",
        "pooled",
        0,
        r'''
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -math.inf).abs().amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)
''',
    ),
    (
        "second batch twice",
        "accumulated_loss",
        0,
        r'''
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
''',
    ),
    (
        "smoothing after weights swapped",
        "accumulated_loss",
        0,
        r'''
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
''',
    ),
    (
        "accuracy for all",
        "averaged_scores",
        0,
        r'''
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits.sum() + 0 * hits, there.sum() + 0 * there), (2 * hits, called + there))
    scores = torch.stack([one / other.clamp(min=1) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)
''',
    ),
    (
        "f1 as jaccard",
        "averaged_scores",
        0,
        r'''
def averaged_scores(confusion: Tensor, classes: list[int], average: str) -> Tensor:
    """Precision, recall and F1, averaged over some classes: [3]."""
    hits = confusion.diagonal()[classes]
    called, there = confusion.sum(dim=0)[classes], confusion.sum(dim=1)[classes]
    if average == "micro":
        hits, called, there = (t.sum(dim=0, keepdim=True) for t in (hits, called, there))
    pairs = ((hits, called), (hits, there), (hits, called + there - hits))
    scores = torch.stack([one / other.clamp(min=1) for one, other in pairs])  # [3, classes]
    weights = there if average == "weighted" else torch.ones_like(there)
    return (scores * weights).sum(dim=1) / weights.sum().clamp(min=1)
''',
    ),
    (
        "first epoch kept",
        "repaired_fit",
        0,
        r'''
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = best or copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history
''',
    ),
    (
        "random before mask ordering",
        "masked_inputs",
        0,
        r'''
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, input_ids)
    return torch.where(take & (action < 0.9), random_ids, ids), labels
''',
    ),
    (
        "a maximum with −1 at padding",
        "pooled",
        0,
        r'''
def pooled(hidden_states: Tensor, attention_mask: Tensor, kind: str) -> Tensor:
    """One vector a text, [batch, hidden], from its real tokens."""
    real = attention_mask.bool()
    empty = ~real.any(dim=1, keepdim=True)
    if kind == "mean":
        total = hidden_states.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return total / real.sum(dim=1, keepdim=True).clamp(min=1)
    if kind == "max":
        result = hidden_states.masked_fill(~real[..., None], -1.0).amax(dim=1)
    else:
        place = real.int().argmax(dim=1)
        if kind == "last":
            place = real.size(1) - 1 - real.int().flip(1).argmax(dim=1)
        result = hidden_states[torch.arange(len(place)), place]
    return result.masked_fill(empty, 0.0)
''',
    ),
    (
        "special tokens by their places",
        "masked_inputs",
        2,
        r'''
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.zeros_like(input_ids, dtype=torch.bool)
    special[:, 0] = special[:, -1] = True
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
''',
    ),
]

ANSWERS += [
    (
        "a zero without a graph",
        "accumulated_loss",
        4,
        r"""
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return torch.tensor(0.0)
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)
""",
    ),
    (
        "the rate included",
        "masked_inputs",
        2,
        r"""
def masked_inputs(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    take = (chosen <= rate) & attention_mask.bool()
    take &= ~torch.isin(input_ids, torch.tensor(special_ids))
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), torch.where(take, input_ids, -100)
""",
    ),
]
