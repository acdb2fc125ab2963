"""The scripts behind the trained models, in a setting that takes seconds."""

import os
import signal
from pathlib import Path

import pytest
import torch

from models import fine_tuning, judge, recipe, train_masked_head, train_translator, train_writer
from models.recipe import Run, Schedule, make_optimizers
from solutions.trained import german_tokenizer, read_plays, split_plays

SCRIPTS = {
    "writer": train_writer,
    "translator": train_translator,
    "masked_head": train_masked_head,
}


@pytest.fixture(scope="module", params=SCRIPTS)
def small(request):
    script = SCRIPTS[request.param]
    return script, script.SMALL


@pytest.fixture(scope="module")
def whole(small, tmp_path_factory):
    """A training from its first step to its last."""
    script, settings = small
    run, *_ = script.train(settings, tmp_path_factory.mktemp("whole"))
    return run


def losses_of(run):
    return [[line["train_loss"], line["validation_loss"]] for line in run.history]


def test_the_same_seed_gives_the_same_losses_and_they_fall(small, whole, tmp_path):
    script, settings = small
    again, *_ = script.train(settings, tmp_path)
    torch.testing.assert_close(losses_of(whole), losses_of(again), rtol=0, atol=1e-3)
    (begin, begin_judged), (end, end_judged) = losses_of(whole)
    assert end < begin
    assert end_judged < begin_judged


def test_a_training_that_was_stopped_goes_on_as_if_it_had_not_been(
    small, whole, tmp_path, monkeypatch
):
    script, settings = small
    take_step = Run._take_step

    def interrupted(self, loss_of):
        if self.step == 7:
            raise KeyboardInterrupt
        loss = take_step(self, loss_of)
        if self.step == 5:
            self._save("state.pt")
        return loss

    monkeypatch.setattr(Run, "_take_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        script.train(settings, tmp_path / "parts")
    monkeypatch.setattr(Run, "_take_step", take_step)
    parts, *_ = script.train(settings, tmp_path / "parts")
    found, expected = losses_of(parts), losses_of(whole)
    assert [line["step"] for line in parts.history] == [6, 12]
    torch.testing.assert_close(found[-1], expected[-1], rtol=0, atol=1e-3)


@pytest.fixture
def line():
    """A model of one number, which learns to be 3."""
    return torch.nn.Linear(1, 1, bias=False)


def run_of(model, folder, steps):
    return Run(model, make_optimizers(model, 0.0, 0.1), Schedule(steps, warmup=2), folder)


def loss_of(model):
    return lambda generator, step: (model(torch.ones(1, 1)) - 3).square().sum()


def test_a_longer_run_goes_on_from_before_the_learning_rate_fell(line, tmp_path):
    run_of(line, tmp_path, 20).fit(loss_of(line), dict)
    longer = run_of(line, tmp_path, 40)
    assert longer.step == Schedule(20).fall_begins == 14
    assert run_of(line, tmp_path, 20).step == 20  # the same run has ended
    shorter = run_of(line, tmp_path, 10)
    assert shorter.step == 0  # the state kept lies beyond the place where its rate falls


def test_a_loss_that_is_no_number_is_said_and_not_saved(line, tmp_path):
    run = run_of(line, tmp_path, 5)
    with pytest.raises(FloatingPointError, match="The loss is nan at step 0"):
        run.fit(lambda generator, step: loss_of(line)(generator, step) * float("nan"), dict)
    assert not (tmp_path / "state.pt").exists()


def test_a_training_that_is_asked_to_stop_saves_where_it_stands(line, tmp_path):
    def interrupting(generator, step):
        if step == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        return loss_of(line)(generator, step)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit, match="Stopped at step 4; the same command goes on"):
        run_of(line, tmp_path, 20).fit(interrupting, dict)
    assert signal.getsignal(signal.SIGTERM) == before
    assert run_of(line, tmp_path, 20).step == 4


def test_the_learning_rate_rises_stays_and_falls():
    schedule = Schedule(100, warmup=10, fall=0.5)
    factors = [schedule.factor(step) for step in range(100)]
    assert factors[0] == pytest.approx(0.1)
    assert set(factors[9:51]) == {1.0}
    assert factors[50:] == sorted(factors[50:], reverse=True)
    assert factors[99] == pytest.approx(0.02)


def ask(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["train_writer", *arguments])
    return recipe.ask("writer", "…", train_writer.Settings(), train_writer.SMALL)


@pytest.mark.parametrize(
    ("arguments", "steps", "folder", "into"),
    [
        ([], 600, recipe.BUILD / "writer", recipe.FOLDER),
        (["--steps", "900"], 900, recipe.BUILD / "writer", recipe.FOLDER),
        (["--steps", "3"], 3, recipe.BUILD / "writer", recipe.BUILD / "writer"),
        (["--small"], 12, recipe.BUILD / "small/writer", recipe.BUILD / "small/writer"),
        (["--small", "--steps", "900"], 900, *2 * [recipe.BUILD / "small/writer"]),
        (["--small", "--folder", "here"], 12, Path("here"), Path("here")),
    ],
)
def test_only_as_many_steps_as_what_ships_has_had_replace_it(
    arguments, steps, folder, into, monkeypatch
):
    asked = ask(monkeypatch, *arguments)
    assert (asked.settings.steps, asked.folder, asked.into) == (steps, folder, into)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--steps", "0"], "argument --steps: '0' is not a whole number from 1 on"),
        (["--steps", "-3"], "argument --steps: '-3' is not a whole number from 1 on"),
        (["--steps", "many"], "argument --steps: 'many' is not a whole number from 1 on"),
        (["--folder", __file__], "test_training.py is no folder."),
        (["--ship", "--folder", "nowhere"], "there is no training in nowhere that could be"),
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(arguments, sentence, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        ask(monkeypatch, *arguments)
    assert sentence in capsys.readouterr().err


def test_a_training_is_shipped_as_it_stands(tmp_path, monkeypatch):
    (tmp_path / "state.pt").touch()
    asked = ask(monkeypatch, "--ship", "--folder", str(tmp_path))
    assert asked.as_it_stands
    assert asked.into == recipe.FOLDER


def test_the_state_of_another_model_is_not_gone_on_with(line, tmp_path):
    run_of(line, tmp_path, 5).fit(loss_of(line), dict)
    with pytest.raises(SystemExit, match="has the training of another model: name another folder"):
        run_of(torch.nn.Linear(2, 1), tmp_path, 5)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (("pages", "full", "50"), "'pages' is none of 'libraries', 'order'"),
        (("order", "half", "50"), "'half' is none of 'character n-grams', 'word n-grams',"),
        (("order", "full", "-1"), "'-1' is not a whole number from 1 on"),
    ],
)
def test_a_result_that_cannot_be_had_is_not_looked_for(wrong, sentence, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["fine_tuning", "--only", *wrong])
    with pytest.raises(SystemExit):
        fine_tuning.main()
    assert sentence in capsys.readouterr().err


def test_a_judge_without_bleu_says_so_before_he_begins(monkeypatch):
    monkeypatch.setattr("sys.argv", ["judge"])
    monkeypatch.setattr(judge, "find_spec", {"sacrebleu": None}.get)
    with pytest.raises(SystemExit, match=r"needs sacrebleu: install requirements-models\.txt"):
        judge.main()


def test_muon_gets_the_matrices_and_adam_everything_else():
    model = train_writer.LanguageModel(train_writer.SMALL.config(10))
    adam, muon = make_optimizers(model, 1e-3, 2e-3)
    names = {id(p): name for name, p in model.named_parameters()}
    by_muon = {names[id(p)] for group in muon.param_groups for p in group["params"]}
    by_adam = {names[id(p)] for group in adam.param_groups for p in group["params"]}
    assert by_muon | by_adam == set(names.values())
    assert not by_muon & by_adam
    assert all(name.endswith("weight") and "layers" in name for name in by_muon)
    assert "decoder.embeddings.word_embeddings.weight" in by_adam
    assert len(make_optimizers(model, 0.0, 1e-3)) == 1


def test_no_english_sentence_is_judged_and_learned_from():
    split = train_translator.split_pairs(train_translator.read_pairs(), judged=500)
    english = {
        part: {"".join(c for c in e.lower() if c.isalpha()) for e, _ in pairs}
        for part, pairs in split.items()
    }
    assert not english["train"] & (english["validation"] | english["test"])
    assert not english["validation"] & english["test"]
    assert sum(map(len, split.values())) == 48_403
    assert min(len(split["validation"]), len(split["test"])) >= 500


def test_the_german_tokenizer_gives_texts_back():
    texts = ["Zeit fliegt wie ein Pfeil.", "„Wer sagt das?“ — „Ich!“", "Müßige Äpfel, 15 Uhr"]
    tokenizer = german_tokenizer(train_translator.train_tokenizer(texts, 300))
    for text in texts:
        ids = tokenizer(text)["input_ids"]
        assert [ids[0], ids[-1]] == [tokenizer.bos_token_id, tokenizer.eos_token_id]
        assert tokenizer.decode(ids, skip_special_tokens=True) == text


def test_words_are_hidden_inside_a_text_only_and_at_least_one_in_each():
    ids = torch.arange(100, 180).view(8, 10)
    real = torch.tensor([[1] * 10] * 4 + [[1] * 3 + [0] * 7] * 4)
    generator = torch.Generator().manual_seed(0)
    found, labels = train_masked_head.hide(ids, real, 0.3, 1, generator)
    hidden = found == 1
    assert (labels[hidden] == ids[hidden]).all()
    assert (labels[~hidden] == -100).all()
    assert (found[~hidden] == ids[~hidden]).all()
    assert not hidden[:, 0].any()
    assert not hidden[:4, 9].any()
    assert hidden[4:, 1].all()  # the only word there
    assert hidden[:4].any(dim=1).all()


def test_shakespeare_is_the_text_that_others_are_measured_on():
    text = read_plays()
    train, validation = split_plays(text)
    assert (len(text), len(set(text))) == (1_115_394, 65)
    assert (len(train), len(validation)) == (1_003_854, 111_540)  # nanoGPT's


def test_what_is_shipped_is_small_and_its_digests_are_right():
    files = sorted(recipe.FOLDER.glob("*.safetensors"))
    assert sum(file.stat().st_size for file in files) < 20e6
    lines = (recipe.FOLDER / recipe.SHA256SUMS).read_text().splitlines()
    assert [line.split()[1] for line in lines] == [file.name for file in files]


def test_shipping_again_replaces_one_digest(tmp_path: Path):
    recipe.ship({"w": torch.ones(2)}, "b", {}, tmp_path)
    recipe.ship({"w": torch.ones(2)}, "a", {"n": 1}, tmp_path)
    before = (tmp_path / "SHA256SUMS").read_text().splitlines()
    recipe.ship({"w": torch.zeros(2)}, "b", {}, tmp_path)
    after = (tmp_path / "SHA256SUMS").read_text().splitlines()
    assert [line[66:] for line in after] == ["a.safetensors", "b.safetensors"]
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)


def test_results_get_their_columns_once(tmp_path):
    file = tmp_path / "results.csv"
    for loss in (1.5, 1.25):
        recipe.append_row({"parts": "GELU, not SwiGLU", "loss": loss}, file)
    assert file.read_text() == 'parts,loss\n"GELU, not SwiGLU",1.5\n"GELU, not SwiGLU",1.25\n'
