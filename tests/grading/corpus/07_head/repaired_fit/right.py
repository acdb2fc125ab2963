# %% a_deep_copy_of_the_model | points 4 | a deep copy of the model
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    import copy
    best_loss, best_model, bad, losses = float("inf"), copy.deepcopy(model), 0, []
    for epoch in range(epochs):
        train_one_epoch(model.train())
        losses += [validation_loss(model.eval())]
        if losses[-1] < best_loss:
            best_loss, best_model, bad = losses[-1], copy.deepcopy(model), 0
        elif (bad := bad + 1) >= patience:
            break
    model.load_state_dict(best_model.state_dict())
    return losses

# %% clones | points 4 | clones
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    losses, best_epoch, kept = [], -1, {k: v.clone() for k, v in model.state_dict().items()}
    best = float("inf")
    while len(losses) < epochs and len(losses) - 1 - best_epoch < patience:
        train_one_epoch(model.train())
        with torch.no_grad():
            losses.append(validation_loss(model.eval()))
        if losses[-1] < best:
            best, best_epoch = losses[-1], len(losses) - 1
            kept = {k: v.detach().clone() for k, v in model.state_dict().items()}
    if best_epoch >= 0:
        model.load_state_dict(kept)
    model.eval()
    return losses

# %% nothing_but_nan | points 4 | leaves the model alone if no loss is a number
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    lowest, kept, bad, seen = float("inf"), None, 0, []
    while len(seen) < epochs and bad < patience:
        model.train(); train_one_epoch(model)
        model.eval(); loss = validation_loss(model)
        seen.append(loss)
        if loss < lowest:
            lowest, bad = loss, 0
            kept = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            bad += 1
    if kept: model.load_state_dict(kept)
    return seen

# %% saved_in_memory | points 4 | saved in memory
import io
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best, left, losses, saved = math.inf, patience, [], None
    for epoch in range(epochs):
        model.train(True)
        train_one_epoch(model)
        model.train(False)
        value = validation_loss(model)
        losses += [value]
        if not math.isnan(value) and value < best:
            best, left, saved = value, patience, io.BytesIO()
            torch.save(model.state_dict(), saved)
        else:
            left -= 1
            if not left:
                break
    if saved:
        saved.seek(0)
        model.load_state_dict(torch.load(saved))
    return losses

# %% while_loop_state_as_copies | points 4 | while loop, state as copies
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    history, best, since = [], float("inf"), 0
    saved = {k: v.detach().clone() for k, v in model.state_dict().items()}
    while len(history) < epochs and since < patience:
        model.train()
        train_one_epoch(model)
        model.eval()
        with torch.no_grad():
            history.append(float(validation_loss(model)))
        since += 1
        if history[-1] < best:
            best, since = history[-1], 0
            saved = {k: v.detach().clone() for k, v in model.state_dict().items()}
    model.load_state_dict(saved)
    return history
