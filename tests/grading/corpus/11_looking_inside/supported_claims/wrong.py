# %% a_and_b_swapped | points 0 | a_and_b_swapped
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("X")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("A")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return ["B" if x == "X" else x for x in out]

# %% above_the_average | points 0 | A and B: larger than the average
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if m[h] > r.mean():
        out.append("A")
    if m.max() > r.amax(1).mean():
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return out

# %% best_against_singles | points 4 | the best head against single directions
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return out

# %% best_head_by_size_without_sign | points 4 | Looks for the best head by the size of its effect without the sign, so that a very negative one wins.
def supported_claims(table):
    loss, head = table["loss"], table["head"]
    mean_effects = table["mean_ablated"] - loss[:, None]
    zero_effects = table["zero_ablated"] - loss[:, None]
    random = table["random"] - loss[:, None, None]
    own = mean_effects[:, head]
    average = mean_effects.mean(dim=0)
    control = random.mean(dim=0)
    claims = []
    if (control >= average[head]).float().mean() < 0.05:
        claims.append("A")
    best = average[average.abs().argmax()]
    winners = control.amax(dim=1)
    if (winners >= best).float().mean() < 0.05:
        claims.append("B")
    error = own.std(correction=1) / math.sqrt(len(own))
    if own.mean() > random.mean() + 2 * error:
        claims.append("C")
    if average.argmax() == head and zero_effects.mean(dim=0).argmax() == head:
        claims.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        claims.append("E")
    return claims

# %% c_above_zero_as_well | points 4 | C asks for an effect two standard errors above 0 as well, not only above the mean of all random effects.
def supported_claims(table):
    loss, head = table["loss"], table["head"]
    mean = table["mean_ablated"] - loss.view(-1, 1)
    zero = table["zero_ablated"] - loss.view(-1, 1)
    random = table["random"] - loss.view(-1, 1, 1)
    result = []
    if (random.mean(0) >= mean[:, head].mean()).float().mean() < 0.05:
        result.append("A")
    if (random.mean(0).max(-1).values >= mean.mean(0).max()).float().mean() < 0.05:
        result.append("B")
    effect = mean[:, head]
    two_errors = 2 * effect.std() / len(loss) ** 0.5
    if effect.mean() > two_errors and effect.mean() - random.mean() > two_errors:
        result.append("C")
    if mean.mean(0).argmax() == head and zero.mean(0).argmax() == head:
        result.append("D")
    probe = table["probe"]
    if (probe > table["untrained"]).all() and (probe > table["random_labels"]).all():
        result.append("E")
    return result

# %% c_per_seed_diff | points 4 | c_per_seed_diff
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * (em[:, h] - er.mean((1, 2))).std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return out

# %% control_forgotten_in_c | points 4 | C against zero
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return out

# %% d_only_of_a_head_that_matters | points 4 | D is claimed only of a head that A is true of
def supported_claims(table):
    head, loss = table["head"], table["loss"]
    by_mean = table["mean_ablated"] - loss[:, None]
    by_zero = table["zero_ablated"] - loss[:, None]
    by_chance = table["random"] - loss[:, None, None]
    own, zeroed, random = by_mean.mean(0), by_zero.mean(0), by_chance.mean(0)
    best = own.max()
    winners = random.amax(1)
    as_large = (random >= own[head]).float().mean()
    as_good = (winners >= best).float().mean()
    runs = by_mean[:, head]
    error = runs.std() / math.sqrt(len(runs))
    gain = runs.mean() - by_chance.mean()
    first, second = own.argmax() == head, zeroed.argmax() == head
    learned = (table["probe"] > table["untrained"]).all()
    meant = (table["probe"] > table["random_labels"]).all()
    supported = {
        "A": as_large < 0.05,
        "B": as_good < 0.05,
        "C": gain > 2 * error,
        "D": as_large < 0.05 and first and second,
        "E": learned and meant,
    }
    return [letter for letter, yes in supported.items() if yes]

# %% head_zero_is_none | points 0 | Guards against a missing head with `or`, so that head 0 is replaced with the best head.
def supported_claims(table):
    loss, head = table["loss"], table["head"]
    mean_effects = table["mean_ablated"] - loss[:, None]
    zero_effects = table["zero_ablated"] - loss[:, None]
    random_effects = table["random"] - loss[:, None, None]
    effects, zero, random = mean_effects.mean(0), zero_effects.mean(0), random_effects.mean(0)
    head = table.get("head") or int(effects.argmax())
    claims = []
    if (random >= effects[head]).float().mean() < 0.05:
        claims.append("A")
    if (random.amax(1) >= effects.max()).float().mean() < 0.05:
        claims.append("B")
    error = mean_effects[:, head].std() / math.sqrt(len(loss))
    if effects[head] - random.mean() > 2 * error:
        claims.append("C")
    if effects.argmax() == head and zero.argmax() == head:
        claims.append("D")
    if ((table["probe"] > table["untrained"]) & (table["probe"] > table["random_labels"])).all():
        claims.append("E")
    return claims

# %% lowercase | points 0 | lowercase
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return [x.lower() for x in out]

# %% means_of_accuracies | points 0 | E by the means
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std() / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if table["probe"].mean() > max(table["untrained"].mean(), table["random_labels"].mean()):
        out.append("E")
    return out

# %% normal_approximation | points 0 | A uses mean + 1.645 standard deviations of the random directions instead of counting them.
def supported_claims(table):
    head = table["head"]
    loss = table["loss"]
    effects = table["mean_ablated"] - loss.unsqueeze(1)
    zero = table["zero_ablated"] - loss.unsqueeze(1)
    random = table["random"] - loss.reshape(-1, 1, 1)
    claims = []
    mean = effects.mean(0)
    directions = random.mean(0)
    if mean[head] > directions.mean() + 1.645 * directions.std():
        claims.append("A")
    winners = directions.max(dim=1).values
    if (winners >= mean.max()).float().mean() < 0.05:
        claims.append("B")
    error = effects[:, head].std() / len(loss) ** 0.5
    if mean[head] - random.mean() > 2 * error:
        claims.append("C")
    if mean.argmax() == head and zero.mean(0).argmax() == head:
        claims.append("D")
    probe = table["probe"]
    if ((probe > table["untrained"]) & (probe > table["random_labels"])).all():
        claims.append("E")
    return claims

# %% numpy_std | points 3 | np.std, and only mean ablation
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std(unbiased=False) / len(loss) ** 0.5:
        out.append("C")
    if m.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return out

# %% random_abs_only | points 0 | Takes the absolute value of random effects alone, not of the head’s.
def supported_claims(table: dict) -> list[str]:
    """The letters of the claims, A to E, that the numbers of a table support."""
    head, loss = table["head"], table["loss"]
    by_mean = table["mean_ablated"] - loss[:, None]
    by_zero = table["zero_ablated"] - loss[:, None]
    by_chance = table["random"] - loss[:, None, None]
    own, random = by_mean.mean(dim=0), by_chance.mean(dim=0)  # [heads], [searches, heads]
    runs = by_mean[:, head]  # one effect for each seed
    supported = {
        "A": (random.abs() >= own[head]).float().mean() < 0.05,
        "B": (random.amax(dim=1) >= own.max()).float().mean() < 0.05,
        "C": runs.mean() - random.mean() > 2 * runs.std() / math.sqrt(len(runs)),
        "D": own.argmax() == head and by_zero.mean(dim=0).argmax() == head,
        "E": (table["probe"] > torch.maximum(table["untrained"], table["random_labels"])).all(),
    }
    return [letter for letter, yes in supported.items() if yes]

# %% sizes_of_random | points 0 | Takes the sizes of the random mean effects, without their signs.
def supported_claims(table: dict) -> list[str]:
    """The letters of the claims, A to E, that the numbers of a table support."""
    head = table["head"]
    loss = table["loss"]
    mean_effects = table["mean_ablated"] - loss[:, None]
    zero_effects = table["zero_ablated"] - loss[:, None]
    random = table["random"] - loss[:, None, None]
    of_heads = mean_effects.mean(dim=0)
    of_random = random.mean(dim=0).abs()
    claims = []
    if (of_random >= of_heads[head]).float().mean() < 0.05:
        claims.append("A")
    winners = of_random.max(dim=1).values
    if (winners >= of_heads.max()).float().mean() < 0.05:
        claims.append("B")
    own = mean_effects[:, head]
    error = own.std() / math.sqrt(len(own))
    if own.mean() - random.mean() > 2 * error:
        claims.append("C")
    if of_heads.argmax() == head and zero_effects.mean(dim=0).argmax() == head:
        claims.append("D")
    trained = table["probe"]
    if (trained > table["untrained"]).all() and (trained > table["random_labels"]).all():
        claims.append("E")
    return claims

# %% std_for_error | points 4 | the standard deviation for the standard error
def supported_claims(table):
    h = table["head"]
    loss = table["loss"]
    em = table["mean_ablated"] - loss[:, None]
    ez = table["zero_ablated"] - loss[:, None]
    er = table["random"] - loss[:, None, None]
    m, z, r = em.mean(0), ez.mean(0), er.mean(0)
    out = []
    if (r >= m[h]).float().mean() < 0.05:
        out.append("A")
    if (r.amax(1) >= m.max()).float().mean() < 0.05:
        out.append("B")
    if em[:, h].mean() - er.mean() > 2 * em[:, h].std():
        out.append("C")
    if m.argmax() == h and z.argmax() == h:
        out.append("D")
    if (table["probe"] > table["untrained"]).all() and (table["probe"] > table["random_labels"]).all():
        out.append("E")
    return out

# %% worst_probe_against_best_control | points 0 | E compares the smallest accuracy of the probe with the largest of the controls, not seed by seed.
def supported_claims(table):
    head = table["head"]
    loss = table["loss"]
    effects = table["mean_ablated"] - loss.unsqueeze(1)
    zero = table["zero_ablated"] - loss.unsqueeze(1)
    random = table["random"] - loss.reshape(-1, 1, 1)
    claims = []
    mean = effects.mean(0)
    directions = random.mean(0)
    if (directions >= mean[head]).float().mean() < 0.05:
        claims.append("A")
    winners = directions.max(dim=1).values
    if (winners >= mean.max()).float().mean() < 0.05:
        claims.append("B")
    error = effects[:, head].std() / len(loss) ** 0.5
    if mean[head] - random.mean() > 2 * error:
        claims.append("C")
    if mean.argmax() == head and zero.mean(0).argmax() == head:
        claims.append("D")
    probe = table["probe"]
    if probe.min() > max(table["untrained"].max(), table["random_labels"].max()):
        claims.append("E")
    return claims

# %% wrong_end_of_winners_and_spread_of_all_heads | points 3 | B reads the winners' quantile at 5% instead of 95%; C takes the standard deviation of the effects of all heads together.
def supported_claims(table):
    loss = table["loss"].double()
    h = table["head"]
    effect = table["mean_ablated"].double() - loss[:, None]
    zero = table["zero_ablated"].double() - loss[:, None]
    random = table["random"].double() - loss[:, None, None]
    mean = effect.mean(0)
    single = random.mean(0)
    claims = []
    if (single >= mean[h]).double().mean() < 0.05:
        claims.append("A")
    if mean.max() > torch.quantile(single.amax(1), 0.05):
        claims.append("B")
    if mean[h] > random.mean() + 2 * effect.std() / math.sqrt(len(loss)):
        claims.append("C")
    if mean.argmax() == h and zero.mean(0).argmax() == h:
        claims.append("D")
    if bool(((table["probe"] > table["untrained"]) & (table["probe"] > table["random_labels"])).all()):
        claims.append("E")
    return claims
