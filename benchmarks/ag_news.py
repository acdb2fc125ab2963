"""Fine-tune MiniLM on headlines from a CSV file; say how good it gets and how long it takes.

    python benchmarks/ag_news.py ag_news_titles.csv --text title --label category

The file is split 70/15/15, each class in equal shares; the whole encoder is trained, with mean
pooling, on the first two parts: nothing is chosen by the second. Its probabilities are averaged
with those of a linear model that counts words and pieces of words: alone the worse of the two by
far, but wrong about other titles. Scores are those of the test part, averaged over the classes by
their size.
"""

import argparse
import statistics
import time
from functools import partial
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from torch import Tensor

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

Task = tuple[list[str], list[int]]  # texts and the numbers of their classes

N_GRAMS = 0.3  # their part in the average of log probabilities, the best for titles of training


def count_n_grams(train: Task, texts: list[str]) -> Tensor:
    """Log probabilities ``[text, class]`` of a linear model on counts, in seconds."""
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    model = LogisticRegression(C=10, max_iter=2000)
    pipeline = make_pipeline(make_union(words, pieces), model).fit(*train)
    return torch.tensor(pipeline.predict_log_proba(texts))


def fine_tune(train: Task, texts: list[str], seed: int, epochs: int) -> Tensor:
    """Log probabilities ``[text, class]`` of MiniLM, trained as a whole."""
    seed_everything(seed)
    checkpoint = load_checkpoint()
    data, some = (
        TextDataset(train[0][start:], torch.tensor(train[1][start:]), checkpoint.tokenizer)
        for start in (0, -300)
    )
    model = Classifier.from_pretrained(checkpoint, num_labels=len(set(train[1])))
    # Headlines are labelled by their section, so some labels are a matter of taste: smooth them.
    loss = partial(cross_entropy, label_smoothing=0.1)
    trainer = Trainer(model, loss, learning_rate=1e-4, seed=seed, autocast=True)
    trainer.fit(data, some, epochs)  # some of what it is trained on chooses the last epoch
    unseen = TextDataset(texts, torch.zeros(len(texts), dtype=torch.long), checkpoint.tokenizer)
    return predict(model, unseen).double().log_softmax(dim=-1)


def measure(texts: list[str], labels: list[str], seed: int, epochs: int) -> dict[str, float]:
    """Train once; return weighted F1 on the test part, and the seconds that training took."""
    names = LabelEncoder.fit(labels)
    parts = {
        part: (some, names.encode(theirs).tolist())
        for part, (some, theirs) in split(texts, labels, seed).items()
    }
    train = tuple(a + b for a, b in zip(parts["train"], parts["validation"], strict=True))
    unseen, right = parts["test"]
    start = time.perf_counter()
    counted = count_n_grams(train, unseen)
    tuned = fine_tune(train, unseen, seed, epochs)
    seconds = time.perf_counter() - start
    ways = {
        "n-grams": counted,
        "MiniLM": tuned,
        "both": N_GRAMS * counted + (1 - N_GRAMS) * tuned,
    }
    found = {
        way: scores_of(confusion_matrix(torch.tensor(right), logs.argmax(dim=-1), len(names)))
        for way, logs in ways.items()
    }
    return {way: scores.weighted()["f1"] for way, scores in found.items()} | {"seconds": seconds}


def main() -> None:
    """Read the arguments, train with each seed, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("csv", type=Path, help="file with a column of texts and one of labels")
    parser.add_argument("--text", default="title", help="name of the column with the texts")
    parser.add_argument("--label", default="category", help="name of the column with the labels")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=3)
    arguments = parser.parse_args()

    texts, labels = read_csv(arguments.csv, arguments.text, arguments.label)
    runs = []
    for seed in arguments.seeds:
        runs.append(measure(texts, labels, seed, arguments.epochs))
        print(f"seed {seed} is done: F1 {runs[-1]['both']:.4f}", flush=True)
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
