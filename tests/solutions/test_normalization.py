import pytest
import torch
from torch import nn
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from solutions.normalization import LayerNorm, PostNorm, PreNorm, RMSNorm

HIDDEN = 6
PAIRS = [(LayerNorm, nn.LayerNorm), (RMSNorm, nn.RMSNorm)]


def drawn(ours, theirs, eps, device="cpu"):
    """Both with the same gain (and bias), away from one (and zero)."""
    mine, peer = ours(HIDDEN, eps=eps).to(device), theirs(HIDDEN, eps=eps).to(device)
    for parameter in mine.parameters():
        nn.init.normal_(parameter, mean=0.5)
    peer.load_state_dict(mine.state_dict())
    return mine, peer


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("eps", [1e-12, 1e-5, 0.1])
@pytest.mark.parametrize("shape", [(HIDDEN,), (5, HIDDEN), (2, 5, HIDDEN), (2, 3, 5, HIDDEN)])
def test_it_equals_pytorch_forward_and_backward(ours, theirs, eps, shape, device, close):
    mine, peer = drawn(ours, theirs, eps, device)
    x = torch.randn(shape, device=device).requires_grad_()
    y = x.detach().clone().requires_grad_()
    found, expected = mine(x), peer(y)
    close(found, expected)
    weight_of_each_number = torch.randn_like(expected)
    (found * weight_of_each_number).sum().backward()
    (expected * weight_of_each_number).sum().backward()
    close(x.grad, y.grad)
    for name, parameter in mine.named_parameters():
        close(parameter.grad, peer.get_parameter(name).grad)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_the_place_of_eps_shows_on_vectors_of_small_variance(ours, theirs, close):
    mine, peer = drawn(ours, theirs, eps=0.1)
    small = 0.01 * torch.randn(2, 5, HIDDEN)
    close(mine(small), peer(small))


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_computed_in_float32_and_given_back(ours, theirs, dtype, close):
    mine, _ = drawn(ours, theirs, eps=1e-5)
    large = (300 * torch.randn(2, 5, HIDDEN)).to(dtype)  # squares overflow float16
    found = mine.to(dtype)(large)
    assert found.dtype == dtype
    close(found.float(), mine.float()(large.float()), rtol=2e-2, atol=2e-2)


def test_a_layer_norm_vector_has_mean_zero_and_variance_one(close):
    out = LayerNorm(HIDDEN)(5 + 3 * torch.randn(2, 5, HIDDEN))
    close(out.mean(-1), torch.zeros(2, 5))
    close(out.var(-1, correction=0), torch.ones(2, 5))


def test_rms_norm_keeps_the_mean_that_layer_norm_removes(close):
    x = 5 + torch.randn(4, HIDDEN)
    close(RMSNorm(HIDDEN)(x - x.mean(-1, keepdim=True)), LayerNorm(HIDDEN, eps=1e-6)(x))
    assert (RMSNorm(HIDDEN)(x).mean(-1) > 0.5).all()


def test_rms_norm_equals_llamas(close):
    x = torch.randn(2, 5, HIDDEN)
    close(RMSNorm(HIDDEN, eps=1e-6)(x), LlamaRMSNorm(HIDDEN, eps=1e-6)(x))


def test_no_token_changes_another(close):
    norm = LayerNorm(HIDDEN)
    x = torch.randn(2, 5, HIDDEN)
    before = norm(x)
    x[:, 3] += 500.0
    after = norm(x)
    others = [0, 1, 2, 4]
    assert torch.equal(after[:, others], before[:, others])


def test_a_vector_of_equal_numbers_gives_the_bias_and_no_nan():
    norm = LayerNorm(HIDDEN)
    nn.init.constant_(norm.bias, 0.25)
    assert torch.equal(norm(torch.full((1, HIDDEN), 7.0)), torch.full((1, HIDDEN), 0.25))


@pytest.mark.parametrize("norm_first", [False, True])
def test_residual_layers_place_the_normalisation_where_pytorch_does(norm_first, close):
    layer = nn.TransformerEncoderLayer(
        HIDDEN, 2, 10, dropout=0.0, batch_first=True, norm_first=norm_first
    )
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    ours = nn.Sequential(
        *(
            (PreNorm if norm_first else PostNorm)(sublayer, norm)
            for sublayer, norm in [
                (SelfAttention(layer.self_attn), layer.norm1),
                (nn.Sequential(layer.linear1, nn.ReLU(), layer.linear2), layer.norm2),
            ]
        )
    )
    tokens = torch.randn(2, 5, HIDDEN)
    close(ours(tokens), layer(tokens), rtol=1e-4)  # numbers of several hundred before the norm


class SelfAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, tokens):
        return self.attention(tokens, tokens, tokens, need_weights=False)[0]


@pytest.mark.parametrize("residual", [PostNorm, PreNorm])
def test_dropout_falls_on_the_sublayer_and_spares_the_residual_path(residual):
    tokens = torch.randn(2, 5, HIDDEN)
    layer = residual(nn.Linear(HIDDEN, HIDDEN), nn.Identity(), dropout=1.0)
    assert torch.equal(layer(tokens), tokens)
    assert not torch.equal(layer.eval()(tokens), tokens)
