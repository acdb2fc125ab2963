"""LoRA: nothing at first, an ordinary matrix at the end, and any matrix if the rank allows it."""

import copy

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from solutions import TransformerConfig
from solutions.encoder import Encoder
from solutions.head import Classifier
from solutions.lora import LoRALinear, add_lora, lora_state, merge_lora

CONFIG = TransformerConfig(
    vocab_size=50,
    hidden_size=24,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=96,
)


@pytest.fixture
def linear():
    torch.manual_seed(0)
    return nn.Linear(12, 7)


def test_it_changes_nothing_before_it_is_trained(linear):
    x = torch.randn(2, 3, 12)
    assert torch.equal(LoRALinear(linear)(x), linear(x))


def test_merged_it_is_one_ordinary_map(linear):
    layer, x = LoRALinear(linear, rank=3), torch.randn(5, 12)
    nn.init.normal_(layer.up.weight)
    before = linear.weight.clone()
    merged = layer.merged()
    assert type(merged) is nn.Linear
    assert_close(merged(x), layer(x), rtol=1e-5, atol=1e-5)
    assert not torch.allclose(merged.weight, before)
    assert torch.equal(linear.weight, before)


@torch.no_grad()
def test_with_full_rank_it_can_be_any_correction_and_with_less_the_nearest(linear):
    wanted = torch.randn(7, 12)
    u, s, v = torch.linalg.svd(wanted, full_matrices=False)
    errors = []
    for rank in (7, 3):
        layer = LoRALinear(linear, rank, alpha=float(rank))
        layer.up.weight.copy_(u[:, :rank] * s[:rank])
        layer.down.weight.copy_(v[:rank])
        errors.append((layer.merged().weight - linear.weight - wanted).norm())
    assert_close(errors[0], torch.tensor(0.0), rtol=0, atol=1e-5)
    assert_close(errors[1], s[3:].norm(), rtol=1e-5, atol=1e-5)


def test_only_the_corrections_and_the_head_learn():
    torch.manual_seed(0)
    model = Classifier(CONFIG, 3)
    add_lora(model.encoder, rank=2)
    names = {name for name, p in model.named_parameters() if p.requires_grad}
    # four maps a layer: query, key and value in one, output, and the two of the feed-forward
    assert len(names) == 2 * 4 * 2 + 2
    assert all(".down." in name or ".up." in name or "head" in name for name in names)
    assert set(lora_state(model)) == names

    frozen = copy.deepcopy({n: p for n, p in model.named_parameters() if n not in names})
    ids = torch.randint(1, 50, (4, 6))
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1.0)
    for _ in range(2):
        model(ids).logits.square().sum().backward()
        optimizer.step()
    after = dict(model.named_parameters())
    assert all(torch.equal(after[name], before) for name, before in frozen.items())


def test_a_merged_model_gives_the_same_logits():
    torch.manual_seed(0)
    model = Classifier(CONFIG, 3).eval()
    add_lora(model.encoder)
    for name, parameter in model.named_parameters():
        if ".up." in name:
            nn.init.normal_(parameter, std=0.1)
    ids = torch.randint(1, 50, (4, 6))
    adapted = model(ids).logits
    merge_lora(model)
    assert not any(isinstance(part, LoRALinear) for part in model.modules())
    assert_close(model(ids).logits, adapted, rtol=1e-5, atol=1e-5)
    assert isinstance(model.encoder, Encoder)


def test_a_rank_of_zero_is_refused():
    with pytest.raises(ValueError, match="rank is 0; expected at least 1"):
        add_lora(nn.Sequential(nn.Linear(2, 2)), rank=0)
