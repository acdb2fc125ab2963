"""How much are examples worth? Four ways to learn two tasks, from 50 to 8,000 texts.

    python -m models.fine_tuning                     # whatever is missing, the cheapest first
    python -m models.fine_tuning --only order lora 800
    python -m models.fine_tuning --small             # each of them with a few texts, in seconds

The tasks: *libraries*, which of four libraries a docstring comes from, and *order*, whether two of
its words have changed places. The ways: logistic regression on character n-grams, on word n-grams,
or on the features of the frozen MiniLM; its fine-tuning with LoRA; and its full fine-tuning. Each
result is a line of ``fine_tuning.csv``, from which the chapter draws its curves. The adapters that
LoRA learns from 3,200 texts are kept for the chapter to load. Texts of the test
set are never seen in training; 300 validation texts choose the epoch that is kept.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from models.recipe import BUILD, FOLDER, IN_SMALL, append_row, whole_number
from models.recipe import ship as ship_weights
from solutions import load_checkpoint
from solutions.corpus import load_docstrings, swap_neighbours
from solutions.head import POOLINGS, Classifier
from solutions.lora import add_lora, lora_state
from solutions.training import TextDataset, Trainer, batches_by_length, predict, seed_everything

RESULTS = "fine_tuning.csv"
COLUMNS = ["task", "method", "texts", "seed", "accuracy", "seconds"]
TASKS = ("libraries", "order")
METHODS = ("character n-grams", "word n-grams", "frozen", "lora", "full")
RATES = {"lora": 1e-3, "full": 2e-4}
RANK = 8


@dataclass(frozen=True)
class Sizes:
    """How many texts there are, and where the results go; the defaults are those that ship."""

    texts: tuple[int, ...] = (50, 200, 800, 3200, 8000)
    validation: int = 300
    test: int = 1500
    most_epochs: int = 12
    shipped: tuple[str, int, int] = ("lora", 3200, 0)  # method, texts and seed of the adapters
    folder: Path = FOLDER


SHIPPED = Sizes()
SMALL = Sizes((16,), 8, 16, 1, ("lora", 16, 0), BUILD / "small" / "fine_tuning")

Task = tuple[list[str], list[int]]
docstrings = cache(load_docstrings)  # reading them takes seconds


def load_task(name: str, sizes: Sizes = SHIPPED) -> dict[str, Task]:
    """Return texts and labels of ``train``, ``validation`` and ``test``."""
    texts, libraries = docstrings()
    if name == "order":
        texts, labels = swap_neighbours(texts)
    else:
        classes = sorted(set(libraries))
        labels = [classes.index(library) for library in libraries]
    end = len(texts) - sizes.test
    ends = [end - sizes.validation, end, len(texts)]
    parts = zip(("train", "validation", "test"), [0, *ends], ends, strict=False)
    return {part: (texts[start:end], labels[start:end]) for part, start, end in parts}


def first(task: Task, count: int, seed: int) -> Task:
    """Draw ``count`` examples; those of a smaller count are among those of a larger one."""
    order = list(range(len(task[0])))
    random.Random(seed).shuffle(order)
    return [task[0][i] for i in order[:count]], [task[1][i] for i in order[:count]]


def n_grams(train: Task, test: Task, analyzer: str) -> float:
    """Accuracy of a linear classifier on counted n-grams, without any network."""
    span = (2, 5) if analyzer == "char" else (1, 3)
    counts = TfidfVectorizer(analyzer=analyzer, ngram_range=span, sublinear_tf=True)
    model = make_pipeline(counts, LogisticRegression(C=10, max_iter=1000))
    return float(model.fit(*train).score(*test))


def dataset(task: Task) -> TextDataset:
    """Tokenise the texts of a task."""
    return TextDataset(task[0], torch.tensor(task[1]), load_checkpoint().tokenizer)


@torch.inference_mode()
def features(task: Task) -> torch.Tensor:
    """The mean of MiniLM's vectors of each text, ``[texts, hidden]``."""
    body, examples = Classifier.from_pretrained().encoder.eval(), dataset(task)
    found = torch.zeros(len(examples), body.config.hidden_size)
    for rows in batches_by_length(examples.lengths, 32):
        batch = examples.collate([examples[i] for i in rows])
        hidden = body(batch["input_ids"], batch["attention_mask"]).last_hidden_state
        found[rows] = POOLINGS["mean"](hidden, batch["attention_mask"])
    return found


def frozen(train: Task, test: Task) -> float:
    """Accuracy of a linear classifier on features that nothing was trained for."""
    model = LogisticRegression(C=10, max_iter=3000).fit(features(train), train[1])
    return float(model.score(features(test), test[1]))


def epochs_for(texts: int, most: int) -> int:
    """Return how often few texts are seen more often than many: at least twice if that may be."""
    return min(most, max(2, 4000 // texts))


def fine_tune(
    parts: dict[str, Task], train: Task, method: str, seed: int, most_epochs: int
) -> Classifier:
    """Train MiniLM with a new head, all of it or low-rank corrections of its layers."""
    seed_everything(seed)
    model = Classifier.from_pretrained(num_labels=max(train[1]) + 1)
    if method == "lora":
        add_lora(model.encoder, RANK)
    batch_size = 16 if len(train[0]) < 1000 else 32
    trainer = Trainer(
        model, learning_rate=RATES[method], batch_size=batch_size, seed=seed, progress=False
    )
    epochs = epochs_for(len(train[0]), most_epochs)
    trainer.fit(dataset(train), dataset(parts["validation"]), epochs)
    return model


def measure(task: str, method: str, texts: int, seed: int, sizes: Sizes) -> dict[str, object]:
    """Learn from so many texts in one way; return a line of the results."""
    parts = load_task(task, sizes)
    if texts > (most := len(parts["train"][0])):
        raise SystemExit(f"{texts} texts are more than the {most} that there are to learn from.")
    train, test = first(parts["train"], texts, seed), parts["test"]
    start = time.process_time()
    if method.endswith("n-grams"):
        accuracy = n_grams(train, test, "char" if method.startswith("char") else "word")
    elif method == "frozen":
        accuracy = frozen(train, test)
    else:
        model = fine_tune(parts, train, method, seed, sizes.most_epochs)
        right = predict(model, dataset(test)).argmax(dim=-1) == torch.tensor(test[1])
        accuracy = right.float().mean().item()
        if (method, texts, seed) == sizes.shipped:
            facts = {"rank": RANK, "texts": texts}
            ship_weights(lora_state(model), f"{task}_lora", facts, sizes.folder)
    values = [task, method, texts, seed, round(accuracy, 4), round(time.process_time() - start)]
    return dict(zip(COLUMNS, values, strict=True))


def done(results: Path) -> set[tuple[str, str, int, int]]:
    """Return what is in the results already."""
    if not results.exists():
        return set()
    with results.open(newline="") as file:
        rows = csv.DictReader(file)
        return {(r["task"], r["method"], int(r["texts"]), int(r["seed"])) for r in rows}


def main() -> None:
    """Measure what is missing, or what is named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs=3, metavar=("TASK", "METHOD", "TEXTS"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--small", action="store_true", help=f"learn from a few texts: {IN_SMALL}")
    parser.add_argument("--folder", type=Path, help="where results and adapters go")
    arguments = parser.parse_args()
    sizes = SMALL if arguments.small else SHIPPED
    if arguments.folder:
        sizes = replace(sizes, folder=arguments.folder)
    wanted = [
        (task, method, texts, seed)
        for seed in arguments.seeds
        for texts in sizes.texts
        for method in METHODS
        for task in TASKS
    ]
    if arguments.only:
        try:
            task, method, texts = named(*arguments.only)
        except argparse.ArgumentTypeError as error:
            parser.error(f"--only: {error}")
        wanted = [(task, method, texts, seed) for seed in arguments.seeds]
    sizes.folder.mkdir(parents=True, exist_ok=True)
    results = sizes.folder / RESULTS
    for point in wanted:
        if point not in done(results):
            line = measure(*point, sizes)
            append_row(line, results)
            print(line, flush=True)
    for task in TASKS:
        if not (sizes.folder / f"{task}_lora.safetensors").exists():
            measure(task, *sizes.shipped, sizes)


def named(task: str, method: str, texts: str) -> tuple[str, str, int]:
    """Return what ``--only`` names.

    Raises:
        ArgumentTypeError: if there is no such thing.
    """
    for name, known in ((task, TASKS), (method, METHODS)):
        if name not in known:
            expected = ", ".join(map(repr, known))
            raise argparse.ArgumentTypeError(f"{name!r} is none of {expected}")
    return task, method, whole_number(texts)


if __name__ == "__main__":
    main()
