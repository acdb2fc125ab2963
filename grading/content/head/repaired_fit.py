"""Bug hunt: early stopping that forgets."""

from __future__ import annotations

import copy
import itertools
import math

import torch

from grading.content.head import harnesses
from grading.content.head.sections import BEST, COMMON, LOOP
from grading.content.head.shared import NONE
from grading.exercise import Case, Exercise, Mistake, Part


def _repaired_fit(mistakes: frozenset[str] = NONE):
    def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
        def kept():
            state = model.state_dict()
            if "alias" in mistakes:
                return state
            if "no_buffers" in mistakes:
                state = dict(model.named_parameters())
            return {name: tensor.detach().clone() for name, tensor in state.items()}

        best_loss, best, waited, history = math.inf, None, 0, []
        if "highest" in mistakes:
            best_loss = -math.inf
        if "starts_low" in mistakes:
            best_loss = 0.0
        stopped = False
        for _ in range(epochs + ("epoch_too_many" in mistakes)):
            earlier = kept()
            if "no_train" not in mistakes:
                model.train()
            train_one_epoch(model)
            if "no_eval" not in mistakes:
                model.eval()
            loss = validation_loss(model)
            history.append(loss)
            better = loss < best_loss
            if "highest" in mistakes:
                better = loss > best_loss
            if "ties" in mistakes:
                better = loss >= best_loss if "highest" in mistakes else loss <= best_loss
            if "nan_wins" in mistakes:
                better = better or math.isnan(loss)
            if "previous" in mistakes:
                before = history[-2] if len(history) > 1 else math.inf
                better = loss < before
            if "least_gain" in mistakes:
                better = loss < best_loss - 1e-3
            if better:
                best = earlier if "kept_before" in mistakes else kept()
                if "best_not_updated" not in mistakes:
                    best_loss = loss
                if "no_reset" not in mistakes:
                    waited = 0
            elif not ("nan_uncounted" in mistakes and math.isnan(loss)) and not (
                "ties_uncounted" in mistakes and loss == best_loss
            ):
                waited += 1
            if "nan_stops" in mistakes and math.isnan(loss):
                waited = patience
            limit = patience
            if "one_more" in mistakes:
                limit = patience + 1
            if "one_less" in mistakes:
                limit = max(patience - 1, 1)
            if "first_without_gain" in mistakes:
                limit = 1
            if "patience_in_all" in mistakes:
                limit, waited = patience, len(history)
            if waited >= limit and "never_stops" not in mistakes:
                stopped = True
                break
        wanted = stopped or "only_if_stopped" not in mistakes
        if best is not None and wanted and "no_restore" not in mistakes:
            model.load_state_dict(best, strict=False)
        if "left_training" in mistakes:
            model.train()
        else:
            model.eval()
        if "best_only" in mistakes:
            return [best_loss]
        return history

    return repaired_fit


def _fit_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, harness, losses, epochs, patience):
        arguments = (("losses", losses), ("epochs", epochs), ("patience", patience))
        return Case(title, part, arguments, harness=harness)

    # The drawn numbers change from seed to seed, the pattern does not.
    level = 2.0 + float(torch.rand((), generator=generator))

    def at(*heights: float) -> list[float]:
        return [round(level + height, 4) for height in heights]

    # Two epochs without gain, a gain, four without; the lowest loss comes too late.
    waves = at(0, -0.2, 0.1, 0.15, -0.4, 0.3, 0.2, 0.1, 0.15, -0.9, 0, 0)
    falling = at(0, -0.1, -0.2, -0.3)
    best_in_the_middle = at(0, -0.3, -0.2)
    ties = at(0, -0.2, -0.2, -0.2, -0.5)
    ties_alone = at(0, -0.2, -0.2, -0.2, 0.1)
    with_nan = [level, "NaN", round(level - 0.3, 4), "NaN", level, level]  # no NaN is equal to NaN
    slow = at(0, 0.1, -0.0003, 0.1, 0.2)
    return [
        case("stops after `patience` epochs", "core", harnesses.stops, waves, 12, 3),
        case("keeps the best weights", "core", harnesses.keeps, waves, 12, 3),
        case("a patience of 1", "core", harnesses.stops, best_in_the_middle, 3, 1),
        case("the epochs run out", "core", harnesses.stops, falling, 4, 2),
        case("the best weights, epochs run out", "core", harnesses.keeps, best_in_the_middle, 3, 4),
        case("always better", "core", harnesses.keeps, falling, 4, 2),
        case("modes", "modes", harnesses.modes, waves, 12, 3),
        case("an equal loss is no gain", "corner", harnesses.stops, ties, 5, 2),
        case("equal losses, weights", "corner", harnesses.keeps, ties_alone, 5, 2),
        case("a loss of NaN is no gain", "corner", harnesses.keeps, with_nan, 6, 2),
        case("a loss of NaN, epochs", "corner", harnesses.stops, with_nan, 6, 2),
        case("a very small gain", "corner", harnesses.stops, slow, 5, 2),
    ]


def _fit_with_deepcopy(model, train_one_epoch, validation_loss, epochs, patience):
    losses = []
    best_epoch, best_model = 0, copy.deepcopy(model.state_dict())
    while len(losses) < epochs and len(losses) - best_epoch < patience:
        model.train()
        train_one_epoch(model)
        model.eval()
        losses.append(validation_loss(model))
        finite = [x for x in losses[:-1] if x == x]
        if losses[-1] == losses[-1] and all(losses[-1] < x for x in finite):
            best_epoch, best_model = len(losses), copy.deepcopy(model.state_dict())
    model.load_state_dict(best_model)
    return losses


class _Stopper:
    """Early stopping as an object, as libraries have it."""

    def __init__(self, patience):
        self.patience, self.best, self.bad, self.weights = patience, None, 0, None

    def update(self, model, loss):
        if loss == loss and (self.best is None or loss < self.best):
            self.best, self.bad = loss, 0
            self.weights = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad == self.patience


def _fit_with_an_object(model, train_one_epoch, validation_loss, epochs, patience):
    stopper, history = _Stopper(patience), []
    for _ in range(epochs):
        train_one_epoch(model.train())
        history.append(validation_loss(model.eval()))
        if stopper.update(model, history[-1]):
            break
    with torch.no_grad():  # copied back by hand
        for name, tensor in model.state_dict().items():
            if stopper.weights:
                tensor.copy_(stopper.weights[name])
    return history


def _fit_keeping_all(model, train_one_epoch, validation_loss, epochs, patience):
    """Every epoch's weights are kept; the best is looked up in the end."""
    history, states = [], []

    def place() -> int:
        usable = [math.inf if math.isnan(x) else x for x in history]
        return usable.index(min(usable))

    for epoch in range(1, epochs + 1):
        model.train(True)
        train_one_epoch(model)
        model.train(False)
        history.append(validation_loss(model))
        states.append(copy.deepcopy(model.state_dict()))
        if epoch - 1 - place() >= patience:
            break
    model.load_state_dict(states[place()])
    return history


_LEFT_OVER = {
    "alias": "the best weights are no copy, so they go on changing",
    "no_reset": "the counter is not set back to 0 after a gain",
    "ties": "an equal loss counts as a gain",
    "no_eval": "validation runs in training mode",
}


def _many_left_over() -> list[Mistake]:
    """Three of the four bugs, or all; one and two are found without being listed."""
    mistakes = []
    for count, word in ((3, "Three bugs are"), (4, "All four bugs are")):
        for left in itertools.combinations(_LEFT_OVER, count):
            reasons = "; ".join(_LEFT_OVER[name] for name in left)
            message = f"{word} still there: {reasons}."
            mistakes.append(Mistake("_and_".join(left), message, _repaired_fit(frozenset(left))))
    return mistakes


EXERCISE = Exercise(
    id="repaired_fit",
    title="Bug hunt: early stopping that forgets",
    signature="repaired_fit(model, train_one_epoch, validation_loss, epochs, patience)",
    reference=_repaired_fit(),
    variant=_repaired_fit,
    cases=_fit_cases,
    parts=(
        Part("core", "the right number of epochs and the best weights", 2),
        Part("modes", "training and evaluation mode", 1),
        Part("corner", "equal losses, and NaN", 1),
    ),
    minutes=20,
    difficulty=2,
    section=f"{LOOP} and {BEST}",
    alternatives={
        "deepcopy and epoch numbers": _fit_with_deepcopy,
        "an object": _fit_with_an_object,
        "all states kept": _fit_keeping_all,
    },
    mistakes=(
        *_many_left_over(),
        Mistake(
            "alias",
            "The best weights are no copy: `state_dict()` gives the living tensors, which go on "
            "changing. Clone them, or use `copy.deepcopy`.",
            section=BEST,
        ),
        Mistake(
            "no_restore",
            "The model keeps the weights of its last epoch: the best ones are not put back.",
            section=BEST,
        ),
        Mistake(
            "only_if_stopped",
            "The best weights are put back only if the training stopped early. Do it after the "
            "loop, also if the epochs ran out.",
            mutation=_repaired_fit(frozenset({"only_if_stopped"})),
        ),
        Mistake(
            "no_buffers",
            "Only parameters are kept and put back. Buffers, such as running averages, belong to "
            "the weights, too: take the whole `state_dict()`.",
            section=BEST,
            mutation=_repaired_fit(frozenset({"no_buffers"})),
        ),
        Mistake(
            "no_reset",
            "The counter of epochs without gain is not set back to 0 after a gain: `patience` "
            "means so many *in a row*.",
        ),
        Mistake(
            "one_more",
            "It stops one epoch too late: stop as soon as the counter has reached `patience`.",
        ),
        Mistake(
            "one_less",
            "It stops one epoch too early.",
        ),
        Mistake(
            "never_stops",
            "It does not stop early: all epochs are trained.",
            mutation=_repaired_fit(frozenset({"never_stops"})),
        ),
        Mistake(
            "highest",
            "The comparison is the wrong way round: the *lowest* validation loss is the best.",
            mutation=_repaired_fit(frozenset({"highest"})),
        ),
        Mistake(
            "previous",
            "Each loss is compared with the one before. Compare it with the best so far.",
            mutation=_repaired_fit(frozenset({"previous"})),
        ),
        Mistake(
            "ties",
            "A loss that is equal to the best counts as a gain (`<=`). Only a lower one is.",
            points=3,
        ),
        Mistake(
            "nan_wins",
            "A loss of NaN counts as a gain. No comparison with NaN is true: ask "
            "`loss < best_loss`, and not whether it is no worse.",
            points=3,
            mutation=_repaired_fit(frozenset({"nan_wins"})),
        ),
        Mistake(
            "nan_stops",
            "A loss of NaN stops the training at once. It is no gain, and no more than that: it "
            "counts as one epoch of waiting.",
            points=3,
            mutation=_repaired_fit(frozenset({"nan_stops"})),
        ),
        Mistake(
            "nan_uncounted",
            "A loss of NaN does not count as an epoch without gain, so it is waited for too long.",
            points=3,
            mutation=_repaired_fit(frozenset({"nan_uncounted"})),
        ),
        Mistake(
            "ties_uncounted",
            "A loss that is equal to the best does not count as an epoch without gain, so it is "
            "waited for too long.",
            points=3,
            mutation=_repaired_fit(frozenset({"ties_uncounted"})),
        ),
        Mistake(
            "least_gain",
            "A small gain is not counted. Any loss that is lower than the best is a gain, however "
            "little.",
            points=3,
            mutation=_repaired_fit(frozenset({"least_gain"})),
        ),
        Mistake(
            "kept_before",
            "The weights are kept *before* an epoch is trained, so they are those of the epoch "
            "before the best.",
            section=BEST,
            mutation=_repaired_fit(frozenset({"kept_before"})),
        ),
        Mistake(
            "best_not_updated",
            "The best loss is never set to the loss of an epoch, so every epoch is a gain.",
            mutation=_repaired_fit(frozenset({"best_not_updated"})),
        ),
        Mistake(
            "first_without_gain",
            "It stops at the first epoch without gain, and `patience` is not used.",
            mutation=_repaired_fit(frozenset({"first_without_gain"})),
        ),
        Mistake(
            "patience_in_all",
            "It stops after `patience` epochs in all, gains or not. Count the epochs *without* "
            "gain.",
            mutation=_repaired_fit(frozenset({"patience_in_all"})),
        ),
        Mistake(
            "epoch_too_many",
            "One epoch too many is trained where the epochs run out: there are `epochs` in all.",
            mutation=_repaired_fit(frozenset({"epoch_too_many"})),
        ),
        Mistake(
            "starts_low",
            "The best loss begins with a number such as 0 or 1, and losses above it are no gain. "
            "The first epoch is always the best so far: begin with infinity.",
            mutation=_repaired_fit(frozenset({"starts_low"})),
        ),
        Mistake(
            "no_eval",
            "Validation runs in training mode, with dropout. Call `model.eval()` before it.",
            points=3,
            section=COMMON,
        ),
        Mistake(
            "no_train",
            "Nothing sets the model to training mode: call `model.train()` before *each* epoch, "
            "since `eval()` was called after the one before.",
            points=3,
        ),
        Mistake(
            "left_training",
            "The model is left in training mode in the end; leave it in evaluation mode.",
            points=3,
            section=COMMON,
        ),
        Mistake(
            "best_only",
            "The best loss alone comes back; return the losses of all epochs.",
            mutation=_repaired_fit(frozenset({"best_only"})),
        ),
        Mistake(
            "train_once",
            "`model.train()` is called once, before the loop: from the second epoch on the model "
            "trains in evaluation mode. Call it before each epoch.",
            lambda model, train, loss, epochs, patience: _repaired_fit(frozenset({"no_train"}))(
                model.train(), train, loss, epochs, patience
            ),
            points=3,
        ),
    ),
)
