import shutil

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM

from solutions import trained
from solutions.generation import generate
from solutions.trained import load_masked_head, load_translator, load_writer
from solutions.weights import bert_to_masked_language_model

LOADERS = {
    "writer.safetensors": load_writer,
    "translator.safetensors": load_translator,
    "masked_head.safetensors": load_masked_head,
}


@pytest.fixture(scope="module")
def writer():
    return load_writer()


@pytest.fixture(scope="module")
def translator():
    return load_translator()


@pytest.fixture(scope="module")
def fill_in():
    return load_masked_head()


def test_the_writer_continues_a_text_with_and_without_a_cache(writer):
    prompt = writer.tokenizer.encode("ROMEO:\n")
    written = generate(writer.model, prompt, 60)
    assert torch.equal(written, generate(writer.model, prompt, 60, use_cache=False))
    text = writer.tokenizer.decode(written[0])
    assert text.startswith("ROMEO:\n")
    assert len(text) == 67


def test_the_writer_has_read_shakespeare(writer):
    """Knowing nothing costs ln 65 = 4.17 nats a character, knowing the frequencies 3.3."""
    text = "What's in a name? That which we call a rose\nBy any other name would smell as sweet;\n"
    ids = writer.tokenizer.encode(text)
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(writer.model(ids).logits[0, :-1], ids[0, 1:])
    assert loss < 2.0


def test_characters_that_the_writer_does_not_know_are_named(writer):
    with pytest.raises(ValueError, match="Found '@', 'é'; this model knows only the characters"):
        writer.tokenizer.encode("Café @ Verona")


def test_an_empty_prompt_and_one_that_is_too_long_are_refused(writer):
    with pytest.raises(ValueError, match="The prompt is empty"):
        generate(writer.model, writer.tokenizer.encode(""), 5)
    limit = writer.model.config.max_position_embeddings
    with pytest.raises(ValueError, match=f"made for the {limit} positions"):
        generate(writer.model, writer.tokenizer.encode("a" * (limit + 1)), 1)


def test_the_translator_translates_alone_as_in_a_batch(translator):
    texts = ["I am tired.", "Tom lives in Boston.", "Go!"]
    together = translator.translate(texts)
    assert together == [translator.translate([text])[0] for text in texts]
    assert all(isinstance(text, str) and text for text in together)
    assert "Tom" in together[1]
    assert len(translator.translate(texts, num_beams=1)) == 3
    refused = {"no text": [], "an empty text": ["Go!", " "], "positions": ["a " * 600]}
    for found, bad in refused.items():
        with pytest.raises(ValueError, match=f"Found {found}"):
            translator.translate(bad)


def test_the_translators_cache_changes_nothing_and_its_maps_are_distributions(translator, close):
    source = translator.source_tokenizer(["Time flies like an arrow."], return_tensors="pt")
    mask = source["attention_mask"]
    with torch.no_grad():
        states = translator.model.encode(source["input_ids"], mask)
        told = {"encoder_hidden_states": states, "encoder_attention_mask": mask}
        start = torch.tensor([[translator.target_tokenizer.bos_token_id]])
        written = [
            generate(translator.model.decode, start, 12, use_cache=cached, **told)
            for cached in (True, False)
        ]
        assert torch.equal(*written)
        output = translator.model(source["input_ids"], written[0], mask, output_attentions=True)
    sizes = written[0].size(1), source["input_ids"].size(1)
    assert all(weights.shape[-2:] == sizes for weights in output.cross_attentions)
    close(output.cross_attentions[-1].sum(-1), torch.ones_like(output.cross_attentions[-1][..., 0]))


def test_minilm_is_not_trained_and_never_drops_anything_in_the_translator(translator):
    model = translator.model
    assert not any(p.requires_grad for p in model.encoder.parameters())
    assert all(p.requires_grad for p in model.decoder.parameters())
    try:
        assert not model.train().encoder.training
        assert model.decoder.training
    finally:
        model.eval()


def test_hidden_words_are_guessed_with_probabilities(fill_in):
    found = fill_in.best("time [MASK] like an arrow")
    assert len(found) == 5
    probabilities = [probability for _, probability in found]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 < sum(probabilities) < 1
    for text, count in (("time flies", 0), ("[MASK] flies [MASK]", 2)):
        with pytest.raises(ValueError, match=f"Found {count} times \\[MASK\\]"):
            fill_in.best(text)
    with pytest.raises(ValueError, match="this model has learned only the 512 positions"):
        fill_in.best("[MASK] " + "time " * 600)


@torch.no_grad()
def test_the_masked_word_head_equals_bert_for_masked_lm(fill_in, minilm, minilm_model, close):
    config = BertConfig(**{**minilm.config.to_dict(), "tie_word_embeddings": True})
    theirs = BertForMaskedLM(config).eval()
    theirs.bert.load_state_dict(minilm_model.state_dict(), strict=False)
    head, predictions = fill_in.model.head, theirs.cls.predictions
    predictions.transform.dense.load_state_dict(head.dense.state_dict())
    predictions.transform.LayerNorm.load_state_dict(head.norm.state_dict())
    predictions.bias.copy_(head.bias)
    batch = fill_in.tokenizer(
        ["time [MASK] like an arrow", "[MASK]"], padding=True, return_tensors="pt"
    )
    real = batch["attention_mask"].bool()
    close(fill_in.model(**batch).logits[real], theirs(**batch).logits[real])
    back = bert_to_masked_language_model(theirs.state_dict())
    assert all(torch.equal(back[name], t) for name, t in fill_in.model.state_dict().items())


@pytest.mark.parametrize("name", LOADERS)
def test_a_missing_or_damaged_file_is_one_sentence_with_the_command(name, tmp_path, monkeypatch):
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr(trained, "MODELS", folder)
    command = r"bring it back with `git checkout -- models`"
    with pytest.raises(ValueError, match=rf"There is no .*{name}: {command}"):
        LOADERS[name]()

    original = trained.Path(trained.__file__).parent.parent / "models"
    shutil.copy(original / name, folder)
    with pytest.raises(ValueError, match=rf"There is no .*SHA256SUMS: {command}"):
        LOADERS[name]()

    shutil.copy(original / "SHA256SUMS", folder)
    damaged = bytearray((folder / name).read_bytes())
    damaged[-1] ^= 1
    (folder / name).write_bytes(damaged)
    with pytest.raises(ValueError, match=rf"{name} is damaged \(SHA-256 .* {command}"):
        LOADERS[name]()


def test_loading_needs_no_network(no_network, writer, translator, fill_in):
    assert load_writer().tokenizer.characters == writer.tokenizer.characters
    assert load_masked_head().best("I [MASK] you.") == fill_in.best("I [MASK] you.")
