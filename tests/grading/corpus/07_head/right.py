"""Right answers in many styles: title, exercise, points, source."""

PROLOGUE = "import copy\n"

ANSWERS = [
    (
        "indices from nonzero",
        "pooled",
        4,
        r"""
def pooled(h, mask, kind):
    out = torch.zeros_like(h[:, 0])
    for i, row in enumerate(mask):
        where = row.nonzero().flatten()
        if where.numel():
            v = h[i, where]
            pick = {"mean": v.mean(0), "max": v.amax(0), "first": v[0], "last": v[-1]}
            out[i] = pick[kind]
    return out
""",
    ),
    (
        "float mask and a small number",
        "pooled",
        4,
        r"""
def pooled(h, mask, kind):
    m = mask.float().unsqueeze(-1)
    if kind == "mean":
        return (h * m).sum(1) / m.sum(1).clamp(min=1e-9)
    if kind == "max":
        return torch.where(m.bool(), h, torch.tensor(-1e9)).max(1).values * m.amax(1)
    T = h.size(1)
    order = torch.arange(T, 0, -1) if kind == "first" else torch.arange(1, T + 1)
    i = (mask * order).argmax(1)
    return h[range(len(h)), i] * m.amax(1)
""",
    ),
    (
        "filtered, then one call",
        "accumulated_loss",
        5,
        r"""
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    z = torch.cat([za[ya != -100], zb[yb != -100]])
    y = torch.cat([ya[ya != -100], yb[yb != -100]])
    if len(y) == 0:
        return za.sum() * 0 + zb.sum() * 0
    return F.cross_entropy(z, y, class_weights, label_smoothing=label_smoothing)
""",
    ),
    (
        "no reduction, own division",
        "accumulated_loss",
        5,
        r"""
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    top, bottom = 0.0, 0.0
    for z, y in ((za, ya), (zb, yb)):
        each = F.cross_entropy(z.permute(0, 2, 1), y, weight=class_weights, reduction="none",
                               ignore_index=-100, label_smoothing=label_smoothing)
        top = top + each.sum()
        w = torch.ones(z.size(-1)) if class_weights is None else class_weights
        bottom = bottom + (w[y.clamp(min=0)] * (y != -100)).sum()
    return top / torch.where(bottom > 0, bottom, 1.0)
""",
    ),
    (
        "a helper for division",
        "averaged_scores",
        4,
        r"""
def averaged_scores(confusion, classes, average):
    div = lambda a, b: torch.where(b > 0, a / b.clamp(min=1), torch.zeros(()))
    c = confusion.float()
    tp = c.diag()[classes]
    pred = c.sum(dim=0)[classes]
    true = c.sum(dim=1)[classes]
    if average == "micro":
        tp, pred, true = tp.sum(), pred.sum(), true.sum()
        return torch.stack([div(tp, pred), div(tp, true), div(2 * tp, pred + true)])
    p, r = div(tp, pred), div(tp, true)
    f = torch.where(p + r > 0, 2 * p * r / (p + r), 0.0)
    if average == "macro":
        return torch.stack([p.mean(), r.mean(), f.mean()])
    s = div(true, true.sum().expand_as(true))
    return torch.stack([p @ s, r @ s, f @ s])
""",
    ),
    (
        "while loop, state as copies",
        "repaired_fit",
        4,
        r"""
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    history, best, since = [], float("inf"), 0
    saved = {k: v.detach().clone() for k, v in model.state_dict().items()}
    while len(history) < epochs and since < patience:
        model.train()
        train_one_epoch(model)
        model.eval()
        with torch.no_grad():
            history.append(float(validation_loss(model)))
        since += 1
        if history[-1] < best:
            best, since = history[-1], 0
            saved = {k: v.detach().clone() for k, v in model.state_dict().items()}
    model.load_state_dict(saved)
    return history
""",
    ),
    (
        "a deep copy of the model",
        "repaired_fit",
        4,
        r"""
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    import copy
    best_loss, best_model, bad, losses = float("inf"), copy.deepcopy(model), 0, []
    for epoch in range(epochs):
        train_one_epoch(model.train())
        losses += [validation_loss(model.eval())]
        if losses[-1] < best_loss:
            best_loss, best_model, bad = losses[-1], copy.deepcopy(model), 0
        elif (bad := bad + 1) >= patience:
            break
    model.load_state_dict(best_model.state_dict())
    return losses
""",
    ),
    (
        "clone and assign",
        "masked_inputs",
        3,
        r"""
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    allowed = attention_mask > 0
    for s in special_ids:
        allowed = allowed & input_ids.ne(s)
    pick = allowed & chosen.lt(rate)
    out, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    labels[pick] = input_ids[pick]
    out[pick & (action < 0.8)] = mask_id
    swap = pick & (0.8 <= action) & (action < 0.9)
    out[swap] = random_ids[swap]
    return out, labels
""",
    ),
]
