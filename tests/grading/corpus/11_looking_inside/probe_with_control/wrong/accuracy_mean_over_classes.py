# Both accuracies are means over the classes of each class's accuracy, so rare classes weigh as much as frequent ones.
# points: 3
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train = ~is_test
    x_all = states.double()
    x = x_all[train]
    mean = x.mean(0)
    deviation = (x - mean).pow(2).mean(0).sqrt()
    constant = (x == x[:1]).all(0)
    deviation = torch.where(constant, torch.ones_like(deviation), deviation)
    z = ((x_all - mean) / deviation).masked_fill(constant, 0.0)

    def probe(y):
        one_hot = F.one_hot(y[train], num_labels).double()
        bias = one_hot.mean(0)
        a = z[train].T @ z[train] + penalty * torch.eye(z.shape[1], dtype=torch.float64)
        weights = torch.linalg.solve(a, z[train].T @ (one_hot - bias))
        scores = z[is_test] @ weights + bias
        correct = (scores.argmax(1) == y[is_test]).double()
        by_class = [correct[y[is_test] == c].mean() for c in y[is_test].unique()]
        return scores, torch.stack(by_class).mean()

    scores, accuracy = probe(labels)
    _, control = probe(control_labels[word_ids])
    return scores.float(), torch.stack([accuracy, control, accuracy - control]).float()
