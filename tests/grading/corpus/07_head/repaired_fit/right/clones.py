# clones
# points: 4

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
