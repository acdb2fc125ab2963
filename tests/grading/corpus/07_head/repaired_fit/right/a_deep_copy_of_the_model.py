# a deep copy of the model
# points: 4

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
