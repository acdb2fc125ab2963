# losses are compared in float32, so that a gain of a billionth is none
# points: 3


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
