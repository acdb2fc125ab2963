"""Fine-tune MiniLM on headlines from a CSV file; say how good it gets and how long it takes.

    python -m benchmarks.ag_news ag_news_titles.csv --text title --label category

The file is split 70/15/15, each class in equal shares; the whole encoder is trained, with mean
pooling. Scores are those of the test part, averaged over the classes by their size.
"""

import argparse
import csv
import statistics
import sys
import time
from functools import partial
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from models.recipe import whole_number
from solutions import load_checkpoint
from solutions.corpus import read_csv
from solutions.head import Classifier, cross_entropy
from solutions.metrics import confusion_matrix, scores_of
from solutions.training import (
    LabelEncoder,
    TextDataset,
    Trainer,
    predict,
    seed_everything,
    split,
)


def measure(texts: list[str], labels: list[str], seed: int, epochs: int) -> dict[str, float]:
    """Train once; return weighted scores on the test part, and the seconds of training."""
    seed_everything(seed)
    checkpoint = load_checkpoint()
    names = LabelEncoder.fit(labels)
    data = {
        part: TextDataset(some, names.encode(their_labels), checkpoint.tokenizer)
        for part, (some, their_labels) in split(texts, labels, seed).items()
    }
    model = Classifier.from_pretrained(checkpoint, num_labels=len(names))
    # Headlines are labelled by their section, so some labels are a matter of taste: smooth them.
    loss = partial(cross_entropy, label_smoothing=0.1)
    trainer = Trainer(model, loss, learning_rate=1e-4, seed=seed)
    start = time.perf_counter()
    trainer.fit(data["train"], data["validation"], epochs)
    seconds = time.perf_counter() - start
    predictions = predict(model, data["test"]).argmax(dim=-1)
    confusion = confusion_matrix(data["test"].labels, predictions, len(names))
    return scores_of(confusion).weighted() | {"seconds": seconds}


def main() -> None:
    """Read the arguments, train with each seed, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("csv", type=Path, help="file with a column of texts and one of labels")
    parser.add_argument("--text", default="title", help="name of the column with the texts")
    parser.add_argument("--label", default="category", help="name of the column with the labels")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--epochs", type=whole_number, default=3)
    arguments = parser.parse_args()

    try:
        texts, labels = read_csv(arguments.csv, arguments.text, arguments.label)
        split(texts, labels)  # of a class with a few texts no part would have its share
    except (OSError, ValueError, csv.Error) as error:
        sys.exit(f"This is no file of texts and labels. {error}")
    runs = []
    for seed in arguments.seeds:
        runs.append(measure(texts, labels, seed, arguments.epochs))
        print(f"seed {seed} is done: F1 {runs[-1]['f1']:.4f}", flush=True)
    table = Table(title=f"{len(texts)} texts, {torch.get_num_threads()} threads")
    table.add_column("seed")
    for name in runs[0]:
        table.add_column(name, justify="right")
    for seed, run in zip(arguments.seeds, runs, strict=True):
        table.add_row(str(seed), *(f"{value:.4f}" for value in run.values()))
    means = [statistics.mean(run[name] for run in runs) for name in runs[0]]
    table.add_section()
    table.add_row("mean", *(f"{value:.4f}" for value in means))
    Console().print(table)


if __name__ == "__main__":
    main()
