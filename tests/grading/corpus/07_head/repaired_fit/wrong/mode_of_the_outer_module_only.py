# Sets model.training by hand, which leaves the modules inside the model (dropout, say) in the mode they were in.
# points: 3
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
