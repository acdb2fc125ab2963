# while loop, state as copies
# points: 4

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
