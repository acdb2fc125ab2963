# The smoothed share is divided by the number of tokens, the rest by the sum of the weights.
# points: 4
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
