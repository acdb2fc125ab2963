# makes the class weights sum to 1 first (harmless for the mean), but with /=, so the caller's weights change
# points: 3

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
