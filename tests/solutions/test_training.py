import os
import subprocess
import sys
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import confusion_matrix as sklearn_confusion
from sklearn.metrics import precision_recall_fscore_support
from sklearn.utils.class_weight import compute_class_weight
from torch import nn

from solutions import TransformerConfig
from solutions.head import Classifier, HeadOutput, RegressionHead, cross_entropy, squared_error
from solutions.metrics import confusion_matrix, scores_of
from solutions.training import (
    LabelEncoder,
    TextDataset,
    Trainer,
    balanced_weights,
    batches_by_length,
    copy_of,
    pad,
    predict,
    seed_everything,
    shuffled_batches,
    split,
)

CONFIG = TransformerConfig(
    vocab_size=30522,
    hidden_size=12,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=24,
    max_position_embeddings=32,
)
WORDS = ("plot axis figure", "matrix tensor gradient", "query table column")


def examples(count, seed):
    """Short texts whose words give their class away."""
    seed_everything(seed)
    texts, labels = [], []
    for i in range(count):
        words = WORDS[i % 3].split()
        length = 1 + int(torch.randint(0, 6, ()))
        texts.append(" ".join(words[int(torch.randint(0, 3, ()))] for _ in range(length)))
        labels.append(WORDS[i % 3])
    return texts, labels


@pytest.fixture(scope="module")
def data(minilm):
    encoder = LabelEncoder.fit(WORDS)
    return [
        TextDataset(texts, encoder.encode(labels), minilm.tokenizer)
        for texts, labels in (examples(60, seed=1), examples(21, seed=2))
    ]


def trainer(seed=0, **settings):
    seed_everything(seed)
    settings = {"learning_rate": 3e-3, "batch_size": 8, "progress": False} | settings
    return Trainer(Classifier(CONFIG, num_labels=3), seed=seed, **settings)


def same(model, other):
    state, others = model.state_dict(), other.state_dict()
    return all(torch.equal(state[name], others[name]) for name in state)


# --- data ----------------------------------------------------------------------------------------


def test_a_split_is_stratified_loses_nothing_and_depends_on_its_seed_only():
    texts, labels = [f"text {i}" for i in range(200)], ["a"] * 140 + ["b"] * 60
    parts = split(texts, labels, seed=3)
    assert [len(part[0]) for part in parts.values()] == [140, 30, 30]
    assert [part[1].count("b") for part in parts.values()] == [42, 9, 9]
    assert sorted(text for part in parts.values() for text in part[0]) == sorted(texts)
    label_of = dict(zip(texts, labels, strict=True))
    assert all(label_of[t] == y for part in parts.values() for t, y in zip(*part, strict=True))
    assert split(texts, labels, seed=3) == parts != split(texts, labels, seed=4)


def test_labels_go_to_numbers_and_back_also_through_a_file(tmp_path):
    encoder = LabelEncoder.fit(["torch", "sympy", "torch", "Zürich"])
    assert encoder.classes == ["Zürich", "sympy", "torch"]
    ids = encoder.encode(["torch", "Zürich"])
    assert ids.tolist() == [2, 0]
    encoder.save(tmp_path / "labels.json")
    again = LabelEncoder.load(tmp_path / "labels.json")
    assert again.decode(ids) == ["torch", "Zürich"]
    assert len(again) == 3


def test_a_label_that_was_never_seen_is_refused_by_name():
    with pytest.raises(ValueError, match="Unknown label 'jax'; expected one of"):
        LabelEncoder.fit(["torch", "sympy"]).encode(["torch", "jax"])
    with pytest.raises(ValueError, match="Found a class twice"):
        LabelEncoder(["a", "a"])


def test_balanced_weights_equal_scikit_learns():
    labels = torch.tensor([0] * 7 + [1] * 2 + [2] * 4)
    expected = compute_class_weight("balanced", classes=np.arange(3), y=labels.numpy())
    assert balanced_weights(labels, 3).tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize("side", ["right", "left"])
def test_a_batch_is_padded_to_its_own_longest_text_as_the_tokenizer_pads(side, minilm):
    texts = ["time flies like an arrow", "fruit flies like a banana, but not always", "time"]
    dataset = TextDataset(texts, torch.tensor([1, 0, 2]), minilm.tokenizer, padding_side=side)
    batch = dataset.collate([dataset[0], dataset[2]])
    expected = minilm.tokenizer(
        [texts[0], texts[2]], padding=True, padding_side=side, return_tensors="pt"
    )
    assert batch["input_ids"].shape == (2, 7)
    assert torch.equal(batch["input_ids"], expected.input_ids)
    assert torch.equal(batch["attention_mask"], expected.attention_mask)
    assert batch["labels"].tolist() == [1, 2]


def test_bad_data_is_refused_in_a_sentence(minilm):
    with pytest.raises(ValueError, match="Found 2 texts and 1 labels"):
        TextDataset(["a", "b"], torch.tensor([0]), minilm.tokenizer)
    with pytest.raises(ValueError, match="No padding side 'middle'; expected right or left"):
        pad([[1]], side="middle")


def test_long_texts_are_cut(minilm):
    dataset = TextDataset(["time " * 100], None, minilm.tokenizer, max_length=10)
    assert dataset.lengths == [10]


def test_shuffled_batches_hold_every_example_once_differ_by_seed_and_waste_little():
    seed_everything(0)
    lengths = torch.randint(4, 60, (1000,)).tolist()
    batches = shuffled_batches(lengths, 16, seed=1)
    assert sorted(i for batch in batches for i in batch) == list(range(1000))
    assert sorted({len(batch) for batch in batches}) == [8, 16]
    assert batches == shuffled_batches(lengths, 16, seed=1) != shuffled_batches(lengths, 16, 2)
    computed = sum(len(batch) * max(lengths[i] for i in batch) for batch in batches)
    assert computed < 1.15 * sum(lengths)
    longest = [max(lengths[i] for i in batch) for batch in batches]
    assert longest not in (sorted(longest), sorted(longest, reverse=True))


def test_batches_by_length_hold_every_example_once():
    batches = batches_by_length([5, 9, 1, 7, 3], 2)
    assert batches == [[1, 3], [0, 4], [2]]


# --- training ------------------------------------------------------------------------------------


def test_the_trainer_learns_and_returns_with_the_best_weights(data):
    train, validation = data
    run = trainer()
    history = run.fit(train, validation, epochs=6)
    assert [line["epoch"] for line in history] == [1, 2, 3, 4, 5, 6]
    assert history[-1]["accuracy"] > 0.9
    assert history[-1]["train_loss"] < 0.75 * history[0]["train_loss"]
    assert not run.model.training
    best = min(line["validation_loss"] for line in history)
    assert run.evaluate(validation).loss == pytest.approx(best, rel=1e-6)


def test_the_best_weights_are_a_copy_and_come_back_after_worse_epochs(data):
    train, validation = data
    run = trainer(patience=2, schedule="constant", warmup=0.0)
    run.fit(train, validation, epochs=2)
    best, kept = run.best_loss, copy_of(run.best_weights)
    run.learning_rate = 3.0  # from here on everything gets worse
    run.fit(train, validation, epochs=50)
    assert len(run.history) == 4  # two epochs without improvement, and it stopped
    assert run.history[-1]["validation_loss"] > best
    assert all(torch.equal(tensor, kept[name]) for name, tensor in run.model.state_dict().items())
    assert run.evaluate(validation).loss == pytest.approx(best, rel=1e-6)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(data):
    train, validation = data
    first, again, other = trainer(seed=5), trainer(seed=5), trainer(seed=6)
    for run in (first, again, other):
        torch.rand(7)  # whatever happened before
        run.fit(train, validation, epochs=2)
    assert same(first.model, again.model)
    assert not same(first.model, other.model)


class InterruptedError(KeyboardInterrupt):
    pass


def interrupt_after(run, steps):
    """Let the model raise as if somebody had pressed Ctrl+C in the middle of a batch."""
    calls = 0

    def count(module, arguments):
        nonlocal calls
        calls += module.training
        if calls > steps:
            raise InterruptedError

    return run.model.register_forward_pre_hook(count)


@pytest.mark.parametrize("schedule", ["linear", "plateau"])
@pytest.mark.parametrize("steps", [3, 8, 13, 20])
def test_a_resumed_training_ends_in_the_same_bits(steps, schedule, data, tmp_path):
    train, validation = data  # 60 examples: 8 batches an epoch
    settings = {"seed": 4, "schedule": schedule}
    whole = trainer(**settings)
    whole.fit(train, validation, epochs=3)

    file = tmp_path / "run.safetensors"
    broken = trainer(**settings)
    interrupt_after(broken, steps)
    with pytest.raises(InterruptedError):
        broken.fit(train, validation, epochs=3, checkpoint=file, save_every=3)

    resumed = trainer(seed=99, **{k: v for k, v in settings.items() if k != "seed"})
    resumed.seed = 4  # a fresh process: other weights, other random numbers
    resumed.fit(train, validation, epochs=3, checkpoint=file, save_every=3)
    assert same(resumed.model, whole.model)
    for line, expected in zip(resumed.history, whole.history, strict=True):
        assert line | {"seconds": 0} == expected | {"seconds": 0}


PROGRAM = """
import sys, time
sys.path.insert(0, {folder!r})
import test_training as t
from solutions import load_checkpoint

minilm = load_checkpoint()
train, validation = t.data.__wrapped__(minilm)
run = t.trainer(seed=4)
if sys.argv[2] == "slowly":
    run.model.register_forward_pre_hook(lambda *_: time.sleep(0.2))
run.fit(train, validation, epochs=2, checkpoint=sys.argv[1], save_every=2)
run.model.save(sys.argv[1] + ".done")
"""


def test_a_killed_process_resumes_where_it_was_and_no_half_written_file_stays(data, tmp_path):
    program = PROGRAM.format(folder=str(Path(__file__).parent))
    file = tmp_path / "run.safetensors"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}

    def start(how):
        return subprocess.Popen([sys.executable, "-c", program, file, how], env=environment)

    process = start("slowly")
    while not file.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not Path(f"{file}.done").exists()
    assert start("quickly").wait(timeout=60) == 0

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        whole = trainer(seed=4)
        whole.fit(*data, epochs=2)
    finally:
        torch.set_num_threads(threads)
    assert same(Classifier.load(f"{file}.done", attn_implementation="eager"), whole.model)


def test_what_a_trainer_saves_is_no_pickle_and_foreign_files_are_refused(data, tmp_path):
    train, validation = data
    run = trainer()
    run.fit(train, validation, epochs=1, checkpoint=tmp_path / "run.safetensors")
    assert [file.name for file in tmp_path.iterdir()] == ["run.safetensors"]
    run.model.save(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match=r"holds no training state: expected a file from Trainer"):
        trainer().load(tmp_path / "model.safetensors")
    other = trainer(batch_size=4)
    with pytest.raises(ValueError, match="batch size 8 and seed 0; found 60, 4 and 0"):
        other.fit(train, validation, epochs=2, checkpoint=tmp_path / "run.safetensors")


def test_every_number_of_the_state_comes_back(data, tmp_path):
    run, other = trainer(), trainer(seed=1)
    run.fit(*data, epochs=1)
    state = {
        "epoch": 3,
        "step": 2,
        "total_loss": 0.1,
        "total_labels": 16.0,
        "best_loss": 1 / 3,
        "epochs_without_gain": 1,
        "plateau_factor": 0.25,
    }
    for name, value in state.items():
        setattr(run, name, value)
    run.save(tmp_path / "run.safetensors")
    other.load(tmp_path / "run.safetensors")
    assert {name: getattr(other, name) for name in state} == state
    assert (other.history, other.data) == (run.history, run.data)
    assert other.best_weights.keys() == run.best_weights.keys()
    for name, tensor in run.best_weights.items():
        assert torch.equal(other.best_weights[name], tensor)


def rates(run, train, validation, epochs):
    """The learning rate of every step."""
    seen = []
    step = run.optimizer.step
    run.optimizer.step = lambda: (seen.append(run.optimizer.param_groups[0]["lr"]), step())
    run.fit(train, validation, epochs=epochs)
    return seen


def test_the_linear_schedule_rises_in_the_warm_up_and_falls_towards_zero(data):
    seen = rates(trainer(warmup=0.25, patience=9), *data, epochs=2)  # 16 steps, 4 of warm-up
    assert seen[:4] == pytest.approx([3e-3 * i / 4 for i in (1, 2, 3, 4)])
    assert seen[4] == pytest.approx(3e-3)
    assert all(b < a for a, b in pairwise(seen[4:]))
    assert seen[-1] == pytest.approx(3e-3 / 12)


def test_the_plateau_schedule_halves_the_rate_as_pytorchs_does(data):
    losses = iter([1.0, 1.1, 1.2, 0.9, 0.95, 0.91, 0.99, 0.97, 0.8])
    run = trainer(schedule="plateau", warmup=0.0, patience=99, plateau_patience=2)
    evaluate = run.evaluate
    run.evaluate = lambda dataset: evaluate(dataset)._replace(loss=next(losses))
    seen = rates(run, *data, epochs=9)

    parameter = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([parameter], lr=3e-3)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=0.5, patience=1, threshold=0.0
    )
    expected = []
    for line in run.history:
        expected += 8 * [optimizer.param_groups[0]["lr"]]
        plateau.step(line["validation_loss"])
    assert seen == pytest.approx(expected)
    assert len(set(seen)) == 4


class Slope(nn.Module):
    """One number a text, for gradients that can be reckoned by hand."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 2))
        self.frozen = nn.Parameter(torch.ones(1), requires_grad=False)

    def forward(self, input_ids, attention_mask):
        return HeadOutput(self.weight.expand(len(input_ids), 2) * 1e4)


def test_gradients_are_clipped_to_a_length_and_frozen_parameters_stay(minilm):
    run = Trainer(Slope(), batch_size=60, clip=0.5, progress=False)
    train = TextDataset(["time"] * 60, torch.zeros(60, dtype=torch.int64), minilm.tokenizer)
    run.fit(train, train, epochs=1)
    assert run.model.weight.grad.norm() == pytest.approx(0.5, rel=1e-4)
    assert run.model.frozen.item() == 1.0


def test_weights_decay_and_biases_and_gains_do_not(data):
    run = trainer(weight_decay=0.1)
    decaying, others = run.optimizer.param_groups
    assert (decaying["weight_decay"], others["weight_decay"]) == (0.1, 0.0)
    names = {p: name for name, p in run.model.named_parameters()}
    assert all(names[p].endswith("weight") and "norm" not in names[p] for p in decaying["params"])
    assert all("norm" in names[p] or names[p].endswith("bias") for p in others["params"])
    assert len(decaying["params"]) + len(others["params"]) == len(names)


def test_autocast_multiplies_in_bfloat16_and_keeps_weights_and_loss_in_float32(data):
    seen = []

    def watched(logits, labels):
        loss = cross_entropy(logits, labels)
        seen.append((logits.dtype, loss.dtype))
        return loss

    plain, cast = trainer(), trainer(autocast=True, loss=watched)
    products = []
    cast.model.head.linear.register_forward_hook(
        lambda module, inputs, output: products.append(output.dtype)
    )
    losses = [t.fit(*data, epochs=2)[-1]["validation_loss"] for t in (plain, cast)]
    assert losses[1] == pytest.approx(losses[0], abs=0.05)
    assert losses[1] != losses[0]
    assert set(products) == {torch.bfloat16}
    assert {p.dtype for p in cast.model.parameters()} == {torch.float32}
    assert set(seen) == {(torch.float32, torch.float32)}


def test_a_loss_that_is_no_number_stops_the_training_at_once(data):
    run = trainer()
    with torch.no_grad():
        run.model.head.linear.bias.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="The loss is nan in epoch 1, batch 1; lower the"):
        run.fit(*data, epochs=1)


def test_class_weights_and_smoothing_reach_the_loss(data):
    train, validation = data
    plain, weighted = (
        trainer(),
        trainer(
            loss=partial(
                cross_entropy, class_weights=torch.tensor([5.0, 1, 1]), label_smoothing=0.1
            )
        ),
    )
    for run in (plain, weighted):
        run.fit(train, validation, epochs=1)
    assert not same(plain.model, weighted.model)


def test_the_mean_loss_counts_examples_not_batches(data):
    _, validation = data
    run = trainer(batch_size=8)  # 21 examples: batches of 8, 8 and 5
    logits = predict(run.model, validation)
    expected = cross_entropy(logits, validation.labels).item()
    assert run.evaluate(validation).loss == pytest.approx(expected, rel=1e-5)
    right = (logits.argmax(dim=-1) == validation.labels).float().mean().item()
    assert run.evaluate(validation).accuracy == pytest.approx(right)


def test_a_regression_is_trained_with_a_squared_error(minilm):
    texts, labels = examples(30, seed=1)
    targets = torch.tensor([float(WORDS.index(label)) for label in labels])
    dataset = TextDataset(texts, targets, minilm.tokenizer)
    seed_everything(0)
    model = Classifier(CONFIG, num_labels=1)
    model.head = RegressionHead(CONFIG)
    run = Trainer(model, squared_error, learning_rate=1e-2, batch_size=8, progress=False)
    history = run.fit(dataset, dataset, epochs=5)
    assert history[-1]["validation_loss"] < 0.3 * history[0]["validation_loss"]
    assert history[-1]["accuracy"] is None


def test_predictions_come_in_the_order_of_the_texts(data, close):
    _, validation = data
    model = trainer().model
    logits = predict(model, validation, batch_size=5)
    model.eval()
    for i in range(0, 21, 4):
        batch = validation.collate([validation[i]])
        del batch["labels"]
        with torch.no_grad():
            close(model(**batch).logits[0], logits[i])


def test_the_progress_bar_can_be_switched_off(data, capsys):
    trainer(progress=False).fit(*data, epochs=1)
    assert capsys.readouterr().out == ""
    trainer(progress=True).fit(*data, epochs=1)
    assert "epoch 1" in capsys.readouterr().out


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_gpu_is_used_and_a_training_on_it_can_be_resumed(data, tmp_path):
    train, validation = data
    file = tmp_path / "run.safetensors"
    broken = trainer(loss=partial(cross_entropy, class_weights=torch.ones(3)))
    interrupt_after(broken, 5)
    with pytest.raises(InterruptedError):
        broken.fit(train, validation, epochs=2, checkpoint=file, save_every=2)
    resumed = trainer()
    resumed.fit(train, validation, epochs=2, checkpoint=file)
    assert next(resumed.model.parameters()).is_cuda
    assert len(resumed.history) == 2


# --- scores --------------------------------------------------------------------------------------


def test_matrix_and_scores_equal_scikit_learns():
    labels, predictions = torch.randint(0, 4, (200,)), torch.randint(0, 4, (200,))
    predictions = torch.where(torch.rand(200) < 0.6, labels, predictions)
    confusion = confusion_matrix(labels, predictions, 4)
    assert confusion.tolist() == sklearn_confusion(labels, predictions).tolist()
    found = scores_of(confusion)
    expected = precision_recall_fscore_support(labels, predictions)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.tolist() == pytest.approx(theirs.tolist())
    weighted = precision_recall_fscore_support(labels, predictions, average="weighted")
    assert list(found.weighted().values()) == pytest.approx(list(weighted[:3]))


def test_classes_that_never_occur_or_are_never_predicted_score_zero():
    labels, predictions = torch.tensor([0, 0, 1, 1, 2]), torch.tensor([0, 1, 1, 1, 0])
    found = scores_of(confusion_matrix(labels, predictions, 4))
    expected = precision_recall_fscore_support(
        labels, predictions, labels=[0, 1, 2, 3], zero_division=0
    )
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.tolist() == pytest.approx(theirs.tolist())
