# the control is not trained
# points: 4

def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    mu = states[~is_test].mean(0)
    sd = states[~is_test].std(0, unbiased=False)
    sd = torch.where(sd == 0, 1.0, sd)
    X = (states - mu) / sd
    X[:, (states[~is_test] == states[~is_test][0]).all(0)] = 0
    tr, te = X[~is_test], X[is_test]
    Y = F.one_hot(labels[~is_test], num_labels).float()
    b = Y.mean(0)
    W = torch.linalg.solve(tr.T @ tr + penalty * torch.eye(tr.shape[1]), tr.T @ (Y - b))
    s = te @ W + b
    said = s.argmax(1)
    a = (said == labels[is_test]).float().mean()
    c = (said == control_labels[word_ids][is_test]).float().mean()
    return s, torch.stack([a, c, a - c])
