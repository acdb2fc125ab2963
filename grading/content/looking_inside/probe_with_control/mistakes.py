"""The known mistakes of `probe_with_control`."""

from __future__ import annotations

from grading.content.common import changed_in_place, kept_name
from grading.exercise import Mistake

_MEAN = "mean, std = train.mean(0), train.std(0, correction=0)"
_SOLVE = "w = torch.linalg.solve(gram, x_train.T @ (y - b))"
_RESULT = "torch.stack([accuracy, control, accuracy - control])"
_CONTROL_PROBE = "_, control = probe(control_labels[word_ids])"
_CONSTANT_LINE = "constant = (train == train[0]).all(0)"
_ACCURACY_LINE = "right.float().mean()"
_EYE = "penalty * torch.eye(x.size(1))"
_STANDARD = (
    "    x = (states - mean) / std.masked_fill(constant, 1.0)\n"
    "    x = x.masked_fill(constant, 0.0)\n"
)


COMBINED = (
    "statistics_of_all",
    "trained_on_all",
    "not_standardised",
    "unbiased",
    "no_bias",
    "training_accuracy",
    "control_by_label",
    "control_not_trained",
    "selectivity_turned",
    "constant_nan",
)

MISTAKES = (
    Mistake(
        "statistics_of_all",
        "Mean and standard deviation are computed from all examples. The test examples may "
        "have no influence on anything that is fitted, these two included.",
        [(_MEAN, "mean, std = states.mean(0), states.std(0, correction=0)")],
        equivalent=(
            [
                (_MEAN, "mean, std = states.mean(0), states.std(0, correction=0)"),
                ("constant = (train == train[0])", "constant = (states == states[0])"),
            ],
        ),
    ),
    Mistake(
        "own_statistics",
        "The test examples are standardised with their own mean and standard deviation. Those "
        "of the training examples are used for both.",
        [
            (
                "x_train, x_test = x[~is_test], x[is_test]",
                "x_train, x_test = x[~is_test], x[is_test]\n"
                "    x_test = (x_test - x_test.mean(0)) / "
                "x_test.std(0, correction=0).clamp(min=1e-6)",
            )
        ],
    ),
    Mistake(
        "test_not_standardised",
        "The test examples aren't standardised. What is done to the training states before "
        "the fit must be done to them, too, with the same numbers.",
        [
            (
                "x_train, x_test = x[~is_test], x[is_test]",
                "x_train, x_test = x[~is_test], states[is_test]",
            )
        ],
    ),
    Mistake(
        "trained_on_all",
        "The probe is fitted to all examples, those of the test included.",
        [
            ("x_train, x_test = x[~is_test], x[is_test]", "x_train, x_test = x, x[is_test]"),
            ("of_examples[~is_test]", "of_examples"),
        ],
    ),
    Mistake(
        "exchanged",
        "Training and test examples are exchanged: `is_test` is true for those that are held back.",
        [
            ("    train =", "    is_test = ~is_test\n    train ="),
        ],
    ),
    Mistake(
        "not_standardised",
        "The states aren't standardised. Subtract the mean and divide by the standard "
        "deviation of each column: the penalty treats all columns alike.",
        [(_STANDARD, "    x = states\n")],
        other_forms=([(_STANDARD, "    x = (states - mean).masked_fill(constant, 0.0)\n")],),
    ),
    Mistake(
        "by_rows",
        "Each example is standardised by itself, over its columns. Standardise each column, "
        "over the training examples.",
        [
            (
                _STANDARD,
                "    x = states - states.mean(1, keepdim=True)\n"
                "    x = x / states.std(1, correction=0, keepdim=True)\n",
            )
        ],
    ),
    Mistake(
        "one_mean_for_all",
        "There is one mean and one standard deviation for all columns. Each column has its own.",
        [(_MEAN, "mean, std = train.mean(), train.std(correction=0).expand(train.size(1))")],
    ),
    Mistake(
        "unbiased",
        "The standard deviation is divided by n − 1 under the root. Here it's n: `correction=0`.",
        [("train.std(0, correction=0)", "train.std(0)")],
    ),
    Mistake(
        "epsilon",
        "Something is added to the standard deviations. Only a constant column needs help.",
        [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1e-2")],
        other_forms=(
            [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1e-3")],
            [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1e-4")],
            [(_MEAN, "mean, std = train.mean(0), train.std(0, correction=0) + 1")],
        ),
    ),
    Mistake(
        "variance",
        "The states are divided by the variance. Divide by the standard deviation, its root.",
        [("train.std(0, correction=0)", "train.var(0, correction=0)")],
    ),
    Mistake(
        "no_bias",
        "The bias is missing: the labels aren't centred, or `b` isn't added to the scores.",
        [("b = y.mean(0)", "b = 0.0")],
        other_forms=([("scores = x_test @ w + b", "scores = x_test @ w")],),
    ),
    Mistake(
        "bias_penalised",
        "The bias is fitted as one more weight, and penalised like the others. It isn't: `b` "
        "is the mean of the rows of Y.",
        [
            (
                _SOLVE,
                "ones = torch.cat([x_train, torch.ones(len(x_train), 1)], 1)\n"
                "        whole = ones.T @ ones + penalty * torch.eye(ones.size(1))\n"
                "        w = torch.linalg.solve(whole, ones.T @ y)\n"
                "        w, b = w[:-1], w[-1]",
            )
        ],
    ),
    Mistake(
        "wrong_bias",
        "The bias is the same share for every class. It's the mean of the rows of Y, how "
        "frequent each class is among the training examples.",
        [("b = y.mean(0)", "b = 1 / num_labels")],
    ),
    Mistake(
        "bias_of_all",
        "The bias is how frequent each class is among all examples. The test examples may "
        "have no influence on it: it's the mean of the rows of Y, the training examples.",
        [("b = y.mean(0)", "b = F.one_hot(of_examples, num_labels).float().mean(0)")],
    ),
    Mistake(
        "no_penalty",
        "The penalty is missing: this is least squares without ridge. Add λ to the diagonal of "
        "XᵀX.",
        [(_EYE, f"1e-6 * {_EYE}")],
        other_forms=(
            [(_SOLVE, "w = torch.linalg.pinv(x_train) @ (y - b)")],
            [(_SOLVE, "w = torch.linalg.lstsq(x_train, y - b, driver='gelsd').solution")],
        ),
        any_error=True,
    ),
    Mistake(
        "penalty_everywhere",
        "The penalty is added to all entries of XᵀX. It belongs on the diagonal: λ times the "
        "identity.",
        [(_EYE, "penalty")],
    ),
    Mistake(
        "penalty_of_the_mean",
        "The penalty is multiplied by the number of examples, as if the squared errors were "
        "averaged. They're summed.",
        [(_EYE, f"len(x_train) * {_EYE}")],
        other_forms=(
            [(_EYE, f"len(states) * {_EYE}")],
            [(_EYE, f"{_EYE} / len(x_train)")],
        ),
    ),
    Mistake(
        "penalty_squared",
        "The penalty isn't λ itself but its square, its root, half or twice of it. It's λ "
        "times the identity.",
        [(_EYE, f"penalty * {_EYE}")],
        other_forms=(
            [(_EYE, f"2 * {_EYE}")],
            [(_EYE, f"0.5 * {_EYE}")],
            [(_EYE, "penalty**0.5 * torch.eye(x.size(1))")],
        ),
    ),
    Mistake(
        "plus_minus_one",
        "The labels are fitted as −1 and 1. One-hot labels are 0 and 1.",
        [
            (
                "y = F.one_hot(of_examples[~is_test], num_labels)",
                "y = (2 * F.one_hot(of_examples[~is_test], num_labels) - 1)",
            )
        ],
    ),
    Mistake(
        "softmaxed",
        "A softmax is applied to the scores. They are the numbers of the regression, xW + b.",
        [
            (
                "scores, accuracy = probe(labels)\n",
                "scores, accuracy = probe(labels)\n    scores = scores.softmax(1)\n",
            )
        ],
    ),
    Mistake(
        "scores_of_all",
        "The scores of all examples come back, or of the training examples. Asked for are "
        "those of the test examples.",
        [("return scores, right", "return x @ w + b, right")],
        other_forms=([("return scores, right", "return x_train @ w + b, right")],),
    ),
    Mistake(
        "scores_of_control",
        "These are the scores for the control labels. Asked for are those for the real labels.",
        [(_CONTROL_PROBE, _CONTROL_PROBE.replace("_,", "scores,"))],
    ),
    Mistake(
        "classes_of_training",
        "The number of classes is taken from the labels. Some of them may be missing there: "
        "give `F.one_hot` `num_labels`.",
        [
            (
                "y = F.one_hot(of_examples[~is_test], num_labels)",
                "y = F.one_hot(of_examples[~is_test], int(of_examples[~is_test].max()) + 1)",
            )
        ],
        other_forms=(
            [
                (
                    "y = F.one_hot(of_examples[~is_test], num_labels)",
                    "y = F.one_hot(of_examples[~is_test], int(of_examples.max()) + 1)",
                )
            ],
            [
                (
                    "y = F.one_hot(of_examples[~is_test], num_labels)",
                    "y = F.one_hot(of_examples)[~is_test]",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "constant_nan",
        "A column that is constant in the training examples gives 0/0. It becomes 0, for the "
        "test examples, too.",
        [(_STANDARD, "    x = (states - mean) / std\n")],
        any_error=True,
        points=4,
    ),
    Mistake(
        "tiny_divisor",
        "A column that is constant in the training examples is divided by something tiny (an "
        "ε, `clamp`, its own standard deviation, which is rounded and not quite 0). Its mean "
        "is rounded, so what is left of it becomes large, and so do the test examples. It "
        "becomes 0; ask its values whether it is constant.",
        [(_STANDARD, "    x = (states - mean) / (std + 1e-8)\n")],
        other_forms=(
            [(_STANDARD, "    x = (states - mean) / std.clamp(min=1e-8)\n")],
            [(_STANDARD, "    x = (states - mean) / (std + 1e-7)\n")],
            [(_STANDARD, "    x = (states - mean) / (std**2 + 1e-12).sqrt()\n")],
            [
                (
                    _MEAN,
                    "mean = train.mean(0)\n    std = (train - mean).square().mean(0).sqrt()",
                ),
                (_CONSTANT_LINE, "constant = std == 0"),
            ],
            [
                ("train = states", "states = states.double()\n    train = states"),
                (_STANDARD, "    x = ((states - mean) / (std + 1e-8)).float()\n"),
                (".to(states.dtype)", ".float()"),
            ],
            [
                ("train = states", "states = states.double()\n    train = states"),
                (_STANDARD, "    x = ((states - mean) / std.clamp(min=1e-8)).float()\n"),
                (".to(states.dtype)", ".float()"),
            ],
        ),
        points=4,
    ),
    Mistake(
        "small_is_constant",
        "A column of small numbers is taken for constant, or shrinks because something is "
        "added to its deviation. It's constant only if all of its values in the training "
        "examples are equal: compare them.",
        [(_CONSTANT_LINE, "constant = std < 1e-5")],
        other_forms=(
            [(_CONSTANT_LINE, "constant = torch.isclose(train, train[0]).all(0)")],
            [(_CONSTANT_LINE, "constant = std < 1e-6")],
            [(_CONSTANT_LINE, "constant = std < 1e-4")],
            [(_CONSTANT_LINE, "constant = train.amax(0) - train.amin(0) < 1e-6")],
        ),
        points=4,
    ),
    Mistake(
        "training_accuracy",
        "The accuracy is that of the training examples. Asked for is that of the test examples.",
        [
            (
                "right = scores.argmax(1) == of_examples[is_test]",
                "right = (x_train @ w + b).argmax(1) == of_examples[~is_test]",
            ),
        ],
        points=3,
    ),
    Mistake(
        "accuracy_of_all",
        "The accuracy is that of all examples, training included. Asked for is that of the "
        "test examples.",
        [
            (
                "right = scores.argmax(1) == of_examples[is_test]",
                "right = (x @ w + b).argmax(1) == of_examples",
            ),
        ],
        points=3,
    ),
    Mistake(
        "mean_over_classes",
        "The accuracies are averages over the classes, so that an example of a rare class "
        "counts more. An accuracy is the share of all test examples that are right.",
        [
            (
                "return scores, right.float().mean()",
                "own = of_examples[is_test]\n"
                "        shares = [right[own == c].float().mean() for c in own.unique()]\n"
                "        return scores, torch.stack(shares).mean()",
            )
        ],
        points=3,
    ),
    Mistake(
        "number_right",
        "These are numbers of examples, or percents. An accuracy is a share, from 0 to 1.",
        [(_ACCURACY_LINE, "right.float().sum()")],
        other_forms=([(_ACCURACY_LINE, "100 * right.float().mean()")],),
        points=3,
    ),
    Mistake(
        "control_by_label",
        "The control gives each *class* a random label. It's each word *type* that gets one: "
        "`control_labels[word_ids]`.",
        [(_CONTROL_PROBE, "_, control = probe(control_labels[labels])")],
        points=4,
    ),
    Mistake(
        "control_by_example",
        "The control's labels aren't those of the words: `control_labels` has one label for "
        "each word type, and an example gets that of its word, `control_labels[word_ids]`.",
        [
            (
                _CONTROL_PROBE,
                "times = -(-len(states) // len(control_labels))\n"
                "    _, control = probe(control_labels.repeat(times)[: len(states)])",
            )
        ],
        points=4,
    ),
    Mistake(
        "control_shuffled",
        "The control's labels are the real ones, shuffled or shifted among the examples. Then "
        "one word has different labels, which can't be memorised; each word *type* has "
        "its label in `control_labels`.",
        [(_CONTROL_PROBE, "_, control = probe(labels.flip(0))")],
        other_forms=([(_CONTROL_PROBE, "_, control = probe(labels.roll(1))")],),
        points=4,
    ),
    Mistake(
        "control_not_trained",
        "The probe that was trained for the real labels is tested with the control labels. "
        "Train a second one for the control.",
        [
            (
                _CONTROL_PROBE,
                "control = (scores.argmax(1) == control_labels[word_ids][is_test]).float().mean()",
            )
        ],
        points=4,
    ),
    Mistake(
        "control_on_labels",
        "The probe that was trained for the control labels is tested with the real ones. It's "
        "tested with the control labels, too: how well does it know *them*?",
        [
            (
                _CONTROL_PROBE,
                "others, _ = probe(control_labels[word_ids])\n"
                "    control = (others.argmax(1) == labels[is_test]).float().mean()",
            )
        ],
        points=4,
    ),
    Mistake(
        "control_on_training",
        "The control's accuracy is that of the training examples. It's that of the test "
        "examples, as for the real labels.",
        [
            (
                _ACCURACY_LINE,
                "(right if of_examples is labels else (x_train @ w + b).argmax(1) == "
                "of_examples[~is_test]).float().mean()",
            )
        ],
        points=4,
    ),
    Mistake(
        "control_on_seen_words",
        "The control's accuracy leaves out test examples whose word isn't among the training "
        "examples. All test examples count, as they do for the first accuracy.",
        [
            (
                _CONTROL_PROBE,
                "others, _ = probe(control_labels[word_ids])\n"
                "    right = others.argmax(1) == control_labels[word_ids][is_test]\n"
                "    seen = torch.isin(word_ids[is_test], word_ids[~is_test])\n"
                "    control = right[seen].float().mean()",
            )
        ],
        points=4,
    ),
    Mistake(
        "control_by_type",
        "The control's accuracy is an average over the word types, so that a rare word counts "
        "as much as a frequent one. It's the share of all test examples that are right.",
        [
            (
                _CONTROL_PROBE,
                "others, _ = probe(control_labels[word_ids])\n"
                "    right = others.argmax(1) == control_labels[word_ids][is_test]\n"
                "    own = word_ids[is_test]\n"
                "    shares = [right[own == w].float().mean() for w in own.unique()]\n"
                "    control = torch.stack(shares).mean()",
            )
        ],
        points=4,
    ),
    Mistake(
        "selectivity_turned",
        "The selectivity has the wrong sign: it's the accuracy minus that of the control.",
        [(_RESULT, "torch.stack([accuracy, control, control - accuracy])")],
        points=4,
    ),
    Mistake(
        "ratio",
        "The selectivity is a quotient here. It's a difference: the accuracy minus that of the "
        "control.",
        [(_RESULT, "torch.stack([accuracy, control, accuracy / control])")],
        points=4,
    ),
    Mistake(
        "selectivity_without_sign",
        "The selectivity has lost its sign. If the control does better, it's negative.",
        [(_RESULT, "torch.stack([accuracy, control, (accuracy - control).abs()])")],
        other_forms=(
            [(_RESULT, "torch.stack([accuracy, control, (accuracy - control).clamp(min=0)])")],
        ),
        points=4,
    ),
    Mistake(
        "no_control",
        "The control is missing: `accuracies` has three entries.",
        [(_RESULT, "accuracy[None]")],
        points=3,
    ),
    Mistake(
        "pair_exchanged",
        "The two results come back in the wrong order: `(scores, accuracies)`.",
        [(f"return scores, {_RESULT}", f"return {_RESULT}, scores")],
    ),
    changed_in_place(
        "states",
        [("    gram =", "    states[~is_test] = x_train\n    gram =")],
    ),
    kept_name("num_labels, penalty", "x_train", "    gram ="),
)
