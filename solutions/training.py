"""Training: labels and batches in, a trained model out.

The parts are those of every project: a label encoder, a dataset, batches padded only as far as they
need, and a trainer that can be interrupted; scores are in ``metrics``. The trainer knows nothing of
classes: it calls ``model(**inputs).logits`` and a loss, so it can train a language model too.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
import transformers
from jaxtyping import Float, Int
from rich.progress import Progress
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.utils.data import Dataset

from solutions.head import IGNORED, cross_entropy
from solutions.weights import part_of

Batch = dict[str, Tensor]
Texts = Sequence[str]
History = list[dict[str, Any]]


def seed_everything(seed: int) -> None:
    """Seed the generators of Python, NumPy and PyTorch, on every device."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


# Data


def split(texts: Texts, labels: Texts, seed: int = 0) -> dict[str, tuple[list[str], list[str]]]:
    """Split 70/15/15 into ``train``, ``validation`` and ``test``, each class in equal shares."""
    # scikit-learn takes half a second: imported where it is used
    from sklearn.model_selection import train_test_split

    train, rest, train_labels, rest_labels = train_test_split(
        list(texts), list(labels), train_size=0.7, stratify=labels, random_state=seed
    )
    validation, test, validation_labels, test_labels = train_test_split(
        rest, rest_labels, train_size=0.5, stratify=rest_labels, random_state=seed
    )
    return {
        "train": (train, train_labels),
        "validation": (validation, validation_labels),
        "test": (test, test_labels),
    }


class LabelEncoder:
    """Names of classes to numbers and back; ``classes[i]`` is the name of number ``i``."""

    def __init__(self, classes: Iterable[str]) -> None:
        self.classes = list(classes)
        self.ids = {name: i for i, name in enumerate(self.classes)}
        if len(self.ids) != len(self.classes):
            raise ValueError(f"Found a class twice in {self.classes}; expected each name once.")

    @classmethod
    def fit(cls, labels: Iterable[str]) -> LabelEncoder:
        """Collect the classes that occur, in alphabetical order."""
        return cls(sorted(set(labels)))

    def encode(self, labels: Iterable[str]) -> Int[Tensor, " labels"]:
        """Turn names into numbers, ``int64``.

        Raises:
            ValueError: if a label was not there when the encoder was fitted.
        """
        labels = list(labels)
        if unseen := sorted(set(labels) - set(self.ids)):
            raise ValueError(f"Unknown label {unseen[0]!r}; expected one of {self.classes}.")
        return torch.tensor([self.ids[name] for name in labels], dtype=torch.int64)

    def decode(self, ids: Iterable[int] | Int[Tensor, " labels"]) -> list[str]:
        """Turn numbers into names."""
        return [self.classes[i] for i in ids]

    def __len__(self) -> int:
        return len(self.classes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the classes to a JSON file."""
        Path(path).write_text(json.dumps({"classes": self.classes}, ensure_ascii=False))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LabelEncoder:
        """Read what :meth:`save` wrote."""
        return cls(json.loads(Path(path).read_text())["classes"])


def balanced_weights(
    labels: Int[Tensor, " examples"], num_labels: int
) -> Float[Tensor, " num_labels"]:
    """Weights that let every class count the same: ``examples / (num_labels * count)``."""
    counts = torch.bincount(labels, minlength=num_labels)
    return len(labels) / (num_labels * counts.clamp(min=1).float())


@runtime_checkable
class Examples(Protocol):
    """What a :class:`Trainer` learns from: examples with lengths, and a way to batch them."""

    @property
    def lengths(self) -> Sequence[int]:
        """How many tokens each has."""

    def __len__(self) -> int: ...

    def __getitem__(self, i: int) -> Any: ...

    def collate(self, examples: Sequence[Any]) -> Batch:
        """Make a batch with ``labels``."""


class TextDataset(Dataset[tuple[list[int], Tensor]]):
    """Tokenised texts with their labels, each at its own length; padding is the batch's business.

    Args:
        texts: the texts.
        labels: a number for each, integer for classes, floating for a regression; zeros if left
            out, for texts whose label is not known.
        tokenizer: the tokenizer of the model.
        max_length: longer texts are cut.
        padding_side: ``"right"`` or ``"left"``.
    """

    def __init__(
        self,
        texts: Texts,
        labels: Tensor | None,
        tokenizer: transformers.PreTrainedTokenizerBase,
        max_length: int = 128,
        padding_side: str = "right",
    ) -> None:
        self.texts = list(texts)
        self.labels = torch.zeros(len(self.texts), dtype=torch.int64) if labels is None else labels
        if len(self.texts) != len(self.labels):
            raise ValueError(
                f"Found {len(self.texts)} texts and {len(self.labels)} labels; expected a label "
                "for each text."
            )
        self.ids = tokenizer(self.texts, truncation=True, max_length=max_length)["input_ids"]
        self.lengths = [len(ids) for ids in self.ids]
        self.pad_token_id, self.padding_side = tokenizer.pad_token_id, padding_side

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, i: int) -> tuple[list[int], Tensor]:
        return self.ids[i], self.labels[i]

    def collate(self, examples: Sequence[tuple[list[int], Tensor]]) -> Batch:
        """Make a batch: ``input_ids`` and ``attention_mask`` ``[batch, tokens]``, and ``labels``.

        Every text is filled up to the longest *of this batch*.
        """
        sequences, labels = zip(*examples, strict=True)
        batch = pad(sequences, self.pad_token_id, self.padding_side)
        return batch | {"labels": torch.stack(labels)}


def pad(sequences: Sequence[Sequence[int]], pad_token_id: int = 0, side: str = "right") -> Batch:
    """Fill lists of ids up to the longest: ``input_ids`` and ``attention_mask``.

    Raises:
        ValueError: if ``side`` is neither ``"right"`` nor ``"left"``.
    """
    if side not in ("right", "left"):
        raise ValueError(f"No padding side {side!r}; expected right or left.")
    longest = max(map(len, sequences))
    input_ids = torch.full((len(sequences), longest), pad_token_id)  # [batch, tokens]
    attention_mask = torch.zeros_like(input_ids)
    for i, ids in enumerate(sequences):
        place = slice(0, len(ids)) if side == "right" else slice(longest - len(ids), longest)
        input_ids[i, place] = torch.tensor(ids)
        attention_mask[i, place] = 1
    return {"input_ids": input_ids, "attention_mask": attention_mask}


def shuffled_batches(
    lengths: Sequence[int], batch_size: int, seed: int, pool: int = 20
) -> list[list[int]]:
    """Draw batches of texts of similar length, in an order that the seed alone decides.

    The texts are shuffled, ``pool`` batches at a time are sorted by length and cut, and the batches
    are shuffled again. So batches stay random, and hardly any padding is computed.

    Returns:
        The indices of the examples in each batch; every example occurs once.
    """
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(lengths), generator=generator).tolist()
    batches = []
    for start in range(0, len(order), pool * batch_size):
        part = sorted(order[start : start + pool * batch_size], key=lengths.__getitem__)
        batches += [part[i : i + batch_size] for i in range(0, len(part), batch_size)]
    return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]


# Training


class Trainer:
    """Train a model; keep the best weights; be ready to be interrupted.

    After every epoch the model is tried on validation data. The weights with the lowest validation
    loss are *copied*, and are in the model when :meth:`fit` returns. The same seed on the same
    machine gives the same weights, also if the training was interrupted and resumed.

    Args:
        model: called as ``model(**inputs)`` with everything of a batch but its ``labels``; what it
            returns has ``logits``. Parameters that need no gradient stay as they are.
        loss: called as ``loss(logits, labels)``, a mean over all labels that are not -100.
        learning_rate: the highest; see ``schedule``.
        schedule: after the warm-up, ``"linear"`` falls towards 0 (Devlin et al. 2019, appendix
            A.2), ``"plateau"`` halves when ``plateau_patience`` epochs in a row did not improve,
            ``"constant"`` stays.
        warmup: share of all steps in which the learning rate rises from 0.
        weight_decay: pull on matrices (AdamW, Loshchilov and Hutter 2019); biases and
            normalisations are left alone.
        clip: longest gradient, over all parameters (Pascanu et al. 2013).
        patience: stop after so many epochs in a row without improvement.
        plateau_patience: see ``schedule``.
        batch_size: examples in a batch.
        seed: of the order of the examples, and of dropout.
        device: ``cuda`` if there is such a GPU, unless a device is named.
        autocast: multiply matrices in bfloat16, which takes less time where the device has
            instructions for it; weights, normalisations and loss stay in float32.
        progress: show a bar.
    """

    def __init__(
        self,
        model: nn.Module,
        loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy,
        learning_rate: float = 5e-5,
        schedule: str = "linear",
        warmup: float = 0.1,
        weight_decay: float = 0.01,
        clip: float = 1.0,
        patience: int = 3,
        plateau_patience: int = 1,
        batch_size: int = 32,
        seed: int = 0,
        device: str | torch.device | None = None,
        autocast: bool = False,
        progress: bool = True,
    ) -> None:
        if schedule not in ("linear", "plateau", "constant"):
            raise ValueError(f"No schedule {schedule!r}; expected linear, plateau or constant.")
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.model = model.to(self.device)
        self.loss, self.clip, self.patience, self.progress = loss, clip, patience, progress
        self.autocast = autocast
        self.learning_rate, self.schedule, self.warmup = learning_rate, schedule, warmup
        self.plateau_patience, self.batch_size, self.seed = plateau_patience, batch_size, seed
        trained = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [p for p in trained if p.dim() > 1], "weight_decay": weight_decay},
                {"params": [p for p in trained if p.dim() <= 1], "weight_decay": 0.0},
            ],
            lr=learning_rate,
            fused=True,  # the same step, several times as fast
        )
        # Where the training stands: everything that `save` has to keep besides tensors.
        self.epoch = self.step = 0  # epochs done, and batches of the next one
        self.total_loss = self.total_labels = 0.0  # over these batches
        self.best_loss, self.epochs_without_gain, self.plateau_factor = float("inf"), 0, 1.0
        self.history: History = []
        self.data: list[int] | None = None
        self.best_weights = copy_of(model.state_dict())

    def fit(
        self,
        train: Examples,
        validation: Examples,
        epochs: int = 3,
        checkpoint: str | os.PathLike[str] | None = None,
        save_every: int = 100,
    ) -> History:
        """Train until ``epochs`` are done, or nothing has improved for ``patience`` of them.

        Args:
            train: the examples to learn from, such as a :class:`TextDataset`.
            validation: the examples that decide when to stop.
            epochs: how often every example is seen, those before a resumption included.
            checkpoint: a file in which the whole state is saved as the training goes on. If it
                exists, the training continues from it.
            save_every: so many batches lie between two savings.

        Returns:
            The history: for each epoch losses, accuracy, learning rate and seconds.

        Raises:
            ValueError: if the checkpoint belongs to other data, another batch size or seed.
            FloatingPointError: if the loss is no longer a number.
        """
        if checkpoint is not None and Path(checkpoint).exists():
            self.load(checkpoint)
        data = [len(train), self.batch_size, self.seed]
        if self.data is None:
            self.data = data
            torch.manual_seed(self.seed)
        if self.data != data:
            raise ValueError(
                f"The training began with {self.data[0]} examples, batch size {self.data[1]} and "
                f"seed {self.data[2]}; found {data[0]}, {data[1]} and {data[2]}. Go on with the "
                "same, or begin in a new Trainer and a new file."
            )
        with Progress(disable=not self.progress) as bar:
            while self.epoch < epochs and self.epochs_without_gain < self.patience:
                self._train_epoch(train, epochs, checkpoint, save_every, bar)
                self._end_epoch(self.evaluate(validation))
                if checkpoint is not None:
                    self.save(checkpoint)
        self.model.load_state_dict(self.best_weights)
        self.model.eval()
        return self.history

    def _train_epoch(
        self,
        train: Examples,
        epochs: int,
        checkpoint: str | os.PathLike[str] | None,
        save_every: int,
        bar: Progress,
    ) -> None:
        seed = 10_000 * self.seed + self.epoch
        batches = shuffled_batches(train.lengths, self.batch_size, seed)
        task = bar.add_task(f"epoch {self.epoch + 1}", total=len(batches), completed=self.step)
        self.started = time.perf_counter()
        self.model.train()
        for indices in batches[self.step :]:
            self._set_learning_rate(self.epoch * len(batches) + self.step, epochs * len(batches))
            self._train_step(train.collate([train[i] for i in indices]))
            self.step += 1
            bar.update(task, advance=1)
            if checkpoint is not None and self.step % save_every == 0:
                self.save(checkpoint)

    def _set_learning_rate(self, step: int, steps: int) -> None:
        """Set the rate of ``step``, counted from 0, of all ``steps``."""
        warmup_steps = round(self.warmup * steps)
        factor = self.plateau_factor
        if step < warmup_steps:
            factor *= (step + 1) / warmup_steps
        elif self.schedule == "linear":
            factor *= (steps - step) / (steps - warmup_steps)
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate * factor

    def _train_step(self, batch: Mapping[str, Tensor]) -> None:
        loss, _, labels = self._loss_of(batch)
        if not torch.isfinite(loss):
            raise FloatingPointError(
                f"The loss is {loss.item()} in epoch {self.epoch + 1}, batch {self.step + 1}; "
                "lower the learning rate, lengthen the warm-up, or look for NaN in the data."
            )
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        count = int((labels != IGNORED).sum())
        self.total_loss += loss.item() * count
        self.total_labels += count

    def _loss_of(self, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        batch = {name: tensor.to(self.device) for name, tensor in batch.items()}
        labels = batch.pop("labels")
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.autocast):
            logits = self.model(**batch).logits
        if self.autocast:
            logits = logits.float()
        return self.loss(logits, labels), logits, labels

    def _end_epoch(self, validation: Evaluation) -> None:
        """Close an epoch: write it down, keep the weights if they are the best so far."""
        self.history.append(
            {
                "epoch": self.epoch + 1,
                "train_loss": self.total_loss / max(self.total_labels, 1),
                "validation_loss": validation.loss,
                "accuracy": validation.accuracy,
                "learning_rate": self.optimizer.param_groups[0]["lr"],
                "seconds": time.perf_counter() - self.started,
            }
        )
        if validation.loss < self.best_loss:
            self.best_loss, self.epochs_without_gain = validation.loss, 0
            self.best_weights = copy_of(self.model.state_dict())
        else:
            self.epochs_without_gain += 1
            if self.schedule == "plateau" and self.epochs_without_gain % self.plateau_patience == 0:
                self.plateau_factor /= 2
        self.epoch, self.step = self.epoch + 1, 0
        self.total_loss = self.total_labels = 0.0

    @torch.no_grad()
    def evaluate(self, dataset: Examples) -> Evaluation:
        """Compute the mean loss over all labels of a dataset, and the accuracy."""
        self.model.eval()
        total = right = count = 0.0
        for indices in batches_by_length(dataset.lengths, self.batch_size):
            loss, logits, labels = self._loss_of(dataset.collate([dataset[i] for i in indices]))
            counted = labels != IGNORED
            total += loss.item() * int(counted.sum())
            count += int(counted.sum())
            if not labels.is_floating_point():
                right += int((logits.argmax(dim=-1) == labels)[counted].sum())
        accuracy = None if labels.is_floating_point() else right / count
        return Evaluation(total / count, accuracy)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole state to one safetensors file: weights, best weights, optimiser, RNG.

        What is no tensor is JSON in the file's head. A file that is there is replaced in one step,
        so an interruption while saving leaves the old one.
        """
        tensors = {f"model.{name}": t for name, t in self.model.state_dict().items()}
        tensors |= {f"best.{name}": t for name, t in self.best_weights.items()}
        optimizer = self.optimizer.state_dict()
        for i, state in optimizer["state"].items():
            tensors |= {f"optimizer.{i}.{name}": t for name, t in state.items()}
        tensors["random"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["random_cuda"] = torch.cuda.get_rng_state(self.device)
        state = {name: getattr(self, name) for name in STATE}
        metadata = {"trainer": json.dumps(state | {"groups": optimizer["param_groups"]})}
        unfinished = Path(f"{path}.unfinished")
        save_file(copy_of(tensors), unfinished, metadata)  # tied weights may not share memory here
        os.replace(unfinished, path)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Put everything back where :meth:`save` found it.

        Raises:
            ValueError: if the file was not written by :meth:`save`.
        """
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if "trainer" not in metadata:
            raise ValueError(f"{path} holds no training state: expected a file from Trainer.save.")
        state = json.loads(metadata["trainer"])
        self.model.load_state_dict(part_of(tensors, "model."))
        self.best_weights = part_of(tensors, "best.")
        moments: dict[int, Batch] = {}
        for name, tensor in part_of(tensors, "optimizer.").items():
            i, _, kind = name.partition(".")
            moments.setdefault(int(i), {})[kind] = tensor
        self.optimizer.load_state_dict({"state": moments, "param_groups": state.pop("groups")})
        torch.set_rng_state(tensors["random"])
        if "random_cuda" in tensors and self.device.type == "cuda":
            torch.cuda.set_rng_state(tensors["random_cuda"], self.device)
        for name, value in state.items():
            setattr(self, name, value)


# What a Trainer remembers besides tensors.
STATE = (
    "epoch",
    "step",
    "total_loss",
    "total_labels",
    "best_loss",
    "epochs_without_gain",
    "plateau_factor",
    "history",
    "data",
)


class Evaluation(NamedTuple):
    """The mean loss of a model on a dataset, and the share of right answers (regression: None)."""

    loss: float
    accuracy: float | None


def copy_of(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Copy the numbers; ``state_dict()`` alone gives tensors that go on changing with the model."""
    return {name: tensor.detach().clone().contiguous() for name, tensor in state.items()}


def batches_by_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Cut the examples into batches by length, the longest first; for where order is no matter."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[i : i + batch_size] for i in range(0, len(order), batch_size)]


@torch.no_grad()
def predict(
    model: nn.Module, dataset: Examples, batch_size: int = 32
) -> Float[Tensor, "examples labels"]:
    """Compute the logits ``[examples, labels]`` of every text, in the dataset's order, on the CPU.

    The model is asked in evaluation mode. ``logits.softmax(dim=-1)`` are the probabilities.
    """
    model.eval()
    device = next(model.parameters()).device
    found = [torch.empty(0)] * len(dataset)
    for indices in batches_by_length(dataset.lengths, batch_size):
        batch = dataset.collate([dataset[i] for i in indices])
        batch = {name: t.to(device) for name, t in batch.items() if name != "labels"}
        for i, logits in zip(indices, model(**batch).logits.cpu(), strict=True):
            found[i] = logits
    return torch.stack(found)
