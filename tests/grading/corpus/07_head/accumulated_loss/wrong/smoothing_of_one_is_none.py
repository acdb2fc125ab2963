# smooths only where the number lies between 0 and 1, so that 1 smooths nothing
# points: 4
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
