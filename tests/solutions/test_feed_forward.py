import dataclasses

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import LlamaConfig
from transformers.activations import ACT2FN
from transformers.models.llama.modeling_llama import LlamaMLP

from solutions import TransformerConfig
from solutions.feed_forward import (
    ACTIVATIONS,
    ConvolutionFeedForward,
    FeedForward,
    SwiGLU,
    activation,
    gelu,
    gelu_tanh,
    relu,
    silu,
)

CONFIG = TransformerConfig(
    hidden_size=6, num_attention_heads=2, intermediate_size=10, hidden_dropout_prob=0.0
)
NUMBERS = torch.linspace(-12, 12, 4801)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (relu, F.relu),
        (gelu, F.gelu),
        (gelu_tanh, lambda x: F.gelu(x, approximate="tanh")),
        (silu, F.silu),
    ],
    ids=["relu", "gelu", "gelu_tanh", "silu"],
)
def test_each_activation_equals_pytorchs_with_its_gradient(ours, theirs, close):
    mine, peer = NUMBERS.clone().requires_grad_(), NUMBERS.clone().requires_grad_()
    close(ours(mine), theirs(peer))
    ours(mine).sum().backward()
    theirs(peer).sum().backward()
    away_from_zero = NUMBERS != 0  # relu has no derivative at 0; the two choose differently
    close(mine.grad[away_from_zero], peer.grad[away_from_zero])


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_each_name_means_what_it_means_to_hugging_face(name, close):
    close(activation(name)(NUMBERS), ACT2FN[name](NUMBERS))


@pytest.mark.parametrize(
    ("name", "formula"),
    [("relu", relu), ("gelu", gelu), ("gelu_new", gelu_tanh), ("silu", silu)],
)
def test_the_layers_run_what_the_formulas_say(name, formula, close):
    close(activation(name)(NUMBERS), formula(NUMBERS))


def test_the_two_gelus_differ_by_up_to_five_in_ten_thousand():
    difference = (gelu(NUMBERS) - gelu_tanh(NUMBERS)).abs().max().item()
    assert 4e-4 < difference < 5e-4


def test_an_unknown_activation_is_refused_with_the_known_names():
    with pytest.raises(ValueError, match="No activation 'gleu'; expected one of relu, gelu"):
        FeedForward(dataclasses.replace(CONFIG, hidden_act="gleu"))


@pytest.mark.parametrize("name", ["relu", "gelu"])
def test_it_is_the_feed_forward_part_of_pytorchs_encoder_layer(name, close):
    ours = FeedForward(dataclasses.replace(CONFIG, hidden_act=name)).eval()
    layer = nn.TransformerEncoderLayer(6, 2, 10, activation=name, batch_first=True).eval()
    layer.linear1.load_state_dict(ours.intermediate.state_dict())
    layer.linear2.load_state_dict(ours.output.state_dict())
    tokens = torch.randn(2, 5, 6)
    close(ours(tokens), layer._ff_block(tokens))


def test_every_token_is_mapped_by_itself(close):
    feed_forward = FeedForward(CONFIG).eval()
    tokens = torch.randn(2, 5, 6)
    one_by_one = torch.stack([feed_forward(tokens[:, i]) for i in range(5)], dim=1)
    close(feed_forward(tokens), one_by_one)


def test_it_is_a_convolution_of_width_one(close):
    feed_forward = FeedForward(CONFIG).eval()
    convolution = ConvolutionFeedForward(feed_forward)
    tokens = torch.randn(2, 5, 6)
    close(convolution(tokens), feed_forward(tokens))
    assert convolution.intermediate.weight.shape == (10, 6, 1)
    assert not convolution.training


def test_the_convolution_has_its_own_copy_of_the_weights():
    feed_forward = FeedForward(CONFIG)
    convolution = ConvolutionFeedForward(feed_forward)
    with torch.no_grad():
        feed_forward.intermediate.weight.zero_()
    assert convolution.intermediate.weight.abs().sum() > 0


def test_swiglu_equals_the_one_in_llama(close):
    llama = LlamaMLP(LlamaConfig(hidden_size=6, intermediate_size=10, num_attention_heads=2))
    ours = SwiGLU(CONFIG).eval()
    ours.load_state_dict(
        {
            "gate.weight": llama.gate_proj.weight,
            "intermediate.weight": llama.up_proj.weight,
            "output.weight": llama.down_proj.weight,
        }
    )
    tokens = torch.randn(2, 5, 6)
    close(ours(tokens), llama(tokens))


@pytest.mark.parametrize("layer", [FeedForward, SwiGLU])
def test_dropout_works_while_training_and_never_in_evaluation(layer):
    module = layer(dataclasses.replace(CONFIG, hidden_dropout_prob=0.5))
    tokens = torch.randn(2, 50, 6)
    zeros = (module(tokens) == 0).float().mean().item()
    assert 0.4 < zeros < 0.6
    assert (module.eval()(tokens) != 0).all()
