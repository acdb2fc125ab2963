"""What the training scripts share: two optimisers, a schedule, and a training that can be stopped.

A run is the same whether it was interrupted or not: the batches and the dropout of a step depend on
the seed and the step alone. The learning rate stays level and falls to zero over the last part of
the steps (Hu et al. 2024, "MiniCPM", section 4). The state before the fall is kept, so that a
longer run goes on from there instead of beginning again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

FOLDER = Path(__file__).parent  # what is shipped
BUILD = FOLDER.parent / "_build" / "models"  # where training stands; never committed
STATES = ("state.pt", "level.pt")  # the newest, and the one before the learning rate falls
SHA256SUMS = "SHA256SUMS"
IN_SMALL = "a tiny one, in seconds, to see that all runs; nothing that ships is touched"


class HasSteps(Protocol):
    """What the settings of every training have."""

    @property
    def steps(self) -> int:
        """How many there are."""


S = TypeVar("S", bound=HasSteps)


@dataclass(frozen=True)
class Asked(Generic[S]):
    """What a training script was asked for.

    Attributes:
        settings: of the model.
        folder: where the state of its training is kept.
        into: where its weights go.
        as_it_stands: do not train; ship what ``folder`` has.
    """

    settings: S
    folder: Path
    into: Path
    as_it_stands: bool


def ask(name: str, description: str, settings: S, small: S) -> Asked[S]:
    """Read the arguments of a training script.

    Only as many steps as the model that ships has had, or more, replace it: the weights of a
    shorter training stay beside its state.

    Args:
        name: of the model.
        description: of the script, for ``--help``.
        settings: those of the model that ships.
        small: those of ``--small``.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--steps", type=whole_number, help=f"in all; {settings.steps} if not given")
    parser.add_argument("--folder", type=Path, help="where it stands")
    parser.add_argument("--ship", action="store_true", help="ship it as it stands")
    parser.add_argument("--small", action="store_true", help=f"train {IN_SMALL}")
    given = parser.parse_args()
    wanted = small if given.small else settings
    if given.steps is not None:
        wanted = replace(wanted, steps=given.steps)  # type: ignore[type-var]
    folder = given.folder or (BUILD / "small" / name if given.small else BUILD / name)
    if folder.exists() and not folder.is_dir():
        parser.error(f"{folder} is no folder.")
    if given.ship and not any((folder / state).exists() for state in STATES):
        parser.error(f"there is no training in {folder} that could be shipped.")
    ships = not given.small and (given.ship or wanted.steps >= settings.steps)
    return Asked(wanted, folder, FOLDER if ships else folder, given.ship)


def whole_number(text: str) -> int:
    """Return the number that an argument gives, 1 or more."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def pick_device() -> torch.device:
    """A GPU if there is one."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def in_bfloat16(device: torch.device, enabled: bool = True) -> torch.autocast:
    """Multiply matrices in bfloat16 where that is faster; normalisations stay in float32."""
    return torch.autocast(device.type, torch.bfloat16, enabled=enabled)


def make_optimizers(
    model: nn.Module, muon_rate: float, adam_rate: float, weight_decay: float = 0.1
) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for everything else (Jordan et al. 2024).

    Muon turns the momentum of a matrix into the nearest orthogonal matrix before it takes a step.
    Tables of embeddings, gains and biases are no maps between hidden vectors and go to AdamW. So
    does everything if ``muon_rate`` is 0.
    """
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            hidden = parameter.dim() == 2 and "embeddings" not in name and muon_rate > 0
            (matrices if hidden else rest).append(parameter)
    groups = [
        {"params": [p for p in rest if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in rest if p.dim() <= 1], "weight_decay": 0.0},
    ]
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(groups, lr=adam_rate, betas=(0.9, 0.95))
    ]
    if matrices:
        optimizers.append(
            torch.optim.Muon(
                matrices, lr=muon_rate, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw"
            )
        )
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["highest"] = group["lr"]
    return optimizers


@dataclass(frozen=True)
class Schedule:
    """Rise over ``warmup`` steps, stay level, and fall in a line over the last share of them."""

    steps: int
    warmup: int = 50
    fall: float = 0.3

    @property
    def fall_begins(self) -> int:
        """The first step whose learning rate is below the highest again."""
        return round((1 - self.fall) * self.steps)

    def factor(self, step: int) -> float:
        """Share of the highest learning rate at ``step``, counted from 0."""
        rise = (step + 1) / self.warmup if step < self.warmup else 1.0
        left = (self.steps - step) / max(self.steps - self.fall_begins, 1)
        return min(rise, left, 1.0)


class Run:
    """A training that goes on where it stopped.

    Args:
        model: is trained in place.
        optimizers: from :func:`make_optimizers`.
        schedule: of their learning rates.
        folder: where the state is kept.
        seed: of every step's batch and dropout.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizers: list[torch.optim.Optimizer],
        schedule: Schedule,
        folder: Path,
        seed: int = 0,
    ) -> None:
        self.model, self.optimizers, self.schedule = model, optimizers, schedule
        self.folder, self.seed = folder, seed
        self.step, self.seconds, self.processor_seconds = 0, 0.0, 0.0
        self.history: list[dict[str, float]] = []
        folder.mkdir(parents=True, exist_ok=True)
        self._resume()

    def fit(
        self,
        loss_of: Callable[[torch.Generator, int], Tensor],
        evaluate: Callable[[], dict[str, float]],
        evaluate_every: int = 250,
        save_every_seconds: float = 180.0,
    ) -> list[dict[str, float]]:
        """Take the steps that are left.

        Args:
            loss_of: the loss of a step, from a generator for its batch and its number.
            evaluate: what is written down now and then, in evaluation mode without gradients.
            evaluate_every: so many steps lie between two evaluations.
            save_every_seconds: and so many seconds between two savings.
        """
        self.model.train()
        with _asked_to_stop() as stop:
            self._take_steps(loss_of, evaluate, evaluate_every, save_every_seconds, stop)
        self.model.eval()
        return self.history

    def _take_steps(
        self,
        loss_of: Callable[[torch.Generator, int], Tensor],
        evaluate: Callable[[], dict[str, float]],
        evaluate_every: int,
        save_every_seconds: float,
        stop: Callable[[], bool],
    ) -> None:
        saved = started = time.perf_counter()
        processor = time.process_time()
        seconds, processor_seconds = self.seconds, self.processor_seconds
        losses: list[float] = []
        while self.step < self.schedule.steps:
            if self.step == self.schedule.fall_begins:
                self._save("level.pt")
            losses.append(self._take_step(loss_of))
            self.seconds = seconds + time.perf_counter() - started
            self.processor_seconds = processor_seconds + time.process_time() - processor
            last = self.step == self.schedule.steps
            if self.step % evaluate_every == 0 or last:
                self._write_down(evaluate, sum(losses) / len(losses))
                losses = []
            if time.perf_counter() - saved > save_every_seconds or last or stop():
                self._save("state.pt")
                saved = time.perf_counter()
            if stop():
                raise SystemExit(f"Stopped at step {self.step}; the same command goes on.")

    @property
    def facts(self) -> dict[str, float]:
        """What is known of the training so far: the last line that was written down."""
        return self.history[-1] if self.history else {}

    def _take_step(self, loss_of: Callable[[torch.Generator, int], Tensor]) -> float:
        seed = 1_000_003 * self.seed + self.step
        torch.manual_seed(seed)  # of dropout
        loss = loss_of(torch.Generator().manual_seed(seed), self.step)
        if not torch.isfinite(loss):
            raise FloatingPointError(f"The loss is {loss.item()} at step {self.step}.")
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = group["highest"] * self.schedule.factor(self.step)
            optimizer.step()
            optimizer.zero_grad()
        self.step += 1
        return loss.item()

    def _write_down(self, evaluate: Callable[[], dict[str, float]], train_loss: float) -> None:
        self.model.eval()
        with torch.no_grad():
            found = evaluate()
        self.model.train()
        line = {"step": self.step, "train_loss": train_loss, **found}
        line |= {"minutes": self.seconds / 60, "processor_minutes": self.processor_seconds / 60}
        self.history.append(line)
        print(json.dumps({k: round(v, 4) for k, v in line.items()}), flush=True)

    def _save(self, name: str) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "step": self.step,
            "steps": self.schedule.steps,
            "fall_begins": self.schedule.fall_begins,
            "seconds": self.seconds,
            "processor_seconds": self.processor_seconds,
            "history": self.history,
        }
        partly = self.folder / f"{name}.part"
        torch.save(state, partly)
        os.replace(partly, self.folder / name)  # never half a file, whenever it is interrupted

    def _resume(self) -> None:
        """Load the newest state that lies on the way of this schedule."""
        for name in STATES:
            if (self.folder / name).exists():
                state = torch.load(self.folder / name, map_location="cpu", weights_only=True)
                level = state["step"] <= min(state["fall_begins"], self.schedule.fall_begins)
                if level or state["steps"] == self.schedule.steps:
                    self._load(state)
                    return

    def _load(self, state: dict[str, Any]) -> None:
        try:
            self.model.load_state_dict(state["model"])
        except RuntimeError:  # other names or sizes
            raise SystemExit(
                f"{self.folder} has the training of another model: name another folder."
            ) from None
        for optimizer, own in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(own)
        self.step, self.history = state["step"], state["history"]
        self.seconds, self.processor_seconds = state["seconds"], state["processor_seconds"]


@contextmanager
def _asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Whether an interruption or a termination was asked for inside the ``with`` block."""
    asked: list[bool] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: asked.append(True)) for number in numbers]
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def ship(
    state: dict[str, Tensor], name: str, metadata: dict[str, Any], folder: Path = FOLDER
) -> None:
    """Write weights in half precision to ``folder``, with what the loader needs, and their digest.

    Args:
        state: the weights.
        name: of the file, without its ending.
        metadata: what stands in the file's head, each as JSON.
        folder: where it goes.
    """
    file = folder / f"{name}.safetensors"
    halves = {key: tensor.detach().cpu().half().contiguous() for key, tensor in state.items()}
    save_file(halves, file, {key: json.dumps(value) for key, value in metadata.items()})
    sums = folder / SHA256SUMS
    lines = sums.read_text().splitlines() if sums.exists() else []
    others = [line for line in lines if not line.endswith(f"  {file.name}")]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    partly = folder / f"{SHA256SUMS}.part"  # another process may be reading
    partly.write_text("\n".join(sorted([*others, f"{digest}  {file.name}"], key=_name)) + "\n")
    os.replace(partly, sums)


def append_row(row: dict[str, Any], file: Path) -> None:
    """Append a row to a CSV file of results, under the keys as names of the columns."""
    is_new = not file.exists()
    with file.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, list(row), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def _name(line: str) -> str:
    return line.split()[1]
