# %% accuracy_mean_over_classes | points 3 | Both accuracies are means over the classes of each class's accuracy, so rare classes weigh as much as frequent ones.
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

# %% classes_seen_in_training | points 4 | Makes one column for each class that occurs in training, so scores are too narrow and classes move if one is missing.
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

# %% control_averaged_over_word_types | points 4 | The control's accuracy is the mean over word types of each type's accuracy, so that frequent words count no more than rare ones.
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

# %% control_by_class | points 4 | Looks the control label up by the class of the example instead of its word.
def probe_with_control(
    states: Tensor,
    labels: Tensor,
    word_ids: Tensor,
    control_labels: Tensor,
    is_test: Tensor,
    num_labels: int,
    penalty: float,
) -> tuple[Tensor, Tensor]:
    """The probe's scores for the test examples; its accuracy, the control's, selectivity."""
    train = states[~is_test]
    mean, std = train.mean(dim=0), train.std(dim=0, correction=0)
    constant = (train == train[0]).all(dim=0)
    x = ((states - mean) / std.masked_fill(constant, 1.0)).masked_fill(constant, 0.0)
    x_train, x_test = x[~is_test], x[is_test]
    gram = x_train.T @ x_train + penalty * torch.eye(x.size(1))

    def probe(of_examples):
        y = F.one_hot(of_examples[~is_test], num_labels).to(states.dtype)
        b = y.mean(dim=0)
        scores = x_test @ torch.linalg.solve(gram, x_train.T @ (y - b)) + b
        right = scores.argmax(dim=1) == of_examples[is_test]
        return scores, right.float().mean()

    scores, accuracy = probe(labels)
    _, control = probe(control_labels[labels])
    return scores, torch.stack([accuracy, control, accuracy - control])

# %% control_on_seen_words | points 4 | The control accuracy leaves out test examples whose word was not in training.
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

# %% difference_of_squares | points 4 | Computes the variance as mean of the squares minus square of the mean in float32, which is noise for a column far from 0.
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train, test = states[~is_test].double(), states[is_test].double()
    constant = (train == train[:1]).all(dim=0)
    mean = train.mean(dim=0)
    single = states[~is_test]
    deviation = (single.square().mean(dim=0) - single.mean(dim=0).square()).clamp_min(1e-12).sqrt().double()
    deviation = deviation.masked_fill(constant, 1.0)

    def standard(x):
        return ((x - mean) / deviation).masked_fill(constant, 0.0)

    def scores_for(targets):
        x = standard(train)
        y = F.one_hot(targets[~is_test], num_labels).double()
        b = y.mean(dim=0)
        matrix = x.T @ x + penalty * torch.eye(x.shape[1], dtype=torch.float64)
        w = torch.linalg.solve(matrix, x.T @ (y - b))
        return standard(test) @ w + b

    def accuracy_of(scores, targets):
        return (scores.argmax(dim=-1) == targets[is_test]).float().mean()

    control = control_labels[word_ids]
    scores = scores_for(labels)
    accuracy = accuracy_of(scores, labels)
    control_accuracy = accuracy_of(scores_for(control), control)
    accuracies = torch.stack([accuracy, control_accuracy, accuracy - control_accuracy])
    return scores.float(), accuracies

# %% eps_in_std | points 0 | eps_in_std
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

# %% epsilon_and_control_by_real_labels | points 3 | Adds 1e-12 to the standard deviation in place of asking for constant columns, and judges the control by the real labels.
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    x = states.double()
    train = x[~is_test]
    mean = train.mean(0)
    std = ((train - mean) ** 2).mean(0).sqrt()
    constant = torch.zeros_like(std, dtype=torch.bool)
    z = (x - mean) / (std + 1e-12)
    z[:, constant] = 0.0
    train, test = z[~is_test], z[is_test]

    def fit_and_score(classes):
        y = F.one_hot(classes[~is_test].long(), num_labels).double()
        b = y.mean(0)
        square = train.T @ train + penalty * torch.eye(train.shape[1], dtype=torch.float64)
        w = torch.linalg.solve(square, train.T @ (y - b))
        return test @ w + b

    control = control_labels[word_ids.long()]
    scores = fit_and_score(labels)
    control_scores = fit_and_score(control)
    accuracy = (scores.argmax(-1) == labels[is_test]).float().mean()
    control_accuracy = (control_scores.argmax(-1) == labels[is_test]).float().mean()
    accuracies = torch.stack([accuracy, control_accuracy, accuracy - control_accuracy])
    return scores.float(), accuracies

# %% nan_columns | points 4 | 0/0 in constant columns
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    mu = states[~is_test].mean(0)
    sd = states[~is_test].std(0, unbiased=False)
    X = (states - mu) / sd
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

# %% ones_penalised | points 0 | a column of ones, penalised like the others
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    mu = states[~is_test].mean(0)
    sd = states[~is_test].std(0, unbiased=False)
    sd = torch.where(sd == 0, 1.0, sd)
    X = torch.cat([(states - mu) / sd, torch.ones(len(states), 1)], 1)
    tr, te = X[~is_test], X[is_test]
    def fit(y):
        Y = F.one_hot(y[~is_test], num_labels).float()
        W = torch.linalg.solve(tr.T @ tr + penalty * torch.eye(tr.shape[1]), tr.T @ Y)
        s = te @ W
        return s, (s.argmax(1) == y[is_test]).float().mean()
    s, a = fit(labels)
    _, c = fit(control_labels[word_ids])
    return s, torch.stack([a, c, a - c])

# %% same_probe_for_control | points 4 | the control is not trained
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

# %% scores_of_the_control | points 0 | The second fit overwrites the scores of the first.
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

# %% shuffled_labels | points 4 | the control: labels shuffled by token
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    mu = states[~is_test].mean(0)
    sd = states[~is_test].std(0, unbiased=False)
    sd = torch.where(sd == 0, 1.0, sd)
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
    g = torch.Generator().manual_seed(0)
    _, c = fit(labels[torch.randperm(len(labels), generator=g)])
    return s, torch.stack([a, c, a - c])

# %% small_std_is_constant | points 4 | Calls a column constant if its standard deviation is below 1e-6, whatever the size of its values.
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train, test = states[~is_test], states[is_test]
    constant = train.std(0, unbiased=False) < 1e-6
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
    other, control = fit(control_labels[word_ids])
    return scores, torch.stack([real, control, real - control])

# %% standardised_before_split | points 0 | standardised over all examples, as in many notebooks
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    sd = states.std(0, unbiased=False)
    sd[sd == 0] = 1
    X = (states - states.mean(0)) / sd
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

# %% std_plus_a_little | points 4 | Adds 1e-8 to the standard deviation; a column that is constant in training becomes huge in the test.
def probe_with_control(
    states: Tensor,
    labels: Tensor,
    word_ids: Tensor,
    control_labels: Tensor,
    is_test: Tensor,
    num_labels: int,
    penalty: float,
) -> tuple[Tensor, Tensor]:
    train = ~is_test
    mean = states[train].mean(dim=0)
    std = ((states[train] - mean) ** 2).mean(dim=0).sqrt()
    x = (states - mean) / (std + 1e-8)
    a = x[train].T @ x[train] + penalty * torch.eye(states.shape[1])
    results = []
    for y in (labels, control_labels[word_ids]):
        hot = torch.nn.functional.one_hot(y, num_labels).float()
        b = hot[train].mean(dim=0)
        w = torch.linalg.solve(a, x[train].T @ (hot[train] - b))
        scores = x[is_test] @ w + b
        results.append((scores, (scores.argmax(dim=1) == y[is_test]).float().mean()))
    (scores, acc), (_, control) = results
    return scores, torch.stack([acc, control, acc - control])

# %% std_plus_a_little_in_float64 | points 4 | Adds 0.00000001 to all standard deviations instead of asking for constant columns, so columns of tiny numbers vanish.
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train, test = states[~is_test].double(), states[is_test].double()
    mean = train.mean(dim=0)
    deviation = (train - mean).square().mean(dim=0).sqrt()
    deviation = deviation + 1e-8

    def standard(x):
        return (x - mean) / deviation

    def scores_for(targets):
        x = standard(train)
        y = F.one_hot(targets[~is_test], num_labels).double()
        b = y.mean(dim=0)
        matrix = x.T @ x + penalty * torch.eye(x.shape[1], dtype=torch.float64)
        w = torch.linalg.solve(matrix, x.T @ (y - b))
        return standard(test) @ w + b

    def accuracy_of(scores, targets):
        return (scores.argmax(dim=-1) == targets[is_test]).float().mean()

    control = control_labels[word_ids]
    scores = scores_for(labels)
    accuracy = accuracy_of(scores, labels)
    control_accuracy = accuracy_of(scores_for(control), control)
    accuracies = torch.stack([accuracy, control_accuracy, accuracy - control_accuracy])
    return scores.float(), accuracies

# %% test_own | points 0 | test_own
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    mu = states[~is_test].mean(0)
    sd = states[~is_test].std(0, unbiased=False)
    sd = torch.where(sd == 0, 1.0, sd)
    X = (states - mu) / sd
    X[:, (states[~is_test] == states[~is_test][0]).all(0)] = 0
    tr, te = X[~is_test], X[is_test]
    q = states[is_test]
    te = torch.nan_to_num((q - q.mean(0)) / q.std(0, unbiased=False))
    def fit(y):
        Y = F.one_hot(y[~is_test], num_labels).float()
        b = Y.mean(0)
        W = torch.linalg.solve(tr.T @ tr + penalty * torch.eye(tr.shape[1]), tr.T @ (Y - b))
        s = te @ W + b
        return s, (s.argmax(1) == y[is_test]).float().mean()
    s, a = fit(labels)
    _, c = fit(control_labels[word_ids])
    return s, torch.stack([a, c, a - c])

# %% unbiased_std | points 0 | std with n - 1
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    mu = states[~is_test].mean(0)
    sd = states[~is_test].std(0)
    sd = torch.where(sd == 0, 1.0, sd)
    X = (states - mu) / sd
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
