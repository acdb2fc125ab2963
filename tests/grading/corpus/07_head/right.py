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
    (
        "text by text",
        "pooled",
        4,
        r"""
def pooled(hidden_states, attention_mask, kind):
    out = []
    for x, m in zip(hidden_states, attention_mask):
        x = x[m == 1]
        if len(x) == 0:
            out.append(torch.zeros_like(hidden_states[0, 0]))
        else:
            out.append({"mean": lambda: x.mean(0), "max": lambda: x.max(0).values, "first": lambda: x[0], "last": lambda: x[-1]}[kind]())
    return torch.stack(out)
""",
    ),
    (
        "weights",
        "pooled",
        4,
        r"""
def pooled(hidden_states, attention_mask, kind):
    m = attention_mask.to(hidden_states.dtype)
    n = m.sum(1, keepdim=True)
    c = m.cumsum(1)
    if kind == "max":
        low = torch.finfo(hidden_states.dtype).min
        top = torch.where(m[:, :, None] > 0, hidden_states, low).max(dim=1)[0]
        return torch.where(n > 0, top, 0)
    w = {"mean": m / n.clamp(min=1), "first": m * (c == 1), "last": m * (c == n)}[kind]
    return torch.bmm(w[:, None], hidden_states).squeeze(1)
""",
    ),
    (
        "by the formula",
        "accumulated_loss",
        5,
        r"""
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    top = bottom = 0.0
    for z, y in ((logits_a, labels_a), (logits_b, labels_b)):
        w = torch.ones(z.size(-1), dtype=z.dtype) if class_weights is None else class_weights
        nll = -torch.log_softmax(z, -1)
        real = y.ne(-100)
        wy = w[y * real] * real
        hit = nll.gather(-1, (y * real)[..., None])[..., 0]
        top = top + ((1 - label_smoothing) * wy * hit + label_smoothing / z.size(-1) * (nll * w).sum(-1) * real).sum()
        bottom = bottom + wy.sum()
    return top / bottom if bottom > 0 else top * 0
""",
    ),
    (
        "sums by the library",
        "accumulated_loss",
        5,
        r"""
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    def numerator(logits, labels):
        return F.cross_entropy(logits.permute(0, 2, 1), labels, weight=class_weights, label_smoothing=label_smoothing, reduction="sum")
    def denominator(labels):
        kept = labels[labels != -100]
        return float(len(kept)) if class_weights is None else class_weights[kept].sum().item()
    n = denominator(labels_a) + denominator(labels_b)
    return (numerator(logits_a, labels_a) + numerator(logits_b, labels_b)) / (n or 1.0)
""",
    ),
    (
        "plain python",
        "averaged_scores",
        4,
        r"""
def averaged_scores(confusion, classes, average):
    m = confusion.tolist()
    def divide(a, b):
        return a / b if b else 0.0
    h = {c: m[c][c] for c in classes}
    p = {c: sum(row[c] for row in m) for c in classes}
    t = {c: sum(m[c]) for c in classes}
    if average == "micro":
        H, P, T = sum(h.values()), sum(p.values()), sum(t.values())
        return torch.tensor([divide(H, P), divide(H, T), divide(2 * H, P + T)])
    table = [(divide(h[c], p[c]), divide(h[c], t[c]), divide(2 * h[c], p[c] + t[c]), t[c] if average == "weighted" else 1) for c in classes]
    total = sum(row[3] for row in table)
    return torch.tensor([divide(sum(row[i] * row[3] for row in table), total) for i in range(3)])
""",
    ),
    (
        "nan_to_num",
        "averaged_scores",
        4,
        r"""
def averaged_scores(confusion, classes, average):
    idx = torch.as_tensor(classes)
    m = confusion.float()
    tp, pred, true = m.diag()[idx], m.sum(0)[idx], m.sum(1)[idx]
    if average == "micro":
        tp, pred, true = tp.sum().view(1), pred.sum().view(1), true.sum().view(1)
    p, r = (tp / pred).nan_to_num(0), (tp / true).nan_to_num(0)
    f = (2 * p * r / (p + r)).nan_to_num(0)
    s = torch.stack((p, r, f), dim=1)
    if average == "weighted":
        return (true / true.sum()).nan_to_num(0) @ s
    return s.mean(0)
""",
    ),
    (
        "clones",
        "repaired_fit",
        4,
        r"""
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    losses, best_epoch, kept = [], -1, {k: v.clone() for k, v in model.state_dict().items()}
    best = float("inf")
    while len(losses) < epochs and len(losses) - 1 - best_epoch < patience:
        train_one_epoch(model.train())
        with torch.no_grad():
            losses.append(validation_loss(model.eval()))
        if losses[-1] < best:
            best, best_epoch = losses[-1], len(losses) - 1
            kept = {k: v.detach().clone() for k, v in model.state_dict().items()}
    if best_epoch >= 0:
        model.load_state_dict(kept)
    model.eval()
    return losses
""",
    ),
    (
        "saved in memory",
        "repaired_fit",
        4,
        r"""
import io
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best, left, losses, saved = math.inf, patience, [], None
    for epoch in range(epochs):
        model.train(True)
        train_one_epoch(model)
        model.train(False)
        value = validation_loss(model)
        losses += [value]
        if not math.isnan(value) and value < best:
            best, left, saved = value, patience, io.BytesIO()
            torch.save(model.state_dict(), saved)
        else:
            left -= 1
            if not left:
                break
    if saved:
        saved.seek(0)
        model.load_state_dict(torch.load(saved))
    return losses
""",
    ),
    (
        "loops",
        "masked_inputs",
        3,
        r"""
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    ids, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    for b in range(input_ids.size(0)):
        for t in range(input_ids.size(1)):
            i = input_ids[b, t].item()
            if attention_mask[b, t] and i not in special_ids and chosen[b, t] < rate:
                labels[b, t] = i
                if action[b, t] < 0.8:
                    ids[b, t] = mask_id
                elif action[b, t] < 0.9:
                    ids[b, t] = random_ids[b, t]
    return ids, labels
""",
    ),
    (
        "masked_fill",
        "masked_inputs",
        3,
        r"""
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    barred = attention_mask == 0
    for s in special_ids:
        barred |= input_ids == s
    take = chosen.masked_fill(barred, 1.0) < rate
    labels = input_ids.masked_fill(~take, -100)
    masked = take * (action < 0.8)
    other = take * (action >= 0.8) * (action < 0.9)
    return input_ids.masked_fill(masked, mask_id) * ~other + random_ids * other, labels
""",
    ),
]
