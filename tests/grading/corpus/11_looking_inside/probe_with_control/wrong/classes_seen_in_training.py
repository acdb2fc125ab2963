# Makes one column for each class that occurs in training, so scores are too narrow and classes move if one is missing.
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
    mean = train.mean(dim=0)
    std = ((train - mean) ** 2).mean(dim=0).sqrt()
    constant = train.max(dim=0).values == train.min(dim=0).values
    std[constant] = 1.0
    x, z = (train - mean) / std, (test - mean) / std
    x[:, constant] = 0.0
    z[:, constant] = 0.0
    inverse = torch.linalg.inv(x.T @ x + penalty * torch.eye(x.size(1)))

    def probe(y):
        classes = y[~is_test].unique()
        Y = (y[~is_test][:, None] == classes).float()
        b = Y.mean(dim=0)
        scores = z @ (inverse @ x.T @ (Y - b)) + b
        accuracy = (scores.argmax(dim=1) == y[is_test]).float().mean()
        return scores, accuracy

    scores, real = probe(labels)
    control = probe(control_labels[word_ids])[1]
    return scores, torch.stack([real, control, real - control])
