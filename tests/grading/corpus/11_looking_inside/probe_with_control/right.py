# %% dual_form | points 5 | The dual form with a matrix of examples by examples, both tasks at once.
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train = states[is_test.logical_not()].double()
    used = train.amin(0) < train.amax(0)
    var, mean = torch.var_mean(train[:, used], dim=0, correction=0)
    z = (states[:, used].double() - mean) / var.sqrt()
    a, c = z[~is_test], z[is_test]
    tasks = torch.stack([labels, control_labels[word_ids]], dim=1)
    y = F.one_hot(tasks[~is_test], num_labels).double().flatten(1)
    b = y.mean(0)
    kernel = a @ a.T + penalty * torch.eye(len(a), dtype=torch.float64)
    out = c @ a.T @ torch.linalg.solve(kernel, y - b) + b
    out = out.unflatten(1, (2, num_labels))
    hits = (out.argmax(-1) == tasks[is_test]).sum(0)
    first, second = (hits / len(c)).float()
    return out[:, 0].to(states.dtype), torch.stack([first, second, first - second])

# %% fit_function | points 5 | a helper for fit and score; constant columns through where
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

# %% scikit_style | points 5 | in NumPy, augmented with ones; the ones are not penalised
import numpy as np

def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    S = states.double().numpy()
    test = is_test.numpy()
    mean, std = S[~test].mean(0), S[~test].std(0)
    constant = np.ptp(S[~test], axis=0) == 0
    std[constant] = 1
    X = (S - mean) / std
    X[:, constant] = 0
    X = np.hstack([X, np.ones((len(X), 1))])
    D = penalty * np.eye(X.shape[1])
    D[-1, -1] = 0
    out = []
    for y in (labels.numpy(), control_labels.numpy()[word_ids.numpy()]):
        Y = np.eye(num_labels)[y]
        W = np.linalg.solve(X[~test].T @ X[~test] + D, X[~test].T @ Y[~test])
        scores = X[test] @ W
        out += [scores, np.mean(scores.argmax(1) == y[test])]
    acc = torch.tensor([out[1], out[3], out[1] - out[3]], dtype=torch.float32)
    return torch.from_numpy(out[0]).float(), acc
