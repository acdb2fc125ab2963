# A gain must be larger than a min_delta of 0.001, as in many libraries.
# points: 3
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
