"""Exercise 3: activation patching that leaves no trace."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import torch
from torch import Tensor

from grading.content.drawing import draw_integer, one_of
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import PATCHING
from grading.content.looking_inside.shared import normal
from grading.exercise import Case, Part, Question


def patched_output(model, clean, corrupted, name, positions, answers):
    """The logits of the patched run, and the recovered share of the difference."""
    part = model.get_submodule(name)
    kept = []

    def first_of(output):
        return output[0] if isinstance(output, tuple) else output

    def keep(module, inputs, output):
        kept.append(first_of(output).clone())

    def replace(module, inputs, output):
        patched = first_of(output).clone()
        places = range(patched.size(1)) if positions is None else positions
        for place in places:
            patched[:, place] = kept[0][:, place]
        return (patched, *output[1:]) if isinstance(output, tuple) else patched

    def run(input_ids, hook):
        handle = part.register_forward_hook(hook)
        try:
            return model(input_ids)
        finally:
            handle.remove()

    def difference(logits):
        right, wrong = logits[:, -1].gather(1, answers).unbind(1)
        return right - wrong

    logits = run(clean, keep), model(corrupted), run(corrupted, replace)
    d_clean, d_corrupted, d_patched = map(difference, logits)
    recovered = (d_patched - d_corrupted) / (d_clean - d_corrupted)
    return logits[2], recovered


def _weights(generator: torch.Generator, vocab: int, hidden: int) -> Tensor:
    """All weights of a model in one row, such that each part matters."""
    found = []
    for name, parameter in harnesses._Decoder(vocab, hidden).named_parameters():
        size = 1.3 if parameter.dim() == 1 or name == "embedding.weight" else 1.3 / hidden**0.5
        found.append(normal(generator, parameter.numel(), size=size))
    return torch.cat(found)


def _patching_cases(generator: torch.Generator) -> list[Case]:
    names = ("init", "weights", "clean", "corrupted", "name", "positions", "answers")

    def texts(batch, tokens, vocab):
        """A clean and a corrupted text, different at positions 0 to 2."""
        clean = torch.randint(vocab, (batch, tokens), generator=generator)
        other = clean.clone()
        shift = torch.randint(1, vocab, (batch, 3), generator=generator)
        other[:, :3] = (clean[:, :3] + shift) % vocab
        answers = torch.stack(
            [torch.randperm(vocab, generator=generator)[:2] for _ in range(batch)]
        )
        return clean, other, answers

    def draw(name, positions, sizes=(2, 7), in_place=False, model=None, shares=False):
        """Arguments for which all runs differ, with other weights than those of other cases."""
        vocab, hidden = draw_integer(generator, 10, 12), one_of(generator, 4, 6)
        for _ in range(2000):
            init, weights = model or ([vocab, hidden, in_place], _weights(generator, vocab, hidden))
            clean, corrupted, answers = texts(*sizes, init[0])
            arguments = [init, weights, clean, corrupted, name, positions, answers]
            if _is_telling(arguments, shares):
                return arguments
        raise ValueError("No texts were found on which the runs differ.")

    def case(title, part, arguments, harness=harnesses.patched_logits, **options):
        pairs = tuple(zip((*names, "training", "fails"), arguments, strict=False))
        return Case(title, part, pairs, harness=harness, **options)

    def failing(arguments, place):
        """The same with an id that the embedding lacks in one of the texts."""
        found = list(arguments)
        found[place] = found[place].clone()
        found[place][0, -1] = found[0][0] + 3
        return found

    def shares(name, *more):
        found = draw(name, *more, shares=True)
        return case(f"recovered, `{name}`", "recovered", found, harnesses.recovered_share)

    def small(drawn):
        """The same with logits so small that 1e-5 added to the difference below shows."""
        init, weights, *texts, _, _, answers = (value for _, value in drawn.arguments)
        with torch.no_grad():
            whole = _whole(map(harnesses._decoder(init, weights), texts), answers)
        weights[-init[0] * init[1] :] *= 0.31 / float(whole.abs())  # those of the head
        return drawn

    traces = harnesses.traces
    again = draw("layers.0.feed_forward", [4, 1, 6], (3, 8))
    other = draw("layers.0.feed_forward", [4, 1, 6], (3, 8), model=again[:2])
    while not _is_telling(
        anew := [again[0], _weights(generator, *again[0][:2]), *again[2:]], False
    ):
        pass
    left = draw("layers.0.feed_forward", [1, 3])
    mixed = ["layers.0.feed_forward", "layers.0.feed_forward.1", "head"]
    most = [name for name, _ in harnesses._Decoder(2, 2).named_modules() if name not in mixed]
    inner = draw(one_of(generator, "layers.0.feed_forward.0", "layers.1.feed_forward.0"), [4, 2])
    return [
        case(
            "a layer, one position",
            "core",
            draw("layers.1", [draw_integer(generator, 2, 5)], (3, 6)),
        ),
        case("the embedding, the first position", "core", draw("embedding", [0], (2, 5))),
        case("a part of a part", "core", inner),
        case(
            "three positions, called again with other texts, and another model",
            "core",
            again,
            again=(tuple(other), tuple(anew)),
        ),
        case("a tuple", "kinds", draw("layers.0.attention", [2, 3], (3, 7))),
        case("all positions", "kinds", draw("layers.0.feed_forward", None)),
        case(
            "all positions of a tuple, a model that works in place",
            "kinds",
            draw("layers.1.attention", None, (2, 5), True),
        ),
        case("no position", "kinds", draw("layers.0.feed_forward", [])),
        case("a model that works in place", "kinds", draw("layers.0", [1, 2], (2, 7), True)),
        shares("layers.0.feed_forward", [1, 2], (3, 6)),
        shares("layers.1.feed_forward", [2, 5], (4, 6)),
        small(shares("layers.0", [2], (1, 5))),
        case("what is left behind", "trace", [*left, most, False], traces),
        case("what is left behind, other modes", "trace", [*left, mixed, False], traces),
        case("what is left if a run fails", "trace", [*failing(left, 2), mixed, True], traces),
        case(
            "what is left if a later run fails", "trace", [*failing(left, 3), mixed, True], traces
        ),
    ]


def _is_telling(arguments: list, shares: bool) -> bool:
    """Whether the patch changes something, and, if asked for, each row's share in its own way."""
    init, weights, clean, corrupted, name, positions, answers = arguments
    with torch.no_grad():
        model = harnesses._decoder(init, weights)
        patched, share = patched_output(model, clean, corrupted, name, positions, answers)
        runs = [model(clean), model(corrupted)]
        if positions != [] and float((patched - runs[1]).abs().amax((1, 2)).min()) < 0.05:
            return False
        whole = _whole(runs, answers)
        large = float(whole.abs().min()) > 0.3
        parts = torch.cat([whole, whole * share[:, None]], dim=1)  # what is below and above
        signs = len(whole) == 1 or bool((parts.amin(0) < 0).all() and (parts.amax(0) > 0).all())
        return large and (not shares or (signs and _are_various(share)))


def _whole(runs: Iterable[Tensor], answers: Tensor) -> Tensor:
    """By how much the difference of the logits differs between the two runs, [batch, 1]."""
    clean, corrupted = (run[:, -1].gather(1, answers).diff(dim=1) for run in runs)
    return clean - corrupted


def _are_various(share: Tensor) -> bool:
    """Whether shares are far from one another, from 0 and 1, and some lie outside of both."""
    ordered = torch.cat([share, torch.tensor([0.0, 1.0])]).sort().values
    outside = float(share.min()) < 0 or float(share.max()) > 1
    outside = outside and (len(share) > 1 or float(share.abs()) > 1)
    return outside and float(ordered.diff().min()) > 0.02 and float(share.abs().max()) < 20


def _by_forward(model, clean, corrupted, name, positions, answers):
    """Without hooks: the part's `forward` is replaced for a while."""
    part, kept = model.get_submodule(name), {}
    own = part.forward

    def keeping(*inputs):
        output = own(*inputs)
        kept["clean"] = (output[0] if isinstance(output, tuple) else output).detach().clone()
        return output

    def patching(*inputs):
        output = own(*inputs)
        values = output[0] if isinstance(output, tuple) else output
        chosen = torch.zeros(values.size(1), dtype=torch.bool)
        chosen[slice(None) if positions is None else positions] = True
        values = torch.where(chosen[:, None], kept["clean"], values)
        return (values, *output[1:]) if isinstance(output, tuple) else values

    def run(ids, forward):
        part.forward = forward
        try:
            return model(ids)
        finally:
            del part.forward

    with torch.no_grad():
        runs = torch.stack([run(clean, keeping), model(corrupted), run(corrupted, patching)])
    rows = torch.arange(len(answers))
    d = runs[:, rows, -1, answers[:, 0]] - runs[:, rows, -1, answers[:, 1]]
    return runs[2], (d[2] - d[1]) / (d[0] - d[1])


def _on_a_copy(model, clean, corrupted, name, positions, answers):
    """All on a copy of the model, of which nobody sees a trace."""
    places = list(range(clean.size(1))) if positions is None else positions
    found = []
    one, other = copy.deepcopy(model), copy.deepcopy(model)

    def keep(module, inputs, output):
        found.append(copy.deepcopy(output[0].data if type(output) is tuple else output.data))

    def patch(module, inputs, output):
        target = output[0] if type(output) is tuple else output
        target.data[:, places] = found[0][:, places]

    one.get_submodule(name).register_forward_hook(keep)
    other.get_submodule(name).register_forward_hook(patch)
    runs = [one(clean), model(corrupted), other(corrupted)]
    d = [torch.log_softmax(run[:, -1], -1).gather(1, answers).diff(dim=1)[:, 0] for run in runs]
    return runs[2], (d[1] - d[2]) / (d[1] - d[0])


def _with_context(model, clean, corrupted, name, positions, answers):
    """Hooks in one `with`, a mask of positions, one row after the other for the shares."""
    part, store = dict(model.named_modules())[name], {}

    class Hooked:
        def __init__(self, hook):
            self.hook = hook

        def __enter__(self):
            self.handle = part.register_forward_hook(self.hook)

        def __exit__(self, *error):
            self.handle.remove()

    def record(_, __, output):
        store["first"] = output[0].clone() if isinstance(output, tuple) else output.clone()

    def overwrite(_, __, output):
        first = output[0] if isinstance(output, tuple) else output
        new = [
            store["first"][:, t] if positions is None or t in positions else first[:, t]
            for t in range(first.size(1))
        ]
        new = torch.stack(new, dim=1)
        return (new, *output[1:]) if isinstance(output, tuple) else new

    with Hooked(record):
        logits_clean = model(clean)
    logits_corrupted = model(corrupted)
    with Hooked(overwrite):
        logits = model(corrupted)
    shares = []
    for row, (right, wrong) in enumerate(answers.tolist()):
        c, x, p = (
            run[row, -1, right] - run[row, -1, wrong]
            for run in (logits_clean, logits_corrupted, logits)
        )
        shares.append((p - x) / (c - x))
    return logits, torch.stack(shares)


QUESTION = Question(
    id="patched_output",
    title="One piece of one run inside another",
    signature="patched_output(model, clean, corrupted, name, positions, answers)",
    reference=patched_output,
    cases=_patching_cases,
    parts=(
        Part("core", "logits, where the part's output is a tensor", 2),
        Part("kinds", "tuples, all positions and none, models that work in place", 1),
        Part("recovered", "the recovered share", 1),
        Part("trace", "no trace is left", 1),
    ),
    minutes=30,
    difficulty=3,
    draws=3,
    section=PATCHING,
    alternatives={
        "another forward for a while": _by_forward,
        "on a copy": _on_a_copy,
        "hooks in a with statement": _with_context,
    },
)
