"""Looking inside: the parts make the whole, the last lens is the model, no hook stays behind."""

import copy

import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.testing import assert_close
from transformers import GPT2Config, GPT2LMHeadModel

from solutions import TransformerConfig
from solutions.decoder import LanguageModel
from solutions.head import MaskedLanguageModel
from solutions.inspection import (
    ablate,
    control_labels,
    fit_probe,
    head_contributions,
    induction_score,
    logit_lens,
    patch,
    record,
    residual_contributions,
    residual_states,
)
from solutions.multi_head import MultiHeadAttention

CONFIG = TransformerConfig(
    vocab_size=30,
    hidden_size=24,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=40,
    max_position_embeddings=20,
    pre_norm=True,
)
LLAMA = TransformerConfig(
    **{
        **vars(CONFIG),
        "positions": "rotary",
        "normalization": "rms_norm",
        "feed_forward": "swiglu",
    }
)
BERT = TransformerConfig(**{**vars(CONFIG), "pre_norm": False})


def shaken(model):
    """Draw weights that are not nearly zero, biases and gains included."""
    torch.manual_seed(0)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model.eval().requires_grad_(False)


@pytest.fixture(params=[CONFIG, LLAMA], ids=["gpt2", "llama"])
def writer(request):
    return shaken(LanguageModel(request.param))


@pytest.fixture
def fill_in():
    return shaken(MaskedLanguageModel(BERT))


@pytest.fixture
def ids():
    return torch.randint(1, 30, (2, 7), generator=torch.Generator().manual_seed(1))


def hooks_of(model):
    return [
        hook
        for module in model.modules()
        for hook in (*module._forward_hooks.values(), *module._forward_pre_hooks.values())
    ]


@pytest.mark.parametrize("by_head", [False, True])
def test_what_the_parts_add_sums_to_the_last_state(writer, ids, by_head):
    parts = residual_contributions(writer, ids, by_head=by_head)
    assert len(parts) == 1 + 3 * (6 if by_head else 2)
    assert_close(sum(parts.values()), residual_states(writer, ids)[-1], rtol=1e-5, atol=1e-5)
    assert hooks_of(writer) == []


def test_a_head_that_is_switched_off_is_missing_from_the_sum_of_its_layer(writer, ids):
    before = residual_contributions(writer, ids, by_head=True)
    with ablate(writer.decoder.stack.layers[1].attention, [2]):
        after = residual_contributions(writer, ids, by_head=True)
    assert before["1 head 2"].abs().max() > 0.1
    assert not after["1 head 2"].any()
    assert_close(after["1 head 3"], before["1 head 3"])
    assert not torch.allclose(after["2 head 0"], before["2 head 0"])


def test_a_post_norm_model_is_not_a_sum(ids):
    model = LanguageModel(BERT)
    with pytest.raises(ValueError, match="normalises after every sum"):
        residual_contributions(model, ids)


def test_heads_and_bias_are_the_whole_projection():
    torch.manual_seed(0)
    output, heads = nn.Linear(24, 24), torch.randn(2, 5, 24)
    parts = head_contributions(output, heads, head_size=6)
    assert len(parts) == 4
    assert_close(sum(parts) + output.bias, output(heads))


def test_the_lens_at_the_last_layer_is_the_model(writer, fill_in, ids):
    assert_close(logit_lens(writer, ids)[-1], writer(ids).logits, rtol=1e-5, atol=1e-5)
    mask = torch.ones_like(ids)
    mask[1, -2:] = 0
    lens = logit_lens(fill_in, ids, mask)
    assert lens.shape == (4, 2, 7, 30)
    assert_close(lens[-1], fill_in(ids, mask).logits, rtol=1e-5, atol=1e-5)
    assert not torch.allclose(lens[-1], logit_lens(fill_in, ids)[-1])


def test_the_lens_sees_what_each_layer_leaves(fill_in, ids):
    states = fill_in.encoder(ids, output_hidden_states=True).hidden_states
    assert_close(residual_states(fill_in, ids), torch.stack(states))
    assert_close(logit_lens(fill_in, ids)[1], fill_in.head(states[1]))


def test_the_states_are_those_that_hugging_face_returns(ids):
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=30, n_embd=24, n_layer=3, n_head=4, n_positions=20)
    config.bos_token_id = config.eos_token_id = None
    peer = shaken(GPT2LMHeadModel(config))
    model = LanguageModel.from_pretrained(peer)
    with torch.no_grad():
        theirs = peer.transformer(ids, output_hidden_states=True).hidden_states
        ours = residual_states(model, ids)
    assert_close(ours[:-1], torch.stack(theirs[:-1]), rtol=1e-5, atol=1e-5)
    normed = model.decoder.stack.final_norm(ours[-1])  # theirs ends with the norm
    assert_close(normed, theirs[-1], rtol=1e-5, atol=1e-5)


def test_inputs_and_outputs_are_recorded_as_they_are(writer, ids):
    names = ["decoder.stack.layers.1.attention.output", "decoder.stack.layers.1.attention"]
    with record(writer, names) as outputs, record(writer, names[:1], inputs=True) as given:
        writer(ids)
    layer = writer.get_submodule(names[0])
    assert_close(layer(given[names[0]]), outputs[names[0]])
    assert_close(outputs[names[1]], outputs[names[0]])  # the first of a tuple
    assert hooks_of(writer) == []


def test_a_name_that_does_not_exist_leaves_no_hook(writer):
    with (
        pytest.raises(AttributeError),
        record(writer, ["decoder.embeddings", "decoder.stack.layers.9"]),
    ):
        pass
    assert hooks_of(writer) == []


@pytest.mark.parametrize("what", ["record", "patch", "ablate"])
def test_an_error_takes_the_hooks_along(writer, ids, what):
    attention = writer.decoder.stack.layers[0].attention
    watching = {
        "record": lambda: record(writer, ["decoder.embeddings"]),
        "patch": lambda: patch(attention, torch.zeros(2, 7, 24)),
        "ablate": lambda: ablate(attention, [0]),
    }[what]
    expected = writer(ids).logits
    with pytest.raises(ValueError, match="token ids"), watching():
        writer(ids + 99)
    assert hooks_of(writer) == []
    assert torch.equal(writer(ids).logits, expected)


def test_patching_everything_gives_the_clean_logits(writer, ids):
    other, names = ids.flip(1), [f"decoder.stack.layers.{i}" for i in range(3)]
    with record(writer, names) as clean:
        expected = writer(ids).logits
    for name in names:
        with patch(writer.get_submodule(name), clean[name]):
            assert_close(writer(other).logits, expected, rtol=1e-5, atol=1e-5)
    assert not torch.allclose(writer(other).logits, expected)


def test_patching_one_position_changes_no_earlier_one(writer, ids):
    other, name = ids.flip(1), "decoder.stack.layers.0"
    with record(writer, [name]) as clean:
        writer(ids)
    kept = clean[name].clone()
    with record(writer, [name]) as before:
        expected = writer(other).logits
    with record(writer, [name]), patch(writer.get_submodule(name), kept, [4]):
        patched = writer(other).logits
    assert torch.equal(clean[name], kept)
    assert_close(patched[:, :4], expected[:, :4])
    moved = (patched - expected).abs().amax(dim=(0, 2))
    assert (moved[4:] > 0).all()
    with patch(writer.get_submodule(name), before[name], [4]):
        assert_close(writer(other).logits, expected)


@pytest.mark.parametrize("model_of", [LanguageModel, MaskedLanguageModel])
def test_zero_ablation_is_a_projection_without_the_heads_columns(ids, model_of):
    model = shaken(model_of(CONFIG if model_of is LanguageModel else BERT))
    layers = (model.decoder.stack if model_of is LanguageModel else model.encoder).layers
    with ablate(layers[1].attention, [0, 3]):
        found = model(ids).logits
    without = copy.deepcopy(model)
    layers = (without.decoder.stack if model_of is LanguageModel else without.encoder).layers
    layers[1].attention.output.weight[:, :6] = 0
    layers[1].attention.output.weight[:, 18:] = 0
    assert_close(found, without(ids).logits)
    assert not torch.allclose(found, model(ids).logits)


def test_a_head_is_replaced_by_its_mean_or_by_what_it_gave_elsewhere():
    torch.manual_seed(0)
    attention = MultiHeadAttention(CONFIG).eval().requires_grad_(False)
    x, other = torch.randn(2, 2, 5, 24)
    with record(attention, ["output"], inputs=True) as kept:
        attention(other)
    elsewhere = kept["output"]
    for replacement in (elsewhere.mean(dim=(0, 1)), elsewhere):
        with record(attention, ["output"], inputs=True) as kept:
            attention(x)
            own = kept["output"].clone()
            with ablate(attention, [1], replacement):
                found, _ = attention(x)
        own[..., 6:12] = replacement[..., 6:12]
        assert_close(found, attention.output(own))
    with ablate(attention, range(4), elsewhere):
        assert_close(attention(x)[0], attention(other)[0])


def test_the_induction_score_is_the_weight_after_the_earlier_occurrence():
    period, tokens = 4, 9
    torch.manual_seed(0)
    maps = [torch.rand(2, 3, tokens, tokens).softmax(-1) for _ in range(2)]
    score = induction_score(maps, period)
    for layer, head in ((0, 2), (1, 0)):
        weights = [
            maps[layer][text, head, query, query - period + 1].item()
            for text in range(2)
            for query in range(period, tokens)
        ]
        assert score[layer, head].item() == pytest.approx(sum(weights) / len(weights))
    perfect = torch.zeros(1, 1, tokens, tokens)
    for query in range(period, tokens):
        perfect[..., query, query - period + 1] = 1.0
    assert induction_score([perfect], period).item() == 1.0
    with pytest.raises(ValueError, match="after the first period"):
        induction_score([perfect], tokens)


@pytest.mark.parametrize(("classes", "penalty"), [(3, 1.0), (4, 0.1), (2, 1.0)])
def test_the_probe_is_scikit_learns(classes, penalty):
    generator = torch.Generator().manual_seed(classes)
    x = torch.randn(150, 12, generator=generator).double()
    labels = torch.randint(classes, (150,), generator=generator)
    x[:, 0] += labels
    # With two classes scikit-learn has one vector of weights, we the two that are its halves.
    peer = LogisticRegression(C=(2 if classes == 2 else 1) / penalty, tol=1e-9, max_iter=5000)
    theirs = peer.fit(x.numpy(), labels.numpy()).predict_proba(x.numpy())
    probe = fit_probe(x, labels, penalty)
    ours = probe(x).softmax(-1)
    assert_close(ours, torch.from_numpy(theirs), rtol=0, atol=1e-5)
    with torch.no_grad():
        assert_close(fit_probe(x.float(), labels, penalty).weight, probe.weight.float())


def test_a_probe_needs_two_classes():
    with pytest.raises(ValueError, match="one class only"):
        fit_probe(torch.randn(4, 3), torch.zeros(4, dtype=torch.long))


def test_control_labels_belong_to_the_word_and_to_nothing_else():
    types = torch.randint(1000, 1100, (2000,), generator=torch.Generator().manual_seed(0))
    labels = control_labels(types, 3, torch.Generator().manual_seed(0))
    by_type = {}
    for word, label in zip(types.tolist(), labels.tolist(), strict=True):
        by_type.setdefault(word, set()).add(label)
    assert all(len(found) == 1 for found in by_type.values())
    assert set(labels.tolist()) == {0, 1, 2}
    again = control_labels(types, 3, torch.Generator().manual_seed(0))
    assert torch.equal(labels, again)
    assert not torch.equal(labels, control_labels(types, 3, torch.Generator().manual_seed(1)))
