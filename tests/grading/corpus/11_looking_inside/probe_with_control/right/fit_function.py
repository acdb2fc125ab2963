# a helper for fit and score; constant columns through where
# points: 5

def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    tr, te = states[~is_test], states[is_test]
    mu = tr.mean(0)
    sd = tr.std(0, unbiased=False)
    ok = tr.max(0).values > tr.min(0).values
    safe = torch.where(ok, sd, torch.ones_like(sd))
    X = torch.where(ok, (tr - mu) / safe, torch.zeros(()))
    Z = torch.where(ok, (te - mu) / safe, torch.zeros(()))

    def fit_and_score(y):
        Y = torch.zeros(len(X), num_labels)
        Y[torch.arange(len(X)), y[~is_test]] = 1
        b = Y.mean(0)
        A = X.T @ X + penalty * torch.eye(X.shape[1])
        W = torch.inverse(A) @ X.T @ (Y - b)
        S = Z @ W + b
        acc = (S.argmax(-1) == y[is_test]).float().mean().item()
        return S, acc

    scores, acc = fit_and_score(labels)
    _, ctl = fit_and_score(control_labels[word_ids])
    return scores, torch.tensor([acc, ctl, acc - ctl])
