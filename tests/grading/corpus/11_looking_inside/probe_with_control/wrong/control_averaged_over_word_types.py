# The control's accuracy is the mean over word types of each type's accuracy, so that frequent words count no more than rare ones.
# points: 4
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train, test = ~is_test, is_test
    constant = (states[train] == states[train][0]).all(dim=0)
    x = states.double()
    mean = x[train].mean(dim=0)
    std = x[train].var(dim=0, unbiased=False).sqrt()
    x = torch.where(constant, torch.zeros_like(x), (x - mean) / torch.where(constant, torch.ones_like(std), std))
    gram = x[train].T @ x[train] + penalty * torch.eye(x.shape[1], dtype=x.dtype)

    def fit(wanted):
        y = F.one_hot(wanted[train], num_labels).double()
        b = y.mean(dim=0)
        return x[test] @ torch.linalg.solve(gram, x[train].T @ (y - b)) + b

    def accuracy(scores, wanted):
        return (scores.argmax(dim=1) == wanted[test]).double().mean()

    control_of = control_labels[word_ids]
    scores = fit(labels)
    real = accuracy(scores, labels)
    hits = (fit(control_of).argmax(dim=1) == control_of[test]).double()
    words = word_ids[test]
    control = torch.stack([hits[words == w].mean() for w in words.unique()]).mean()
    return scores.float(), torch.stack([real, control, real - control]).float()
