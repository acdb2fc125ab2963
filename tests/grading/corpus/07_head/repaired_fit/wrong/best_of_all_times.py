# the best loss of all calls
# points: 0

best_ever = [float("inf")]

def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    lowest, kept, bad, seen = best_ever[0], None, 0, []
    while len(seen) < epochs and bad < patience:
        model.train(); train_one_epoch(model)
        model.eval(); loss = validation_loss(model)
        seen.append(loss)
        if loss < lowest:
            lowest, bad = loss, 0
            best_ever[0] = loss; kept = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            bad += 1
    if kept: model.load_state_dict(kept)
    return seen
