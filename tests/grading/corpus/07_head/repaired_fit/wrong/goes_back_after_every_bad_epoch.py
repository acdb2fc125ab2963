# After every epoch without gain the best weights are loaded at once, and training goes on from those.
# points: 0
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
