"""Scores of a classifier: precision, recall and F1 from a table of what was taken for what.

``sklearn.metrics`` has them too, and the tests hold these against it; they are written out because
chapter 7 teaches them.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor


class Scores(NamedTuple):
    """Precision, recall, F1 and support, the number of examples, for each class ``[labels]``."""

    precision: Tensor
    recall: Tensor
    f1: Tensor
    support: Tensor

    def weighted(self) -> dict[str, float]:
        """Average over the classes, each as heavy as it has examples."""
        share = self.support / self.support.sum()
        return {
            name: float((getattr(self, name) * share).sum())
            for name in ("precision", "recall", "f1")
        }


def confusion_matrix(
    labels: Int[Tensor, " examples"], predictions: Int[Tensor, " examples"], num_labels: int
) -> Int[Tensor, "num_labels num_labels"]:
    """Count how often class ``i`` was taken for class ``j``: ``[label, prediction]``."""
    pairs = labels * num_labels + predictions  # one number for each pair of classes
    return torch.bincount(pairs, minlength=num_labels**2).view(num_labels, num_labels)


def scores_of(confusion: Int[Tensor, "num_labels num_labels"]) -> Scores:
    """Compute scores from a confusion matrix; 0 where a class was never predicted or never there.

    Precision: of those called ``i``, the share that are ``i``. Recall: of those that are ``i``, the
    share that were found. F1: their harmonic mean.
    """
    right = confusion.diagonal().double()  # [labels]
    predicted, support = confusion.sum(dim=0), confusion.sum(dim=1)
    precision, recall = right / predicted.clamp(min=1), right / support.clamp(min=1)
    f1 = 2 * right / (predicted + support).clamp(min=1)
    return Scores(precision, recall, f1, support)
