"""What an exercise is: a question, and a bank of the mistakes that are known of it.

The content modules describe exercises with these classes. :class:`DrawnExercise` turns a
description and a seed into the plain record that :func:`grading.check.grade_outcomes` compares
outcomes with. Public and hidden cases come from the same generator with different seeds.
"""

from __future__ import annotations

import hmac
import importlib.util
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import torch

from grading import check
from grading.check.values import Tensors, from_tree, to_tree
from grading.exercise.edits import EditError, Edits, defined_by, edited, source_of

PUBLIC_SEED = 0


@dataclass(frozen=True)
class Part:
    """A share of an exercise's points; the first part is the core, the others build on it."""

    id: str
    title: str
    points: int


@dataclass(frozen=True)
class Case:
    """One call of the student's function.

    Attributes:
        title: what is special about this case, for the student.
        part: the part whose points it decides.
        arguments: ``(name, value)`` in the order of the signature; trailing ones may be left out.
        strided: pass tensors that are transposed views, on which ``view`` fails.
        gradient: compare the gradients for the floating point tensors in the arguments, too.
        again: values of the arguments for further calls, of the same shapes; then the first is made
            once more, and all results are compared: what is kept from an earlier call shows.
        repeats: the harness does that itself: it gives a list of the results of several calls, the
            last of which is the first made again.
        harness: called in the student's kernel with the student's object and the arguments, where
            that object is no function to be called once: a class, a test, a cache. One of
            :mod:`grading.check` or of the assignment's ``harnesses`` module, which is released. Its
            :func:`judge_of` makes of what it brings the value that is compared, elsewhere.
        validator: instead of the reference: takes the returned value and gives None, or the
            identifier of a mistake and a sentence. ``wanted`` then says what is asked for.
        shown_by: if the case is a wrong version that a student's test must reject: what shows it.
        hidden: left out of the public cases.
    """

    title: str
    part: str
    arguments: tuple[tuple[str, Any], ...] = ()
    strided: bool = False
    gradient: bool = False
    again: tuple[tuple[Any, ...], ...] = ()
    repeats: bool = False
    harness: Callable[..., Any] | None = None
    validator: Callable[[Any], tuple[str, str] | None] | None = None
    wanted: str = ""
    shown_by: str = ""
    hidden: bool = False


Mutation = Edits | Callable[..., Any]  # edits of the reference's text, or another algorithm


@dataclass(frozen=True)
class Mistake:
    """A wrong program that students hand in, and the sentence that tells them.

    Attributes:
        id: a name for reports, such as ``no_scale``.
        message: one or two sentences: what was done, and what it should be.
        mutation: edits of the reference, such as ``[("keep & allowed", "keep | allowed")]``; or,
            where the mistake is another algorithm, a function with the exercise's signature.
        equivalent: other mutations that no output can tell from it; ``message`` is true of them,
            too.
        other_forms: other ways to make the same mistake, whose results differ; they get the same
            message, so it must be true of each.
        points: what it earns; 0 unless it is right about the core and wrong about another part.
        section: what to read again, if it is not the exercise's section.
        any_error: where it raises, any error is a sign of it, not only the one raised here.
        by_bug: it is a bug hunt with some of its bugs left and nothing else wrong; then ``points``
            is what it earns, one for each bug that is gone, whatever the parts say.
    """

    id: str
    message: str
    mutation: Mutation
    points: int = 0
    section: str = ""
    equivalent: tuple[Mutation, ...] = ()
    other_forms: tuple[Mutation, ...] = ()
    any_error: bool = False
    by_bug: bool = False


Bugs = Mapping[str, tuple[str, Edits]]  # why each is one, and how it comes back

_NUMBERS = ("One", "Two", "Three", "Four", "Five", "Six")


def still_there(left: Bugs, points: int, count: int, **more: Any) -> Mistake:
    """Some bugs of a hunt are still there, and nothing else is wrong.

    Args:
        left: those bugs.
        points: what the exercise is worth; each bug that is left costs one.
        count: how many bugs the released code has.
        **more: of the mistake.
    """
    number = _NUMBERS[len(left) - 1]
    number = number if len(left) < count else f"All {number.lower()}"
    bugs = "bug is" if len(left) == 1 else "bugs are"
    return Mistake(
        "_and_".join(left),
        f"{number} {bugs} still there: {'; '.join(reason for reason, _ in left.values())}.",
        [edit for _, edits in left.values() for edit in edits],
        points=max(0, points - len(left)),
        by_bug=True,
        **more,
    )


@dataclass(frozen=True, kw_only=True)
class Question:
    """What an exercise asks for: all but the bank of known mistakes.

    Attributes:
        id: the name of what the student defines.
        title: as it stands in the notebook.
        signature: how what the student defines is called.
        reference: the right program, a function or a class that reads like the chapter.
        cases: draws the cases; public and hidden ones differ in the generator's seed only.
        parts: shares of the points, the core first.
        alternatives: other right programs, by how they are written.
        minutes: how long it takes.
        difficulty: 1 to 3.
        section: what to read again.
        tolerance: how far numbers may be off, absolute or relative.
        helpers: definitions of the same module that the reference uses and that edits may change.
        mixed: the cases are versions that a student's test judges one by one: they are called in a
            drawn order, and again in another.
        draws: how many draws of the cases the matrix takes.
        draw: draws the arguments of a function's call, by their names. If it is given, cases and
            mistakes that every exercise needs come by themselves (:mod:`grading.content.defaults`).
        without: those of them that the exercise refuses: ``again``, ``views``, ``gradients``,
            ``float64``, ``unchanged``.
    """

    id: str
    title: str
    signature: str
    reference: Callable[..., Any]
    cases: Callable[[torch.Generator], list[Case]]
    parts: tuple[Part, ...]
    minutes: int
    difficulty: int
    section: str
    alternatives: dict[str, Callable[..., Any]] = field(default_factory=dict)
    tolerance: float = 1e-5
    helpers: tuple[Callable[..., Any], ...] = ()
    mixed: bool = False
    draws: int = 6
    draw: Callable[[torch.Generator], dict[str, Any]] | None = None
    without: tuple[str, ...] = ()

    @cached_property
    def source(self) -> str:
        """The text of the reference, with that of its helpers before it."""
        return source_of(*self.helpers, self.reference)

    @property
    def points(self) -> int:
        """All points of the exercise."""
        return sum(part.points for part in self.parts)

    @property
    def answer_cell(self) -> str:
        """The ``grade_id`` of the notebook cell that the student fills in."""
        return f"{self.id}-answer"

    @property
    def check_cell(self) -> str:
        """The ``grade_id`` of the notebook cell that carries the points."""
        return f"{self.id}-check"


@dataclass(frozen=True, kw_only=True)
class Exercise(Question):
    """An exercise of an assignment: a question, and the bank of mistakes that are known of it.

    Attributes:
        mistakes: known mistakes.
        combined: mistakes so usual that they are looked for two at a time, too; each pair whose
            edits fit together costs room in the case file.
        broken: in a bug hunt, the mistakes that together give the code that is released.
        names: what the text of a mistake may name beside what the reference's module has.
    """

    mistakes: tuple[Mistake, ...] = ()
    combined: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    names: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def mutant(self, *mutations: Mutation) -> Callable[..., Any]:
        """Return the program that a mutation makes, or several lists of edits at once.

        Raises:
            EditError: if an edit does not apply exactly once, or edits overlap.
        """
        first, *others = mutations
        if callable(first):
            return first
        edits = list(first)
        for more in others:
            if callable(more):
                raise EditError("Another algorithm cannot be combined with edits.")
            edits += more
        source = edited(self.source, edits)
        return defined_by(source, self.reference, f"mutant of {self.id}", self.names)

    def wrong(self, name: str) -> Callable[..., Any]:
        """Return the program of a mistake, or, as in ``all_places~1``, of its first other form."""
        if name not in self._wrong:
            identifier, _, form = name.partition(check.OTHER_FORM)
            mistake = next(mistake for mistake in self.mistakes if mistake.id == identifier)
            forms = (mistake.mutation, *mistake.other_forms)
            self._wrong[name] = self.mutant(forms[int(form or 0)])
        return self._wrong[name]

    @cached_property
    def _wrong(self) -> dict[str, Callable[..., Any]]:
        return {}

    @property
    def usual(self) -> list[Mistake]:
        """The mistakes that are looked for two at a time, in the order of ``mistakes``."""
        return [mistake for mistake in self.mistakes if mistake.id in self.combined]


class DrawnExercise:
    """An exercise with its cases drawn and the expected outcomes computed."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise = exercise
        self._outcomes: dict[str, check.CallResult] = {}
        self._of_forms: dict[str, list[list[check.CallResult]]] = {}
        generator = torch.Generator().manual_seed(seed)
        self.cases = [
            _record(exercise, case, generator)
            for case in exercise.cases(generator)
            if not (case.hidden and seed == PUBLIC_SEED)
        ]
        self.orders = self._orders(generator)

    def _orders(self, generator: torch.Generator) -> list[list[int]]:
        """In which order the cases are called; more than one if they are called more than once.

        Whoever counts calls must not know what comes next. Nor can what came first be taken for the
        right one, and all others be compared with it: the notebook is run anew for each of the two
        orders, and one begins with a right version, the other with a plainly wrong one.
        """
        if not self.exercise.mixed:
            return [list(range(len(self.cases)))]
        core = self.exercise.parts[0].id
        plain = [c["expected"]["value"] if c["part"] == core else "" for c in self.cases]
        kinds = ["accepted", "rejected"]
        orders = []
        for turn in torch.randperm(2, generator=generator).tolist():
            order = torch.randperm(len(self.cases), generator=generator).tolist()
            begin = next(n for n, place in enumerate(order) if plain[place] == kinds[turn])
            order[0], order[begin] = order[begin], order[0]
            orders.append(order)
        return orders

    @cached_property
    def record(self) -> check.Exercise:
        """What :func:`grading.check.grade_outcomes` asks for."""
        exercise = self.exercise
        return {
            "id": exercise.id,
            "parts": [
                {"id": part.id, "title": part.title, "points": part.points}
                for part in exercise.parts
            ],
            "cases": self.cases,
            "orders": self.orders,
            "mistakes": {
                mistake.id: _explanation(mistake, exercise.section) for mistake in exercise.mistakes
            },
            "tolerance": exercise.tolerance,
            "section": exercise.section,
        }

    @cached_property
    def predictions(self) -> check.Predictions:
        """For each known mistake the outcomes of its implementation, in the order of the cases."""
        if any("validator" in case for case in self.cases):
            return {}
        found = {}
        for mistake in self.exercise.mistakes:
            ways: list[list[check.CallResult]] = []
            for outcomes in self.outcomes_of(mistake):
                predicted = self._of_any_error(outcomes) if mistake.any_error else outcomes
                if not any(self._alike(predicted, known) for known in ways):
                    ways.append(predicted)
            found[mistake.id] = ways[0]
            found |= {f"{mistake.id}{check.OTHER_FORM}{n}": way for n, way in enumerate(ways) if n}
        return found

    @cached_property
    def combined(self) -> check.Predictions:
        """The same for two mistakes at once, of those that the exercise says are usual.

        A pair is left out if its edits exclude each other, or if its results are those of one
        mistake or of a pair before it: it would never be named.
        """
        found = dict(self.predictions)
        for one, other in combinations(self.exercise.usual, 2):
            try:
                both = self.exercise.mutant(one.mutation, other.mutation)
            except EditError:
                continue
            predicted = self.outcomes(both)
            if one.any_error or other.any_error:
                predicted = self._of_any_error(predicted)
            if not any(self._alike(predicted, known) for known in found.values()):
                found[f"{one.id}{check.AND}{other.id}"] = predicted
        return {name: p for name, p in found.items() if name not in self.predictions}

    def _alike(self, one: list[check.CallResult], other: list[check.CallResult]) -> bool:
        tolerance = self.exercise.tolerance
        return all(check.agree(a, b, tolerance) for a, b in zip(one, other, strict=True))

    def _of_any_error(self, outcomes: list[check.CallResult]) -> list[check.CallResult]:
        return [
            self._shared({**outcome, "type": check.ANY_ERROR})
            if outcome["status"] in check.RAISED
            else outcome
            for outcome in outcomes
        ]

    def _shared(self, outcome: check.CallResult) -> check.CallResult:
        """The outcome as it would be sent; equal ones are one object, which is compared fast."""
        tensors = Tensors()
        tree = to_tree(outcome, tensors)
        name = json.dumps(tree)
        if name not in self._outcomes:
            self._outcomes[name] = from_tree(tree, tensors)
        return self._outcomes[name]

    def outcomes_of(self, mistake: Mistake) -> list[list[check.CallResult]]:
        """What each form of a mistake gives on every case."""
        if mistake.id not in self._of_forms:
            forms = (mistake.mutation, *mistake.other_forms)
            self._of_forms[mistake.id] = [self.outcomes(self.exercise.mutant(f)) for f in forms]
        return self._of_forms[mistake.id]

    def outcomes(self, implementation: Callable[..., Any]) -> list[check.CallResult]:
        """Run an implementation of our own on every case, here in this process."""
        namespace = {self.exercise.id: implementation}
        return [self._shared(_outcome(namespace, case)) for case in self.cases]

    def grade(
        self,
        outcomes: list[check.CallResult],
        shown: check.Shown | None = None,
        in_words: bool = True,
    ) -> check.Verdict:
        """Compare outcomes, of a submission or of an implementation of ours, with the reference.

        Args:
            outcomes: one for each case.
            shown: what the verdict may say of an outcome; all of it unless this is given.
            in_words: False if nobody reads what is wrong with each case.
        """
        return check.grade_outcomes(
            self.record, outcomes, lambda: self.predictions, lambda: self.combined, shown, in_words
        )

    def earned(self, outcomes: list[check.CallResult]) -> float:
        """The points of outcomes, without looking for what went wrong but for bugs that count."""
        return check.grade_outcomes(
            self.record, outcomes, lambda: self._bugs_left, in_words=False
        ).points

    @cached_property
    def _bugs_left(self) -> check.Predictions:
        """The outcomes of a bug hunt with some of its bugs left, where each counts by itself."""
        return {
            f"{bug.id}{check.OTHER_FORM}{number}": self._of_any_error(found)
            if bug.any_error
            else found
            for bug in self.exercise.mistakes
            if bug.by_bug
            for number, found in enumerate(self.outcomes_of(bug))
        }

    def public(self) -> dict[str, Any]:
        """The record as it is released: functions by name, and the mistakes' outcomes included.

        Most mistakes are right about most cases, so each outcome is written once, and for each
        mistake the numbers of its outcomes.
        """
        cases: list[dict[str, Any]] = [
            dict(case, call=by_name(case["call"])) for case in self.cases
        ]
        for case in cases:
            for role in {"validator", "judge"} & set(case):
                case[role] = case[role].__name__
        record = dict(self.record, cases=cases)
        outcomes: dict[int, tuple[int, check.CallResult]] = {}  # equal ones are one object
        for kind, found in (("predictions", self.predictions), ("combined", self.combined)):
            record[kind] = {
                name: torch.tensor(
                    [outcomes.setdefault(id(o), (len(outcomes), o))[0] for o in predicted]
                )
                for name, predicted in found.items()
            }
        return record | {"outcomes": [outcome for _, outcome in outcomes.values()]}


def _explanation(mistake: Mistake, section: str) -> check.Explanation:
    found: check.Explanation = {
        "message": mistake.message,
        "section": mistake.section or section,
    }
    if mistake.by_bug:
        found["points"] = mistake.points
    return found


def by_name(call: check.Call) -> dict[str, Any]:
    """Return a call as plain values, with its harness's name in place of the harness."""
    return dict(call, harness=call["harness"].__name__) if "harness" in call else dict(call)


def _record(exercise: Exercise, case: Case, generator: torch.Generator) -> check.Case:
    call: check.Call = {
        "name": exercise.id,
        "arguments": [list(argument) for argument in case.arguments],
        "strided": case.strided,
    }
    record: check.Case = {
        "title": case.title,
        "part": case.part,
        "call": call,
        "before": [check.digest(value) for _, value in case.arguments],
    }
    if case.harness is not None:
        call["harness"] = case.harness
        judge = judge_of(case.harness)
        if judge is not None:
            record["judge"] = judge
    if case.again:
        call["again"] = [list(values) for values in case.again]
    if case.again or case.repeats:
        record["repeats"] = True
    if case.shown_by:
        record["shown_by"] = case.shown_by
    if case.validator is not None:
        record |= {"validator": case.validator, "wanted": case.wanted}
        return record
    came = check.run_call({exercise.id: exercise.reference}, call)
    if "judge" in record:
        came = check.as_sent(came)
        record["brought"] = check.form_of(came["value"])
    expected = check.judged(record, came)
    if case.gradient:
        outputs = expected["value"]
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        call["cotangents"] = [torch.randn(o.shape, generator=generator) for o in outputs]
        expected = _outcome({exercise.id: exercise.reference}, record)
    record["expected"] = check.as_sent(expected)
    return record


def _outcome(namespace: dict[str, Any], case: check.Case) -> check.CallResult:
    """Do a case's call here and judge what comes back, as it would come back from a kernel."""
    outcome = check.run_call(namespace, case["call"])
    return check.judged(case, check.as_sent(outcome) if "judge" in case else outcome)


def judge_of(harness: Callable[..., Any]) -> Callable[..., Any] | None:
    """The function that judges what a harness brings: ``judge_NAME`` of the module ``judges``.

    It stands beside the module of the harness. A harness without a judge brings the value itself.
    """
    module = inspect.getmodule(harness)
    package, _, name = module.__name__.rpartition(".") if module else ("", "", "")
    beside = f"{package}.judges"
    if name != "harnesses" or not package or importlib.util.find_spec(beside) is None:
        return None
    found: Callable[..., Any] | None = getattr(
        importlib.import_module(beside), f"judge_{harness.__name__}", None
    )
    return found


def hidden_seed(assignment: str, exercise: str, submission: str, secret: bytes) -> int:
    """Derive the seed of a submission's hidden cases; the same submission gets the same cases.

    Without the course's ``secret`` nobody can tell which, whatever else they know.
    """
    text = f"{assignment}\0{exercise}\0{submission}".encode()
    digest = hmac.digest(secret, text, "sha256")
    return int.from_bytes(digest[:7], "little") + PUBLIC_SEED + 1
