import json

import pytest
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save_file
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertForTokenClassification,
)

from solutions.encoder import Encoder
from solutions.head import (
    POOLINGS,
    ClassificationHead,
    Classifier,
    MaskedLanguageModel,
    RegressionHead,
    TokenClassifier,
    cross_entropy,
    first_token,
    max_of_tokens,
    mean_of_tokens,
    squared_error,
)
from solutions.weights import bert_to_classifier, bert_to_masked_language_model


def tiny(**changes):
    return BertConfig(
        vocab_size=50,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=20,
        max_position_embeddings=16,
        num_labels=5,
        attn_implementation="eager",
        **changes,
    )


@pytest.fixture
def batch():
    """Three sequences: full, padded on the right, padded on the left; two segments."""
    mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1]])
    return {
        "input_ids": torch.randint(1, 50, (3, 7)) * mask,
        "attention_mask": mask,
        "token_type_ids": torch.tensor([0, 0, 0, 1, 1, 1, 1]).expand(3, 7),
    }


# --- pooling -------------------------------------------------------------------------------------


def test_poolings_equal_a_loop_over_the_real_tokens(batch, close):
    hidden, mask = torch.randn(3, 7, 12), batch["attention_mask"]
    real = [h[m.bool()] for h, m in zip(hidden, mask, strict=True)]
    close(first_token(hidden, mask), torch.stack([h[0] for h in real]))
    close(mean_of_tokens(hidden, mask), torch.stack([h.mean(dim=0) for h in real]))
    close(max_of_tokens(hidden, mask), torch.stack([h.max(dim=0).values for h in real]))
    close(max_of_tokens(hidden - 10, mask), torch.stack([h.max(dim=0).values - 10 for h in real]))


@pytest.mark.parametrize("pooling", POOLINGS)
def test_what_stands_at_padding_changes_no_pooled_vector_not_even_nan(pooling, batch):
    hidden, mask = torch.randn(3, 7, 12), batch["attention_mask"].bool()
    expected = POOLINGS[pooling](hidden, mask)
    for rubbish in (1e9, float("inf"), float("nan")):
        spoilt = hidden.masked_fill(~mask[:, :, None], rubbish)
        assert torch.equal(POOLINGS[pooling](spoilt, mask), expected)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_row_of_nothing_but_padding_gives_zeros_and_finite_gradients(pooling):
    hidden = torch.randn(2, 4, 6, requires_grad=True)
    mask = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 0]])
    pooled = POOLINGS[pooling](hidden, mask)
    assert torch.equal(pooled[1], torch.zeros(6))
    pooled.sum().backward()
    assert hidden.grad.isfinite().all()
    assert hidden.grad[0].abs().sum() > 0


# --- agreement with Hugging Face -----------------------------------------------------------------


@torch.no_grad()
def test_the_classifier_equals_bert_for_sequence_classification(batch, with_drawn_weights, close):
    config = tiny()
    theirs = with_drawn_weights(BertForSequenceClassification(config))
    ours = Classifier(config, num_labels=5, pooling="first", pooler=True).eval()
    ours.load_state_dict(bert_to_classifier(theirs.state_dict()))
    batch = {name: t[:2] for name, t in batch.items()}  # BERT's first token is at place 0
    expected = theirs(**batch, output_attentions=True)
    found = ours(**batch, output_attentions=True)
    close(found.logits, expected.logits)
    assert len(found.attentions) == 2
    for a, b in zip(found.attentions, expected.attentions, strict=True):
        close(a, b)
    assert ours(**batch).attentions is None


@torch.no_grad()
def test_the_token_classifier_equals_bert_for_token_classification(
    batch, with_drawn_weights, close
):
    config = tiny()
    theirs = with_drawn_weights(BertForTokenClassification(config))
    ours = TokenClassifier(config, num_labels=5).eval()
    ours.load_state_dict(bert_to_classifier(theirs.state_dict()))
    close(ours(**batch).logits, theirs(**batch).logits)
    labels = torch.randint(0, 5, (3, 7)).masked_fill(batch["attention_mask"] == 0, -100)
    close(cross_entropy(ours(**batch).logits, labels), theirs(**batch, labels=labels).loss)


@pytest.mark.parametrize("hidden_act", ["gelu", "relu", "gelu_new"])
def test_the_masked_language_model_equals_bert_for_masked_lm(
    hidden_act, batch, with_drawn_weights, close
):
    config = tiny(hidden_act=hidden_act)
    theirs = with_drawn_weights(BertForMaskedLM(config))
    ours = MaskedLanguageModel(config).eval()
    ours.load_state_dict(bert_to_masked_language_model(theirs.state_dict()))
    labels = torch.randint(0, 50, (3, 7)).masked_fill(torch.rand(3, 7) < 0.6, -100)
    expected = theirs(**batch, labels=labels)
    found = ours(**batch)
    close(found.logits, expected.logits)
    loss = cross_entropy(found.logits, labels)
    close(loss, expected.loss)

    loss.backward()
    expected.loss.backward()
    table = ours.encoder.embeddings.word_embeddings.weight
    close(table.grad, theirs.bert.embeddings.word_embeddings.weight.grad)


def test_the_masked_language_head_shares_the_table_and_stays_tied_in_a_copy():
    model = MaskedLanguageModel(tiny())
    names = [name for name, _ in model.named_parameters() if "word_embeddings" in name]
    assert names == ["encoder.embeddings.word_embeddings.weight"]
    with torch.no_grad():
        model.encoder.embeddings.word_embeddings.weight.fill_(2.0)
    assert (model.head.word_embeddings.weight == 2.0).all()


# --- the classifier ------------------------------------------------------------------------------


@pytest.mark.parametrize("pooling", POOLINGS)
@torch.no_grad()
def test_a_pretrained_classifier_reads_minilm_and_padding_changes_nothing(pooling, minilm, close):
    model = Classifier.from_pretrained(minilm, num_labels=4, pooling=pooling)
    alone = minilm.tokenizer(["time flies like an arrow"], return_tensors="pt")
    texts = ["time flies like an arrow", "fruit flies like a banana, but not always, they say"]
    together = minilm.tokenizer(texts, padding=True, return_tensors="pt")
    assert model(**alone).logits.shape == (1, 4)
    close(model(**together).logits[:1], model(**alone).logits)

    hidden = Encoder.from_pretrained(minilm)(**together).last_hidden_state
    pooled = POOLINGS[pooling](hidden, together.attention_mask)
    close(model(**together).logits, model.head(pooled))


@torch.no_grad()
def test_logits_are_no_probabilities(batch, with_drawn_weights):
    logits = with_drawn_weights(Classifier(tiny(), num_labels=4))(**batch).logits
    assert logits.min() < 0
    assert not torch.allclose(logits.sum(dim=-1), torch.ones(3))


def test_dropout_lives_in_training_and_is_dead_in_evaluation(batch):
    model = Classifier(tiny(), num_labels=4)
    assert not torch.equal(model(**batch).logits, model(**batch).logits)
    model.eval()
    assert torch.equal(model(**batch).logits, model(**batch).logits)


@torch.no_grad()
def test_a_saved_classifier_comes_back_equal(batch, tmp_path):
    for pooler in (False, True):
        model = Classifier(tiny(), num_labels=4, pooling="max", pooler=pooler).eval()
        model.save(tmp_path / "classifier.safetensors")
        again = Classifier.load(tmp_path / "classifier.safetensors", attn_implementation="eager")
        assert again.pooling == "max"
        assert not again.training
        assert torch.equal(again(**batch).logits, model(**batch).logits)
    with safe_open(tmp_path / "classifier.safetensors", "pt") as file:
        assert json.loads(file.metadata()["classifier"])["num_labels"] == 4


def test_a_file_that_holds_no_classifier_is_refused(tmp_path):
    save_file({"weight": torch.zeros(2)}, tmp_path / "other.safetensors")
    with pytest.raises(ValueError, match=r"holds no classifier: expected a file from Classifier"):
        Classifier.load(tmp_path / "other.safetensors")


def test_an_unknown_pooling_is_refused():
    with pytest.raises(ValueError, match="No pooling 'cls'; expected one of first, mean, max"):
        Classifier(tiny(), num_labels=4, pooling="cls")


def test_a_regression_head_fits_in_the_classifiers_place(batch):
    model = Classifier(tiny(), num_labels=4).eval()
    model.head = RegressionHead(model.config)
    outputs = model(**batch).logits
    assert outputs.shape == (3, 1)
    squared_error(outputs, torch.randn(3)).backward()
    assert model.encoder.embeddings.word_embeddings.weight.grad.abs().sum() > 0


def test_one_head_serves_texts_and_tokens(close):
    head = ClassificationHead(tiny(), num_labels=4).eval()
    hidden = torch.randn(2, 5, 12)
    close(head(hidden)[:, 3], head(hidden[:, 3]))


# --- losses --------------------------------------------------------------------------------------


def test_cross_entropy_by_hand(close):
    logits, labels = torch.randn(6, 4), torch.tensor([0, 3, 1, -100, 2, 2])
    weights = torch.tensor([1.0, 2.0, 0.5, 3.0])
    log_probabilities = logits.softmax(dim=-1).log()
    rows = [0, 1, 2, 4, 5]
    each = torch.stack([-log_probabilities[i, labels[i]] for i in rows])
    close(cross_entropy(logits, labels), each.mean())
    heavy = weights[labels[rows]]
    close(cross_entropy(logits, labels, weights), (each * heavy).sum() / heavy.sum())
    smooth = 0.9 * each + 0.1 * -log_probabilities[rows].mean(dim=-1)
    close(cross_entropy(logits, labels, label_smoothing=0.1), smooth.mean())


def test_tokens_are_counted_one_by_one_even_where_tokens_and_classes_are_as_many(close):
    logits, labels = torch.randn(3, 4, 4), torch.randint(0, 4, (3, 4))
    close(cross_entropy(logits, labels), F.cross_entropy(logits.transpose(1, 2), labels))


def test_squared_error_compares_each_output_with_its_own_target(close):
    outputs, targets = torch.randn(5, 1), torch.randn(5)
    close(squared_error(outputs, targets), ((outputs[:, 0] - targets) ** 2).mean())
    close(squared_error(outputs, targets[:, None]), ((outputs[:, 0] - targets) ** 2).mean())
    with pytest.raises(ValueError, match=r"outputs of shape \(5,\) and targets of shape \(1,\)"):
        squared_error(torch.randn(5), torch.randn(1))
