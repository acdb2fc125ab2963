# a gain must be a ten-thousandth of the best loss
# points: 3

def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    lowest, kept, bad, seen = float("inf"), None, 0, []
    while len(seen) < epochs and bad < patience:
        model.train(); train_one_epoch(model)
        model.eval(); loss = validation_loss(model)
        seen.append(loss)
        if loss < lowest - 1e-4 * (0 if lowest == float("inf") else lowest):
            lowest, bad = loss, 0
            kept = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            bad += 1
    if kept: model.load_state_dict(kept)
    return seen
