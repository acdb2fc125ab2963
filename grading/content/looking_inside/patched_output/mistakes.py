"""The known mistakes of `patched_output`."""

from __future__ import annotations

from grading.content.common import kept
from grading.exercise import Mistake

_RUNS = "run(clean, keep), model(corrupted), run(corrupted, replace)"
_PLACES = "range(patched.size(1)) if positions is None else positions"
_RETURN = "return (patched, *output[1:]) if isinstance(output, tuple) else patched"
_SAFE = (
    "        try:\n"
    "            return model(input_ids)\n"
    "        finally:\n"
    "            handle.remove()\n"
)
_UNSAFE = "        output = model(input_ids)\n        handle.remove()\n        return output\n"
_SHARE = "(d_patched - d_corrupted) / (d_clean - d_corrupted)"
_LAST = "logits[:, -1].gather(1, answers)"
_OF_MEANS = (
    "((d_patched - d_corrupted).mean() / (d_clean - d_corrupted).mean()).expand(len(answers))"
)


COMBINED = (
    "exchanged",
    "all_places",
    "tuple_unexpected",
    "empty_is_all",
    "by_reference",
    "hooks_left_on_error",
    "no_baseline",
)

MISTAKES = (
    Mistake(
        "exchanged",
        "The runs are exchanged: a piece of the corrupted run is put into the clean one. Keep "
        "the output of the clean run, and let the model read the *corrupted* text with it.",
        [(_RUNS, "model(clean), run(corrupted, keep), run(clean, replace)")],
    ),
    Mistake(
        "all_places",
        "The output is replaced at all positions; only those in `positions` are asked for.",
        [(_PLACES, "range(patched.size(1))")],
    ),
    Mistake(
        "other_places",
        "The output is replaced at all positions *but* those in `positions`. It's these that "
        "are to be replaced.",
        [
            (
                _PLACES,
                "[p for p in range(patched.size(1)) if p not in (positions or [])]",
            )
        ],
    ),
    Mistake(
        "whole_range",
        "Everything from the first to the last of the positions is replaced. Only the "
        "positions themselves are meant; others may be between them.",
        [
            (
                _PLACES,
                "range(patched.size(1)) if positions is None else "
                "range(min(positions, default=0), max(positions, default=-1) + 1)",
            )
        ],
    ),
    Mistake(
        "one_position",
        "Only one of the positions is replaced. All of them are to be.",
        [(_PLACES, "range(patched.size(1)) if positions is None else positions[:1]")],
        other_forms=(
            [(_PLACES, "range(patched.size(1)) if positions is None else positions[-1:]")],
        ),
    ),
    Mistake(
        "input_patched",
        "What goes *into* the part is replaced. Asked for is its output: a forward hook, not a "
        "pre-hook.",
        [
            (
                "part.register_forward_hook(hook)",
                "part.register_forward_pre_hook(lambda m, i: hook(m, None, i))",
            )
        ],
        any_error=True,
    ),
    Mistake(
        "from_the_end",
        "`positions` are counted from the end of the text. They're counted from 0 at its "
        "beginning.",
        [
            (
                "patched[:, place] = kept[0][:, place]",
                "patched[:, -1 - place] = kept[0][:, -1 - place]",
            )
        ],
    ),
    Mistake(
        "rows",
        "`positions` pick rows of the batch. They are positions in the text, axis 1, in every row.",
        [("patched[:, place] = kept[0][:, place]", "patched[place] = kept[0][place]")],
        any_error=True,
    ),
    Mistake(
        "columns",
        "`positions` pick columns of the states, the last axis. They are positions in the "
        "text, axis 1.",
        [
            (
                "patched[:, place] = kept[0][:, place]",
                "patched[..., place] = kept[0][..., place]",
            )
        ],
        any_error=True,
    ),
    Mistake(
        "first_row",
        "Only the first row of the batch is patched. `positions` hold for every row.",
        [("patched[:, place] = kept[0][:, place]", "patched[0, place] = kept[0][0, place]")],
    ),
    Mistake(
        "nothing_returned",
        "The patch has no effect: these are the logits of the corrupted run. Does your hook "
        "*return* the tensor that it changed? And is what you keep still the output for the "
        "clean text, or has a hook that is left in place kept the next one?",
        [(_RETURN, "return None")],
    ),
    Mistake(
        "clean_logits",
        "These are the logits of the clean run. Asked for are those of the patched one.",
        [("return logits[2]", "return logits[0]")],
    ),
    Mistake(
        "corrupted_logits",
        "These are the logits of the corrupted run without the patch.",
        [("return logits[2]", "return logits[1]")],
    ),
    Mistake(
        "added",
        "The clean output is added to that of the corrupted run. It takes its place.",
        [("patched[:, place] = kept", "patched[:, place] += kept")],
    ),
    Mistake(
        "set_to_zero",
        "The output is replaced with zeros. That's ablation; patching puts the output of the "
        "clean run there.",
        [("= kept[0][:, place]", "= 0.0")],
    ),
    Mistake(
        "averaged_places",
        "The output is replaced with the mean of the clean run over the positions. Each "
        "position gets the clean output at the same position.",
        [("= kept[0][:, place]", "= kept[0].mean(1)")],
    ),
    Mistake(
        "first_of_clean",
        "The first positions of the clean run are put at those in `positions`. Each position "
        "gets the clean output at the same position.",
        [
            ("for place in places:", "for number, place in enumerate(places):"),
            ("= kept[0][:, place]", "= kept[0][:, number]"),
        ],
    ),
    Mistake(
        "other_part",
        "Another part is patched, one whose name ends or begins alike. `name` is the whole "
        "name: `model.get_submodule(name)`.",
        [
            (
                "model.get_submodule(name)",
                "next(m for n, m in model.named_modules() if n.endswith(name.split('.')[-1]))",
            )
        ],
        other_forms=(
            [
                (
                    "model.get_submodule(name)",
                    "[m for n, m in model.named_modules() if n.endswith(name.split('.')[-1])][-1]",
                )
            ],
            [
                (
                    "model.get_submodule(name)",
                    "[m for n, m in model.named_modules() if n.startswith(name)][-1]",
                )
            ],
            [
                (
                    "model.get_submodule(name)",
                    "model.get_submodule(name.rpartition('.')[0] or name)",
                )
            ],
        ),
        any_error=True,
    ),
    Mistake(
        "top_level_only",
        "The part is looked for among the model's own attributes only. A name with dots leads "
        "through its parts: `model.get_submodule(name)`.",
        [("model.get_submodule(name)", "getattr(model, name)")],
        any_error=True,
    ),
    Mistake(
        "tuple_lost",
        "Where the part's output is a tuple, the hook returns a tensor alone, and the model "
        "takes its *rows* for the entries of the tuple. Return a tuple with the patched "
        "tensor in front.",
        [(_RETURN, "return patched")],
        any_error=True,
        points=4,
    ),
    Mistake(
        "tuple_shortened",
        "Where the part's output is a tuple, its other entries are lost, all or some. They "
        "stay as they are, however many there are.",
        [(_RETURN, "return (patched,) if isinstance(output, tuple) else patched")],
        other_forms=(
            [
                (
                    _RETURN,
                    "return (patched, output[1]) if isinstance(output, tuple) else patched",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "whole_tuple",
        "Where the part's output is a tuple, all of its entries are those of the clean run. "
        "Only the first is replaced; the others stay as they are.",
        [
            ("        kept.append(", "        kept[:] = [None, output]\n        kept[0] = ("),
            (_RETURN, _RETURN.replace("*output[1:]", "*kept[1][1:]")),
        ],
        other_forms=(
            [
                (
                    "        kept.append(",
                    "        kept[:] = [None, output]\n        kept[0] = (",
                ),
                (
                    _RETURN,
                    "rest = kept[1] if positions is None else output\n        "
                    + _RETURN.replace("*output[1:]", "*rest[1:]"),
                ),
            ],
        ),
        points=4,
    ),
    Mistake(
        "tuple_unexpected",
        "A part whose output is a tuple, such as attention, isn't provided for. Its first "
        "entry is the tensor.",
        [("output[0] if isinstance(output, tuple) else output", "output")],
        other_forms=(
            [("kept.append(first_of(output).clone())", "kept.append(output[:, :].clone())")],
        ),
        points=4,
    ),
    Mistake(
        "none_unexpected",
        "`positions` may be None, for all positions. That isn't provided for.",
        [(_PLACES, "positions")],
        any_error=True,
        points=4,
    ),
    Mistake(
        "none_is_nothing",
        "With `positions=None` nothing is replaced. None means all positions, and an empty "
        "list none.",
        [(_PLACES, "positions or []")],
        points=4,
    ),
    Mistake(
        "empty_is_all",
        "An empty list of positions is taken for None, and everything is replaced. An empty "
        "list is false, too: ask `positions is None`.",
        [(_PLACES, "positions or range(patched.size(1))")],
        points=4,
    ),
    Mistake(
        "by_reference",
        "What is kept of the clean run is the tensor that the model goes on to change. "
        "`detach()` makes no copy either; `clone()` does.",
        [("kept.append(first_of(output).clone())", "kept.append(first_of(output))")],
        equivalent=(
            [
                (
                    "kept.append(first_of(output).clone())",
                    "kept.append(first_of(output).detach())",
                )
            ],
        ),
        other_forms=(
            [
                (
                    "kept.append(first_of(output).clone())",
                    "kept.append(output[0] if isinstance(output, tuple) else output.clone())",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "no_baseline",
        "What the corrupted run gives anyway isn't subtracted: `recovered` is 0 if the patch "
        "does nothing, so subtract `d corrupted` above and below.",
        [(_SHARE, "d_patched / d_clean")],
        other_forms=(
            [(_SHARE, "(d_patched - d_corrupted) / d_clean")],
            [(_SHARE, "d_patched / (d_clean - d_corrupted)")],
        ),
        points=4,
    ),
    Mistake(
        "rest",
        "This is the share that is *not* recovered: 1 where the patch does nothing.",
        [(_SHARE, "(d_clean - d_patched) / (d_clean - d_corrupted)")],
        points=4,
    ),
    Mistake(
        "sign",
        "The sign of the recovered share is wrong: above and below, the corrupted run is what "
        "is subtracted.",
        [(_SHARE, "(d_corrupted - d_patched) / (d_clean - d_corrupted)")],
        points=4,
    ),
    Mistake(
        "inverted",
        "The fraction stands on its head. What the patch changes is above, the whole "
        "difference between the clean and the corrupted run below.",
        [(_SHARE, "(d_clean - d_corrupted) / (d_patched - d_corrupted)")],
        points=4,
    ),
    Mistake(
        "not_divided",
        "This is how much the patch changes the difference of the logits. Divide it by the "
        "whole way from the corrupted to the clean run.",
        [(_SHARE, "d_patched - d_corrupted")],
        points=4,
    ),
    Mistake(
        "probabilities",
        "The differences are differences of probabilities. Take the logits.",
        [(_LAST, "logits[:, -1].softmax(-1).gather(1, answers)")],
        points=4,
    ),
    Mistake(
        "one_answer",
        "Only the logit of the first answer is used. Subtract that of the second: a logit "
        "alone also moves when all logits of its row do.",
        [("return right - wrong", "return right")],
        points=4,
    ),
    Mistake(
        "other_place",
        "The logits aren't read at the last position of the text. The difference belongs to "
        "what the model says there, wherever the patch is.",
        [(_LAST, "logits[:, 0].gather(1, answers)")],
        other_forms=(
            [(_LAST, "logits.mean(1).gather(1, answers)")],
            [(_LAST, "logits[:, positions[-1] if positions else -1].gather(1, answers)")],
            [(_LAST, "logits[:, positions[0] if positions else -1].gather(1, answers)")],
            [(_LAST, "logits[:, -2].gather(1, answers)")],
        ),
        any_error=True,
        points=4,
    ),
    Mistake(
        "first_answers",
        "The answers of the first row are taken for all rows. Each row has its own two.",
        [(_LAST, "logits[:, -1].gather(1, answers[:1].expand(len(logits), 2))")],
        points=4,
    ),
    Mistake(
        "divisor_above_0",
        "The difference below is kept above 0 or has lost its sign. It's negative where the "
        "corrupted text speaks more for the clean answer than the clean text does: divide by "
        "it as it is.",
        [(_SHARE, "(d_patched - d_corrupted) / (d_clean - d_corrupted).clamp(min=1e-6)")],
        other_forms=(
            [(_SHARE, "(d_patched - d_corrupted) / (d_clean - d_corrupted).clamp(min=1e-8)")],
            [(_SHARE, "(d_patched - d_corrupted) / (d_clean - d_corrupted).abs()")],
        ),
        points=4,
    ),
    Mistake(
        "guarded",
        "Something small is added to the difference below, which changes the share. It's never "
        "0: divide by it as it is.",
        [(_SHARE, "(d_patched - d_corrupted) / (d_clean - d_corrupted + 1e-5)")],
        other_forms=(
            [(_SHARE, "(d_patched - d_corrupted) / (d_clean - d_corrupted + 1e-3)")],
            [(_SHARE, "(d_patched - d_corrupted) / (d_clean - d_corrupted + 1e-4)")],
        ),
        points=4,
    ),
    Mistake(
        "one_share",
        "There is one share, or one divisor, for the whole batch. Each row has its own: "
        "`recovered` is `[batch]`, and no difference is averaged over the rows.",
        [("return logits[2], recovered", "return logits[2], recovered.mean()")],
        other_forms=(
            [(_SHARE, "(d_patched - d_corrupted).mean() / (d_clean - d_corrupted).mean()")],
            [(_SHARE, _OF_MEANS)],
            [(_SHARE, "(d_patched - d_corrupted) / (d_clean - d_corrupted).mean()")],
        ),
        points=4,
    ),
    Mistake(
        "axis_kept",
        "`recovered` has an axis of length 1 too many; it is `[batch]`.",
        [("return logits[2], recovered", "return logits[2], recovered[:, None]")],
        points=4,
    ),
    Mistake(
        "clamped",
        "The share is cut to lie between 0 and 1. A patch can also do harm, or overshoot.",
        [(_SHARE, f"({_SHARE}).clamp(0, 1)")],
        points=4,
    ),
    Mistake(
        "absolute",
        "The share has lost its sign. A patch can also make things worse.",
        [(_SHARE, f"({_SHARE}).abs()")],
        points=4,
    ),
    Mistake(
        "last_logits",
        "Only the logits at the last position come back. Asked for are those of all positions.",
        [("return logits[2]", "return logits[2][:, -1]")],
    ),
    Mistake(
        "only_logits",
        "Only the logits come back. Asked for are two results, `(logits, recovered)`.",
        [("return logits[2], recovered", "return logits[2]")],
    ),
    Mistake(
        "pair_exchanged",
        "The two results come back in the wrong order: `(logits, recovered)`.",
        [("return logits[2], recovered", "return recovered, logits[2]")],
    ),
    Mistake(
        "hooks_left",
        "Hooks are left on the model, and the next one who uses it gets your patch. "
        "`register_forward_hook` gives a handle; call its `remove()`.",
        [("            handle.remove()\n", "            pass\n")],
        points=4,
    ),
    Mistake(
        "last_hook_left",
        "The hook that patches is left on the model, and the next one who uses it gets your "
        "patch. Each handle needs its `remove()`.",
        [
            (
                "            handle.remove()\n",
                "            if hook is not replace:\n                handle.remove()\n",
            )
        ],
        points=4,
    ),
    Mistake(
        "all_hooks_removed",
        "All hooks of the part are removed, others' too. Remove your own, with its handle.",
        [("            handle.remove()\n", "            part._forward_hooks.clear()\n")],
        points=4,
    ),
    Mistake(
        "forward_left",
        "The part is left with an attribute `forward` of its own: to assign the old method "
        "doesn't take it away, `del part.forward` does. (A hook needs no other `forward`.)",
        [
            (
                "            handle.remove()\n",
                "            handle.remove()\n            part.forward = part.forward\n",
            )
        ],
        points=4,
    ),
    Mistake(
        "attribute_left",
        "What is kept of the clean run stays on the part, as an attribute. Keep it in a "
        "variable of your function.",
        [
            (
                "    def keep(module, inputs, output):\n",
                "    def keep(module, inputs, output):\n"
                "        module.clean_output = first_of(output)\n",
            )
        ],
        other_forms=(
            [
                (
                    "    def keep(module, inputs, output):\n",
                    "    def keep(module, inputs, output):\n"
                    "        model.clean_output = first_of(output)\n",
                )
            ],
        ),
        points=4,
    ),
    Mistake(
        "requires_grad",
        "Whether weights require gradients isn't what it was: those that did need to again, "
        "those that didn't must not. `torch.no_grad()` leaves the weights alone.",
        [("    kept = []\n", "    kept = []\n    model.requires_grad_(False)\n")],
        other_forms=(
            [
                ("    kept = []\n", "    kept = []\n    model.requires_grad_(False)\n"),
                ("    recovered =", "    model.requires_grad_(True)\n    recovered ="),
            ],
        ),
        points=4,
    ),
    Mistake(
        "hooks_left_on_error",
        "If a run fails, its hook stays on the model: the line that removes it isn't reached. "
        "Put it into a `finally`.",
        [(_SAFE, _UNSAFE)],
        other_forms=(
            [
                (_SAFE, _UNSAFE),
                (
                    f"logits = {_RUNS}",
                    "c, p, x = run(clean, keep), run(corrupted, replace), model(corrupted)\n"
                    "    logits = c, x, p",
                ),
            ],
        ),
        points=4,
    ),
    Mistake(
        "evaluation_mode",
        "The model is left in evaluation mode. The mode of each of its parts must be what it "
        "was; leave it alone.",
        [("    kept = []\n", "    kept = []\n    model.eval()\n")],
        points=4,
    ),
    Mistake(
        "training_mode",
        "The model is left in training mode. The mode of each of its parts must be what it "
        "was; leave it alone.",
        [("    recovered =", "    model.train()\n    recovered =")],
        other_forms=(
            [
                ("    kept = []\n", "    kept = []\n    model.eval()\n"),
                ("    recovered =", "    model.train()\n    recovered ="),
            ],
        ),
        points=4,
    ),
    Mistake(
        "mode_of_the_whole",
        "The mode of the model as a whole is restored, but its parts needn't all be in the "
        "same mode: `train(mode)` sets every one of them. Leave the modes alone.",
        [
            ("    kept = []\n", "    kept = []\n    was = model.training\n    model.eval()\n"),
            ("    recovered =", "    model.train(was)\n    recovered ="),
        ],
        points=4,
    ),
    Mistake(
        "error_swallowed",
        "An error of the model doesn't reach the caller. `try … finally` cleans up and lets it "
        "through; `except` stops it.",
        [
            (
                "    logits = run(clean, keep), model(corrupted), run(corrupted, replace)\n",
                "    try:\n"
                "        logits = run(clean, keep), model(corrupted), run(corrupted, replace)\n"
                "    except Exception:\n"
                "        return None, None\n",
            )
        ],
        points=4,
    ),
    kept(
        [
            ("positions, answers):", "positions, answers, kept=[]):"),
            ("    kept = []\n", ""),
        ],
        other_forms=(
            [
                ("positions, answers):", "positions, answers, known={}):"),
                (
                    "kept.append(first_of(output).clone())",
                    "kept.append(known.setdefault(name, first_of(output).clone()))",
                ),
            ],
        ),
        any_error=True,
    ),
)
