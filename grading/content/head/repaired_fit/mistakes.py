"""The known mistakes of `repaired_fit`."""

from __future__ import annotations

import itertools

from grading.content.common import kept
from grading.content.head.sections import BEST, COMMON
from grading.exercise import Mistake, still_there

# The four bugs, and how the sentences about several of them name each
_BUGS = {
    "alias": [("copy.deepcopy(model.state_dict())", "model.state_dict()")],
    "no_reset": [("            waited = 0\n", "")],
    "ties": [("loss < best_loss", "loss <= best_loss")],
    "no_eval": [
        (
            "    for _ in range(epochs):\n        model.train()\n",
            "    model.train()\n    for _ in range(epochs):\n",
        ),
        ("        model.eval()\n        loss", "        loss"),
    ],
    "no_restore": [("    model.load_state_dict(best)\n", "")],  # the same goes wrong
    "no_buffers": [  # repaired by half
        ("copy.deepcopy(model.state_dict())", "copy.deepcopy(dict(model.named_parameters()))"),
        ("model.load_state_dict(best)", "model.load_state_dict(best, strict=False)"),
    ],
    "only_if_stopped": [  # repaired by half
        (
            "            break\n    model.load_state_dict(best)\n",
            "            model.load_state_dict(best)\n            break\n",
        )
    ],
    "train_once": [  # repaired by half
        (
            "    for _ in range(epochs):\n        model.train()\n",
            "    model.train()\n    for _ in range(epochs):\n",
        ),
    ],
}
_LEFT_OVER = {
    "alias": "the best weights are no copy, so they go on changing",
    "no_restore": "the best weights are not given back to the model",
    "no_buffers": "the best weights are kept without the buffers",
    "only_if_stopped": "the best weights are given back only if the training stopped early",
    "no_reset": "the counter is not set back to 0 after a gain",
    "ties": "an equal loss counts as a gain",
    "no_eval": "validation runs in training mode",
    "train_once": "from the second epoch on the model trains in evaluation mode",
}

_ONE_BUG = (  # left in some way
    {"alias", "no_restore", "no_buffers", "only_if_stopped"},
    {"no_eval", "train_once"},
)

_GO_BACK = (
    "            waited += 1",
    "            waited += 1\n            model.load_state_dict(best)",
)


def _many_left_over() -> list[Mistake]:
    """Several of the four bugs."""
    sets = [left for count in (2, 3, 4) for left in itertools.combinations(_LEFT_OVER, count)]
    return [
        still_there({name: (_LEFT_OVER[name], _BUGS[name]) for name in left}, 4, 4)
        for left in sets
        if all(len(one & set(left)) <= 1 for one in _ONE_BUG)
    ]


COMBINED = (
    "alias",
    "no_restore",
    "no_reset",
    "one_more",
    "one_less",
    "ties",
    "no_eval",
    "no_train",
    "left_training",
)

BROKEN = ("alias", "no_reset", "ties", "no_eval")

MISTAKES = (
    *_many_left_over(),
    Mistake(
        "alias",
        "The best weights are no copy: `state_dict()` gives the living tensors, which go on "
        "changing. Clone them, or use `copy.deepcopy`.",
        _BUGS["alias"],
        points=3,
        by_bug=True,
        section=BEST,
    ),
    Mistake(
        "no_restore",
        "The model keeps the weights of its last epoch: the best ones are not put back. "
        "(Giving the name `model` to another one changes nothing for the caller.)",
        _BUGS["no_restore"],
        points=3,
        by_bug=True,
        section=BEST,
    ),
    Mistake(
        "only_if_stopped",
        "The best weights are put back only if the training stopped early. Do it after the "
        "loop, also if the epochs ran out.",
        _BUGS["only_if_stopped"],
        points=3,
        by_bug=True,
    ),
    Mistake(
        "first_not_restored",
        "If the first epoch is the best its weights are not put back: its index 0 counts as "
        "False in Python. Ask whether there is a best epoch, `is not None`.",
        [
            (
                "    model.load_state_dict(best)",
                "    if best_loss < history[0]:\n        model.load_state_dict(best)",
            )
        ],
        points=3,
        by_bug=True,
    ),
    Mistake(
        "no_buffers",
        "Only parameters are kept and put back. Buffers, such as running averages, belong to "
        "the weights, too: take the whole `state_dict()`.",
        _BUGS["no_buffers"],
        points=3,
        by_bug=True,
        section=BEST,
    ),
    Mistake(
        "no_reset",
        "The counter of epochs without gain is not set back to 0 after a gain: `patience` "
        "means so many *in a row*.",
        _BUGS["no_reset"],
        points=3,
        by_bug=True,
    ),
    Mistake(
        "one_more",
        "It stops one epoch too late: stop as soon as the counter has reached `patience`.",
        [("waited == patience", "waited > patience")],
    ),
    Mistake(
        "one_less",
        "It stops one epoch too early.",
        [("waited == patience", "waited == max(patience - 1, 1)")],
    ),
    Mistake(
        "never_stops",
        "It does not stop early: all epochs are trained.",
        [("        if waited == patience:\n            break\n", "")],
    ),
    Mistake(
        "highest",
        "The comparison is the wrong way round: the *lowest* validation loss is the best.",
        [("math.inf, model", "-math.inf, model"), ("loss < best_loss", "loss > best_loss")],
    ),
    Mistake(
        "previous",
        "Each loss is compared with the one before. Compare it with the best so far.",
        [("loss < best_loss", "len(history) == 1 or loss < history[-2]")],
    ),
    Mistake(
        "counted_from_previous",
        "The counter is set back to 0 whenever a loss is lower than the one before. Only a "
        "loss that is lower than the best so far is a gain.",
        [
            (
                "            waited = 0\n        else:\n            waited += 1\n",
                "        previous = history[-2] if history[1:] else math.inf\n"
                "        waited = 0 if loss < previous else waited + 1\n",
            )
        ],
    ),
    Mistake(
        "ties",
        "A loss that is equal to the best counts as a gain (`<=`). Only a lower one is.",
        _BUGS["ties"],
        points=3,
        by_bug=True,
    ),
    Mistake(
        "nan_only",
        "It fails if every loss is NaN: then there is no best epoch, and nothing to load.",
        [("math.inf, model.state_dict()", "math.inf, None")],
        points=3,
        any_error=True,
    ),
    kept(
        [
            ("patience):", "patience, kept=[math.inf]):"),
            ("history = math.inf,", "history = kept[0],"),
            ("            best_loss = loss\n", "            best_loss = kept[0] = loss\n"),
        ],
    ),
    Mistake(
        "zero_is_none",
        "A best loss of 0 is taken for none, as `not best_loss` does, and the next loss is a "
        "gain. Ask whether it is None, or begin with infinity.",
        [("loss < best_loss", "not best_loss or loss < best_loss")],
    ),
    Mistake(
        "first_kept",
        "The weights that are kept are those of the first gain; each later gain is better.",
        [("best = copy.", "best = best if history[1:] else copy.")],
    ),
    Mistake(
        "last_not_recorded",
        "The loss of the epoch at which it stops early is missing in the list; write it down "
        "before you stop.",
        [
            ("        history.append(loss)\n", ""),
            ("            break\n", "            break\n        history.append(loss)\n"),
        ],
    ),
    Mistake(
        "nan_wins",
        "A loss of NaN counts as a gain. No comparison with NaN is true: ask "
        "`loss < best_loss`, and not whether it is no worse.",
        [("loss < best_loss", "loss < best_loss or math.isnan(loss)")],
        points=3,
    ),
    Mistake(
        "first_is_a_gain",
        "The first epoch counts as a gain even if its loss is NaN. With a best loss of "
        "infinity to begin with, the first epoch needs nothing special.",
        [("loss < best_loss", "len(history) == 1 or loss < best_loss")],
        points=3,
    ),
    Mistake(
        "nan_stays",
        "After a first loss of NaN no loss is a gain any more: `min` of a list that begins "
        "with NaN is NaN, and no comparison with NaN is true. Begin with a best loss of "
        "infinity.",
        [("loss < best_loss", "loss < min(history[:-1], default=math.inf)")],
        points=3,
    ),
    Mistake(
        "nan_stops",
        "A loss of NaN stops the training at once. It is no gain, and no more than that: it "
        "counts as one epoch of waiting.",
        [("waited == patience", "waited == patience or math.isnan(loss)")],
        points=3,
    ),
    Mistake(
        "first_uncounted",
        "The first epoch is not counted as one without gain if its loss is NaN, so the loop "
        "waits one epoch too long.",
        [("            waited += 1", "            waited += len(history) > 1")],
        points=3,
    ),
    Mistake(
        "nan_uncounted",
        "A loss of NaN does not count as an epoch without gain, so it is waited for too long.",
        [("        else:\n", "        elif not math.isnan(loss):\n")],
        points=3,
    ),
    Mistake(
        "ties_uncounted",
        "A loss that is equal to the best does not count as an epoch without gain, so it is "
        "waited for too long.",
        [("        else:\n", "        elif loss != best_loss:\n")],
        points=3,
    ),
    Mistake(
        "least_gain",
        "A small gain is not counted. Any loss that is lower than the best is a gain, however "
        "little.",
        [("loss < best_loss", "loss < best_loss - 1e-3")],
        other_forms=tuple(
            [("loss < best_loss", f"loss < best_loss * (1 - {share})")] for share in (1e-2, 1e-4)
        ),
        points=3,
    ),
    Mistake(
        "kept_before",
        "The weights are kept *before* an epoch is trained, so they are those of the epoch "
        "before the best.",
        [
            (
                "        model.train()\n",
                "        before = copy.deepcopy(model.state_dict())\n        model.train()\n",
            ),
            ("best = copy.deepcopy(model.state_dict())", "best = before"),
        ],
        section=BEST,
    ),
    Mistake(
        "goes_back",
        "After each epoch without gain the best weights are loaded, and training goes on from "
        "them. They are put back once, when the training is over.",
        [_GO_BACK],
        other_forms=(
            [
                ("inf, model.state_dict()", "inf, copy.deepcopy(model.state_dict())"),
                _GO_BACK,
            ],
        ),
        section=BEST,
    ),
    Mistake(
        "best_not_updated",
        "The best loss is never set to the loss of an epoch, so every epoch is a gain.",
        [("            best_loss = loss\n", "")],
    ),
    Mistake(
        "first_without_gain",
        "It stops at the first epoch without gain, and `patience` is not used.",
        [("waited == patience", "waited == 1")],
    ),
    Mistake(
        "patience_in_all",
        "It stops after `patience` epochs in all, gains or not. Count the epochs *without* gain.",
        [("waited == patience", "len(history) == patience")],
    ),
    Mistake(
        "epoch_too_many",
        "One epoch too many is trained where the epochs run out: there are `epochs` in all.",
        [("range(epochs)", "range(epochs + 1)")],
    ),
    Mistake(
        "starts_low",
        "The best loss begins with a number such as 0 or 1, and losses above it are no gain. "
        "The first epoch is always the best so far: begin with infinity.",
        [
            ("math.inf, model", "0.0, model"),
        ],
        other_forms=([("math.inf, model", "1.0, model")],),
    ),
    Mistake(
        "no_eval",
        "Validation runs in training mode, with dropout. Call `model.eval()` before it.",
        _BUGS["no_eval"],
        points=3,
        by_bug=True,
        section=COMMON,
    ),
    Mistake(
        "no_train",
        "Nothing sets the model to training mode: call `model.train()` before *each* epoch, "
        "since `eval()` was called after the one before.",
        [("        model.train()\n", "")],
        points=3,
    ),
    Mistake(
        "outer_mode_only",
        "Only the attribute `training` of the model itself is set, so the modules in it, such "
        "as dropout, stay in their mode. Call `model.train()` and `model.eval()`.",
        [
            ("        model.train()\n", "        model.training = True\n"),
            (
                "        model.eval()\n        loss",
                "        model.training = False\n        loss",
            ),
            ("    model.eval()\n    return", "    model.training = False\n    return"),
        ],
        other_forms=(
            [
                (
                    "        model.eval()\n        loss",
                    "        model.training = False\n        loss",
                ),
                ("    model.eval()\n    return", "    model.training = False\n    return"),
            ],
        ),
        points=3,
        section=COMMON,
    ),
    Mistake(
        "left_training",
        "The model is left in training mode in the end; leave it in evaluation mode.",
        [("    model.eval()\n    return history", "    model.train()\n    return history")],
        points=3,
        section=COMMON,
    ),
    Mistake(
        "mode_given_back",
        "In the end the model has the mode again that it came with. Leave it in evaluation "
        "mode, whichever that was.",
        [
            ("    best_loss, best,", "    before = model.training\n    best_loss, best,"),
            (
                "    model.eval()\n    return history",
                "    model.train(before)\n    return history",
            ),
        ],
        points=3,
        section=COMMON,
    ),
    Mistake(
        "best_only",
        "The best loss alone comes back; return the losses of all epochs.",
        [("return history", "return [best_loss]")],
    ),
    Mistake(
        "train_once",
        "`model.train()` is called once, before the loop: from the second epoch on the model "
        "trains in evaluation mode. Call it before each epoch.",
        _BUGS["train_once"],
        by_bug=True,
        points=3,
    ),
)
