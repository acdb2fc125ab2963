# eval without train, and nothing to load where every loss is NaN
# points: 2

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
