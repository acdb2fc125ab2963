# saved in memory
# points: 4

import io
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best, left, losses, saved = math.inf, patience, [], None
    for epoch in range(epochs):
        model.train(True)
        train_one_epoch(model)
        model.train(False)
        value = validation_loss(model)
        losses += [value]
        if not math.isnan(value) and value < best:
            best, left, saved = value, patience, io.BytesIO()
            torch.save(model.state_dict(), saved)
        else:
            left -= 1
            if not left:
                break
    if saved:
        saved.seek(0)
        model.load_state_dict(torch.load(saved))
    return losses
