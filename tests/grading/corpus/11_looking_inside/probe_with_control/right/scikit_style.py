# in NumPy, augmented with ones; the ones are not penalised
# points: 5

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
