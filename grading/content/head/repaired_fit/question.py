"""Exercise 4, a bug hunt: early stopping that forgets."""

from __future__ import annotations

import copy
import math

import torch

from grading.content.head import harnesses
from grading.content.head.sections import BEST, LOOP
from grading.exercise import Case, Part, Question


def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, model.state_dict(), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss = loss
            best = copy.deepcopy(model.state_dict())
            waited = 0
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.eval()
    return history


def _fit_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, harness, losses, epochs, patience, again=(), **options):
        arguments = (("losses", losses), ("epochs", epochs), ("patience", patience))
        arguments = (*arguments, *options.items())
        return Case(title, part, arguments, harness=harness, again=again)

    # The drawn numbers change from seed to seed, the pattern does not.
    level = 2.0 + float(torch.rand((), generator=generator))

    def at(*heights: float) -> list[float]:
        return [round(level + height, 7) for height in heights]

    # Two epochs without gain, a gain, four without; the lowest loss comes too late.
    waves = at(0, -0.2, 0.1, 0.15, -0.4, 0.3, 0.2, 0.1, 0.15, -0.9, 0, 0)
    falling = [round(level * height, 7) for height in (2, 1, 0, -1)]  # a 0 is a loss, too
    last_but_one = [1e30 * loss for loss in at(0, -0.1, -0.3, -0.2)]
    best_in_the_middle = at(0, -0.3, -0.2)
    zero_first = [0.0, round(level / 4, 7), round(level / 9, 7)]
    ties = at(0, -0.2, -0.2, -0.2, -0.5)
    ties_alone = at(0, -0.2, -0.2, -0.2, 0.1)
    with_nan = [level, "NaN", round(level - 0.3, 4), "NaN", level, level]  # no NaN is equal to NaN
    nan_first = ["NaN", level, "NaN", round(level - 0.3, 4), level, "NaN", level]
    slow = at(0, 0.1, 0, 0.1, 0.2)
    slow[2] = math.nextafter(slow[0], 0.0)  # no smaller gain can be
    lower = at(-4.5, -4.4, -4.7, -4.6, -4.65, -4.6)  # than in all other cases, and below 0
    return [
        case("stops after `patience` epochs", "core", harnesses.stops, waves, 12, 3),
        case("keeps the best weights", "core", harnesses.keeps, waves, 12, 3),
        case("a patience of 1", "core", harnesses.stops, best_in_the_middle, 3, 1),
        case("the epochs run out", "core", harnesses.stops, falling, 4, 2),
        case("the best weights, epochs run out", "core", harnesses.keeps, zero_first, 3, 4),
        case("the last but one is the best", "core", harnesses.keeps, last_but_one, 4, 2),
        case(
            "called again, higher losses",
            "core",
            harnesses.stops,
            *(lower, 6, 2),
            again=((waves, 8, 2), (falling, 4, 1)),
        ),
        case("modes", "modes", harnesses.modes, waves, 12, 3),
        case("a new model, the epochs run out", "modes", harnesses.modes, falling, 4, 2, new=True),
        case("an equal loss is no gain", "corner", harnesses.stops, ties, 5, 2),
        case("equal losses, weights", "corner", harnesses.keeps, ties_alone, 5, 2),
        case("a loss of NaN is no gain", "corner", harnesses.keeps, with_nan, 6, 2),
        case("a loss of NaN, epochs", "corner", harnesses.stops, nan_first, 7, 2),
        case("nothing but NaN", "corner", harnesses.stops, ["NaN"] * 5, 5, 3),
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
        return usable.index(min(usable)) if min(usable) < math.inf else -1

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


QUESTION = Question(
    id="repaired_fit",
    title="Bug hunt: early stopping that forgets",
    signature="repaired_fit(model, train_one_epoch, validation_loss, epochs, patience)",
    reference=repaired_fit,
    cases=_fit_cases,
    parts=(
        Part("core", "the right number of epochs and the best weights", 2),
        Part("modes", "training and evaluation mode", 1),
        Part("corner", "equal losses, very small gains, and NaN", 1),
    ),
    minutes=20,
    difficulty=2,
    section=f"{LOOP} and {BEST}",
    alternatives={
        "deepcopy and epoch numbers": _fit_with_deepcopy,
        "an object": _fit_with_an_object,
        "all states kept": _fit_keeping_all,
    },
)
