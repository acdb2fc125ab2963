# At the end the model gets back the mode that it came with, instead of evaluation mode.
# points: 3
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
