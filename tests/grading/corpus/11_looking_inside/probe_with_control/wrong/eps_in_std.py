# eps_in_std
# points: 0

def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    mu = states[~is_test].mean(0)
    sd = states[~is_test].std(0, unbiased=False)
    sd = sd + 1e-3
    X = (states - mu) / sd
    X[:, (states[~is_test] == states[~is_test][0]).all(0)] = 0
    tr, te = X[~is_test], X[is_test]
    def fit(y):
        Y = F.one_hot(y[~is_test], num_labels).float()
        b = Y.mean(0)
        W = torch.linalg.solve(tr.T @ tr + penalty * torch.eye(tr.shape[1]), tr.T @ (Y - b))
        s = te @ W + b
        return s, (s.argmax(1) == y[is_test]).float().mean()
    s, a = fit(labels)
    _, c = fit(control_labels[word_ids])
    return s, torch.stack([a, c, a - c])

