# The second fit overwrites the scores of the first.
# points: 0
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train, test = states[~is_test], states[is_test]
    constant = (train == train[:1]).all(0)
    mean = train.mean(0)
    std = train.std(0, unbiased=False)
    std = torch.where(constant, torch.ones_like(std), std)
    x = (train - mean) / std
    x_new = (test - mean) / std
    x[:, constant] = 0
    x_new[:, constant] = 0

    def fit(y):
        one_hot = torch.eye(num_labels, dtype=states.dtype)[y[~is_test]]
        b = one_hot.mean(0)
        a = x.T @ x + penalty * torch.eye(x.shape[1], dtype=states.dtype)
        w = torch.linalg.solve(a, x.T @ (one_hot - b))
        scores = x_new @ w + b
        return scores, (scores.argmax(1) == y[is_test]).float().mean()

    scores, real = fit(labels)
    scores, control = fit(control_labels[word_ids])
    return scores, torch.stack([real, control, real - control])
