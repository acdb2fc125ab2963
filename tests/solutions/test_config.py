import dataclasses

import pytest
from transformers import BertConfig, DistilBertConfig, GPT2Config, LlamaConfig, MixtralConfig

from solutions import TransformerConfig
from solutions.feed_forward import FeedForward


def test_the_defaults_are_those_of_bert_base():
    bert = BertConfig()
    ours = TransformerConfig()
    choices = {
        "pre_norm": False,
        "positions": "learned",
        "normalization": "layer_norm",
        "feed_forward": "plain",
        "attention_bias": True,
        "rope_theta": 10000.0,
        "num_experts_per_tok": 2,
        "attn_implementation": "eager",
    }
    for field in dataclasses.fields(ours):
        expected = choices.get(field.name, getattr(bert, field.name, None))
        assert getattr(ours, field.name) == expected, field.name


def test_a_bert_configuration_is_read_by_its_names():
    bert = BertConfig(
        vocab_size=99,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=40,
        hidden_act="relu",
        layer_norm_eps=0.1,
        num_labels=5,
    )
    ours = TransformerConfig.from_config(bert)
    assert ours == TransformerConfig(
        vocab_size=99,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=40,
        hidden_act="relu",
        layer_norm_eps=0.1,
        num_labels=5,
    )
    assert ours.head_size == 6


def test_the_names_that_gpt2_and_distilbert_use_are_read():
    gpt2 = GPT2Config(n_embd=24, n_head=3, n_layer=2, n_positions=40, resid_pdrop=0.3)
    assert TransformerConfig.from_config(gpt2) == TransformerConfig(
        vocab_size=50257,
        hidden_size=24,
        num_attention_heads=3,
        num_hidden_layers=2,
        intermediate_size=96,
        hidden_act="gelu_new",
        hidden_dropout_prob=0.3,
        max_position_embeddings=40,
        layer_norm_eps=1e-5,
        pre_norm=True,
    )
    assert TransformerConfig.from_config(GPT2Config(n_inner=50)).intermediate_size == 50

    distilbert = DistilBertConfig(dim=24, n_heads=3, n_layers=2, hidden_dim=50, activation="relu")
    ours = TransformerConfig.from_config(distilbert)
    assert (ours.hidden_size, ours.num_attention_heads, ours.num_hidden_layers) == (24, 3, 2)
    assert (ours.intermediate_size, ours.hidden_act) == (50, "relu")


def test_what_llama_and_mixtral_say_is_read_and_what_they_all_have_is_known():
    llama = LlamaConfig(
        hidden_size=24,
        num_attention_heads=4,
        num_key_value_heads=2,
        rms_norm_eps=1e-5,
        max_position_embeddings=8192,
        rope_parameters={"rope_type": "default", "rope_theta": 500000.0},
        pad_token_id=0,
    )
    expected = TransformerConfig(
        vocab_size=32000,
        hidden_size=24,
        num_hidden_layers=32,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=11008,
        hidden_act="silu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=8192,
        layer_norm_eps=1e-5,
        pre_norm=True,
        positions="rotary",
        normalization="rms_norm",
        feed_forward="swiglu",
        attention_bias=False,
        rope_theta=500000.0,
        tie_word_embeddings=False,
    )
    assert TransformerConfig.from_config(llama) == expected
    assert expected.key_value_heads == 2
    llama.attention_bias, llama.tie_word_embeddings = True, True
    ours = TransformerConfig.from_config(llama)
    assert (ours.attention_bias, ours.tie_word_embeddings) == (True, True)

    ours = TransformerConfig.from_config(MixtralConfig(sliding_window=512))
    assert (ours.num_local_experts, ours.num_experts_per_tok) == (8, 2)
    assert (ours.sliding_window, ours.rope_theta) == (512, 1e6)


def test_our_own_configuration_passes_through_unchanged():
    config = TransformerConfig(hidden_size=24, num_attention_heads=4)
    assert TransformerConfig.from_config(config) is config


def test_what_a_foreign_configuration_does_not_name_keeps_its_default():
    class Small:
        hidden_size = 24
        num_attention_heads = 3

    assert (
        TransformerConfig.from_config(Small()).num_hidden_layers
        == TransformerConfig().num_hidden_layers
    )
    assert TransformerConfig.from_config(Small()).head_size == 8


def test_a_size_that_a_configuration_looks_up_only_when_asked_is_read():
    class Mapped:
        def __getattr__(self, name):
            try:
                return {"hidden_size": 24, "num_attention_heads": 3}[name]
            except KeyError:
                raise AttributeError(name) from None

    ours = TransformerConfig.from_config(Mapped())
    assert (ours.hidden_size, ours.num_attention_heads) == (24, 3)
    FeedForward(Mapped())  # nor do the types of its arguments, which tests check, refuse it


@pytest.mark.parametrize("wrong", [{"hidden_size": 24}, None, 768])
def test_something_that_describes_no_transformer_is_refused_by_its_type(wrong):
    with pytest.raises(TypeError, match=f"found {type(wrong).__name__}"):
        TransformerConfig.from_config(wrong)


def test_heads_that_do_not_divide_the_hidden_size_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"hidden_size is 20 and num_attention_heads is 3"):
        TransformerConfig(hidden_size=20, num_attention_heads=3)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"num_key_value_heads": 5}, "num_attention_heads is 12 and num_key_value_heads is 5"),
        ({"sliding_window": 0}, "sliding_window is 0; expected at least 1"),
        (
            {"num_local_experts": 4, "num_experts_per_tok": 5},
            "num_experts_per_tok is 5; expected 1 to 4",
        ),
    ],
    ids=str,
)
def test_sizes_that_make_no_model_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        TransformerConfig(**sizes)


def test_a_configuration_cannot_be_changed_behind_a_models_back():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TransformerConfig().hidden_size = 5


@pytest.mark.parametrize(
    "choice", [{"positions": "alibi"}, {"attn_implementation": "flash"}], ids=str
)
def test_a_choice_that_there_is_not_is_refused(choice, as_a_reader_runs_it):
    ((name, value),) = choice.items()
    with pytest.raises(ValueError, match=f"No {name} {value!r}; expected"):
        TransformerConfig(**choice)
