# %% a_ten_thousandth_better | points 3 | a gain must be a ten-thousandth of the best loss
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

# %% below_zero_is_none | points 0 | a best loss below 0 stands for none, so that every loss is a gain once one is negative
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = -1.0, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if (best_loss < 0 and loss == loss) or loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history

# %% best_model_rebound | points 3 | Copies the whole model and at the end gives the *name* model to the copy: the caller's model keeps its last weights.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best_model, waited, history = math.inf, model, 0, []
    for epoch in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best_model = copy.deepcopy(model)
        else:
            waited += 1
        if waited == patience:
            break
    model = best_model
    model.eval()
    return history

# %% best_of_all_times | points 0 | the best loss of all calls
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

# %% better_than_the_last | points 0 | The count starts again whenever the loss is lower than in the epoch before, not only when it is lower than the best.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, last, waited, history, best = math.inf, math.inf, 0, [], None
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best = loss, copy.deepcopy(model.state_dict())
        waited = 0 if loss < last else waited + 1
        last = loss
        if waited >= patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history

# %% buffers_forgotten | points 3 | Keeps the parameters of the best epoch only; the buffers stay those of the last one.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""

    def snapshot():
        return {name: p.detach().clone() for name, p in model.named_parameters()}

    best_loss, best, waited, history = math.inf, snapshot(), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best, waited = loss, snapshot(), 0
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best, strict=False)
    model.eval()
    return history

# %% compared_in_float32 | points 3 | losses are compared in float32, so that a gain of a billionth is none
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if torch.tensor(float(loss), dtype=torch.float32) < best_loss:
            best_loss = torch.tensor(float(loss), dtype=torch.float32)
            best = copy.deepcopy(model.state_dict())
            waited = 0
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.eval()
    return history

# %% copied_as_it_was | points 0 | copied as it was
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        loss = validation_loss(model)
        history.append(loss)
        if loss <= best_loss:
            best_loss = loss
            best = model.state_dict()
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.eval()
    return history

# %% epochs_since_best_epoch_zero | points 3 | counts epochs since best_epoch, which begins at 0: if the first loss is NaN it waits one epoch too long
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best_epoch, history = math.inf, 0, []
    best = copy.deepcopy(model.state_dict())
    for epoch in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best_epoch = loss, epoch
            best = copy.deepcopy(model.state_dict())
        elif epoch - best_epoch >= patience:
            break
    model.load_state_dict(best)
    return history

# %% eval_without_train | points 2 | eval without train, and nothing to load where every loss is NaN
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        model.eval()
        with torch.no_grad():
            loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            waited += 1
            if waited >= patience:
                break
    model.load_state_dict(best)
    return history

# %% first_epoch_is_none | points 3 | the index of the best epoch is 0 and counts as none, so the first weights are not put back
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history, at = math.inf, None, 0, [], 0
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited, at = loss, 0, len(history) - 1
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if at:
        model.load_state_dict(best)
    return history

# %% first_epoch_kept | points 0 | first epoch kept
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = best or copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history

# %% first_is_always_best | points 3 | The first loss is the best whatever it is: if it is NaN, nothing is ever lower.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = None, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if best_loss is None or loss < best_loss:
            best_loss = loss
            best = {name: value.clone() for name, value in model.state_dict().items()}
            waited = 0
        else:
            waited += 1
            if waited >= patience:
                break
    model.load_state_dict(best)
    model.eval()
    return history

# %% gain_of_a_trillionth | points 3 | A gain must be more than 1e-12.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss - 1e-12:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history

# %% goes_back_after_every_bad_epoch | points 0 | After every epoch without gain the best weights are loaded at once, and training goes on from those.
import copy


def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best, waited = loss, copy.deepcopy(model.state_dict()), 0
        else:
            model.load_state_dict(best)
            waited += 1
        if waited == patience:
            break
    return history

# %% last_epoch_not_recorded | points 0 | last epoch not recorded
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
        history.append(loss)
    if best is not None:
        model.load_state_dict(best)
    return history

# %% loss_of_zero_not_recorded | points 0 | A loss of exactly 0 is not written down.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss:
            history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history

# %% min_delta | points 3 | A gain must be larger than a min_delta of 0.001, as in many libraries.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    min_delta = 1e-3
    best_loss = float("inf")
    best_state = copy.deepcopy(model.state_dict())
    epochs_without_improvement = 0
    history = []
    for epoch in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        with torch.no_grad():
            loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss - min_delta:
            best_loss = loss
            best_state = copy.deepcopy(model.state_dict())
            epochs_without_improvement = 0
        else:
            epochs_without_improvement += 1
            if epochs_without_improvement >= patience:
                break
    model.load_state_dict(best_state)
    model.eval()
    return history

# %% min_of_history | points 3 | compares with min(history so far), which is NaN for ever if the first loss was NaN
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best, waited, history = copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss < min(history, default=math.inf):
            best, waited = copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
        history.append(loss)
        if waited == patience:
            break
    model.load_state_dict(best)
    return history

# %% mode_it_came_with_restored | points 3 | At the end the model gets back the mode that it came with, instead of evaluation mode.
import copy


def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    was_training = model.training
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best, waited = loss, copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.train(was_training)
    return history

# %% mode_of_the_outer_module_only | points 3 | Sets model.training by hand, which leaves the modules inside the model (dropout, say) in the mode they were in.
import copy


def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.training = True
        train_one_epoch(model)
        model.training = False
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.training = False
    return history

# %% never_reset_train_once | points 2 | Two bugs are left: the count is never set back, and only the first epoch trains in training mode.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss = loss
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.eval()
    return history

# %% not_best | points 0 | asks "not best", so a best loss of 0 is forgotten
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = None, copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if not math.isnan(loss) and (not best_loss or loss < best_loss):
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    return history

# %% nothing_to_load | points 3 | fails where every loss is NaN
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
    model.load_state_dict(kept)
    return seen

# %% one_bug_left_alias | points 3 | three bugs are gone
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, model.state_dict(), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best, waited = loss, model.state_dict(), 0
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    return history

# %% restores_only_after_a_stop | points 2 | Two bugs left: the best weights come back only when patience ran out; and train() is called only once, so later epochs train in evaluation mode.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
            if waited == patience:
                model.load_state_dict(best)
                break
    return history

# %% returns_the_model | points 0 | returns the model
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited = math.inf, None, 0
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss < best_loss:
            best_loss, best, waited = loss, copy.deepcopy(model), 0
        else:
            waited += 1
        if waited == patience:
            break
    return best

# %% shallow_copy_of_the_state | points 0 | shallow copy of the state
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = dict(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    return history

# %% starts_at_a_billion | points 0 | The best loss begins with 1e9, and larger losses are no gain.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = 1e9, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history

# %% training_again_unless_stopped | points 3 | in training mode again after each epoch, and left in it where the epochs run out
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
        model.train()
    if best is not None:
        model.load_state_dict(best)
    return history

# %% whole_number_buffers_not_restored | points 3 | Restores what holds floating numbers; a buffer that counts keeps its last value.
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    def snapshot():
        state = model.state_dict()
        return {name: state[name].clone() for name in state if state[name].is_floating_point()}

    best_loss, best, waited, history = math.inf, snapshot(), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited, best = loss, 0, snapshot()
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best, strict=False)
    model.eval()
    return history

# %% whole_without_gradients | points 0 | All of it runs under no_grad, the training, too.
@torch.no_grad()
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history
