# The control accuracy leaves out test examples whose word was not in training.
# points: 4
def probe_with_control(
    states: Tensor,
    labels: Tensor,
    word_ids: Tensor,
    control_labels: Tensor,
    is_test: Tensor,
    num_labels: int,
    penalty: float,
) -> tuple[Tensor, Tensor]:
    train, test = states[~is_test], states[is_test]
    mean, std = train.mean(dim=0), train.std(dim=0, correction=0)
    constant = (train == train[:1]).all(dim=0)
    scale = torch.where(constant, torch.zeros_like(std), 1 / std)
    x_train, x_test = (train - mean) * scale, (test - mean) * scale
    x_train, x_test = x_train.masked_fill(constant, 0), x_test.masked_fill(constant, 0)

    def probe(y):
        hot = F.one_hot(y[~is_test], num_labels).to(states.dtype)
        b = hot.mean(dim=0)
        gram = x_train.T @ x_train + penalty * torch.eye(x_train.size(1), dtype=states.dtype)
        return x_test @ torch.linalg.solve(gram, x_train.T @ (hot - b)) + b

    scores = probe(labels)
    accuracy = (scores.argmax(dim=1) == labels[is_test]).float().mean()
    control = control_labels[word_ids]
    hits = probe(control).argmax(dim=1) == control[is_test]
    # a word that was never seen cannot have been memorised
    seen = torch.isin(word_ids[is_test], word_ids[~is_test])
    control_accuracy = hits[seen].float().mean() if seen.any() else torch.tensor(0.0)
    return scores, torch.stack([accuracy, control_accuracy, accuracy - control_accuracy])
